import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks, type Hooks } from '../../src/facade/index.ts';
import type { AnyHookTranslator } from '../../src/models/index.ts';
import {
  aiSdkTranslator,
  anthropicTranslator,
  openaiChatTranslator,
  openaiResponsesTranslator,
} from '../../src/models/translators.ts';
import { aiSdk } from '../models/sdks/ai-sdk.ts';
import { anthropic } from '../models/sdks/anthropic.ts';
import { openaiChat } from '../models/sdks/openai-chat.ts';
import { openaiResponses } from '../models/sdks/openai-responses.ts';

const withHooks = async (add: (hooks: Hooks) => void): Promise<Hooks> => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  add(hooks);
  return hooks;
};

const answer = { llm_response: { candidates: [{ content: { role: 'model' as const, parts: ['By a hook.'] } }] } };

interface Case {
  readonly name: string;
  readonly translator: AnyHookTranslator;
  readonly samples: { readonly requests: readonly object[]; readonly responses: readonly object[] };
  readonly wrong: AnyHookTranslator;
}

const cases: readonly Case[] = [
  { name: 'openai-chat', translator: openaiChatTranslator, samples: openaiChat, wrong: anthropicTranslator },
  {
    name: 'openai-responses',
    translator: openaiResponsesTranslator,
    samples: openaiResponses,
    wrong: anthropicTranslator,
  },
  { name: 'anthropic', translator: anthropicTranslator, samples: anthropic, wrong: openaiChatTranslator },
  { name: 'ai-sdk', translator: aiSdkTranslator, samples: aiSdk, wrong: openaiResponsesTranslator },
];

describe.each(cases)('a call of the model that names its translator, $name', ({ name, translator, samples, wrong }) => {
  const [request = { model: 'm' }] = samples.requests;
  const [response = {}] = samples.responses;

  test('comes back itself where no hook has a word', async () => {
    const hooks = await withHooks((all) => {
      all.on('BeforeModel', () => undefined);
      all.on('AfterModel', () => undefined);
    });
    expect((await hooks.beforeToolSelection({ request, translator })).request).toBe(request);
    expect((await hooks.beforeModel({ request, translator })).request).toBe(request);
    expect((await hooks.afterModel({ request, response, translator })).response).toBe(response);
  });

  test('is the stable form to hooks, and its SDK’s to the caller', async () => {
    const seen: unknown[] = [];
    const hooks = await withHooks((all) => {
      all.on('BeforeToolSelection', () => ({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } }));
      all.on('BeforeModel', ({ llm_request }) => {
        seen.push(llm_request);
        return {
          systemMessage: 'Mind the gap.',
          hookSpecificOutput: { llm_request: { config: { temperature: 0.1 } } },
        };
      });
      all.on('AfterModel', ({ llm_response }) => {
        seen.push(llm_response);
        return { hookSpecificOutput: answer };
      });
    });
    const chosen = await hooks.beforeToolSelection({ request, translator });
    expect(translator.toHookLLMRequest(chosen.request).toolConfig).toEqual({ mode: 'NONE' });
    const before = await hooks.beforeModel({ request, translator });
    const told = translator.toHookLLMRequest(before.request);
    expect(told.config?.temperature).toBe(0.1);
    expect(told.messages.at(-1)).toEqual({ role: 'system', content: 'Mind the gap.' });
    const after = await hooks.afterModel({ request, response, translator });
    expect(translator.toHookLLMResponse(after.response).text).toBe('By a hook.');
    expect(seen).toEqual([translator.toHookLLMRequest(request), translator.toHookLLMResponse(response)]);
  });

  test('gets an answer of a hook as its SDK would give it', async () => {
    const hooks = await withHooks((all) => all.on('BeforeModel', () => ({ hookSpecificOutput: answer })));
    const { response: given = {} } = await hooks.beforeModel({ request, translator });
    expect(Object.keys(given)).toEqual(
      expect.arrayContaining(Object.keys(translator.fromHookLLMResponse({ candidates: [] }))),
    );
    expect(translator.toHookLLMResponse(given)).toMatchObject({ text: 'By a hook.' });
  });

  test('that is the wrong one is a fault that names the right one', async () => {
    const hooks = await withHooks((all) => all.on('BeforeModel', () => undefined));
    const { faults, request: same } = await hooks.beforeModel({ request, translator: wrong });
    expect(same).toBe(request);
    expect(faults).toMatchObject([
      { message: expect.stringContaining(`it looks like one of ${name}: give that translator`) },
    ]);
  });
});
