import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  BeforeModelHookOutput,
  BeforeToolHookOutput,
  decodeMessage,
  defaultHookTranslator,
  type HookExecutionResponse,
  HookwrightError,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../../src/index.ts';
import { buildHost } from '../support/hosts.ts';
import { IpcTransport } from '../support/ipc-transport.ts';
import { untyped } from '../support/untyped.ts';

/** An engine in another process, and a bus on this end of the pipe to it. */
let child: ChildProcess;
let bus: MessageBus;

beforeAll(async () => {
  child = fork(await buildHost('answers'), { execArgv: [] });
  await once(child, 'message');
  bus = new MessageBus({ transport: new IpcTransport(child) });
}, 30_000);

afterAll(() => {
  child.kill();
});

const call = { tool_name: 'write', tool_input: { path: 'a' } };
const timeoutMs = 20_000;

test('an answer from another process has the class of its event', async () => {
  const { finalOutput } = await requestHooks(bus, 'BeforeTool', call, { timeoutMs });
  expect(finalOutput).toBeInstanceOf(BeforeToolHookOutput);
  expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
  expect(finalOutput?.getModifiedToolInput()).toEqual({ path: 'b' });
  const asked = await requestHooks(bus, 'BeforeModel', { llm_request: { model: 'm', contents: 'Hi' } }, { timeoutMs });
  expect(asked.finalOutput).toBeInstanceOf(BeforeModelHookOutput);
  expect(asked.finalOutput?.getSyntheticResponse()?.text).toBe('Hi.');
});

const nextResponse = (): Promise<HookExecutionResponse> =>
  new Promise((resolve) => {
    const stop = bus.subscribe(MessageBusType.HOOK_EXECUTION_RESPONSE, (response) => {
      stop();
      resolve(response);
    });
  });

test('what broke over there travels as data and is an error again for who asked', async () => {
  const response = nextResponse();
  const { success, errors } = await requestHooks(bus, 'BeforeTool', call, { timeoutMs });
  const told = {
    name: 'HookwrightError',
    code: 'hook_failed',
    message: 'Hook "breaks": it broke',
    details: { hook: 'breaks', fault: 'threw' },
  };
  const { result } = await response;
  expect(result.errors).toHaveLength(1);
  expect(result.errors[0]).not.toBeInstanceOf(Error);
  expect(result.errors[0]).toMatchObject(told);
  expect(success).toBe(false);
  expect(HookwrightError.is(errors[0])).toBe(true);
  expect(errors[0]).toMatchObject(told);
});

test('a request that was refused over there is an error with the code of the wire', async () => {
  const { errors } = await requestHooks(bus, 'BeforeTool', { ...call, tool_name: '' }, { timeoutMs });
  expect(HookwrightError.is(errors[0]) && errors[0].code).toBe('validation_failure');
});

test('the message says the same twice: `output` is the final output', async () => {
  const response = nextResponse();
  await requestHooks(bus, 'BeforeTool', call, { timeoutMs });
  const { output, result } = await response;
  expect(output).toBeInstanceOf(BeforeToolHookOutput);
  expect(output).toEqual(result.finalOutput);
});

test('an output asks the translator of the process that received it', () => {
  const llm_response = { candidates: [{ content: { role: 'model', parts: ['Hi.'] } }] };
  const result = {
    success: true,
    allOutputs: [],
    errors: [],
    totalDuration: 1,
    finalOutput: { hookSpecificOutput: { llm_response } },
  };
  const message = {
    type: 'hook-execution-response',
    correlationId: 'a',
    eventName: 'BeforeModel',
    success: true,
    result,
  };
  const own = Object.assign(Object.create(defaultHookTranslator), {
    fromHookLLMResponse: () => ({ answer: 'Hi.' }),
  });
  const read = untyped<{ result: { finalOutput: BeforeModelHookOutput<{ answer: string }> } }>(
    decodeMessage(JSON.stringify(message), own),
  );
  expect(read.result.finalOutput.getSyntheticResponse()).toEqual({ answer: 'Hi.' });
});

test('what is no response stays as it is', () => {
  const message = { type: 'hook-execution-response', eventName: 'Unheard', result: { finalOutput: {} } };
  expect(decodeMessage(JSON.stringify(message))).toEqual(message);
  expect(() => decodeMessage('{')).toThrow(SyntaxError);
});
