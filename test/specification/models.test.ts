import { describe, expect, test } from 'vitest';
import {
  Config,
  fireAfterAgentHook,
  fireAfterModelHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionStartHook,
  type HookEventName,
  type HooksByEvent,
} from '../../src/index.ts';
import { all, answering } from './engine.ts';

const configWith = (hooks: HooksByEvent, options: ConstructorParameters<typeof Config>[0] = {}): Config =>
  new Config({ enableHooks: true, hooks, ...options });

const on = (eventName: HookEventName, answer: object): Config =>
  configWith({ [eventName]: all(answering('a', answer)) });

const tools = [{ functionDeclarations: [{ name: 'read_file' }, { name: 'run_shell' }] }];
const request = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }], config: { tools } };
const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] };
const written = (text: string) => ({ candidates: [{ content: { role: 'model', parts: [text] } }] });

const off = () => new Config({ enableHooks: false, hooks: { BeforeModel: all(answering('a', { decision: 'deny' })) } });
class Unlucky extends Config {
  override getHooks(): never {
    throw new Error('the disk is gone');
  }
}

describe('before the model is called', () => {
  test.each([
    ['hooks off', off()],
    ['no hooks', configWith({})],
    ['hooks that say nothing', configWith({ BeforeModel: all(answering('a')) })],
    ['an engine that fails', new Unlucky({ enableHooks: true })],
  ])('R271 R280 with %s nothing is blocked and nothing else is said', async (_what, config) => {
    expect(await fireBeforeModelHook(config, request)).toEqual({ blocked: false });
  });

  test.each([
    [
      { decision: 'deny', reason: 'too dear' },
      { blocked: true, reason: 'too dear' },
    ],
    [{ decision: 'block' }, { blocked: true, reason: 'No reason provided' }],
    [
      { continue: false, stopReason: 'enough' },
      { blocked: true, reason: 'enough', stopped: true },
    ],
  ])('R154 R270 R272 R273 C17 C34 %j is %j', async (answer, expected) => {
    expect(await fireBeforeModelHook(on('BeforeModel', answer), request)).toEqual(expected);
  });

  test('R169 R272 a block may bring the answer along', async () => {
    const answer = { decision: 'deny', reason: 'known', hookSpecificOutput: { llm_response: written('42') } };
    const { blocked, syntheticResponse } = await fireBeforeModelHook(on('BeforeModel', answer), request);
    expect(blocked).toBe(true);
    expect(syntheticResponse?.candidates).toMatchObject([{ content: { role: 'model', parts: [{ text: '42' }] } }]);
  });

  test('R168 R274 otherwise there is a request to send, the very same when no hook changed it', async () => {
    const unchanged = await fireBeforeModelHook(on('BeforeModel', { reason: 'fine' }), request);
    expect(unchanged.modifiedRequest).toBe(request);
    const answer = { hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } };
    const changed = await fireBeforeModelHook(on('BeforeModel', answer), request);
    expect(changed).toEqual({ blocked: false, modifiedRequest: { ...request, config: { tools, temperature: 0 } } });
  });
});

describe('after the model has answered', () => {
  test.each([
    ['hooks off', off()],
    ['no hooks', configWith({})],
    ['hooks that change nothing', on('AfterModel', { suppressOutput: true })],
    ['an engine that fails', new Unlucky({ enableHooks: true })],
  ])('R275 R276 R280 with %s its response is kept as it is', async (_what, config) => {
    const result = await fireAfterModelHook(config, request, response);
    expect(result).toEqual({ response });
    expect(result.response).toBe(response);
  });

  test('R170 R275 a changed response takes its place', async () => {
    const config = on('AfterModel', { hookSpecificOutput: { llm_response: written('[redacted]') } });
    const { response: kept } = await fireAfterModelHook(config, request, response);
    expect(kept.candidates).toEqual([{ content: { role: 'model', parts: [{ text: '[redacted]' }] } }]);
  });

  test('C17 a block and a stop are told beside it', async () => {
    const config = on('AfterModel', { continue: false, stopReason: 'enough' });
    expect(await fireAfterModelHook(config, request, response)).toMatchObject({
      response,
      blocked: true,
      stopped: true,
      reason: 'enough',
    });
  });
});

describe('when tools are selected', () => {
  test.each([
    ['hooks off', off()],
    ['no hooks', configWith({})],
    ['hooks that say nothing', configWith({ BeforeToolSelection: all(answering('a')) })],
    ['an engine that fails', new Unlucky({ enableHooks: true })],
  ])('R279 R280 with %s nothing is said', async (_what, config) => {
    expect(await fireBeforeToolSelectionHook(config, request)).toEqual({});
  });

  const choice = { hookSpecificOutput: { toolConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] } } };
  const chosen = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read_file'] } };

  test('R171 R277 R278 C38 mode and names are changed, and the tools of the request come back as they were', async () => {
    const selection = await fireBeforeToolSelectionHook(on('BeforeToolSelection', choice), request);
    expect(selection).toEqual({ toolConfig: chosen, tools });
    expect(selection.tools).toBe(tools);
  });

  test('R278 C38 tools beside the config are found too', async () => {
    const beside = { model: 'm', contents: request.contents, tools };
    const selection = await fireBeforeToolSelectionHook(on('BeforeToolSelection', choice), beside);
    expect(selection.tools).toBe(tools);
  });
});

describe('a system message reaches the model', () => {
  /** The texts the model gets with the next request. */
  const nextTexts = async (config: Config): Promise<unknown> => {
    const { modifiedRequest = request } = await fireBeforeModelHook(config, request);
    return modifiedRequest.contents.flatMap(({ parts }) => parts.map(({ text }) => text));
  };

  test('R290 R294 R296 of a BeforeModel hook as a message of its own', async () => {
    const config = on('BeforeModel', { systemMessage: 'be brief' });
    const { modifiedRequest } = await fireBeforeModelHook(config, request);
    expect(modifiedRequest?.contents).toEqual([
      ...request.contents,
      { role: 'user', parts: [{ text: expect.stringContaining('be brief') }] },
    ]);
  });

  test('R290 R295 of an AfterModel hook with the next request, and only with that one', async () => {
    const config = on('AfterModel', { systemMessage: 'be brief' });
    await fireAfterModelHook(config, request, response);
    expect(await nextTexts(config)).toEqual(['hi', expect.stringContaining('be brief')]);
    expect(await nextTexts(config)).toEqual(['hi']);
  });

  test.each<[eventName: HookEventName, fire: (config: Config) => Promise<unknown>]>([
    ['BeforeToolSelection', (config) => fireBeforeToolSelectionHook(config, request)],
    ['AfterAgent', (config) => fireAfterAgentHook(config, 'hi', 'hello')],
    ['SessionStart', (config) => fireSessionStartHook(config, 'startup')],
    ['PreCompress', (config) => firePreCompressHook(config, 'auto')],
    ['Notification', (config) => fireNotificationHook(config, 'ToolPermission', 'may I?')],
  ])('R290 of %s with the next request', async (eventName, fire) => {
    const config = on(eventName, { systemMessage: 'be brief' });
    await fire(config);
    expect(await nextTexts(config)).toEqual(['hi', expect.stringContaining('be brief')]);
  });

  test('R175 R290 of a BeforeAgent hook with the prompt, which hooks extend', async () => {
    const answer = { systemMessage: 'be brief', hookSpecificOutput: { additionalContext: 'It is Monday.' } };
    const { prompt } = await fireBeforeAgentHook(on('BeforeAgent', answer), 'hi');
    expect(prompt.split('\n\n').sort()).toEqual(['It is Monday.', '[System] be brief', 'hi']);
    expect(prompt).toMatch(/^hi\n\n/);
  });
});
