import { describe, expect, test } from 'vitest';
import type { AnyHookTranslator } from '../../src/models/index.ts';
import {
  aiSdkTranslator,
  anthropicTranslator,
  langchainTranslator,
  openaiChatTranslator,
  openaiResponsesTranslator,
  translatorOf,
  translators,
} from '../../src/models/translators.ts';
import { describeTranslator } from '../../src/testing/index.ts';
import { aiSdk } from './sdks/ai-sdk.ts';
import { anthropic } from './sdks/anthropic.ts';
import { langchain } from './sdks/langchain.ts';
import { openaiChat } from './sdks/openai-chat.ts';
import { openaiResponses } from './sdks/openai-responses.ts';
import { deepFreeze } from './support.ts';

describeTranslator('openai-chat', () => openaiChatTranslator, openaiChat);
describeTranslator('openai-responses', () => openaiResponsesTranslator, openaiResponses);
describeTranslator('anthropic', () => anthropicTranslator, anthropic);
describeTranslator('ai-sdk', () => aiSdkTranslator, aiSdk);
describeTranslator('langchain', () => langchainTranslator, langchain);

describe('a translator is found', () => {
  const samples = { 'openai-chat': openaiChat, 'openai-responses': openaiResponses, anthropic, 'ai-sdk': aiSdk };

  test.each(Object.entries(samples))('by the shape of the requests of %s', (name, { requests }) => {
    for (const request of requests) {
      const found = translatorOf(request);
      expect(Object.entries(translators).find(([, translator]) => translator === found)?.[0]).toBe(name);
    }
  });

  test('and where two would fit, or none, the error says so', () => {
    const both = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi.' }] };
    for (const request of [both, { model: 'm' }, {}]) {
      expect(() => translatorOf(request)).toThrow(/no translator is recognised by the shape.* give one of genai-v1, /);
    }
    expect(anthropicTranslator.toHookLLMRequest(both).messages).toEqual([{ role: 'user', content: 'Hi.' }]);
    expect(openaiChatTranslator.toHookLLMRequest(both).messages).toEqual([{ role: 'user', content: 'Hi.' }]);
  });
});

test.each([openaiChat, openaiResponses, anthropic, aiSdk])(
  'an answer that only calls tools gets no empty text: %#',
  (samples) => {
    const [request = {}] = samples.requests;
    const translator = translatorOf(request);
    const silent = translator.fromHookLLMResponse({ candidates: [{ content: { role: 'model', parts: [] } }] });
    const said = { candidates: [{ content: { role: 'model' as const, parts: [''] } }] };
    expect(translator.fromHookLLMResponse(said, silent)).toBe(silent);
  },
);

describe('settings', () => {
  const told = (request: object, config: Record<string, unknown>) => {
    const translator = translatorOf(request);
    return translator.fromHookLLMRequest({ ...translator.toHookLLMRequest(request), config }, request);
  };
  const said = [{ role: 'user', content: 'Hi.' }] as const;

  test('are put where the SDK has them, and taken away where a hook leaves them out', () => {
    const chat = { model: 'm', messages: said, max_tokens: 5, tool_choice: 'auto' };
    expect(told(chat, { maxOutputTokens: 9, temperature: 0, stopSequences: ['END'] })).toEqual({
      ...chat,
      max_tokens: 9,
      temperature: 0,
      stop: ['END'],
    });
    expect(told({ model: 'm', messages: said, stop: 'END' }, {})).toEqual({ model: 'm', messages: said });
  });

  test('that a request cannot do without stay, and those that are no settings are not followed', () => {
    const request = { model: 'm', max_tokens: 5, messages: said, tools: [{ name: 'ls', input_schema: {} }] };
    expect(told(request, { tools: [], system: 'You may.', max_tokens: 9, maxOutputTokens: 'many' })).toBe(request);
  });
});

describe('a choice of tools', () => {
  const ls = { name: 'ls' };
  const rm = { name: 'rm' };
  const chosen = { mode: 'ANY' as const, allowedFunctionNames: ['ls', 'cat'] };

  test('that the SDK has no words for leaves the other tools out', () => {
    expect(anthropicTranslator.fromHookToolConfig(chosen, { tools: [ls, rm] })).toEqual({
      tools: [ls],
      tool_choice: { type: 'any' },
    });
    expect(aiSdkTranslator.fromHookToolConfig({ ...chosen, mode: 'AUTO' }, { tools: [ls, rm] })).toEqual({
      tools: [ls],
      toolChoice: { type: 'auto' },
    });
  });

  test('that leaves none offers them and lets none be called', () => {
    const given = { tools: [rm] };
    expect(aiSdkTranslator.fromHookToolConfig(chosen, given)).toEqual({ tools: [rm], toolChoice: { type: 'none' } });
    expect(anthropicTranslator.fromHookToolConfig({ mode: 'NONE' }, given)).toEqual({
      tools: [rm],
      tool_choice: { type: 'none' },
    });
  });

  test.each([
    [{ mode: 'ANY' as const }, { type: 'any', disable_parallel_tool_use: true }],
    [chosen, { type: 'any', disable_parallel_tool_use: true }],
    [
      { ...chosen, allowedFunctionNames: ['ls'] },
      { type: 'tool', name: 'ls', disable_parallel_tool_use: true },
    ],
    [{ mode: 'NONE' as const }, { type: 'none' }],
  ])('R2062 keeps that Anthropic may call one tool at a time: %j', (wanted, tool_choice) => {
    const before = { tools: [ls, rm], tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
    expect(anthropicTranslator.fromHookToolConfig(wanted, before)).toMatchObject({ tool_choice });
    const request = { model: 'm', max_tokens: 5, messages: [], ...before };
    const shown = anthropicTranslator.toHookLLMRequest(request);
    const after = anthropicTranslator.fromHookLLMRequest({ ...shown, toolConfig: wanted }, request);
    expect(Reflect.get(after, 'tool_choice')).toEqual(tool_choice);
  });

  test('of several is said in the words of OpenAI', () => {
    expect(openaiResponsesTranslator.fromHookToolConfig(chosen)).toEqual({
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'ls' },
          { type: 'function', name: 'cat' },
        ],
      },
    });
    const one = openaiChatTranslator.fromHookToolConfig({ mode: 'ANY', allowedFunctionNames: ['ls'] });
    expect(one).toEqual({ tool_choice: { type: 'function', function: { name: 'ls' } } });
  });
});

describe('Chat Completions', () => {
  const delta = (given: object, others: object = {}) => ({ choices: [{ index: 0, delta: given, ...others }] });
  const call = (others: object) => delta({ tool_calls: [others] });
  const said = { role: 'assistant', content: null };
  const joined = (chunks: { choices: object[] }[]) => openaiChatTranslator.joinStream(deepFreeze(chunks)).choices;

  test.each<[string, { choices: object[] }[], object]>([
    [
      'calls of custom tools',
      [
        call({ index: 0, id: '1', type: 'custom', custom: { name: 'sql', input: '' } }),
        call({ index: 0, custom: { input: 'SELECT ' } }),
        call({ index: 0, custom: { input: '1' } }),
      ],
      { ...said, tool_calls: [{ id: '1', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }] },
    ],
    [
      'calls without an index',
      [
        call({ id: '1', type: 'function', function: { name: 'ls', arguments: '{' } }),
        call({ function: { arguments: '}' } }),
        call({ id: '2', type: 'function', function: { name: 'rm', arguments: '[]' } }),
      ],
      {
        ...said,
        tool_calls: [
          { id: '1', type: 'function', function: { name: 'ls', arguments: '{}' } },
          { id: '2', type: 'function', function: { name: 'rm', arguments: '[]' } },
        ],
      },
    ],
    [
      'an older function call',
      [delta({ function_call: { name: 'ls', arguments: '' } }), delta({ function_call: { arguments: '{}' } })],
      { ...said, function_call: { name: 'ls', arguments: '{}' } },
    ],
    [
      'audio',
      [delta({ audio: { id: 'a', transcript: 'Hel' } }), delta({ audio: { transcript: 'lo', data: 'QQ==' } })],
      { ...said, audio: { id: 'a', transcript: 'Hello', data: 'QQ==' } },
    ],
    [
      'annotations',
      [delta({ annotations: [{ type: 'url', url: 'a' }] }), delta({ annotations: [{ type: 'url', url: 'b' }] })],
      {
        ...said,
        annotations: [
          { type: 'url', url: 'a' },
          { type: 'url', url: 'b' },
        ],
      },
    ],
    [
      'a content of parts',
      [
        delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
        delta({ content: [{ type: 'text', text: 'sec' }] }),
        delta({ content: [{ type: 'text', text: 'ret' }] }),
        delta({ content: '!' }),
      ],
      {
        ...said,
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
          { type: 'text', text: 'secret!' },
        ],
      },
    ],
  ])('R2063 a joined stream keeps %s', (_what, chunks, message) => {
    expect(joined(chunks)).toEqual([{ index: 0, message }]);
  });

  test('R2063 a joined stream keeps the probabilities of all tokens, and the choices in order', () => {
    const token = (text: string, index = 0) => ({
      choices: [{ index, delta: { content: text }, logprobs: { content: [{ token: text }] } }],
    });
    expect(joined([token('C', 1), token('A'), token('B')])).toEqual([
      { index: 0, message: { ...said, content: 'AB' }, logprobs: { content: [{ token: 'A' }, { token: 'B' }] } },
      { index: 1, message: { ...said, content: 'C' }, logprobs: { content: [{ token: 'C' }] } },
    ]);
  });

  test('R2064 hooks see and change the text of an answer that is a list of parts', () => {
    const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const message = { role: 'assistant', content: [thought, { type: 'text', text: 'The secret.' }] };
    const answer = deepFreeze({ choices: [{ index: 0, message, finish_reason: 'stop' }] });
    const shown = openaiChatTranslator.toHookLLMResponse(answer);
    expect(shown.candidates[0]?.content.parts).toEqual(['The secret.']);
    const changed = openaiChatTranslator.fromHookLLMResponse({ ...shown, text: 'Nothing.' }, answer);
    const content = [thought, { type: 'text', text: 'Nothing.' }];
    expect(changed).toEqual({ choices: [{ index: 0, message: { ...message, content }, finish_reason: 'stop' }] });
    const request = { model: 'm', messages: [{ role: 'user', content: 'Hi.' }, message] };
    expect(translatorOf(request)).toBe(openaiChatTranslator);
    expect(openaiChatTranslator.toHookLLMRequest(request).messages[1]?.content).toBe('The secret.');
  });
});

const all: Readonly<Record<string, AnyHookTranslator>> = translators;

test.each(Object.entries(all))(
  'R2067 an answer of a hook that is only a text is one in %s, too',
  (_name, translator) => {
    const answer = { text: 'Not today.', candidates: [] };
    expect(translator.toHookLLMResponse(translator.fromHookLLMResponse(answer))).toMatchObject({
      text: 'Not today.',
      candidates: [{ content: { role: 'model', parts: ['Not today.'] } }],
    });
  },
);

test.each(Object.entries(all))('%s takes the stable form as it is', (_name, translator) => {
  const request = {
    model: 'm',
    messages: [
      { role: 'user' as const, content: 'Hi.' },
      { role: 'model' as const, content: 'Hello.' },
    ],
    config: { temperature: 0 },
    toolConfig: { mode: 'AUTO' as const },
  };
  const response = { text: 'Hi.', candidates: [{ content: { role: 'model' as const, parts: ['Hi.'] } }] };
  expect(translator.toHookLLMRequest(request)).toBe(request);
  expect(translator.fromHookLLMRequest({ ...request, config: { temperature: 1 } }, request)).toEqual({
    ...request,
    config: { temperature: 1 },
  });
  expect(translator.toHookLLMResponse(response)).toBe(response);
  expect(translator.toHookLLMResponse(translator.fromHookLLMResponse(response)).text).toBe('Hi.');
});
