import { GenerateContentResponse } from '@google/genai';
import { GenerateContentResponse as GenerateContentResponseV2 } from '@google/genai-2';
import { describe, expect, test } from 'vitest';
import { HookwrightError } from '../../src/errors.ts';
import { HookTranslatorGenAIv1 } from '../../src/models/index.ts';
import { type LLMResponse, llmResponseSchema } from '../../src/protocol/index.ts';
import { deepFreeze, overTheWire, responseFixture, responseFixtures } from './support.ts';

const translator = new HookTranslatorGenAIv1();
const says = (...parts: string[]): LLMResponse => ({ candidates: [{ content: { role: 'model', parts } }] });

describe('what hooks see of a response', () => {
  test('a plain answer becomes its text, its candidates and the three counters', () => {
    expect(translator.toHookLLMResponse(responseFixture('plain'))).toStrictEqual({
      text: 'Paris.',
      candidates: [{ content: { role: 'model', parts: ['Paris.'] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 2, totalTokenCount: 10 },
    });
  });

  test('the text is that of the first candidate, its text parts joined', () => {
    expect(translator.toHookLLMResponse(responseFixture('function-call'))).toMatchObject({
      text: 'I will look that up.',
      candidates: [{ content: { parts: ['I will look ', 'that up.'] } }],
    });
    expect(translator.toHookLLMResponse(responseFixture('several-candidates'))).toMatchObject({
      text: 'One',
      candidates: [{ index: 0 }, { index: 1, finishReason: 'MAX_TOKENS' }, { index: 2 }],
    });
  });

  test('there is no text without a text part, and an empty text with an empty one', () => {
    expect(translator.toHookLLMResponse(responseFixture('function-call-only'))).toStrictEqual({
      candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
    });
    expect(translator.toHookLLMResponse(responseFixture('empty-text'))).toMatchObject({
      text: '',
      candidates: [{ content: { parts: [''] } }],
    });
    expect(translator.toHookLLMResponse(responseFixture('blocked-prompt'))).toStrictEqual({
      candidates: [],
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
    });
  });

  test('thoughts are not text for hooks', () => {
    expect(translator.toHookLLMResponse(responseFixture('thoughts'))).toMatchObject({
      text: '97 is prime.',
      candidates: [{ content: { parts: ['97 is prime.', ''] } }],
    });
  });

  test('safety ratings are category and probability', () => {
    expect(translator.toHookLLMResponse(responseFixture('safety'))).toStrictEqual({
      candidates: [
        {
          content: { role: 'model', parts: [] },
          finishReason: 'SAFETY',
          index: 0,
          safetyRatings: [
            { category: 'HARM_CATEGORY_HARASSMENT', probability: 'HIGH' },
            { category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'NEGLIGIBLE' },
          ],
        },
      ],
      usageMetadata: { promptTokenCount: 5, totalTokenCount: 5 },
    });
  });

  test('a reason hooks have no word for is OTHER, and an unspecified one is none', () => {
    const { candidates } = translator.toHookLLMResponse(responseFixture('other-reasons'));
    expect(candidates.map((candidate) => ('finishReason' in candidate ? candidate.finishReason : 'absent'))).toEqual([
      'OTHER',
      'absent',
      'RECITATION',
      'absent',
    ]);
  });

  test.each(responseFixtures())('%s becomes a valid stable response of plain JSON', (_, response) => {
    const stable = translator.toHookLLMResponse(response);
    expect(llmResponseSchema().parse(stable)).toEqual(stable);
    expect(overTheWire(stable)).toStrictEqual(stable);
  });

  test.each(responseFixtures())('%s in the stable form passes through', (_, response) => {
    const stable = translator.toHookLLMResponse(response);
    expect(translator.toHookLLMResponse(stable)).toBe(stable);
  });

  test('a stable response that has only its text passes through too', () => {
    const response = { text: 'Blocked.', candidates: [] };
    expect(translator.toHookLLMResponse(response)).toBe(response);
  });

  test('unreadable pieces are skipped', () => {
    const hostile = {
      candidates: [
        null,
        3,
        { content: { parts: [null, { text: 5 }, 'bare', { text: 'read' }] }, finishReason: 9, index: 'x' },
      ],
      usageMetadata: { promptTokenCount: '8', totalTokenCount: Number.NaN, candidatesTokenCount: 1 },
    };
    // @ts-expect-error: no caller in TypeScript can send this
    expect(translator.toHookLLMResponse(hostile)).toStrictEqual({
      text: 'bareread',
      candidates: [{ content: { role: 'model', parts: ['bare', 'read'] } }],
      usageMetadata: { candidatesTokenCount: 1 },
    });
    expect(translator.toHookLLMResponse({})).toStrictEqual({ candidates: [] });
  });

  test.each([undefined, null, 'text', 5, [[]]])('%j is refused with the code validation_failure', (response) => {
    // @ts-expect-error: not an object
    const run = () => translator.toHookLLMResponse(response);
    expect(run).toThrow(HookwrightError);
    expect(run).toThrow('An LLM response must be an object with `candidates`');
  });
});

describe('a response without a base', () => {
  test('has text parts only', () => {
    const response = translator.fromHookLLMResponse({
      text: 'One',
      candidates: [
        {
          content: { role: 'model', parts: ['O', 'ne'] },
          finishReason: 'STOP',
          index: 0,
          safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
        },
      ],
      usageMetadata: { totalTokenCount: 3 },
    });
    expect(overTheWire(response)).toStrictEqual({
      candidates: [
        {
          content: { role: 'model', parts: [{ text: 'O' }, { text: 'ne' }] },
          finishReason: 'STOP',
          index: 0,
          safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
        },
      ],
      usageMetadata: { totalTokenCount: 3 },
    });
    expect(response.text).toBe('One');
  });

  test('takes the text where the first candidate is silent', () => {
    const spoken = { candidates: [{ content: { role: 'model', parts: [{ text: 'Blocked.' }] } }] };
    expect(translator.fromHookLLMResponse({ text: 'Blocked.', candidates: [] })).toEqual(spoken);
    expect(translator.fromHookLLMResponse({ text: 'Blocked.', ...says() })).toEqual(spoken);
    expect(translator.fromHookLLMResponse({ text: 'ignored', ...says('Blocked.') })).toEqual(spoken);
    expect(translator.fromHookLLMResponse({ candidates: [] }).text).toBeUndefined();
  });

  test('can be copied onto an instance of the class of the SDK', () => {
    const response = Object.assign(new GenerateContentResponse(), translator.fromHookLLMResponse(says('Blocked.')));
    expect(response).toBeInstanceOf(GenerateContentResponse);
    expect(response.text).toBe('Blocked.');
  });
});

describe('a response no hook touched', () => {
  test.each(responseFixtures())('%s comes back unchanged', (_, response) => {
    const before = overTheWire(response);
    const result = translator.fromHookLLMResponse(overTheWire(translator.toHookLLMResponse(response)), response);
    expect(result).toBe(response);
    expect(result).toEqual(before);
  });

  test('comes back unchanged when the hook repeated only part of it', () => {
    const response = responseFixture('rated');
    expect(translator.fromHookLLMResponse(says('Fine.'), response)).toBe(response);
    // @ts-expect-error: a hook that says nothing at all
    expect(translator.fromHookLLMResponse({}, response)).toBe(response);
  });
});

describe('a hook that changes a response', () => {
  test('changes the text, and everything else stays in place', () => {
    const response = responseFixture('code-execution');
    expect(translator.fromHookLLMResponse(says('Computing.\n', 'The sum is 5117.'), response)).toStrictEqual({
      candidates: [
        {
          content: {
            parts: [
              { text: 'Computing.\n' },
              { executableCode: { language: 'PYTHON', code: 'print(5117)' } },
              { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '5117\n' } },
              { text: 'The sum is 5117.' },
            ],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
        },
      ],
    });
  });

  test('keeps grounding, citations, ratings and the reason it did not repeat', () => {
    const response = responseFixture('grounding');
    const result = translator.fromHookLLMResponse(says('Spain won.'), response);
    const [before] = response.candidates ?? [];
    expect(result.candidates?.[0]).toStrictEqual({
      ...before,
      content: { role: 'model', parts: [{ text: 'Spain won.' }] },
    });
    expect(result.candidates?.[0]?.groundingMetadata).toBe(before?.groundingMetadata);
  });

  test('removes texts and adds them beside the ones they follow', () => {
    const response = responseFixture('function-call');
    const partsOf = (...texts: string[]) =>
      translator
        .fromHookLLMResponse(says(...texts), response)
        .candidates?.[0]?.content?.parts?.map((part) => part.text ?? 'call');
    expect(partsOf()).toEqual(['call']);
    expect(partsOf('I will look ')).toEqual(['I will look ', 'call']);
    expect(partsOf('that up.')).toEqual(['call', 'that up.']);
    expect(partsOf('I will look ', 'gladly ', 'that up.')).toEqual(['I will look ', 'gladly ', 'call', 'that up.']);
    expect(partsOf('Well: ', 'I will look ', 'that up.')).toEqual(['Well: ', 'I will look ', 'call', 'that up.']);
  });

  test('gives text to a candidate that only called a function', () => {
    expect(
      translator.fromHookLLMResponse(says('Looking.'), responseFixture('function-call-only')).candidates?.[0]?.content
        ?.parts,
    ).toEqual([{ text: 'Looking.' }, { functionCall: { name: 'weather', args: { city: 'Boston' } } }]);
  });

  test('adds text after the thoughts that lead to it', () => {
    const response = deepFreeze({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] } }],
    });
    expect(translator.fromHookLLMResponse(says('Yes.'), response).candidates[0]?.content.parts).toEqual([
      { text: 'Hm.', thought: true },
      { text: 'Yes.' },
    ]);
  });

  test('that changed only the convenient text means the first candidate', () => {
    const response = responseFixture('several-candidates');
    const stable = translator.toHookLLMResponse(response);
    const result = translator.fromHookLLMResponse({ ...stable, text: 'Uno' }, response);
    expect(result.candidates?.[0]).toEqual({
      content: { parts: [{ text: 'Uno' }], role: 'model' },
      finishReason: 'STOP',
      index: 0,
    });
    expect(result.candidates?.[1]).toBe(response.candidates?.[1]);
    expect(
      translator.fromHookLLMResponse({ text: 'Blocked.', candidates: [] }, responseFixture('blocked-prompt')),
    ).toMatchObject({
      candidates: [{ content: { role: 'model', parts: [{ text: 'Blocked.' }] } }],
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    });
  });

  test('may say a text and no candidates, because the type asks for a list of them', () => {
    const result = translator.fromHookLLMResponse(
      { text: 'Looking.', candidates: [] },
      responseFixture('function-call'),
    );
    expect(result.candidates?.[0]?.content?.parts).toEqual([
      { text: 'Looking.' },
      { functionCall: { id: 'c1', name: 'weather', args: { city: 'Boston' } }, thoughtSignature: 'abc=' },
    ]);
  });

  test('takes the answer away with empty parts, and not with an empty list of candidates', () => {
    const response = responseFixture('plain');
    expect(translator.fromHookLLMResponse({ candidates: [] }, response)).toBe(response);
    expect(translator.fromHookLLMResponse(says(), response).candidates?.[0]?.content?.parts).toEqual([]);
  });

  test('that changed both means the candidates', () => {
    const result = translator.fromHookLLMResponse({ text: 'A', ...says('B') }, responseFixture('plain'));
    expect(result.candidates?.[0]?.content?.parts).toEqual([{ text: 'B' }]);
  });

  test('keeps and drops candidates by their index', () => {
    const response = responseFixture('several-candidates');
    const { candidates } = translator.toHookLLMResponse(response);
    const result = translator.fromHookLLMResponse({ candidates: candidates.slice(1) }, response);
    expect(result.candidates).toEqual(response.candidates?.slice(1));
    expect(result.candidates?.[0]).toBe(response.candidates?.[1]);
    const added: LLMResponse['candidates'][number] = { content: { role: 'model', parts: ['Four'] }, index: 3 };
    expect(translator.fromHookLLMResponse({ candidates: [...candidates, added] }, response).candidates?.[3]).toEqual({
      content: { role: 'model', parts: [{ text: 'Four' }] },
      index: 3,
    });
  });

  test('changes reason, ratings and counters, and what hooks cannot see of them stays', () => {
    const response = responseFixture('rated');
    const result = translator.fromHookLLMResponse(
      {
        candidates: [
          {
            content: { role: 'model', parts: ['Fine.'] },
            finishReason: 'SAFETY',
            safetyRatings: [
              { category: 'HARM_CATEGORY_HARASSMENT', probability: 'HIGH' },
              { category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'LOW' },
            ],
          },
        ],
        usageMetadata: { totalTokenCount: 1 },
      },
      response,
    );
    expect(result).toStrictEqual({
      candidates: [
        {
          content: { parts: [{ text: 'Fine.' }], role: 'model' },
          finishReason: 'SAFETY',
          index: 0,
          safetyRatings: [
            { ...response.candidates?.[0]?.safetyRatings?.[0], probability: 'HIGH' },
            { category: 'HARM_CATEGORY_HATE_SPEECH', probability: 'LOW' },
          ],
        },
      ],
      usageMetadata: { totalTokenCount: 1 },
    });
    expect(result.candidates?.[0]?.content).toBe(response.candidates?.[0]?.content);
    const counted = responseFixture('plain');
    const changed = translator.fromHookLLMResponse(
      { ...says('Paris.'), usageMetadata: { totalTokenCount: 1 } },
      counted,
    );
    expect(changed.usageMetadata).toStrictEqual({ ...counted.usageMetadata, totalTokenCount: 1 });
    expect(changed.candidates).toBe(counted.candidates);
  });

  test('a reason it could only see as OTHER stays what it was', () => {
    const response = responseFixture('other-reasons');
    const stable = translator.toHookLLMResponse(response);
    const candidates = stable.candidates.map((candidate) => ({
      ...candidate,
      content: { role: 'model' as const, parts: ['x'] },
    }));
    const result = translator.fromHookLLMResponse({ ...stable, candidates }, response);
    expect(result.candidates?.map(({ finishReason }) => finishReason)).toEqual(
      response.candidates?.map(({ finishReason }) => finishReason),
    );
  });

  test('a response in the stable form is answered in the stable form, its text in step', () => {
    const response = deepFreeze(translator.toHookLLMResponse(responseFixture('plain')));
    expect(translator.fromHookLLMResponse(says('Lyon.'), response)).toStrictEqual({
      ...response,
      text: 'Lyon.',
      candidates: [{ content: { role: 'model', parts: ['Lyon.'] }, finishReason: 'STOP', index: 0 }],
    });
    expect(translator.fromHookLLMResponse({ ...response, text: 'Lyon.' }, response)).toMatchObject({
      text: 'Lyon.',
      candidates: [{ content: { parts: ['Lyon.'] } }],
    });
  });

  test('a text that the response holds as a member of its own keeps in step, hidden or not', () => {
    const plain = deepFreeze({ text: 'a', candidates: [{ content: { parts: [{ text: 'a' }] } }] });
    expect(translator.fromHookLLMResponse(says('b'), plain).text).toBe('b');
    expect(translator.fromHookLLMResponse(says(), plain)).not.toHaveProperty('text');
    const hidden = Object.defineProperty({ candidates: plain.candidates }, 'text', { get: () => 'a' });
    const result = translator.fromHookLLMResponse(says('b'), deepFreeze(hidden));
    expect(Reflect.get(result, 'text')).toBe('b');
    expect(Object.keys(result)).toEqual(['candidates']);
  });
});

describe.each([
  ['@google/genai 1.x', GenerateContentResponse],
  ['@google/genai 2.x', GenerateContentResponseV2],
])('an instance of the class of %s', (_, Response) => {
  const create = (name: string) => deepFreeze(Object.assign(new Response(), responseFixture(name)));

  test('is read as plain JSON', () => {
    expect(translator.toHookLLMResponse(create('plain'))).toStrictEqual(
      translator.toHookLLMResponse(responseFixture('plain')),
    );
  });

  test('comes back itself when no hook touched it', () => {
    const response = create('function-call');
    expect(translator.fromHookLLMResponse(overTheWire(translator.toHookLLMResponse(response)), response)).toBe(
      response,
    );
  });

  test('answers with the new text, the old function calls and everything else', () => {
    const plain = create('plain');
    const rewritten = translator.fromHookLLMResponse(says('Lyon.'), plain);
    expect(rewritten).toBeInstanceOf(Response);
    expect(rewritten.text).toBe('Lyon.');
    expect(rewritten.usageMetadata).toBe(plain.usageMetadata);
    expect(plain.text).toBe('Paris.');
    // Its `text` is not asked for: with a function call beside the text, the SDK answers with a warning on the console.
    const calling = translator.fromHookLLMResponse(says('Looking it up.'), create('function-call'));
    expect(calling.functionCalls).toEqual([{ id: 'c1', name: 'weather', args: { city: 'Boston' } }]);
  });

  test('can be empty, which makes an instance out of a synthetic response', () => {
    const response = translator.fromHookLLMResponse(says('Blocked.'), new Response());
    expect(response).toBeInstanceOf(Response);
    expect(response.text).toBe('Blocked.');
    expect(translator.fromHookLLMResponse({ text: 'Blocked.', candidates: [] }, new Response()).text).toBe('Blocked.');
  });
});

test('the getters of a response are never run, which would warn on the console', () => {
  class Loud {
    candidates = [{ content: { role: 'model', parts: [{ text: 'a' }] } }];
    get text(): string {
      throw new Error('the getter ran');
    }
  }
  const response = new Loud();
  expect(translator.toHookLLMResponse(response).text).toBe('a');
  expect(translator.fromHookLLMResponse(says('b'), response).candidates[0]?.content.parts).toEqual([{ text: 'b' }]);
});
