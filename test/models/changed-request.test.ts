import { describe, expect, test } from 'vitest';
import { ownNow } from '../support/own-clock.ts';
import { chat, model, say, translator, user, withMessages } from './request-support.ts';
import { deepFreeze, requestFixture } from './support.ts';

describe('a hook that changes messages', () => {
  test('changes the text of that content only, and parts without text stay in place', () => {
    const request = requestFixture('code-execution');
    const stable = translator.toHookLLMRequest(request);
    const messages = stable.messages.with(1, model('I know it: 5117.'));
    const result = translator.fromHookLLMRequest({ ...stable, messages }, request);
    expect(result).toEqual({
      ...request,
      contents: [
        say('user', 'Sum of the first 50 primes?'),
        {
          role: 'model',
          parts: [
            { text: 'I know it: 5117.' },
            { executableCode: { language: 'PYTHON', code: 'print(5117)' } },
            { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '5117\n' } },
          ],
        },
        say('user', 'Thanks.'),
      ],
    });
    expect(result.config).toBe(request.config);
  });

  test('keeps text parts that the new text still begins or ends with', () => {
    const request = requestFixture('code-execution');
    const stable = translator.toHookLLMRequest(request);
    const change = (content: string) =>
      translator.toHookLLMResponse({
        candidates: [
          {
            content: Object.values(
              translator.fromHookLLMRequest({ ...stable, messages: stable.messages.with(1, model(content)) }, request)
                .contents,
            )[1],
          },
        ],
      }).candidates[0]?.content.parts;
    expect(change('I will compute it.It is [redacted].')).toEqual(['I will compute it.', 'It is [redacted].']);
    expect(change('[redacted]It is 5117.')).toEqual(['[redacted]', 'It is 5117.']);
    expect(change('I will compute it.It is 5117. Sure.')).toEqual(['I will compute it.', 'It is 5117. Sure.']);
    expect(change('Now: I will compute it.It is 5117.')).toEqual(['Now: I will compute it.', 'It is 5117.']);
    expect(change('I will compute it.')).toEqual(['I will compute it.']);
  });

  test('keeps what else a text part carries', () => {
    const request = requestFixture('thought-parts');
    const stable = translator.toHookLLMRequest(request);
    const result = translator.fromHookLLMRequest(
      { ...stable, messages: stable.messages.with(1, model('It is.')) },
      request,
    );
    expect(Object.values(result.contents)[1]).toEqual({
      role: 'model',
      parts: [
        { text: '**Checking divisors** up to 9.', thought: true },
        { text: 'It is.', thoughtSignature: 'CpMDAb4+9vu=' },
      ],
    });
  });

  test('keeps a string a string and bare parts bare', () => {
    const change = (name: string) =>
      translator.fromHookLLMRequest({ model: 'gemini-2.5-flash', messages: [user('Hello')] }, requestFixture(name))
        .contents;
    expect(change('string-contents')).toBe('Hello');
    expect(change('single-part')).toEqual({ text: 'Hello' });
    expect(change('single-content')).toEqual(say('user', 'Hello'));
    expect(change('list-of-strings-and-parts')).toEqual([
      'Hello',
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    ]);
  });

  test('turns bare parts into a content when there is more to say', () => {
    const request = requestFixture('list-of-strings-and-parts');
    const { messages } = translator.toHookLLMRequest(request);
    expect(
      translator.fromHookLLMRequest({ model: request.model, messages: [...messages, user('Be kind.')] }, request)
        .contents,
    ).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'Describe this picture: ' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { text: ' in one sentence.' },
        ],
      },
      say('user', 'Be kind.'),
    ]);
    expect(
      translator.fromHookLLMRequest(
        { model: request.model, messages: [user('First.'), user('Why is the sky blue?')] },
        requestFixture('string-contents'),
      ).contents,
    ).toEqual([say('user', 'First.'), say('user', 'Why is the sky blue?')]);
  });

  test('removes the text of a removed message, and the content when nothing else is in it', () => {
    const request = requestFixture('inline-data');
    expect(translator.fromHookLLMRequest({ model: request.model, messages: [] }, request).contents).toEqual([
      { role: 'user', parts: [{ inlineData: { mimeType: 'image/jpeg', data: '/9j/4AAQSkZJRg==' } }] },
    ]);
    const plain = requestFixture('plain-chat');
    const stable = translator.toHookLLMRequest(plain);
    expect(translator.fromHookLLMRequest({ ...stable, messages: stable.messages.slice(1) }, plain).contents).toEqual([
      say('model', 'Paris.'),
      say('user', 'And of Spain?'),
    ]);
    expect(
      translator.fromHookLLMRequest(withMessages(), deepFreeze({ model: 'gemini', contents: 'Hello' })).contents,
    ).toEqual([]);
  });

  test('an empty message removes the text as well', () => {
    const request = requestFixture('plain-chat');
    const stable = translator.toHookLLMRequest(request);
    expect(
      translator.fromHookLLMRequest({ ...stable, messages: stable.messages.with(1, model('')) }, request).contents,
    ).toEqual([say('user', 'What is the capital of France?'), say('user', 'And of Spain?')]);
  });

  test('a part that breaks the rules by carrying text and something else loses its text only', () => {
    const request = chat({ role: 'model', parts: [{ text: 'a', functionCall: { name: 'f' } }, { text: 'b' }] });
    expect(translator.fromHookLLMRequest(withMessages(), request).contents).toEqual([
      { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
    ]);
  });

  test('an appended message comes at the end, after turns that hooks do not see', () => {
    const call = { role: 'model', parts: [{ functionCall: { name: 'f' } }] };
    const response = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
    const request = chat(say('user', 'Do it.'), call, response);
    const { contents } = translator.fromHookLLMRequest(withMessages(user('Do it.'), user('Mind the budget.')), request);
    expect(contents).toEqual([say('user', 'Do it.'), call, response, say('user', 'Mind the budget.')]);
    expect(contents[1]).toBe(call);
  });

  test('a prepended message comes first of all', () => {
    const picture = { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] };
    const request = chat(picture, say('user', 'What is it?'));
    expect(
      translator.fromHookLLMRequest(
        withMessages({ role: 'system', content: 'Be brief.' }, user('What is it?')),
        request,
      ).contents,
    ).toEqual([say('user', '[System] Be brief.'), picture, say('user', 'What is it?')]);
  });

  test('an inserted message does not come between a function call and its response', () => {
    const call = { role: 'model', parts: [{ functionCall: { name: 'f' } }] };
    const spokenCall = { role: 'model', parts: [{ text: 'I will.' }, { functionCall: { name: 'f' } }] };
    const response = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };
    const spokenResponse = { role: 'user', parts: [...response.parts, { text: 'Louder!' }] };

    expect(
      translator.fromHookLLMRequest(
        withMessages(user('Do it.'), user('X'), user('Louder!')),
        chat(say('user', 'Do it.'), call, spokenResponse),
      ).contents,
    ).toEqual([say('user', 'Do it.'), say('user', 'X'), call, spokenResponse]);
    expect(
      translator.fromHookLLMRequest(
        withMessages(model('I will.'), user('X'), model('Done.')),
        chat(spokenCall, response, say('model', 'Done.')),
      ).contents,
    ).toEqual([spokenCall, response, say('user', 'X'), say('model', 'Done.')]);
    // Nowhere else to go without changing the order the hook asked for.
    expect(
      translator.fromHookLLMRequest(
        withMessages(model('I will.'), user('X'), user('Louder!')),
        chat(spokenCall, spokenResponse),
      ).contents,
    ).toEqual([spokenCall, say('user', 'X'), spokenResponse]);
  });

  test('a message removed and another rewritten are told apart by what they still have in common', () => {
    const pictured = { role: 'user', parts: [{ text: 'Look at this.' }, { inlineData: { data: '' } }] };
    const request = chat(pictured, say('user', 'My password is hunter2, keep it.'));
    expect(
      translator.fromHookLLMRequest(withMessages(user('My password is [redacted], keep it.')), request).contents,
    ).toEqual([
      { role: 'user', parts: [{ inlineData: { data: '' } }] },
      say('user', 'My password is [redacted], keep it.'),
    ]);
  });

  test('a message whose role changed is another message, and the parts of the old one stay', () => {
    const image = { inlineData: { data: '' } };
    expect(
      translator.fromHookLLMRequest(
        withMessages(model('Look.')),
        chat({ role: 'user', parts: [{ text: 'Look.' }, image] }),
      ).contents,
    ).toEqual([{ role: 'user', parts: [image] }, say('model', 'Look.')]);
  });

  test('a rewritten system message stays one', () => {
    const first = translator.fromHookLLMRequest(withMessages({ role: 'system', content: 'Be brief.' }, user('Hi')));
    const second = translator.fromHookLLMRequest(
      withMessages({ role: 'system', content: 'Be kind.' }, user('Hi')),
      first,
    );
    expect(second.contents).toEqual([say('user', '[System] Be kind.'), say('user', 'Hi')]);
    expect(second.contents[1]).toBe(first.contents[1]);
    expect(translator.toHookLLMRequest(second).messages[0]?.role).toBe('system');
    expect(
      translator.fromHookLLMRequest(
        { model: 'gemini-2.5-flash', messages: [{ role: 'system', content: 'Be kind.' }, user('Hi')] },
        requestFixture('system-role'),
      ).contents,
    ).toEqual([say('system', 'Be kind.'), say('user', 'Hi')]);
  });

  test('a long conversation with a message put before it and the last one rewritten keeps every other content', () => {
    const texts = Array.from({ length: 5_000 }, (_, index) => `message ${index}`);
    const request = chat(...texts.map((text, index) => say(index % 2 === 0 ? 'user' : 'model', text)));
    const { messages } = translator.toHookLLMRequest(request);
    const { contents } = translator.fromHookLLMRequest(
      withMessages(user('Note.'), ...messages.slice(0, -1), model('Rewritten.')),
      request,
    );
    expect(contents).toHaveLength(5_001);
    expect(contents[0]).toEqual(say('user', 'Note.'));
    expect(contents.slice(1, -1).every((content, index) => content === request.contents[index])).toBe(true);
    expect(contents.at(-1)).toEqual(say('model', 'Rewritten.'));
  });

  test('a long conversation rewritten from end to end, and shortened, keeps every part without text', () => {
    const contents = Array.from({ length: 3_000 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'model',
      parts: [{ text: `message ${index}` }, { fileData: { fileUri: `file ${index}` } }],
    }));
    const messages = contents
      .slice(0, -1)
      .map((_, index) => (index % 2 === 0 ? user(`u${index}`) : model(`m${index}`)));
    const request = chat(...contents);
    const started = ownNow();
    const result = translator.fromHookLLMRequest(withMessages(...messages), request);
    expect(ownNow() - started).toBeLessThan(2_000);
    expect(translator.toHookLLMRequest(result).messages).toEqual(messages);
    expect(result.contents.map((content) => Reflect.get(content, 'parts').at(-1))).toEqual(
      contents.map(({ parts }) => parts.at(-1)),
    );
  });

  test('a request in the stable form is answered in the stable form', () => {
    const request = deepFreeze({ ...withMessages(user('Hi')), config: { temperature: 1 }, note: 'kept' });
    expect(
      translator.fromHookLLMRequest(
        { model: 'other', messages: [user('Hi'), user('There')], config: { topP: 1 }, toolConfig: { mode: 'NONE' } },
        request,
      ),
    ).toStrictEqual({
      model: 'other',
      messages: [user('Hi'), user('There')],
      config: { topP: 1 },
      toolConfig: { mode: 'NONE' },
      note: 'kept',
    });
  });

  test('entries of contents that cannot be read stay where they are', () => {
    const request = deepFreeze({ model: 'gemini', contents: [null, say('user', 'a'), 7, say('user', 'b')] });
    // @ts-expect-error: no caller in TypeScript can send this
    expect(translator.fromHookLLMRequest(withMessages(user('a'), user('c')), request)).toEqual({
      model: 'gemini',
      contents: [null, say('user', 'a'), 7, say('user', 'c')],
    });
  });
});

describe('a hook that changes settings', () => {
  const request = requestFixture('system-instruction');
  const stable = translator.toHookLLMRequest(request);

  test('sets what it changed, removes what it took away and leaves the rest', () => {
    const { seed, ...config } = stable.config ?? {};
    expect(seed).toBe(42);
    const result = translator.fromHookLLMRequest(
      { ...stable, config: { ...config, temperature: 1, topK: 3 } },
      request,
    );
    const { seed: _, ...kept } = request.config ?? {};
    expect(result).toStrictEqual({ ...request, config: { ...kept, temperature: 1, topK: 3 } });
    expect(result.contents).toBe(request.contents);
    expect(result.config?.systemInstruction).toBe(request.config?.systemInstruction);
  });

  test('takes a setting away with null', () => {
    const result = translator.fromHookLLMRequest(
      { ...stable, config: { ...stable.config, seed: null, thinkingConfig: null, unheardOf: null } },
      request,
    );
    const { seed: _, thinkingConfig: __, ...kept } = request.config ?? {};
    expect(result.config).toStrictEqual(kept);
  });

  test('can set an option this library has never heard of, and repeating one changes nothing', () => {
    const option = { thinkingConfig: { thinkingBudget: 0 }, brandNew: [1] };
    const result = translator.fromHookLLMRequest({ ...stable, config: { ...stable.config, ...option } }, request);
    expect(result.config).toEqual({ ...request.config, ...option });
    const same = { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 } };
    expect(translator.fromHookLLMRequest({ ...stable, config: { ...stable.config, ...same } }, request)).toBe(request);
  });

  test('a setting of the wrong type, a reserved one and one that would reach a prototype change nothing', () => {
    const config = JSON.parse('{"temperature":"hot","safetySettings":[],"__proto__":{"polluted":true}}');
    const result = translator.fromHookLLMRequest({ ...stable, config: { ...stable.config, ...config } }, request);
    expect(result).toBe(request);
    expect(
      translator.fromHookLLMRequest(
        { ...stable, config: Object.assign(JSON.parse('{"__proto__":1}'), stable.config) },
        request,
      ),
    ).toBe(request);
  });

  test('gives a request without config one', () => {
    expect(
      translator.fromHookLLMRequest(
        { model: 'gemini', messages: [user('Hi')], config: { temperature: 0 } },
        deepFreeze({ model: 'gemini', contents: 'Hi' }),
      ),
    ).toStrictEqual({ model: 'gemini', contents: 'Hi', config: { temperature: 0 } });
  });

  test('keeps the abort signal and callable tools as the objects they are', () => {
    const base = {
      model: 'gemini',
      contents: 'Hi',
      config: { abortSignal: new AbortController().signal, tools: [{ tool: async () => ({}) }], temperature: 1 },
    };
    const result = translator.fromHookLLMRequest({ model: 'gemini', messages: [user('Ho')], config: {} }, base);
    expect(result.config.abortSignal).toBe(base.config.abortSignal);
    expect(result.config.tools).toBe(base.config.tools);
    expect(result.config).not.toHaveProperty('temperature');
    expect(base.config.temperature).toBe(1);
  });

  test('changes the model', () => {
    expect(translator.fromHookLLMRequest({ ...stable, model: 'gemini-2.5-pro' }, request)).toStrictEqual({
      ...request,
      model: 'gemini-2.5-pro',
    });
  });
});

describe('a hook that changes the tool configuration of a request', () => {
  test('changes mode and names only, where they were found', () => {
    const request = requestFixture('tools-and-tool-config');
    const stable = translator.toHookLLMRequest(request);
    expect(translator.fromHookLLMRequest({ ...stable, toolConfig: { mode: 'NONE' } }, request)).toStrictEqual({
      ...request,
      config: {
        ...request.config,
        toolConfig: {
          functionCallingConfig: { mode: 'NONE', streamFunctionCallArguments: true },
          retrievalConfig: { latLng: { latitude: 1, longitude: 2 } },
        },
      },
    });
    const beside = requestFixture('tool-config-beside-config');
    expect(
      translator.fromHookLLMRequest(
        { ...translator.toHookLLMRequest(beside), toolConfig: { mode: 'ANY', allowedFunctionNames: ['controlLight'] } },
        beside,
      ),
    ).toStrictEqual({
      ...beside,
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['controlLight'] } },
    });
  });

  test('keeps a mode it could not see when it changes the names', () => {
    const request = requestFixture('validated-mode');
    const stable = translator.toHookLLMRequest(request);
    expect(
      translator.fromHookLLMRequest({ ...stable, toolConfig: { allowedFunctionNames: ['openDoor'] } }, request).config,
    ).toStrictEqual({
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['openDoor'] } },
    });
  });

  test('adds one to a request that had none', () => {
    const request = requestFixture('plain-chat');
    const stable = translator.toHookLLMRequest(request);
    expect(translator.fromHookLLMRequest({ ...stable, toolConfig: { mode: 'NONE' } }, request).config).toStrictEqual({
      ...request.config,
      toolConfig: { functionCallingConfig: { mode: 'NONE' } },
    });
    expect(translator.fromHookLLMRequest({ ...stable, toolConfig: {} }, request)).toBe(request);
  });
});
