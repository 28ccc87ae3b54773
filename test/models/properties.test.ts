import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HookwrightError } from '../../src/errors.ts';
import type {
  Content,
  ContentListUnion,
  GenerateContentParameters,
  GenerateContentResponse,
  SdkPart,
} from '../../src/models/genai-v1/sdk-types.ts';
import { type HookTranslatorGenAIv1, defaultHookTranslator as translator } from '../../src/models/index.ts';
import { type LLMMessage, type LLMRequest, type LLMResponse, llmRequestSchema } from '../../src/protocol/index.ts';
import { deepFreeze, overTheWire } from './support.ts';

// Few words and short ones, so that texts repeat, begin alike and contain one another.
const text = fc.oneof(fc.constantFrom('', 'a', 'b', 'ab', 'aba', 'ok', 'a b'), fc.string({ maxLength: 6 }));
const silentPart: fc.Arbitrary<SdkPart> = fc.oneof(
  fc.record({ functionCall: fc.record({ name: fc.string(), args: fc.dictionary(fc.string(), fc.integer()) }) }),
  fc.record({ functionResponse: fc.record({ name: fc.string(), response: fc.record({ output: fc.string() }) }) }),
  fc.record({ inlineData: fc.record({ mimeType: fc.constant('image/png'), data: fc.base64String() }) }),
  fc.record({ fileData: fc.record({ fileUri: fc.webUrl() }) }),
  fc.record({ executableCode: fc.record({ code: fc.string() }) }),
  fc.record({ text, thought: fc.constant(true) }),
  fc.record({ thoughtSignature: fc.base64String() }),
);
const textPart: fc.Arbitrary<SdkPart> = fc.oneof(
  fc.record({ text }),
  fc.record({ text, thoughtSignature: fc.base64String() }),
  fc.record({ text, thought: fc.constant(false) }),
);
const part = fc.oneof({ weight: 2, arbitrary: textPart }, silentPart);
const content: fc.Arbitrary<Content> = fc.record(
  { role: fc.constantFrom('user', 'model', 'function', 'system'), parts: fc.array(part, { maxLength: 4 }) },
  { requiredKeys: ['parts'] },
);
const contentList: fc.Arbitrary<readonly Content[]> = fc.array(content, { maxLength: 8 });
const contents: fc.Arbitrary<ContentListUnion> = fc.oneof(
  { weight: 4, arbitrary: contentList },
  fc.array(fc.oneof(part, text), { maxLength: 4 }),
  content,
  part,
  text,
);
const config = fc.record(
  {
    temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
    topK: fc.integer(),
    stopSequences: fc.array(text),
    systemInstruction: text,
    safetySettings: fc.array(fc.record({ category: text })),
    tools: fc.array(fc.record({ functionDeclarations: fc.array(fc.record({ name: text })) })),
    toolConfig: fc.record(
      {
        functionCallingConfig: fc.record(
          { mode: fc.constantFrom('AUTO', 'ANY', 'NONE', 'VALIDATED'), allowedFunctionNames: fc.array(text) },
          { requiredKeys: [] },
        ),
        retrievalConfig: fc.record({ languageCode: text }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);
const requestWith = <C extends ContentListUnion>(arbitrary: fc.Arbitrary<C>) =>
  fc.record({ model: fc.constantFrom('gemini', 'gemini-pro'), contents: arbitrary, config }).map(deepFreeze);
const request: fc.Arbitrary<GenerateContentParameters> = requestWith(contents);

const message: fc.Arbitrary<LLMMessage> = fc.record({
  role: fc.constantFrom('user', 'model', 'system'),
  content: text,
});
const hookRequest: fc.Arbitrary<LLMRequest> = fc
  .record(
    {
      model: fc.constantFrom('gemini', 'gemini-pro'),
      messages: fc.array(message, { maxLength: 10 }),
      config: fc.record(
        { temperature: fc.constantFrom(0, 1), seed: fc.integer(), other: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      toolConfig: fc.record(
        { mode: fc.constantFrom('AUTO', 'ANY', 'NONE'), allowedFunctionNames: fc.array(text) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['model', 'messages'] },
  )
  .map(deepFreeze);

const candidate = fc.record(
  {
    content: fc.record({ role: fc.constant('model'), parts: fc.array(part, { maxLength: 5 }) }),
    finishReason: fc.constantFrom('STOP', 'SPII', 'FINISH_REASON_UNSPECIFIED', 'SAFETY'),
    safetyRatings: fc.array(fc.record({ category: text, probability: text, blocked: fc.boolean() })),
    groundingMetadata: fc.record({ webSearchQueries: fc.array(text) }),
  },
  { requiredKeys: ['content'] },
);
const response: fc.Arbitrary<GenerateContentResponse> = fc
  .record(
    {
      candidates: fc.oneof(
        fc.array(candidate, { maxLength: 3 }),
        fc.array(candidate, { maxLength: 3 }).map((list) => list.map((each, index) => ({ ...each, index }))),
      ),
      usageMetadata: fc.record(
        { promptTokenCount: fc.nat(), totalTokenCount: fc.nat(), thoughtsTokenCount: fc.nat() },
        { requiredKeys: [] },
      ),
      modelVersion: text,
    },
    { requiredKeys: [] },
  )
  .map(deepFreeze);
const hookResponse: fc.Arbitrary<LLMResponse> = fc
  .record(
    {
      text,
      candidates: fc.array(
        fc.record(
          {
            content: fc.record({ role: fc.constant('model'), parts: fc.array(text, { maxLength: 5 }) }),
            finishReason: fc.constantFrom('STOP', 'OTHER'),
            safetyRatings: fc.array(fc.record({ category: text, probability: text })),
          },
          { requiredKeys: ['content'] },
        ),
        { maxLength: 4 },
      ),
      usageMetadata: fc.record({ totalTokenCount: fc.nat() }, { requiredKeys: [] }),
    },
    { requiredKeys: ['candidates'] },
  )
  .map(deepFreeze);

type Entry = Content | SdkPart | string;
const isContent = (entry: Entry): entry is Content => typeof entry !== 'string' && 'parts' in entry;
const partsOf = (entries: Entry | readonly Entry[]): (SdkPart | string)[] =>
  [entries].flat().flatMap<SdkPart | string>((entry) => (isContent(entry) ? (entry.parts ?? []) : [entry]));
const isText = (value: SdkPart | string): boolean =>
  typeof value === 'string' || (typeof value.text === 'string' && value.thought !== true);
const silentPartsOf = (entries: ContentListUnion) => partsOf(entries).filter((value) => !isText(value));
const spoken = (messages: readonly LLMMessage[]) => messages.filter(({ content }) => content !== '');

describe('whatever the request', () => {
  test('what no hook touched is the same object, even when it came back over the wire', () => {
    fc.assert(
      fc.property(request, (base) => {
        expect(translator.fromHookLLMRequest(overTheWire(translator.toHookLLMRequest(base)), base)).toBe(base);
      }),
    );
  });

  test('the stable form is valid, plain JSON and passes through', () => {
    fc.assert(
      fc.property(request, (base) => {
        const stable = translator.toHookLLMRequest(base);
        expect(llmRequestSchema().safeParse(stable).success).toBe(true);
        expect(JSON.stringify(overTheWire(stable))).toBe(JSON.stringify(stable));
        expect(translator.toHookLLMRequest(stable)).toBe(stable);
      }),
    );
  });

  test('the next hook sees exactly the messages that the last one asked for', () => {
    fc.assert(
      fc.property(request, hookRequest, (base, wanted) => {
        const result = translator.fromHookLLMRequest(wanted, base);
        expect(translator.toHookLLMRequest(result).messages).toEqual(spoken(wanted.messages));
      }),
      { numRuns: 500 },
    );
  });

  test('parts without text survive any change of messages, as the objects they were and in their order', () => {
    fc.assert(
      fc.property(request, hookRequest, (base, wanted) => {
        const before = silentPartsOf(base.contents);
        const after = silentPartsOf(translator.fromHookLLMRequest(wanted, base).contents);
        expect(after).toEqual(before);
        expect(after.every((value, index) => value === before[index])).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('changing one message changes only the content it came from', () => {
    fc.assert(
      fc.property(requestWith(contentList), fc.nat(), fc.string({ minLength: 1 }), (base, choice, rewritten) => {
        const stable = translator.toHookLLMRequest(base);
        fc.pre(stable.messages.length > 0);
        const index = choice % stable.messages.length;
        const chosen = stable.messages[index];
        fc.pre(chosen !== undefined && !stable.messages.some(({ content }) => content === rewritten));
        const messages = stable.messages.with(index, { role: chosen?.role ?? 'user', content: rewritten });
        const result = translator.fromHookLLMRequest({ ...stable, messages }, base);
        const changed = base.contents.flatMap((each, at) => (each === result.contents[at] ? [] : [at]));
        expect(result.contents).toHaveLength(base.contents.length);
        expect(changed).toHaveLength(1);
        expect(result.config).toBe(base.config);
        const source = base.contents.map(
          (each) => translator.toHookLLMRequest({ model: '', contents: [each] }).messages,
        );
        expect(source.slice(0, changed[0]).flat()).toHaveLength(index);
      }),
      { numRuns: 500 },
    );
  });

  test('what the stable form cannot express survives any change', () => {
    fc.assert(
      fc.property(request, hookRequest, (base, wanted) => {
        const result = translator.fromHookLLMRequest(wanted, base);
        expect(result.model).toBe(wanted.model);
        expect(result.config?.systemInstruction).toBe(base.config?.systemInstruction);
        expect(result.config?.safetySettings).toBe(base.config?.safetySettings);
        expect(result.config?.tools).toBe(base.config?.tools);
        expect(result.config?.toolConfig?.retrievalConfig).toBe(base.config?.toolConfig?.retrievalConfig);
        if (wanted.toolConfig !== undefined) {
          expect(translator.toHookLLMRequest(result).toolConfig ?? {}).toEqual(wanted.toolConfig);
        }
      }),
    );
  });

  test('without a base there is text only, and the same messages', () => {
    fc.assert(
      fc.property(hookRequest, (wanted) => {
        const result = translator.fromHookLLMRequest(wanted);
        expect(silentPartsOf(result.contents)).toEqual([]);
        expect(translator.toHookLLMRequest(result).messages).toEqual(spoken(wanted.messages));
      }),
    );
  });

  test('the same question has the same answer', () => {
    fc.assert(
      fc.property(request, hookRequest, (base, wanted) => {
        expect(translator.fromHookLLMRequest(wanted, base)).toEqual(translator.fromHookLLMRequest(wanted, base));
      }),
    );
  });
});

describe('whatever the response', () => {
  test('what no hook touched is the same object, even when it came back over the wire', () => {
    fc.assert(
      fc.property(response, (base) => {
        expect(translator.fromHookLLMResponse(overTheWire(translator.toHookLLMResponse(base)), base)).toBe(base);
      }),
    );
  });

  test('the stable form is plain JSON and passes through', () => {
    fc.assert(
      fc.property(response, (base) => {
        const stable = translator.toHookLLMResponse(base);
        expect(JSON.stringify(overTheWire(stable))).toBe(JSON.stringify(stable));
        expect(translator.toHookLLMResponse(stable)).toBe(stable);
      }),
    );
  });

  test('the next hook sees exactly the parts that the last one asked for', () => {
    fc.assert(
      fc.property(response, hookResponse, (base, { text: _, ...wanted }) => {
        fc.pre(wanted.candidates.length > 0);
        const result = translator.toHookLLMResponse(translator.fromHookLLMResponse(wanted, base));
        expect(result.candidates.map(({ content }) => content.parts)).toEqual(
          wanted.candidates.map(({ content }) => content.parts),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('parts without text survive in every candidate that the hook kept', () => {
    fc.assert(
      fc.property(response, hookResponse, (base, wanted) => {
        const result = translator.fromHookLLMResponse(wanted, base);
        for (const [index, { content, groundingMetadata }] of (result.candidates ?? []).entries()) {
          const before = base.candidates?.[index];
          const kept = before?.content?.parts?.filter((value) => !isText(value)) ?? [];
          expect(content?.parts?.filter((value) => !isText(value))).toEqual(kept);
          expect(groundingMetadata).toBe(before?.groundingMetadata);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('a text that was changed alone becomes the text of the first candidate', () => {
    fc.assert(
      fc.property(response, text, (base, wanted) => {
        const stable = translator.toHookLLMResponse(base);
        const result = translator.toHookLLMResponse(translator.fromHookLLMResponse({ ...stable, text: wanted }, base));
        expect(result.text ?? '').toBe(wanted);
        expect(result.candidates.slice(1)).toEqual(stable.candidates.slice(1));
      }),
    );
  });

  test('without a base there is text only, and the same parts', () => {
    fc.assert(
      fc.property(hookResponse, ({ text: _, ...wanted }) => {
        const result = translator.fromHookLLMResponse(wanted);
        expect(translator.toHookLLMResponse(result).candidates).toEqual(wanted.candidates);
      }),
    );
  });
});

describe('whatever comes in', () => {
  // Every key the translator looks for, so that hostile values reach the places where they would hurt.
  const keys = fc.constantFrom(
    ...['model', 'contents', 'messages', 'config', 'toolConfig', 'functionCallingConfig', 'mode', 'candidates'],
    ...['content', 'parts', 'text', 'role', 'thought', 'index', 'safetyRatings', 'usageMetadata', 'temperature'],
    ...['allowedFunctionNames', 'stopSequences', '__proto__', 'constructor'],
  );
  const hostile = fc
    .anything({ key: keys, maxDepth: 5, withNullPrototype: true, withSparseArray: true, withBigInt: true })
    .filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));

  // Around the types, as a caller in JavaScript gets around them.
  const call = (name: keyof HookTranslatorGenAIv1, ...values: unknown[]): unknown =>
    Reflect.apply(translator[name], translator, values);

  /** A shape that is not the SDK's is refused by name; nothing else may be thrown. */
  const callKnown = (name: keyof HookTranslatorGenAIv1, ...values: unknown[]): void => {
    try {
      call(name, ...values);
    } catch (error) {
      if (!HookwrightError.is(error) || !('translator' in error.details)) throw error;
    }
  };

  test('an object never makes the translator throw, unless to say that it is of another SDK', () => {
    fc.assert(
      fc.property(hostile, hostile, (base, wanted) => {
        for (const [answer, question] of [
          [wanted, base],
          [wanted, undefined],
        ]) {
          callKnown('fromHookLLMRequest', answer, question);
          callKnown('fromHookLLMResponse', answer, question);
          callKnown('fromHookToolConfig', answer, question);
        }
        callKnown('toHookLLMRequest', base);
        callKnown('toHookLLMResponse', base);
        callKnown('toHookToolConfig', base);
      }),
      { numRuns: 2_000 },
    );
  });

  test('anything else is refused with the code validation_failure', () => {
    fc.assert(
      fc.property(
        fc.anything().filter((value) => typeof value !== 'object' || value === null || Array.isArray(value)),
        (value) => {
          try {
            // @ts-expect-error: no caller in TypeScript can send this
            translator.toHookLLMRequest(value);
            expect.unreachable();
          } catch (error) {
            expect(HookwrightError.is(error) && error.code).toBe('validation_failure');
          }
        },
      ),
    );
  });
});
