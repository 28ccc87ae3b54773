// Finds fields of a hook's answer that its agent does not read.
import { isTypingMistake } from '../../kit/index.ts';
import { type FieldProblem, findHiddenVerdict, isDenialByName } from '../../protocol/index.ts';
import { findDocument } from '../../runners/process-api.ts';
import type { JsonObject } from '../rule-types.ts';
import { type Answer, type Ended, isBlocking, parseDocument, readObject } from './answer.ts';

export interface UnreadFields {
  readonly problems: readonly FieldProblem[];
  /** An unread field, or text beside the JSON, looks like a verdict. */
  readonly verdictLost: boolean;
}

/** Each field costs another parse of the answer, and real answers have about a dozen. */
const MAX_CHECKED_FIELDS = 50;

const SPECIFIC_OUTPUT_KEY = 'hookSpecificOutput';

const omitKey = (document: JsonObject, key: string): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([name]) => name !== key));

const listFields = (
  document: JsonObject,
): { readonly field: string; readonly key: string; readonly value: unknown; readonly rest: JsonObject }[] => {
  const specific = readObject(document[SPECIFIC_OUTPUT_KEY]);
  const top = Object.entries(document)
    .filter(([key]) => key !== SPECIFIC_OUTPUT_KEY || specific === undefined)
    .map(([key, value]) => ({ field: key, key, value, rest: omitKey(document, key) }));
  const inner = Object.entries(specific ?? {}).map(([key, value]) => ({
    field: `${SPECIFIC_OUTPUT_KEY}.${key}`,
    key,
    value,
    rest: { ...document, [SPECIFIC_OUTPUT_KEY]: omitKey(specific ?? {}, key) },
  }));
  return [...top, ...inner].slice(0, MAX_CHECKED_FIELDS);
};

const looksLikeVerdict = (key: string, value: unknown): boolean =>
  isDenialByName(key, value) ||
  findHiddenVerdict({ [key]: value }, '') !== undefined ||
  (typeof value === 'string' &&
    ['decision', 'permissionDecision'].some((known) => key !== known && isTypingMistake(key, known)));

const isSameVerdict = (one: Answer, other: Answer): boolean => {
  const verdict = ({ said, failed, swallowed }: Answer): string =>
    JSON.stringify([said?.decision, said?.stop, failed, swallowed]);
  return verdict(one) === verdict(other);
};

const mayHideVerdict = (stdout: string): boolean => {
  const found = findDocument(stdout);
  if (found.kind !== 'answer') return found.kind === 'broken';
  return (
    found.problem !== undefined || found.documents.some((document) => findHiddenVerdict(document, '') !== undefined)
  );
};

export const findUnreadFields = (
  ended: Ended,
  read: (ended: Ended) => Answer,
  { title, blocks }: { title: string; blocks: boolean },
): UnreadFields => {
  const answer = read(ended);
  const mayLose = blocks && !isBlocking(answer);
  const document = parseDocument(ended.stdout);
  if (document === undefined) return { problems: [], verdictLost: mayLose && mayHideVerdict(ended.stdout) };
  const problems = listFields(document).flatMap(({ field, key, value, rest }): FieldProblem[] => {
    const other = read({ ...ended, stdout: JSON.stringify(rest) });
    if (mayLose && looksLikeVerdict(key, value)) {
      return isSameVerdict(other, answer) ? [{ field, fate: 'malformed', note: `${title} reads no verdict here` }] : [];
    }
    const isRead = JSON.stringify(other) !== JSON.stringify(answer);
    return isRead ? [] : [{ field, fate: 'unsupported', note: `${title} does not read it at this event` }];
  });
  const found = findDocument(ended.stdout);
  const isDoubled = found.kind === 'answer' && found.problem !== undefined;
  return { problems, verdictLost: mayLose && (isDoubled || problems.some(({ fate }) => fate === 'malformed')) };
};
