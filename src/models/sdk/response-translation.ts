/** Translates responses between an SDK, which is described by `ResponseFacts`, and the format of hooks. */
import { isRecord, isSameList, type Members } from '../../kit/index.ts';
import { type LLMResponse, llmResponseSchema } from '../../protocol/index.ts';
import { copyWithPrototype, expectObject, hasKeys, isFiniteNumber, isSameJson, listOrEmpty } from '../json-values.ts';
import { copyWithChanges } from '../request-form.ts';
import { createUnknownShapeError } from '../sdk-shapes.ts';
import { findUsageChanges, readUsage, type UsageKeys } from './usage.ts';

type LLMCandidate = LLMResponse['candidates'][number];
type FinishReason = NonNullable<LLMCandidate['finishReason']>;

export interface ResponseFacts<Response extends object> {
  readonly expected: string;
  readonly isOwn: (response: Members) => boolean;
  readonly candidatesOf: (response: Members) => readonly Members[];
  readonly withCandidates: (response: Members, candidates: readonly Members[]) => Members;
  readonly textsOf: (candidate: Members) => readonly string[];
  readonly withTexts: (candidate: Members, texts: readonly string[]) => Members;
  readonly finishOf: (candidate: Members) => unknown;
  readonly withFinish: (candidate: Members, word: string) => Members;
  /** The SDK's finish reasons in the words of hooks. Reasons that are not listed become `OTHER`. */
  readonly finishWords: Readonly<Record<string, FinishReason>>;
  readonly usage: UsageKeys;
  readonly createCandidate?: (index: number) => Members;
  readonly create: () => Response;
}

export interface ResponseTranslation<Response extends object> {
  readonly read: (response: unknown) => LLMResponse;
  readonly write: <R extends object>(wanted: LLMResponse, base: R) => R;
  readonly create: (wanted: LLMResponse) => Response;
}

const isLLMResponse = (value: unknown): value is LLMResponse => llmResponseSchema().safeParse(value).success;

const isHookResponse = (response: Members): response is LLMResponse =>
  Array.isArray(response.candidates) && isLLMResponse(response);

const readParts = (candidate: unknown): readonly string[] | undefined => {
  const content = isRecord(candidate) ? candidate.content : undefined;
  if (!isRecord(content) || !Array.isArray(content.parts)) return undefined;
  return content.parts.filter((part) => typeof part === 'string');
};

export const createResponseTranslation = <Response extends object>(
  translator: string,
  facts: ResponseFacts<Response>,
): ResponseTranslation<Response> => {
  const { expected, finishWords } = facts;

  const readFinish = (candidate: Members): FinishReason | undefined => {
    const word = facts.finishOf(candidate);
    if (typeof word !== 'string' || word === '') return undefined;
    return Object.hasOwn(finishWords, word) ? finishWords[word] : 'OTHER';
  };

  const readCandidate = (candidate: Members): LLMCandidate => {
    const finishReason = readFinish(candidate);
    return {
      content: { role: 'model', parts: [...facts.textsOf(candidate)] },
      ...(finishReason !== undefined && { finishReason }),
      ...(isFiniteNumber(candidate.index) && { index: candidate.index }),
    };
  };

  const read = (response: unknown): LLMResponse => {
    const source = expectObject(response, 'An LLM response', expected);
    if (isHookResponse(source)) return source;
    if (!facts.isOwn(source)) throw createUnknownShapeError('response', source, { translator, expected });
    const candidates = facts.candidatesOf(source).map(readCandidate);
    const [first] = candidates;
    const usageMetadata = readUsage(source, facts.usage);
    return {
      ...(first !== undefined && first.content.parts.length > 0 && { text: first.content.parts.join('') }),
      candidates,
      ...(usageMetadata !== undefined && { usageMetadata }),
    };
  };

  const replaceTexts = (candidate: Members, texts: readonly string[]): Members => {
    const before = facts.textsOf(candidate);
    if (isSameJson(texts, before)) return candidate;
    // Model APIs refuse empty texts.
    const nonEmpty = texts.filter((text) => text !== '');
    return isSameJson(nonEmpty, before) ? candidate : facts.withTexts(candidate, nonEmpty);
  };

  const replaceFinish = (candidate: Members, finishReason: unknown): Members => {
    if (typeof finishReason !== 'string' || finishReason === readFinish(candidate)) return candidate;
    const word = Object.keys(finishWords).find((known) => finishWords[known] === finishReason);
    return word === undefined ? candidate : facts.withFinish(candidate, word);
  };

  const changeCandidates = (before: readonly Members[], wanted: Members): readonly Members[] => {
    const given = listOrEmpty(wanted.candidates).filter(isRecord);
    if (given.length === 0) return before;
    const kept = given.slice(0, facts.createCandidate === undefined ? Math.max(before.length, 1) : undefined);
    return kept.flatMap((candidate, position) => {
      const origin = findOriginal(before, candidate, position) ?? facts.createCandidate?.(position);
      if (origin === undefined) return [];
      return [
        replaceFinish(replaceTexts(origin, readParts(candidate) ?? facts.textsOf(origin)), candidate.finishReason),
      ];
    });
  };

  const withFirstText = (candidates: readonly Members[], wanted: Members, shown: LLMResponse): readonly Members[] => {
    const { text } = wanted;
    const [first = facts.createCandidate?.(0), ...others] = candidates;
    if (first === undefined || typeof text !== 'string' || text === (shown.text ?? '')) return candidates;
    const current = facts.textsOf(first).join('');
    if (current !== '' && current !== (shown.candidates[0]?.content.parts.join('') ?? '')) return candidates;
    return [replaceTexts(first, text === '' ? [] : [text]), ...others];
  };

  const write = <R extends object>(hookResponse: LLMResponse, base: R): R => {
    const wanted = expectObject(hookResponse, 'An LLM response of a hook', '`candidates`');
    const source = expectObject(base, 'The base of an LLM response', expected);
    if (isHookResponse(source)) return applyHookChanges(wanted, source, base);
    const shown = read(base);
    const before = facts.candidatesOf(source);
    const candidates = withFirstText(changeCandidates(before, wanted), wanted, shown);
    const changes = {
      ...(!isSameList(candidates, before) && facts.withCandidates(source, candidates)),
      ...findUsageChanges(source, facts.usage, wanted.usageMetadata),
    };
    return hasKeys(changes) ? copyWithChanges(base, changes) : base;
  };

  return { read, write, create: (wanted) => write(wanted, facts.create()) };
};

const findOriginal = (before: readonly Members[], { index }: Members, position: number): Members | undefined =>
  (isFiniteNumber(index) ? before.find((candidate) => candidate.index === index) : undefined) ?? before[position];

const applyHookChanges = <R extends object>(wanted: Members, source: Members, base: R): R => {
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => value !== undefined && !isSameJson(value, source[key])),
  );
  return hasKeys(changes) ? Object.assign(copyWithPrototype(base), changes) : base;
};
