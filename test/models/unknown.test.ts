import { describe, expect, test } from 'vitest';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolSelectionHookOutput,
  fireAfterModelHook,
  fireBeforeModelHook,
  type HookOutput,
  defaultHookTranslator as translator,
} from '../../src/index.ts';
import { engineOf, fn, groupOf } from '../support/engine.ts';
import { untyped } from '../support/untyped.ts';
import { configWith, hook, listening, recording } from '../triggers/support.ts';

const responses = { model: 'gpt', input: [{ role: 'user', content: 'hi' }] };
const chat = {
  model: 'gpt',
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }],
};
const claude = {
  model: 'claude',
  max_tokens: 100,
  system: 'Be brief.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
};

describe('R608 a request that the translator does not know', () => {
  test.each([
    [responses, 'openai-responses', ['model', 'input']],
    [chat, 'openai-chat', ['model', 'messages']],
    [claude, 'anthropic', ['model', 'max_tokens', 'system', 'messages']],
    [{ prompt: [{ role: 'user', content: [] }] }, 'ai-sdk', ['prompt']],
  ])('%j is refused: what was found, what was expected, and who would know it', (request, fits, found) => {
    const read = () => translator.toHookLLMRequest(untyped(request));
    expect(read).toThrow(
      expect.objectContaining({
        code: 'validation_failure',
        message: expect.stringContaining(`it looks like one of ${fits}`),
        details: { translator: 'genai-v1', expected: expect.stringContaining('contents'), found, fits },
      }),
    );
  });

  test('is no empty request to hooks: they do not run, and guards obey their onFault', async () => {
    const runs: unknown[] = [];
    const count = fn('counts', (input) => void runs.push(input));
    const fire = async (...hooks: Parameters<typeof groupOf>) => {
      const system = await engineOf({ hooks: { BeforeModel: groupOf(...hooks) } });
      return system.getEventHandler().fireBeforeModelEvent(untyped(responses));
    };
    const result = await fire(count);
    expect(result).toMatchObject({ success: false, errors: [{ code: 'validation_failure' }], finalOutput: undefined });
    const guarded = await fire(count, { ...count, name: 'guard', onFault: 'deny' });
    expect(guarded.finalOutput?.decision).toBe('deny');
    expect(runs).toEqual([]);
  });

  test('goes to the model untouched, and nothing stray is added', async () => {
    const { warnings, logger } = listening();
    const { seen, definition } = recording({ systemMessage: 'for the model' });
    const config = configWith({ BeforeModel: [definition], Notification: [] }, { deps: { logger } });
    const { blocked, modifiedRequest } = await fireBeforeModelHook(config, untyped<typeof responses>(responses));
    expect(blocked).toBe(false);
    expect(modifiedRequest === undefined || modifiedRequest === responses).toBe(true);
    expect(responses).toEqual({ model: 'gpt', input: [{ role: 'user', content: 'hi' }] });
    expect(seen).toEqual([]);
    expect(warnings.join('\n')).toContain('openai-responses');
  });

  test('a response of another SDK is refused alike, and kept', async () => {
    const answer = { id: 'x', choices: [{ message: { role: 'assistant', content: 'hi' } }] };
    expect(() => translator.toHookLLMResponse(untyped(answer))).toThrow('it looks like one of openai-chat');
    const config = configWith({ AfterModel: [hook({ decision: 'allow' })] });
    const known = { model: 'm', contents: 'hi' };
    const { response } = await fireAfterModelHook(config, known, answer);
    expect(response).toBe(answer);
  });
});

describe('R609 a request in the stable form loses nothing that hooks cannot see', () => {
  const call = { id: 'call-1', type: 'function', function: { name: 'ls', arguments: '{}' } };
  const base = {
    model: 'gpt',
    messages: [
      { role: 'user', content: 'List them.', name: 'ann' },
      { role: 'assistant', content: 'I will.', tool_calls: [call] },
      { role: 'tool', content: 'a b c', tool_call_id: 'call-1' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] },
    ],
  };
  const request = untyped<Parameters<typeof translator.toHookLLMRequest>[0]>(base);
  const changedBy = (change: (messages: { role: string; content: string }[]) => object[]): unknown[] => {
    const stable = translator.toHookLLMRequest(request);
    const changed = translator.fromHookLLMRequest({ ...stable, messages: untyped(change(stable.messages)) }, request);
    return untyped<typeof base>(changed).messages;
  };

  test('when a hook adds a message', () => {
    const added = { role: 'system', content: 'Be brief.' };
    const messages = changedBy((shown) => [...shown, added]);
    expect(messages).toEqual([...base.messages, added]);
    for (const [index, message] of base.messages.entries()) expect(messages[index]).toBe(message);
  });

  test('when a hook changes one', () => {
    const messages = changedBy((shown) =>
      shown.map((message) => (message.content === 'I will.' ? { ...message, content: 'I shall.' } : message)),
    );
    expect(messages).toEqual(
      base.messages.map((message, index) => (index === 1 ? { ...message, content: 'I shall.' } : message)),
    );
  });

  test('when a hook removes one, the call of a tool stays', () => {
    const messages = changedBy((shown) => shown.filter(({ content }) => content !== 'I will.'));
    expect(messages).toEqual(
      base.messages.map((message, index) => (index === 1 ? { ...message, content: '' } : message)),
    );
  });

  test('a new message of the model speaks in the word of the list', () => {
    expect(changedBy((shown) => [...shown, { role: 'model', content: 'Done.' }]).at(-1)).toEqual({
      role: 'assistant',
      content: 'Done.',
    });
  });
});

describe('R610 what hooks leave out', () => {
  const outputWith = (...candidates: unknown[]) =>
    untyped<HookOutput>({ hookSpecificOutput: { llm_response: { candidates } } });
  const output = outputWith({ finishReason: 'STOP' });

  test('a candidate without content is no response, and throws nowhere', () => {
    const original = { candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] } }] };
    expect(new AfterModelHookOutput(output).getModifiedResponse(original)).toBeUndefined();
    expect(new BeforeModelHookOutput(output).getSyntheticResponse()).toBeUndefined();
    for (const candidates of [[null], ['text'], [{ content: null }], [{ content: { parts: 'x' } }]]) {
      expect(new AfterModelHookOutput(outputWith(...candidates)).getModifiedResponse()).toBeUndefined();
    }
  });

  test('a changed tool configuration comes with a list of tools', () => {
    const chosen = new BeforeToolSelectionHookOutput({ hookSpecificOutput: { toolConfig: { mode: 'NONE' } } });
    expect(chosen.applyToolConfigModifications({})).toMatchObject({ tools: [] });
    const tools = [{}];
    expect(chosen.applyToolConfigModifications({ tools }).tools).toBe(tools);
  });
});
