import { describe, expect, test } from 'vitest';
import { HookwrightError } from '../../src/errors.ts';
import { settingsHooksMayNotSet, settingsShownToHooks } from '../../src/models/genai-v1/request.ts';
import { type LLMMessage, type LLMRequest, llmRequestSchema } from '../../src/protocol/index.ts';
import { catchError, model, say, translator, user, withMessages } from './request-support.ts';
import { deepFreeze, overTheWire, requestFixture, requestFixtures } from './support.ts';

describe('what hooks see of a request', () => {
  test('a chat becomes its model, its messages and its generation settings', () => {
    expect(translator.toHookLLMRequest(requestFixture('plain-chat'))).toStrictEqual({
      model: 'gemini-2.5-flash',
      messages: [user('What is the capital of France?'), model('Paris.'), user('And of Spain?')],
      config: { temperature: 0.7, topP: 0.95, topK: 40, maxOutputTokens: 1024 },
    });
  });

  test('function calls, function responses, inline data and file data are left out, and so are contents without text', () => {
    const messagesOf = (name: string) => translator.toHookLLMRequest(requestFixture(name)).messages;
    expect(messagesOf('function-calls')).toEqual([
      user('Turn the lights down to a romantic level.'),
      model('I will set the lights.'),
      user('A bit louder, please.'),
    ]);
    expect(messagesOf('inline-data')).toEqual([user('Caption this image.\nIn French.')]);
    expect(messagesOf('file-data')).toEqual([user('What happens in the clip?')]);
    expect(messagesOf('empty-text')).toEqual([user('No role, so the user.')]);
  });

  test('thoughts are not text for hooks', () => {
    expect(translator.toHookLLMRequest(requestFixture('thought-parts')).messages).toEqual([
      user('Is 97 prime?'),
      model('Yes.'),
      user('And 91?'),
    ]);
  });

  test('a role that hooks do not know speaks for the user', () => {
    expect(translator.toHookLLMRequest(requestFixture('function-role')).messages.at(-1)).toEqual(
      user('Measured at noon.'),
    );
    expect(translator.toHookLLMRequest(requestFixture('system-role')).messages[0]).toEqual({
      role: 'system',
      content: 'Be brief.',
    });
  });

  test.each(['string-contents', 'single-part', 'single-content'])('%s is one message of the user', (name) => {
    expect(translator.toHookLLMRequest(requestFixture(name))).toStrictEqual({
      model: 'gemini-2.5-flash',
      messages: [user('Why is the sky blue?')],
    });
  });

  test('a list of bare parts is one message, as the SDK sends it as one content', () => {
    expect(translator.toHookLLMRequest(requestFixture('list-of-strings-and-parts')).messages).toEqual([
      user('Describe this picture:  in one sentence.'),
    ]);
  });

  test('instruction, safety, tools and structured options are no part of it, plain settings are', () => {
    expect(translator.toHookLLMRequest(requestFixture('system-instruction')).config).toStrictEqual({
      temperature: 0.1,
      stopSequences: ['END'],
      seed: 42,
      candidateCount: 1,
      responseMimeType: 'application/json',
    });
  });

  test('exactly the documented settings are shown', () => {
    expect(settingsShownToHooks).toEqual([
      'temperature',
      'maxOutputTokens',
      'topP',
      'topK',
      'candidateCount',
      'seed',
      'presencePenalty',
      'frequencyPenalty',
      'logprobs',
      'stopSequences',
      'responseModalities',
      'responseLogprobs',
      'audioTimestamp',
      'responseMimeType',
      'mediaResolution',
    ]);
  });

  test('the tool configuration is found in the config and beside it', () => {
    expect(translator.toHookLLMRequest(requestFixture('tools-and-tool-config')).toolConfig).toStrictEqual({
      mode: 'ANY',
      allowedFunctionNames: ['controlLight'],
    });
    expect(translator.toHookLLMRequest(requestFixture('tool-config-beside-config')).toolConfig).toStrictEqual({
      mode: 'AUTO',
    });
  });

  test('a mode hooks have no word for is not told, the allowed names are', () => {
    expect(translator.toHookLLMRequest(requestFixture('validated-mode')).toolConfig).toStrictEqual({
      allowedFunctionNames: ['controlLight'],
    });
  });

  test.each(requestFixtures())('%s becomes a valid stable request of plain JSON', (_, request) => {
    const stable = translator.toHookLLMRequest(request);
    expect(llmRequestSchema().parse(stable)).toEqual(stable);
    expect(overTheWire(stable)).toStrictEqual(stable);
  });

  test.each(requestFixtures())('%s in the stable form passes through', (_, request) => {
    const stable = translator.toHookLLMRequest(request);
    expect(translator.toHookLLMRequest(stable)).toBe(stable);
  });

  test('a list a hook was given is not the list of the request', () => {
    const request = requestFixture('system-instruction');
    const { config } = translator.toHookLLMRequest(request);
    expect(config?.stopSequences).toEqual(request.config?.stopSequences);
    expect(config?.stopSequences).not.toBe(request.config?.stopSequences);
  });

  test('unreadable pieces of a request are skipped', () => {
    const hostile = {
      model: 7,
      // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
      contents: [null, , { role: 'user', parts: [null, 3, { text: 4 }, { text: 'read' }] }, 'bare', 5],
      config: { temperature: 'hot', topK: Number.NaN, stopSequences: ['a', 1], toolConfig: 'x' },
    };
    // @ts-expect-error: no caller in TypeScript can send this
    expect(translator.toHookLLMRequest(hostile)).toStrictEqual({ model: '', messages: [user('read'), user('bare')] });
    // @ts-expect-error: `contents` is required
    expect(translator.toHookLLMRequest({ model: 'gemini' }).messages).toEqual([]);
  });

  test('unreadable pieces of a stable request are skipped, unknown ones stay', () => {
    const request = {
      model: 'gemini',
      messages: [null, { role: 'assistant', content: 'hi' }, { role: 'user', content: 5 }],
      config: { temperature: 'hot', mood: 'good', tools: [] },
      toolConfig: { mode: 'SOMETIMES', allowedFunctionNames: ['a'] },
      note: 'kept',
    };
    // @ts-expect-error: no caller in TypeScript can send this
    expect(translator.toHookLLMRequest(request)).toStrictEqual({
      model: 'gemini',
      messages: [user('hi')],
      config: { mood: 'good' },
      toolConfig: { allowedFunctionNames: ['a'] },
      note: 'kept',
    });
  });

  test.each([undefined, null, 'text', 5, [[]]])('%j is refused with the code validation_failure', (request) => {
    // @ts-expect-error: not an object
    const refused = catchError(() => translator.toHookLLMRequest(request));
    expect(HookwrightError.is(refused) && refused.code).toBe('validation_failure');
    expect(refused).toHaveProperty('message', expect.stringContaining('An LLM request must be an object with'));
  });
});

describe('a request without a base', () => {
  test('has text contents, the settings and the tool configuration', () => {
    const request = translator.fromHookLLMRequest({
      model: 'gemini',
      messages: [user('Hello'), model('Hi'), { role: 'system', content: 'Be brief.' }],
      config: { temperature: 0.7, seed: 1, thinkingConfig: { thinkingBudget: 0 } },
      toolConfig: { mode: 'NONE' },
    });
    expect(request).toStrictEqual({
      model: 'gemini',
      contents: [say('user', 'Hello'), say('model', 'Hi'), say('user', '[System] Be brief.')],
      config: {
        temperature: 0.7,
        seed: 1,
        thinkingConfig: { thinkingBudget: 0 },
        toolConfig: { functionCallingConfig: { mode: 'NONE' } },
      },
    });
  });

  test('has no config when the hook gave none, and no content for an empty message', () => {
    expect(translator.fromHookLLMRequest(withMessages(user('Hello'), model('')))).toStrictEqual({
      model: 'gemini',
      contents: [say('user', 'Hello')],
    });
  });

  test('R602 a system message has the role of the user, is marked, and hooks still see that it was one', () => {
    const messages: LLMMessage[] = [{ role: 'system', content: 'Be brief.' }, user('Hi')];
    const request = translator.fromHookLLMRequest(withMessages(...messages));
    expect(JSON.stringify(request.contents[0])).toBe('{"role":"user","parts":[{"text":"[System] Be brief."}]}');
    expect(translator.toHookLLMRequest(request).messages).toEqual(messages);
  });
});

test('R210 what the stable form cannot say is lost without a base, and there again with one', () => {
  const request = deepFreeze({
    model: 'gemini',
    contents: [
      { role: 'user', parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
      { role: 'model', parts: [{ functionCall: { name: 'look', args: { at: 'it' } } }] },
      { role: 'function', parts: [{ functionResponse: { name: 'look', response: { output: 'a cat' } } }] },
    ],
    config: { temperature: 0.5, systemInstruction: 'Be brief.', safetySettings: [{ category: 'HARM' }] },
  });
  const stable = overTheWire(translator.toHookLLMRequest(request));
  expect(stable).toEqual({ model: 'gemini', messages: [user('What is this?')], config: { temperature: 0.5 } });
  const changed: LLMRequest = { ...stable, messages: [user('And this?')] };
  expect(translator.fromHookLLMRequest(changed)).toStrictEqual({
    model: 'gemini',
    contents: [say('user', 'And this?')],
    config: { temperature: 0.5 },
  });
  const [first, ...others] = request.contents;
  expect(translator.fromHookLLMRequest(changed, request)).toStrictEqual({
    ...request,
    contents: [{ ...first, parts: [{ text: 'And this?' }, first?.parts[1]] }, ...others],
  });
});

describe('a request no hook touched', () => {
  test.each(requestFixtures())('%s comes back unchanged', (_, request) => {
    const before = overTheWire(request);
    const result = translator.fromHookLLMRequest(overTheWire(translator.toHookLLMRequest(request)), request);
    expect(result).toBe(request);
    expect(result).toEqual(before);
  });

  test('comes back unchanged when the hook spoke of nothing or only of what it may not change', () => {
    const request = requestFixture('tools-and-tool-config');
    const { model: name, messages } = translator.toHookLLMRequest(request);
    expect(translator.fromHookLLMRequest({ model: name, messages }, request)).toBe(request);
    for (const key of settingsHooksMayNotSet) {
      expect(translator.fromHookLLMRequest({ model: name, messages, config: { [key]: 'x' } }, request)).toBe(request);
    }
  });

  test('comes back unchanged in the stable form too', () => {
    const request = deepFreeze(translator.toHookLLMRequest(requestFixture('tools-and-tool-config')));
    expect(translator.fromHookLLMRequest(overTheWire(request), request)).toBe(request);
  });
});
