/** Translates responses of `@google/genai` to the stable form and back. */
import { isRecord, isSameList } from '../../kit/index.ts';
import { finishReasons, type LLMResponse, llmResponseSchema } from '../../protocol/index.ts';
import { copyOf, expectObject, hasKeys, isFiniteNumber, listOrEmpty, sameJson } from '../json-tools.ts';
import { tokenCounterNames } from '../sdk/usage.ts';
import { unknownShape } from '../shapes.ts';
import { replaceText, replaceTexts, textsOfParts } from './content-parts.ts';
import type { TextResponse } from './sdk-types.ts';

type StableCandidate = LLMResponse['candidates'][number];
type Usage = NonNullable<TextResponse['usageMetadata']>;
type Ratings = NonNullable<StableCandidate['safetyRatings']>;
type FinishReason = (typeof finishReasons)[number];

/** Unknown reasons become `OTHER`; "unspecified" counts as none. */
const mapFinishReason = (reason: unknown): FinishReason | undefined => {
  if (typeof reason !== 'string' || reason === '' || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  return finishReasons.find((known) => known === reason) ?? 'OTHER';
};

/** Only category and probability: other members differ in meaning between providers. */
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
  for (const counter of tokenCounterNames) {
    const count = usage[counter];
    if (isFiniteNumber(count)) read[counter] = count;
  }
  return read;
};

const partsOf = (candidate: Record<string, unknown> | undefined): readonly unknown[] =>
  isRecord(candidate?.content) ? listOrEmpty(candidate.content.parts) : [];

const candidatesOf = (response: Record<string, unknown>): Record<string, unknown>[] =>
  listOrEmpty(response.candidates).filter(isRecord);

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

/** Like the SDK's `text`: `undefined` without a text part. */
const joinTexts = (candidate: Record<string, unknown> | undefined): string | undefined => {
  const texts = textsOfParts(partsOf(candidate));
  return texts.length === 0 ? undefined : texts.join('');
};

/** Reads own members only: the getter of the SDK's class warns on the console. */
const ownText = (response: object): string | undefined => {
  const text: unknown = Object.getOwnPropertyDescriptor(response, 'text')?.value;
  return typeof text === 'string' ? text : undefined;
};

/** Checks own members only: the SDK's getter warns. */
const isLLMResponse = (response: object): response is LLMResponse =>
  llmResponseSchema().safeParse({ ...response }).success;

const saysTextAsStrings = (response: Record<string, unknown>): boolean =>
  candidatesOf(response).some((candidate) => partsOf(candidate).some((part) => typeof part === 'string'));

const expected = '`candidates`';

/** A response without candidates has at least a reason for that. */
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
  // Without any text both forms look alike; a response with only stable members was stable.
  return sameJson({ ...source }, stable) && isLLMResponse(source) ? source : stable;
};

const toTextPart = (text: string): { text: string } => ({ text });

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

/** `text` counts if the first candidate has no text. */
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

/** Returns the base itself if the hook changed nothing. */
export const withStableResponse = <R extends object>(hookResponse: LLMResponse, base: R): R => {
  const wanted = expectObject(hookResponse, 'An LLM response of a hook', '`candidates`');
  const source = expectObject(base, 'The base of an LLM response', '`candidates`');
  const shown = toStableResponse(base);
  // A base in the stable form stays in it; if it fits both forms, the SDK's is likelier.
  const isStable = Object.is(shown, base) && (saysTextAsStrings(source) || ownText(source) !== undefined);
  const createPart = isStable ? (text: string) => text : toTextPart;

  const before = candidatesOf(source);
  const candidates = withFirstText(changeCandidates(before, wanted, createPart), wanted, shown, createPart);
  const usageMetadata = changeUsage(source.usageMetadata, wanted.usageMetadata);
  const changes = {
    ...(!isSameList(candidates, before) && { candidates }),
    ...(usageMetadata !== source.usageMetadata && { usageMetadata }),
  };
  return hasKeys(changes) ? withText(Object.assign(copyOf(base), changes), candidates) : base;
};

/** The own `text` of a response must not contradict its candidates. */
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
  // The stable type requires a list, so a hook that changes something else writes an empty one. A hook removes an answer
  // by emptying its parts: an agent cannot continue without a candidate.
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

/** Matches by the index of both, otherwise by position. */
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

/** Missing members stay: a hook that rewrites an answer rarely repeats the finish reason. */
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
  ...(listOrEmpty(before.safetyRatings).find((known) => isRecord(known) && known.category === rating.category) ?? {}),
  ...rating,
});

/** If a hook changed only `text`, it meant the first candidate. */
const withFirstText = (
  candidates: readonly Record<string, unknown>[],
  wanted: Record<string, unknown>,
  shown: LLMResponse,
  createPart: CreatePart,
): readonly Record<string, unknown>[] => {
  const text = ownText(wanted);
  if (text === undefined || text === (shown.text ?? '')) return candidates;
  const [first = createEmptyCandidate(), ...others] = candidates;
  const current = joinTexts(first) ?? '';
  if (current !== '' && current !== shown.candidates[0]?.content.parts.join('')) return candidates;
  const parts = partsOf(first);
  const changed = textsOfParts(parts).length === 0 ? replaceTexts(parts, [text], createPart) : replaceText(parts, text);
  return [{ ...first, content: withParts(first, changed) }, ...others];
};

const changeUsage = (before: unknown, wanted: unknown): unknown => {
  const shown = readUsage(before) ?? {};
  const changed = Object.entries(readUsage(wanted) ?? {}).filter(([key, count]) => count !== readCount(shown, key));
  return changed.length === 0 ? before : { ...(isRecord(before) && before), ...Object.fromEntries(changed) };
};

const readCount = (usage: Record<string, unknown>, key: string): unknown => usage[key];
