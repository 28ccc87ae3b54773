/** Translates responses of `@google/genai` to the SDK-independent format of hooks and back. */
import { isRecord, isSameList } from '../../kit/index.ts';
import { finishReasons, type LLMResponse, llmResponseSchema, tokenCounterNames } from '../../protocol/index.ts';
import { copyWithPrototype, expectObject, hasKeys, isFiniteNumber, isSameJson, listOrEmpty } from '../json-values.ts';
import { createUnknownShapeError } from '../sdk-shapes.ts';
import { replaceText, replaceTexts, textsOfParts } from './content-parts.ts';
import type { TextResponse } from './sdk-types.ts';

type LLMCandidate = LLMResponse['candidates'][number];
type Usage = NonNullable<TextResponse['usageMetadata']>;
type SafetyRatings = NonNullable<LLMCandidate['safetyRatings']>;

const mapFinishReason = (reason: unknown): (typeof finishReasons)[number] | undefined => {
  if (typeof reason !== 'string' || reason === '' || reason === 'FINISH_REASON_UNSPECIFIED') return undefined;
  return finishReasons.find((known) => known === reason) ?? 'OTHER';
};

/** Reads only category and probability, because providers disagree on the other members. */
const readRatings = (ratings: unknown): SafetyRatings | undefined =>
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

const readParts = (candidate: Record<string, unknown> | undefined): readonly unknown[] =>
  isRecord(candidate?.content) ? listOrEmpty(candidate.content.parts) : [];

const readCandidates = (response: Record<string, unknown>): Record<string, unknown>[] =>
  listOrEmpty(response.candidates).filter(isRecord);

const readCandidate = (candidate: Record<string, unknown>): LLMCandidate => {
  const finishReason = mapFinishReason(candidate.finishReason);
  const safetyRatings = readRatings(candidate.safetyRatings);
  return {
    content: { role: 'model', parts: textsOfParts(readParts(candidate)) },
    ...(finishReason !== undefined && { finishReason }),
    ...(isFiniteNumber(candidate.index) && { index: candidate.index }),
    ...(safetyRatings !== undefined && { safetyRatings }),
  };
};

const joinTexts = (candidate: Record<string, unknown> | undefined): string | undefined => {
  const texts = textsOfParts(readParts(candidate));
  return texts.length === 0 ? undefined : texts.join('');
};

/** Reads the property descriptor, because the `text` getter of the SDK's class warns on the console. */
const readOwnText = (response: object): string | undefined => {
  const text: unknown = Object.getOwnPropertyDescriptor(response, 'text')?.value;
  return typeof text === 'string' ? text : undefined;
};

const isLLMResponse = (response: object): response is LLMResponse =>
  llmResponseSchema().safeParse({ ...response }).success;

const hasStringParts = (response: Record<string, unknown>): boolean =>
  readCandidates(response).some((candidate) => readParts(candidate).some((part) => typeof part === 'string'));

/** A blocked response has no candidates, but one of the other members. */
const responseMembers = [
  'candidates',
  'text',
  'usageMetadata',
  'promptFeedback',
  'responseId',
  'modelVersion',
  'createTime',
];

const isSdkResponse = (response: Record<string, unknown>): boolean =>
  responseMembers.some((member) => member in response) || !hasKeys(response);

export const toHookResponse = (response: unknown): LLMResponse => {
  const source = expectObject(response, 'An LLM response', '`candidates`');
  if (hasStringParts(source) && isLLMResponse(source)) return source;
  if (!isSdkResponse(source))
    throw createUnknownShapeError('response', source, { translator: 'genai-v1', expected: '`candidates`' });
  const [first] = readCandidates(source);
  const text = joinTexts(first) ?? readOwnText(source);
  const usageMetadata = readUsage(source.usageMetadata);
  const stable: LLMResponse = {
    ...(text !== undefined && { text }),
    candidates: readCandidates(source).map(readCandidate),
    ...(usageMetadata !== undefined && { usageMetadata }),
  };
  // Without text, a response of the SDK and one in the hooks' format look alike. If translating changes nothing, it is
  // already in the hooks' format.
  return isSameJson({ ...source }, stable) && isLLMResponse(source) ? source : stable;
};

const toTextPart = (text: string): { text: string } => ({ text });

export const createGenaiResponse = (hookResponse: LLMResponse): TextResponse => {
  const source = expectObject(hookResponse, 'An LLM response of a hook', '`candidates`');
  const usageMetadata = readUsage(source.usageMetadata);
  const response = {
    candidates: moveTextToFirstCandidate(readCandidates(source).map(readCandidate), readOwnText(source)).map(
      createCandidate,
    ),
    ...(usageMetadata !== undefined && { usageMetadata }),
    get text(): string | undefined {
      return joinTexts(this.candidates[0]);
    },
  };
  return Object.defineProperty(response, 'text', { enumerable: false });
};

const moveTextToFirstCandidate = (candidates: LLMCandidate[], text: string | undefined): LLMCandidate[] => {
  const [first, ...others] = candidates;
  if (text === undefined || text === '' || (first !== undefined && first.content.parts.join('') !== '')) {
    return candidates;
  }
  return [{ ...first, content: { role: 'model', parts: [text] } }, ...others];
};

const createCandidate = ({ content, finishReason, index, safetyRatings }: LLMCandidate) => ({
  content: { role: 'model' as const, parts: content.parts.map(toTextPart) },
  ...(finishReason !== undefined && { finishReason }),
  ...(index !== undefined && { index }),
  ...(safetyRatings !== undefined && { safetyRatings }),
});

export const applyHookResponse = <R extends object>(hookResponse: LLMResponse, base: R): R => {
  const wanted = expectObject(hookResponse, 'An LLM response of a hook', '`candidates`');
  const source = expectObject(base, 'The base of an LLM response', '`candidates`');
  const shown = toHookResponse(base);
  // Keeps the format of `base`. A base that fits both formats is treated as the SDK's.
  const isStable = Object.is(shown, base) && (hasStringParts(source) || readOwnText(source) !== undefined);
  const createPart = isStable ? (text: string) => text : toTextPart;

  const before = readCandidates(source);
  const candidates = replaceFirstText(changeCandidates(before, wanted, createPart), wanted, shown, createPart);
  const usageMetadata = changeUsage(source.usageMetadata, wanted.usageMetadata);
  const changes = {
    ...(!isSameList(candidates, before) && { candidates }),
    ...(usageMetadata !== source.usageMetadata && { usageMetadata }),
  };
  return hasKeys(changes) ? updateTextMember(Object.assign(copyWithPrototype(base), changes), candidates) : base;
};

/** The `text` of a response must not contradict its candidates. */
const updateTextMember = <R extends object>(response: R, candidates: readonly Record<string, unknown>[]): R => {
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
  const candidates = readCandidates(wanted);
  // The type requires a list, so a hook that changes something else writes an empty list. An empty list therefore
  // changes nothing: an agent cannot continue without a candidate.
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

/**
 * A member that the hook left out keeps its value, because a hook that rewrites an answer rarely repeats the finish
 * reason.
 */
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
      !isSameJson(content.parts, shown.content.parts) && {
        content: replaceParts(before, replaceTexts(readParts(before), content.parts, createPart)),
      }),
    ...(finishReason !== undefined && finishReason !== shown.finishReason && { finishReason }),
    ...(index !== undefined && index !== shown.index && { index }),
    ...(safetyRatings !== undefined &&
      !isSameJson(safetyRatings, shown.safetyRatings) && {
        safetyRatings: safetyRatings.map((rating) => applyRating(before, rating)),
      }),
  };
  return hasKeys(changes) ? { ...before, ...changes } : before;
};

const replaceParts = ({ content }: Record<string, unknown>, parts: readonly unknown[]): Record<string, unknown> => ({
  ...(isRecord(content) ? content : { role: 'model' }),
  parts,
});

const applyRating = (before: Record<string, unknown>, rating: SafetyRatings[number]): Record<string, unknown> => ({
  ...(listOrEmpty(before.safetyRatings).find((known) => isRecord(known) && known.category === rating.category) ?? {}),
  ...rating,
});

/** A hook may change only `text`, which then replaces the text of the first candidate. */
const replaceFirstText = (
  candidates: readonly Record<string, unknown>[],
  wanted: Record<string, unknown>,
  shown: LLMResponse,
  createPart: CreatePart,
): readonly Record<string, unknown>[] => {
  const text = readOwnText(wanted);
  if (text === undefined || text === (shown.text ?? '')) return candidates;
  const [first = createEmptyCandidate(), ...others] = candidates;
  const current = joinTexts(first) ?? '';
  if (current !== '' && current !== shown.candidates[0]?.content.parts.join('')) return candidates;
  const parts = readParts(first);
  const changed = textsOfParts(parts).length === 0 ? replaceTexts(parts, [text], createPart) : replaceText(parts, text);
  return [{ ...first, content: replaceParts(first, changed) }, ...others];
};

const changeUsage = (before: unknown, wanted: unknown): unknown => {
  const shown = readUsage(before) ?? {};
  const after = { ...shown, ...readUsage(wanted) };
  return isSameJson(after, shown) ? before : { ...(isRecord(before) && before), ...after };
};
