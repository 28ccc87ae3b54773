import { describe, expect, test } from 'vitest';
import {
  fireAfterAgentHook,
  fireAfterModelHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
  type HookDefinition,
} from '../../src/index.ts';
import { configWith, hook, listening, recording, throwing } from './support.ts';

const request = Object.freeze({
  model: 'gemini-2.5-pro',
  contents: [{ role: 'user', parts: [{ text: 'Which key?' }, { inlineData: { mimeType: 'image/png', data: '' } }] }],
  config: { temperature: 0.9, systemInstruction: 'Be brief.', tools: [{ functionDeclarations: [{ name: 'read' }] }] },
});
const response = Object.freeze({
  candidates: [{ content: { role: 'model', parts: [{ text: 'sk-123' }] }, finishReason: 'STOP' }],
  responseId: 'r1',
});
const answerWith = (text: string) => ({ candidates: [{ content: { role: 'model', parts: [text] } }] });

const withBefore = (...definitions: HookDefinition[]) => configWith({ BeforeModel: definitions });
const withAfter = (...definitions: HookDefinition[]) => configWith({ AfterModel: definitions });
const textsIn = (contents: unknown): unknown => JSON.parse(JSON.stringify(contents));

describe('BeforeModel', () => {
  test.each<[string, HookDefinition[]]>([
    ['there are no hooks', []],
    ['no hook says anything', [hook(() => undefined)]],
    ['all hooks fail', [throwing()]],
  ])('says only that nothing is blocked when %s', async (_why, definitions) => {
    expect(await fireBeforeModelHook(withBefore(...definitions), request)).toEqual({ blocked: false });
  });

  test('says only that nothing is blocked when hooks are off', async () => {
    const config = configWith({ BeforeModel: [hook({ decision: 'deny' })] }, { enableHooks: false });
    expect(await fireBeforeModelHook(config, request)).toEqual({ blocked: false });
  });

  test('hands back the very request when a hook changed nothing of it', async () => {
    const { blocked, modifiedRequest } = await fireBeforeModelHook(withBefore(hook({ decision: 'allow' })), request);
    expect(blocked).toBe(false);
    expect(modifiedRequest).toBe(request);
  });

  test('shows hooks the stable request', async () => {
    const { seen, definition } = recording();
    await fireBeforeModelHook(withBefore(definition), request);
    expect(seen).toMatchObject([
      {
        llm_request: {
          model: 'gemini-2.5-pro',
          messages: [{ role: 'user', content: 'Which key?' }],
          config: { temperature: 0.9 },
        },
      },
    ]);
  });

  test('changes what hooks name and keeps the rest, parts that hooks never see among them', async () => {
    const config = withBefore(
      hook({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }),
      hook({ hookSpecificOutput: { llm_request: { messages: [{ role: 'user', content: 'Which door?' }] } } }),
    );
    const { modifiedRequest } = await fireBeforeModelHook(config, request);
    expect(modifiedRequest).toEqual({
      ...request,
      contents: [{ role: 'user', parts: [{ text: 'Which door?' }, request.contents[0]?.parts[1]] }],
      config: { ...request.config, temperature: 0 },
    });
  });

  test('is passed from hook to hook in a sequence', async () => {
    const { seen, definition } = recording();
    const config = withBefore(
      hook({ hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }, { sequential: true }),
      definition,
    );
    await fireBeforeModelHook(config, request);
    expect(seen).toMatchObject([{ llm_request: { config: { temperature: 0 } } }]);
  });

  test('leaves the request it was given alone', async () => {
    const mine = structuredClone(request);
    const config = withBefore(hook({ systemMessage: 'x', hookSpecificOutput: { llm_request: { model: 'other' } } }));
    await fireBeforeModelHook(config, mine);
    expect(mine).toEqual(request);
  });

  test.each<[string, HookDefinition, object]>([
    ['a block', hook({ decision: 'deny', reason: 'too dear' }), { blocked: true, reason: 'too dear' }],
    ['a stop', hook({ continue: false, stopReason: 'enough' }), { blocked: true, stopped: true, reason: 'enough' }],
    [
      'both, whose effective reason is the one of the stop',
      hook({ decision: 'block', reason: 'too dear', continue: false, stopReason: 'enough' }),
      { blocked: true, stopped: true, reason: 'enough' },
    ],
    ['a block without a reason', hook({ decision: 'block' }), { blocked: true, reason: 'No reason provided' }],
  ])('%s keeps the model from being called', async (_what, definition, result) => {
    expect(await fireBeforeModelHook(withBefore(definition), request)).toEqual(result);
  });

  test('a block may come with an answer in the place of the model’s', async () => {
    const config = withBefore(
      hook({ decision: 'deny', reason: 'cached', hookSpecificOutput: { llm_response: answerWith('42') } }),
    );
    const { blocked, reason, syntheticResponse, modifiedRequest } = await fireBeforeModelHook(config, request);
    expect({ blocked, reason, modifiedRequest }).toEqual({
      blocked: true,
      reason: 'cached',
      modifiedRequest: undefined,
    });
    expect(textsIn(syntheticResponse)).toEqual({
      candidates: [{ content: { role: 'model', parts: [{ text: '42' }] } }],
    });
    expect(syntheticResponse?.text).toBe('42');
  });

  test('an answer without a block is there too, and no reason not to', async () => {
    const config = withBefore(hook({ hookSpecificOutput: { llm_response: { text: '42' } } }));
    const { blocked, syntheticResponse } = await fireBeforeModelHook(config, request);
    expect(blocked).toBe(false);
    expect(syntheticResponse?.text).toBe('42');
  });

  test('reads the older names of the fields', async () => {
    const config = withBefore(
      hook({ continue: false, syntheticResponse: answerWith('42'), modifiedRequest: { model: 'other' } }),
    );
    expect((await fireBeforeModelHook(config, request)).syntheticResponse?.text).toBe('42');
  });

  test('an explicit block is not lifted by a later hook', async () => {
    const config = withBefore(hook({ decision: 'deny', reason: 'no' }), hook({ decision: 'allow' }));
    expect(await fireBeforeModelHook(config, request)).toEqual({ blocked: true, reason: 'no' });
  });
});

describe('the system message of a BeforeModel hook', () => {
  test('becomes a content of its own at the end of the request', async () => {
    const result = await fireBeforeModelHook(withBefore(hook({ systemMessage: 'Answer in French.' })), request);
    expect(result.systemMessage).toBe('Answer in French.');
    // Gemini knows no system role in the middle of a conversation.
    expect(textsIn(result.modifiedRequest)).toEqual({
      ...(textsIn(request) as object),
      contents: [...request.contents, { role: 'user', parts: [{ text: '[System] Answer in French.' }] }],
    });
  });

  test('is a system message to the hooks of the next call with that request', async () => {
    const { seen, definition } = recording<{ llm_request: { messages: unknown[] } }>();
    const { modifiedRequest = request } = await fireBeforeModelHook(withBefore(hook({ systemMessage: 'x' })), request);
    await fireBeforeModelHook(withBefore(definition), modifiedRequest);
    expect(seen[0]?.llm_request.messages.at(-1)).toEqual({ role: 'system', content: 'x' });
  });

  test('comes with the changes of the hook', async () => {
    const config = withBefore(hook({ systemMessage: 'x', hookSpecificOutput: { llm_request: { model: 'other' } } }));
    const { modifiedRequest } = await fireBeforeModelHook(config, { model: 'm', contents: 'hi' });
    expect(modifiedRequest).toMatchObject({ model: 'other', contents: [{}, { parts: [{ text: '[System] x' }] }] });
  });

  test('stays a system message in a request in the stable form', async () => {
    const stable = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
    const { modifiedRequest } = await fireBeforeModelHook(withBefore(hook({ systemMessage: 'x' })), stable);
    expect(modifiedRequest?.messages.at(-1)).toEqual({ role: 'system', content: 'x' });
  });
});

test('R603 messages that wait for a request are limited together', async () => {
  const { warnings, logger } = listening();
  const counted = [1, 2, 3].values();
  const config = configWith(
    { Notification: [hook(() => ({ systemMessage: `${counted.next().value}${'x'.repeat(600)}` }))] },
    { deps: { logger, limits: { modelTextBytes: 1_000 } } },
  );
  for (let times = 0; times < 3; times += 1) await fireNotificationHook(config, 'ToolPermission', 'm');
  const { modifiedRequest } = await fireBeforeModelHook(config, request);
  const texts = modifiedRequest?.contents.slice(1).map(({ parts }) => parts[0]?.text ?? '') ?? [];
  expect(texts[0]).toBe(`[System] 1${'x'.repeat(600)}`);
  expect(texts[1]).toMatch(/^\[System\] 2x{398}… \(cut: 202 more bytes/);
  expect(texts.join('').length).toBeLessThan(1_300);
  expect(warnings.join('\n')).toContain('model-text-cut');
});

describe('a system message that nothing carries', () => {
  const said = { systemMessage: 'for later' };
  const nextTexts = async (config: Parameters<typeof fireBeforeModelHook>[0]): Promise<string[]> => {
    const { modifiedRequest } = await fireBeforeModelHook(config, { model: 'm', contents: 'hi' });
    return JSON.stringify(modifiedRequest?.contents ?? []).match(/for \w+/g) ?? [];
  };

  test.each<[string, (config: Parameters<typeof fireBeforeModelHook>[0]) => Promise<unknown>]>([
    ['AfterModel', (config) => fireAfterModelHook(config, request, response)],
    ['BeforeToolSelection', (config) => fireBeforeToolSelectionHook(config, request)],
    ['AfterAgent', (config) => fireAfterAgentHook(config, 'hi', 'ho')],
    ['SessionStart', (config) => fireSessionStartHook(config, 'startup')],
    ['PreCompress', (config) => firePreCompressHook(config, 'auto')],
    ['Notification', (config) => fireNotificationHook(config, 'ToolPermission', 'May I?')],
  ])('waits for the next request: %s', async (eventName, fire) => {
    const config = configWith({ [eventName]: [hook(said)] });
    await fire(config);
    expect(await nextTexts(config)).toEqual(['for later']);
    expect(await nextTexts(config)).toEqual([]);
  });

  test('waits on while requests are blocked, or answered in the place of the model', async () => {
    let answer: object = { decision: 'deny', systemMessage: 'for one' };
    const config = configWith({ AfterModel: [hook(said)], BeforeModel: [hook(() => answer)] });
    await fireAfterModelHook(config, request, response);
    expect(await nextTexts(config)).toEqual([]);
    answer = { systemMessage: 'for two', hookSpecificOutput: { llm_response: { text: '42' } } };
    expect(await nextTexts(config)).toEqual([]);
    answer = { systemMessage: 'for three' };
    expect(await nextTexts(config)).toEqual(['for later', 'for one', 'for two', 'for three']);
  });

  test('of a prompt that is blocked waits too', async () => {
    const config = configWith({ BeforeAgent: [hook({ ...said, decision: 'deny' })] });
    await fireBeforeAgentHook(config, 'hi');
    expect(await nextTexts(config)).toEqual(['for later']);
  });

  test('does not wait beyond its session', async () => {
    const config = configWith({ AfterModel: [hook(said)], SessionEnd: [hook(said)] });
    await fireAfterModelHook(config, request, response);
    await fireSessionEndHook(config, 'clear');
    expect(await nextTexts(config)).toEqual([]);
  });

  test('belongs to one configuration', async () => {
    await fireAfterModelHook(withAfter(hook(said)), request, response);
    expect(await nextTexts(configWith({}))).toEqual([]);
  });

  test('that is said for every chunk of an answer is told once', async () => {
    const config = withAfter(hook(said));
    for (let chunk = 0; chunk < 3; chunk += 1) await fireAfterModelHook(config, request, response);
    expect(await nextTexts(config)).toEqual(['for later']);
  });

  test('does not pile up for ever where no request ever comes', async () => {
    const { warnings, logger } = listening();
    let count = 0;
    const counting = hook(() => ({ systemMessage: `for n${count++}` }));
    const config = configWith({ Notification: [counting] }, { deps: { logger } });
    while (count <= 100) await fireNotificationHook(config, 'ToolPermission', 'May I?');
    const texts = await nextTexts(config);
    expect([texts.length, texts[0]]).toEqual([100, 'for n1']);
    expect(warnings).toHaveLength(1);
  });
});

describe('AfterModel', () => {
  test.each<[string, HookDefinition[]]>([
    ['there are no hooks', []],
    ['no hook says anything', [hook(() => undefined)]],
    ['a hook changes nothing', [hook({ decision: 'allow' })]],
  ])('hands back the very response when %s', async (_why, definitions) => {
    const result = await fireAfterModelHook(withAfter(...definitions), request, response);
    expect(result).toEqual({ response });
    expect(result.response).toBe(response);
  });

  test('replaces the text and keeps what hooks never see', async () => {
    const config = withAfter(hook({ hookSpecificOutput: { llm_response: answerWith('[redacted]') } }));
    const result = await fireAfterModelHook(config, request, response);
    expect(result.response).toEqual({
      ...response,
      candidates: [{ content: { role: 'model', parts: [{ text: '[redacted]' }] }, finishReason: 'STOP' }],
    });
    expect(response.candidates[0]?.content.parts).toEqual([{ text: 'sk-123' }]);
  });

  test('shows hooks request and response in the stable form', async () => {
    const { seen, definition } = recording();
    await fireAfterModelHook(withAfter(definition), request, response);
    expect(seen).toMatchObject([
      {
        llm_request: { messages: [{ role: 'user', content: 'Which key?' }] },
        llm_response: { text: 'sk-123', candidates: [{ content: { role: 'model', parts: ['sk-123'] } }] },
      },
    ]);
  });

  test.each<[string, HookDefinition, object]>([
    ['a block', hook({ decision: 'deny', reason: 'no' }), { response, blocked: true, reason: 'no' }],
    ['a stop', hook({ continue: false, stopReason: 'so' }), { response, blocked: true, stopped: true, reason: 'so' }],
    ['a message', hook({ systemMessage: 'm' }), { response, systemMessage: 'm' }],
  ])('tells of %s', async (_what, definition, result) => {
    expect(await fireAfterModelHook(withAfter(definition), request, response)).toEqual(result);
  });
});

describe('BeforeToolSelection', () => {
  const selection = (...definitions: HookDefinition[]) => configWith({ BeforeToolSelection: definitions });
  const only = (names: string[], mode: 'AUTO' | 'ANY' | 'NONE' = 'ANY') =>
    hook({ hookSpecificOutput: { toolConfig: { mode, allowedFunctionNames: names } } });
  const tools = [{ functionDeclarations: [{ name: 'read' }, { name: 'write' }] }];
  const toolConfig = { functionCallingConfig: { mode: 'AUTO' }, retrievalConfig: { languageCode: 'de' } };

  test.each<[string, HookDefinition[]]>([
    ['there are no hooks', []],
    ['no hook says anything', [hook(() => undefined)]],
  ])('says nothing when %s', async (_why, definitions) => {
    expect(await fireBeforeToolSelectionHook(selection(...definitions), { ...request, config: { tools } })).toEqual({});
  });

  test('says nothing when hooks are off', async () => {
    const config = configWith({ BeforeToolSelection: [only(['read'])] }, { enableHooks: false });
    expect(await fireBeforeToolSelectionHook(config, request)).toEqual({});
  });

  test('changes mode and names only, and hands back the very tools', async () => {
    const result = await fireBeforeToolSelectionHook(selection(only(['read'])), {
      model: 'm',
      contents: 'hi',
      config: { tools, toolConfig },
    });
    expect(result.toolConfig).toEqual({
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] },
      retrievalConfig: { languageCode: 'de' },
    });
    expect(result.tools).toBe(tools);
  });

  test.each<[string, object, unknown]>([
    ['under config', { config: { tools, toolConfig } }, 'de'],
    ['beside config', { tools, toolConfig }, 'de'],
    ['beside an empty config', { config: {}, tools, toolConfig }, 'de'],
    ['in both places, of which config counts', { config: { tools, toolConfig }, tools: [], toolConfig: {} }, 'de'],
    ['nowhere', { config: {} }, undefined],
  ])('finds tools and their configuration %s', async (_where, members, language) => {
    const result = await fireBeforeToolSelectionHook(selection(only(['read'])), {
      model: 'm',
      contents: 'hi',
      ...members,
    });
    expect(result.tools).toBe(language === undefined ? undefined : tools);
    expect(result.toolConfig).toMatchObject({ functionCallingConfig: { allowedFunctionNames: ['read'] } });
    expect(JSON.parse(JSON.stringify(result)).toolConfig.retrievalConfig?.languageCode).toBe(language);
  });

  test('unites what hooks allow, sorted; the strictest mode counts', async () => {
    const config = selection(only(['write', 'read'], 'AUTO'), only(['list'], 'ANY'));
    const { toolConfig: united } = await fireBeforeToolSelectionHook(config, { model: 'm', contents: 'hi' });
    expect(united).toEqual({ functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['list', 'read', 'write'] } });
  });

  test('answers a request in the stable form in the stable form', async () => {
    const stable = {
      model: 'm',
      messages: [],
      toolConfig: { mode: 'ANY' as const, allowedFunctionNames: ['read', 'write'] },
    };
    const config = selection(hook({ hookSpecificOutput: { toolConfig: { allowedFunctionNames: ['read'] } } }));
    expect(await fireBeforeToolSelectionHook(config, stable)).toEqual({
      toolConfig: { mode: 'ANY', allowedFunctionNames: ['read'] },
    });
  });

  test.each<[string, HookDefinition, object]>([
    ['a block', hook({ decision: 'deny', reason: 'no' }), { blocked: true, reason: 'no' }],
    ['a stop', hook({ continue: false, stopReason: 'so' }), { blocked: true, stopped: true, reason: 'so' }],
  ])('does not lose %s', async (_what, definition, verdict) => {
    const bare = { model: 'm', contents: 'hi' };
    expect(await fireBeforeToolSelectionHook(selection(definition), bare)).toEqual(verdict);
  });
});
