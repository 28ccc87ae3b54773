import { describe, expect, test } from 'vitest';
import {
  Config,
  HookAggregator,
  HookEventHandler,
  HookEventName,
  type HookExecutionRequest,
  type HookExecutionResponse,
  HookPlanner,
  HookRegistry,
  HookRunner,
  HookSystem,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { all, answering, engineOf, payloads } from './engine.ts';

const events = Object.values(HookEventName);

const ask = (bus: MessageBus, request: Partial<HookExecutionRequest>): Promise<HookExecutionResponse> =>
  bus.request(
    untyped({ type: MessageBusType.HOOK_EXECUTION_REQUEST, correlationId: bus.createCorrelationId(), ...request }),
    MessageBusType.HOOK_EXECUTION_RESPONSE,
  );

test('R002 R004 R007 R013 C12 a response repeats the id and carries the complete result beside the merged output', async () => {
  const bus = new MessageBus();
  await engineOf(
    { BeforeTool: all(answering('a', { reason: 'fine' }), answering('b', { decision: 'allow' })) },
    { bus },
  );
  const response = await ask(bus, { correlationId: 'mine', eventName: 'BeforeTool', payload: payloads.BeforeTool });
  expect(response).toMatchObject({
    type: 'hook-execution-response',
    correlationId: 'mine',
    eventName: 'BeforeTool',
    success: true,
    result: { success: true, allOutputs: [{ reason: 'fine' }, { decision: 'allow' }], errors: [] },
    output: { decision: 'allow' },
  });
  expect(response.result.totalDuration).toBeGreaterThanOrEqual(0);
  expect(response.result.finalOutput).toBe(response.output);
  expect(response).not.toHaveProperty('error');
});

test('R006 C12 input is read as an older name of payload', async () => {
  const bus = new MessageBus();
  await engineOf({ BeforeTool: [{ matcher: 'read_file', hooks: [answering('a', { decision: 'deny' })] }] }, { bus });
  const { output } = await ask(bus, { eventName: 'BeforeTool', input: payloads.BeforeTool });
  expect(output).toMatchObject({ decision: 'deny' });
});

test('R008 R009 R010 the handler subscribes while it is made, and the hook system adds nothing to that', () => {
  const types = [...Object.values(MessageBusType), '*', 'error'] as const;
  const countsOn = (bus: MessageBus) => types.map((type) => bus.listenerCount(type));
  const config = new Config();
  const registry = new HookRegistry(config);

  const bus = new MessageBus();
  new HookEventHandler(config, new HookPlanner(registry), new HookRunner(config), new HookAggregator(), bus);
  expect(bus.listenerCount(MessageBusType.HOOK_EXECUTION_REQUEST)).toBe(1);

  const other = new MessageBus();
  new HookSystem(config, other);
  expect(countsOn(other)).toEqual(countsOn(bus));
});

describe('every event over the bus', () => {
  test.each(events)('R012 R018 R144 a request for %s reaches its hooks', async (eventName) => {
    const bus = new MessageBus();
    await engineOf({ [eventName]: all(answering('a', { systemMessage: 'I was asked' })) }, { bus });
    const { success, output } = await ask(bus, { eventName, payload: payloads[eventName] });
    expect({ success, output }).toMatchObject({ success: true, output: { systemMessage: 'I was asked' } });
  });

  test.each(events)('R014 C53 a payload that is none of %s is refused by what its record says', async (eventName) => {
    const bus = new MessageBus();
    await engineOf({ [eventName]: all(answering('a')) }, { bus });
    const { success, error } = await ask(bus, { eventName, payload: { stranger: true } });
    expect({ success, code: error?.code }).toEqual({ success: false, code: 'validation_failure' });
    expect(error?.message).toMatch(new RegExp(`^${eventName}: payload\\.`));
  });
});

test('R011 R026 C14 an unknown event is answered, with the name that was probably meant', async () => {
  const bus = new MessageBus();
  await engineOf({}, { bus });
  const { success, error, result } = await ask(bus, { eventName: 'BeforeTools', payload: {} });
  expect(success).toBe(false);
  expect(error).toMatchObject({ code: 'unsupported_event', message: expect.stringContaining('"BeforeTool"') });
  expect(result).toEqual({ success: false, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 });
});

test.each([
  ['no event', {}, 'invalid_request'],
  ['an event that is a number', { eventName: 5 }, 'invalid_request'],
  ['a payload that is a text', { eventName: 'BeforeTool', payload: 'read_file' }, 'invalid_request'],
  ['a payload with a member that throws', { eventName: 'BeforeTool', payload: throwing() }, 'validation_failure'],
  ['a payload that refers to itself', { eventName: 'BeforeTool', payload: cyclic() }, 'validation_failure'],
])('R027 C14 a request with %s throws nothing into the publisher and gets one answer', async (_what, request, code) => {
  const bus = new MessageBus();
  await engineOf({ BeforeTool: all(answering('a')) }, { bus });
  const answers: HookExecutionResponse[] = [];
  bus.subscribe(MessageBusType.HOOK_EXECUTION_RESPONSE, (answer) => answers.push(answer));
  bus.publish(untyped({ type: MessageBusType.HOOK_EXECUTION_REQUEST, correlationId: 'bad', ...request }));
  expect(answers).toMatchObject([{ correlationId: 'bad', success: false, error: { code } }]);
});

function throwing(): object {
  return Object.defineProperty({ tool_input: {} }, 'tool_name', {
    enumerable: true,
    get: () => {
      throw new Error('do not look');
    },
  });
}

function cyclic(): object {
  const tool_input: Record<string, unknown> = {};
  tool_input.self = tool_input;
  return { tool_name: 'read_file', tool_input };
}

test('R016 R017 R022 C47 without a bus, with one and over one the result is the same', async () => {
  const hooks = { BeforeTool: all(answering('a', { decision: 'ask', reason: 'sure?' }), answering('b', { x: 1 })) };
  const bus = new MessageBus();
  const alone = await engineOf(hooks);
  const joined = await engineOf(hooks, { bus });
  const { tool_name, tool_input } = payloads.BeforeTool;
  const results = [
    await alone.handler.fireBeforeToolEvent(tool_name, tool_input),
    await joined.handler.fireBeforeToolEvent(tool_name, tool_input),
    await requestHooks(bus, 'BeforeTool', payloads.BeforeTool),
  ].map((result) => ({ ...result, totalDuration: 0 }));
  expect(results[0]).toMatchObject({ success: true, finalOutput: { decision: 'ask', reason: 'sure?', x: 1 } });
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

test('R017 a direct call with nobody listening publishes nothing', async () => {
  const published: unknown[] = [];
  class WatchedBus extends MessageBus {
    override publish(message: Parameters<MessageBus['publish']>[0]): void {
      published.push(message);
      super.publish(message);
    }
  }
  const { handler } = await engineOf({ BeforeAgent: all(answering('a', {})) }, { bus: new WatchedBus() });
  await handler.fireBeforeAgentEvent('hi');
  expect(published).toEqual([]);
});
