/** `describeTranslator`: defines the tests that every translator of a model SDK must pass. */
import { findTranslatorName, type HookTranslator } from '../../models/index.ts';
import type { LLMRequest } from '../../protocol/index.ts';
import { expectVitest } from '../vitest.ts';

export interface TranslatorSamples<Request extends object, Response extends object, Tools extends object> {
  /**
   * Conversations of several messages with different texts, and with images, tool calls and tool results between them.
   */
  readonly requests: readonly Request[];
  readonly responses: readonly Response[];
  readonly toolConfigs: readonly Tools[];
  /** Returns all content of a request in order: texts that hooks see as strings, and everything else unchanged. */
  readonly pieces: (request: Request) => readonly unknown[];
  /** Whether `call` is a tool call and `result` its result. Nothing may be inserted between the two. */
  readonly isPair?: (call: unknown, result: unknown) => boolean;
  /** Names of built-in translators whose requests and responses look the same. */
  readonly looksLike?: readonly string[];
  /** Streams, each with the equivalent complete response. Needed for a translator with `joinStream`. */
  readonly streams?: readonly { readonly chunks: readonly object[]; readonly response: Response }[];
}

const copyAsJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

type Messages = LLMRequest['messages'];

const NEW_TEXT = 'What no hook said before.';

/**
 * Defines vitest tests for a translator of a model SDK. `name` is the translator's name in errors.
 *
 * @throws HookwrightError outside vitest.
 */
export const describeTranslator = <Request extends object, Response extends object, Tools extends object>(
  name: string,
  createTranslator: () => HookTranslator<Request, Response, Tools>,
  {
    requests,
    responses,
    toolConfigs,
    pieces,
    isPair = () => false,
    looksLike = [],
    streams = [],
  }: TranslatorSamples<Request, Response, Tools>,
): void => {
  const { describe, expect, test } = expectVitest('describeTranslator');

  const throughHook = (request: Request, change: (messages: Messages) => Messages) => {
    const translator = createTranslator();
    const shown = copyAsJson(translator.toHookLLMRequest(request));
    const wanted = { ...shown, messages: change(shown.messages) };
    const changed = translator.fromHookLLMRequest(wanted, request);
    return { shown, wanted, changed, again: translator.toHookLLMRequest(changed) };
  };
  const without = (all: readonly unknown[], ...texts: readonly string[]): unknown[] =>
    all.filter((piece) => typeof piece !== 'string' || !texts.some((text) => text.includes(piece)));

  describe(`the translator ${name}`, () => {
    test('its samples say several things, and more than hooks see', () => {
      expect(requests.length).toBeGreaterThan(0);
      expect(responses.length).toBeGreaterThan(0);
      expect(toolConfigs.length).toBeGreaterThan(0);
      for (const request of requests) {
        expect(createTranslator().toHookLLMRequest(request).messages.length).toBeGreaterThan(1);
        expect(pieces(request).some((piece) => typeof piece !== 'string')).toBe(true);
      }
    });

    describe('what no hook touched comes back identical', () => {
      test.each(requests)('request %#', (request) => {
        expect(throughHook(request, (messages) => messages).changed).toBe(request);
      });

      test.each(responses)('response %#', (response) => {
        const translator = createTranslator();
        const shown = copyAsJson(translator.toHookLLMResponse(response));
        expect(translator.fromHookLLMResponse(shown, response)).toBe(response);
      });

      test.each(toolConfigs)('tool configuration %#', (toolConfig) => {
        const translator = createTranslator();
        const shown = copyAsJson(translator.toHookToolConfig(toolConfig));
        expect(translator.fromHookToolConfig(shown, toolConfig)).toBe(toolConfig);
      });
    });

    test.each(requests)('nothing it is given is changed: request %#', (request) => {
      const before = copyAsJson(pieces(request));
      throughHook(request, (messages) => messages.map((message) => ({ ...message, content: NEW_TEXT })));
      expect(copyAsJson(pieces(request))).toEqual(before);
    });

    describe.each(requests)('what hooks cannot see survives in its place: request %#', (request) => {
      const places = createTranslator()
        .toHookLLMRequest(request)
        .messages.map(({ content }, index) => ({ content, index }));

      test('when a hook adds a message at the end', () => {
        const added = { role: 'user', content: NEW_TEXT } as const;
        const { wanted, changed, again } = throughHook(request, (messages) => [...messages, added]);
        expect(again.messages).toEqual(wanted.messages);
        expect(without(pieces(changed), NEW_TEXT)).toEqual(pieces(request));
      });

      test.each(places)('when a hook changes message $index', ({ content, index }) => {
        const { wanted, changed, again } = throughHook(request, (messages) =>
          messages.map((message, at) => (at === index ? { ...message, content: NEW_TEXT } : message)),
        );
        expect(again.messages).toEqual(wanted.messages);
        expect(without(pieces(changed), NEW_TEXT)).toEqual(without(pieces(request), content));
      });

      test.each(places)('when a hook removes message $index', ({ content, index }) => {
        const { wanted, changed, again } = throughHook(request, (messages) => messages.filter((_, at) => at !== index));
        expect(again.messages).toEqual(wanted.messages);
        expect(pieces(changed)).toEqual(without(pieces(request), content));
      });
    });

    describe.each(requests)('a call of a tool and its result stay together: request %#', (request) => {
      const { messages: shown } = createTranslator().toHookLLMRequest(request);

      test.each([...shown.keys(), shown.length])('when a hook adds a message before message %i', (place) => {
        const added = { role: 'system', content: NEW_TEXT } as const;
        const { wanted, changed, again } = throughHook(request, (messages) => messages.toSpliced(place, 0, added));
        expect(again.messages).toEqual(wanted.messages);
        const said = pieces(changed);
        const at = said.findIndex((piece) => typeof piece === 'string' && piece.includes(NEW_TEXT));
        expect(said.filter((_, index) => index !== at)).toEqual(pieces(request));
        expect(isPair(said[at - 1], said[at + 1])).toBe(false);
      });
    });

    test.each(streams)('the pieces of a stream come to what came at once: stream %#', ({ chunks, response }) => {
      const translator = createTranslator();
      const joined = translator.joinStream?.(chunks);
      expect(joined).toEqual(response);
      if (joined === undefined) throw new Error('streams were given, and the translator has no joinStream');
      expect(translator.toHookLLMResponse(joined)).toEqual(translator.toHookLLMResponse(response));
    });

    test.each(responses)(
      'a hook that rewrites an answer changes its text and nothing else: response %#',
      (response) => {
        const translator = createTranslator();
        const shown = copyAsJson(translator.toHookLLMResponse(response));
        const [first] = shown.candidates;
        if (first === undefined) return;
        const wanted = {
          ...shown,
          candidates: [
            { ...first, content: { role: 'model' as const, parts: [NEW_TEXT] } },
            ...shown.candidates.slice(1),
          ],
        };
        const again = translator.toHookLLMResponse(translator.fromHookLLMResponse(wanted, response));
        expect(again).toEqual({ ...wanted, text: NEW_TEXT });
      },
    );

    describe('requests and responses are recognised by their shape', () => {
      test('no translator of another SDK would be named for its own', () => {
        for (const request of requests)
          expect([name, ...looksLike, undefined]).toContain(findTranslatorName('request', request));
        for (const response of responses) {
          expect([name, ...looksLike, undefined]).toContain(findTranslatorName('response', response));
        }
      });

      test.each(foreignShapes.filter((shape) => shape.name !== name && !looksLike.includes(shape.name)))(
        'those of $name are refused by name',
        (foreign) => {
          const refused = (fits: string) =>
            expect.objectContaining({
              code: 'validation_failure',
              message: expect.stringContaining(fits),
              details: expect.objectContaining({ translator: name, fits }),
            });
          const translator = createTranslator();
          const read = (method: 'toHookLLMRequest' | 'toHookLLMResponse', value: object) => () =>
            Reflect.apply(translator[method], translator, [value]);
          expect(read('toHookLLMRequest', foreign.request)).toThrow(refused(foreign.name));
          expect(read('toHookLLMResponse', foreign.response)).toThrow(refused(foreign.name));
        },
      );
    });
  });
};

const foreignShapes: readonly { readonly name: string; readonly request: object; readonly response: object }[] = [
  {
    name: 'genai-v1',
    request: { model: 'm', contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }] },
    response: { candidates: [{ content: { role: 'model', parts: [{ text: 'Hi.' }] } }] },
  },
  {
    name: 'openai-responses',
    request: { model: 'm', input: [{ role: 'user', content: 'Hi.' }] },
    response: { id: 'r', object: 'response', output: [] },
  },
  {
    name: 'anthropic',
    request: {
      model: 'm',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
    },
    response: { id: 'r', content: [{ type: 'text', text: 'Hi.' }], stop_reason: 'end_turn' },
  },
  {
    name: 'openai-chat',
    request: {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }],
    },
    response: { id: 'r', choices: [{ message: { role: 'assistant', content: 'Hi.' } }] },
  },
  {
    name: 'ai-sdk',
    request: { prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }] },
    response: { content: [{ type: 'text', text: 'Hi.' }], finishReason: 'stop' },
  },
];
