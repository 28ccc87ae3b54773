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

const all: Readonly<Record<string, AnyHookTranslator>> = translators;

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
