import { isRecord, isSameList } from '../../kit/index.ts';
import { finishReasons, type LLMResponse, llmResponseSchema } from '../../protocol/index.ts';
import { copyOf, expectObject, hasKeys, isFiniteNumber, listOf, sameJson } from '../json-tools.ts';
import { counters } from '../sdk/usage.ts';
import { unknownShape } from '../shapes.ts';
import { replaceText, replaceTexts, textsOfParts } from './content-parts.ts';
import type { TextResponse } from './sdk-types.ts';

type StableCandidate = LLMResponse['candidates'][number];
type Usage = NonNullable<TextResponse['usageMetadata']>;
type Ratings = NonNullable<StableCandidate['safetyRatings']>;
type FinishReason = (typeof finishReasons)[number];

/**
 * Reasons hooks have no word for become `OTHER`. "Unspecified" is the protocol's way of saying nothing, so it says
 * nothing here either.
 */
const mapFinishReason = (reason: unknown): FinishReason | undefined => {
  if (typeof reason !== 'string' || reason === '' || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  return finishReasons.find((known) => known === reason) ?? 'OTHER';
};

/** Category and probability only: whether the provider blocked, and its scores, mean something else with each one. */
const readRatings = (ratings: unknown): Ratings | undefined =>
  Array.isArray(ratings)
    ? ratings.flatMap((rating: unknown) =>
        isRecord(rating) && typeof rating.category === 'string' && typeof rating.probability === 'string'
          ? [{ category: rating.category, probability: rating.probability }]
          : [],
      )
    : undefined;

const readUsage = (usage: unknown): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const read: Usage = {};
  for (const counter of counters) {
    const count = usage[counter];
    if (isFiniteNumber(count)) read[counter] = count;
  }
  return read;
};

const partsOf = (candidate: Record<string, unknown> | undefined): readonly unknown[] =>
  isRecord(candidate?.content) ? listOf(candidate.content.parts) : [];

const candidatesOf = (response: Record<string, unknown>): Record<string, unknown>[] =>
  listOf(response.candidates).filter(isRecord);

const readCandidate = (candidate: Record<string, unknown>): StableCandidate => {
  const finishReason = mapFinishReason(candidate.finishReason);
  const safetyRatings = readRatings(candidate.safetyRatings);
  return {
    content: { role: 'model', parts: textsOfParts(partsOf(candidate)) },
    ...(finishReason !== undefined && { finishReason }),
    ...(isFiniteNumber(candidate.index) && { index: candidate.index }),
    ...(safetyRatings !== undefined && { safetyRatings }),
  };
};

/** As the SDK's `text`: nothing without a text part, an empty text with an empty one. */
const joinTexts = (candidate: Record<string, unknown> | undefined): string | undefined => {
  const texts = textsOfParts(partsOf(candidate));
  return texts.length === 0 ? undefined : texts.join('');
};

/** Only a plain member: the getter of the SDK's class warns on the console, and says nothing that the parts do not. */
const ownText = (response: object): string | undefined => {
  const text: unknown = Object.getOwnPropertyDescriptor(response, 'text')?.value;
  return typeof text === 'string' ? text : undefined;
};

/** Members of its own only, as above. */
const isLLMResponse = (response: object): response is LLMResponse =>
  llmResponseSchema().safeParse({ ...response }).success;

const saysTextAsStrings = (response: Record<string, unknown>): boolean =>
  candidatesOf(response).some((candidate) => partsOf(candidate).some((part) => typeof part === 'string'));

const expected = '`candidates`';

/** Any member of a response of this SDK; one without candidates says at least why. */
const members = ['candidates', 'text', 'usageMetadata', 'promptFeedback', 'responseId', 'modelVersion', 'createTime'];

const isSDKForm = (response: Record<string, unknown>): boolean =>
  members.some((member) => member in response) || !hasKeys(response);

export const toStableResponse = (response: unknown): LLMResponse => {
  const source = expectObject(response, 'An LLM response', '`candidates`');
  if (saysTextAsStrings(source) && isLLMResponse(source)) return source;
  if (!isSDKForm(source)) throw unknownShape('response', source, { translator: 'genai-v1', expected });
  const [first] = candidatesOf(source);
  const text = joinTexts(first) ?? ownText(source);
  const usageMetadata = readUsage(source.usageMetadata);
  const stable: LLMResponse = {
    ...(text !== undefined && { text }),
    candidates: candidatesOf(source).map(readCandidate),
    ...(usageMetadata !== undefined && { usageMetadata }),
  };
  // Without a single text both forms look alike; what has nothing but stable members was stable.
  return sameJson({ ...source }, stable) && isLLMResponse(source) ? source : stable;
};

const toTextPart = (text: string): { text: string } => ({ text });

/** Text only, for there is no response to take anything else from. */
export const createResponse = (hookResponse: LLMResponse): TextResponse => {
  const source = expectObject(hookResponse, 'An LLM response of a hook', '`candidates`');
  const usageMetadata = readUsage(source.usageMetadata);
  const response = {
    candidates: withConvenientText(candidatesOf(source).map(readCandidate), ownText(source)).map(createCandidate),
    ...(usageMetadata !== undefined && { usageMetadata }),
    get text(): string | undefined {
      return joinTexts(this.candidates[0]);
    },
  };
  return Object.defineProperty(response, 'text', { enumerable: false });
};

/** `text` is a second way to say what the first candidate says: it counts where the candidate is silent. */
const withConvenientText = (candidates: StableCandidate[], text: string | undefined): StableCandidate[] => {
  const [first, ...others] = candidates;
  if (text === undefined || text === '' || (first !== undefined && first.content.parts.join('') !== '')) {
    return candidates;
  }
  return [{ ...first, content: { role: 'model', parts: [text] } }, ...others];
};

const createCandidate = ({ content, finishReason, index, safetyRatings }: StableCandidate) => ({
  content: { role: 'model' as const, parts: content.parts.map(toTextPart) },
  ...(finishReason !== undefined && { finishReason }),
  ...(index !== undefined && { index }),
  ...(safetyRatings !== undefined && { safetyRatings }),
});

/** The base with what a hook wants otherwise, or the base itself when that is nothing. */
export const withStableResponse = <R extends object>(hookResponse: LLMResponse, base: R): R => {
  const wanted = expectObject(hookResponse, 'An LLM response of a hook', '`candidates`');
  const source = expectObject(base, 'The base of an LLM response', '`candidates`');
  const shown = toStableResponse(base);
  // A base in the stable form is answered in it; where both forms look alike, the SDK's is the likelier one.
  const isStable = Object.is(shown, base) && (saysTextAsStrings(source) || ownText(source) !== undefined);
  const createPart = isStable ? (text: string) => text : toTextPart;

  const before = candidatesOf(source);
  const candidates = tellFirst(changeCandidates(before, wanted, createPart), wanted, shown, createPart);
  const usageMetadata = changeUsage(source.usageMetadata, wanted.usageMetadata);
  const changes = {
    ...(!isSameList(candidates, before) && { candidates }),
    ...(usageMetadata !== source.usageMetadata && { usageMetadata }),
  };
  return hasKeys(changes) ? withText(Object.assign(copyOf(base), changes), candidates) : base;
};

/** A response that holds its text as a member of its own, and not in a getter of its class, must not contradict itself. */
const withText = <R extends object>(response: R, candidates: readonly Record<string, unknown>[]): R => {
  const descriptor = Object.getOwnPropertyDescriptor(response, 'text');
  if (descriptor === undefined) return response;
  const value = joinTexts(candidates[0]);
  if (value === undefined) Reflect.deleteProperty(response, 'text');
  else {
    const { enumerable = false } = descriptor;
    Object.defineProperty(response, 'text', { value, enumerable, writable: true, configurable: true });
  }
  return response;
};

type CreatePart = (text: string) => unknown;

const changeCandidates = (
  before: readonly Record<string, unknown>[],
  wanted: Record<string, unknown>,
  createPart: CreatePart,
): readonly Record<string, unknown>[] => {
  const candidates = candidatesOf(wanted);
  // The stable type asks for a list, so a hook that has something else to say writes an empty one. To take an answer
  // away, a hook empties its parts: a response without any candidate is nothing an agent could go on with.
  if (candidates.length === 0) return before;
  const left = new Set(before);
  return candidates.map((candidate, position) => {
    const origin = findOrigin(before, left, candidate, position);
    if (origin === undefined) return changeCandidate(createEmptyCandidate(), candidate, createPart);
    left.delete(origin);
    return changeCandidate(origin, candidate, createPart);
  });
};

const createEmptyCandidate = () => ({ content: { role: 'model', parts: [] } });

/** By the index both carry; a candidate without one, or with an unknown one, by its position in the list. */
const findOrigin = (
  before: readonly Record<string, unknown>[],
  left: ReadonlySet<Record<string, unknown>>,
  { index }: Record<string, unknown>,
  position: number,
): Record<string, unknown> | undefined => {
  const byIndex = isFiniteNumber(index) ? before.find((candidate) => candidate.index === index) : undefined;
  if (byIndex !== undefined && left.has(byIndex)) return byIndex;
  const byPosition = before[position];
  if (byPosition === undefined || !left.has(byPosition)) return undefined;
  return index === undefined || byPosition.index === undefined ? byPosition : undefined;
};

/** What a hook leaves out it did not speak of: a hook that rewrites an answer seldom repeats why the model stopped. */
const changeCandidate = (
  before: Record<string, unknown>,
  wanted: Record<string, unknown>,
  createPart: CreatePart,
): Record<string, unknown> => {
  const shown = readCandidate(before);
  const { content, finishReason, index, safetyRatings } = readCandidate(wanted);
  const saysParts = isRecord(wanted.content) && Array.isArray(wanted.content.parts);
  const changes = {
    ...(saysParts &&
      !sameJson(content.parts, shown.content.parts) && {
        content: withParts(before, replaceTexts(partsOf(before), content.parts, createPart)),
      }),
    ...(finishReason !== undefined && finishReason !== shown.finishReason && { finishReason }),
    ...(index !== undefined && index !== shown.index && { index }),
    ...(safetyRatings !== undefined &&
      !sameJson(safetyRatings, shown.safetyRatings) && {
        safetyRatings: safetyRatings.map((rating) => withRating(before, rating)),
      }),
  };
  return hasKeys(changes) ? { ...before, ...changes } : before;
};

const withParts = ({ content }: Record<string, unknown>, parts: readonly unknown[]): Record<string, unknown> => ({
  ...(isRecord(content) ? content : { role: 'model' }),
  parts,
});

const withRating = (before: Record<string, unknown>, rating: Ratings[number]): Record<string, unknown> => ({
  ...(listOf(before.safetyRatings).find((known) => isRecord(known) && known.category === rating.category) ?? {}),
  ...rating,
});

/** A hook that changed the convenient `text`, and left the first candidate as it was or silent, meant that candidate. */
const tellFirst = (
  candidates: readonly Record<string, unknown>[],
  wanted: Record<string, unknown>,
  shown: LLMResponse,
  createPart: CreatePart,
): readonly Record<string, unknown>[] => {
  const text = ownText(wanted);
  if (text === undefined || text === (shown.text ?? '')) return candidates;
  const [first = createEmptyCandidate(), ...others] = candidates;
  const said = joinTexts(first) ?? '';
  if (said !== '' && said !== shown.candidates[0]?.content.parts.join('')) return candidates;
  const parts = partsOf(first);
  const told = textsOfParts(parts).length === 0 ? replaceTexts(parts, [text], createPart) : replaceText(parts, text);
  return [{ ...first, content: withParts(first, told) }, ...others];
};

const changeUsage = (before: unknown, wanted: unknown): unknown => {
  const shown = readUsage(before) ?? {};
  const changed = Object.entries(readUsage(wanted) ?? {}).filter(([key, count]) => count !== readCount(shown, key));
  return changed.length === 0 ? before : { ...(isRecord(before) && before), ...Object.fromEntries(changed) };
};

const readCount = (usage: Record<string, unknown>, key: string): unknown => usage[key];
