// Recognises what was meant as a verdict: by key and value, at any depth, in any spelling.
import { isRecord, isTypingMistake, once } from '../../kit/index.ts';

/** Case and separators do not count. */
const fold = (text: string): string => text.toLowerCase().replace(/[-_\s\u200b-\u200f\u2060\ufeff]/g, '');

const strictWords: ReadonlySet<string> = new Set([
  ...['deny', 'denied', 'block', 'blocked', 'ask', 'reject', 'rejected', 'refuse', 'refused'],
]);
const words = once((): ReadonlySet<string> => new Set([...strictWords, 'allow', 'allowed', 'approve', 'approved']));

/** Keys whose value is the verdict. Typing mistakes count for the long ones. */
const decidingKeys: ReadonlySet<string> = new Set([
  ...['decision', 'permissiondecision', 'permission', 'verdict', 'behavior', 'behaviour'],
]);
const oftenMistyped = ['decision', 'permissiondecision'] as const;

/** Keys that deny with `true`, and keys that deny with `false`. */
const denyingKeys: ReadonlySet<string> = new Set([
  ...['block', 'blocked', 'deny', 'denied', 'requirehuman', 'requireshuman'],
]);
const allowingKeys: ReadonlySet<string> = new Set(['allow', 'allowed', 'approve', 'approved']);

/** No key of a verdict is longer. */
const LONGEST_KEY = 30;

const isDecidingKey = (key: string): boolean => {
  if (key.length > LONGEST_KEY) return false;
  const folded = fold(key);
  return decidingKeys.has(folded) || oftenMistyped.some((known) => isTypingMistake(folded, known));
};

const isFalse = (value: unknown): boolean => value === false || (typeof value === 'string' && fold(value) === 'false');

const isWordOf = (known: ReadonlySet<string>, value: unknown): boolean =>
  typeof value === 'string' && value.length <= LONGEST_KEY && known.has(fold(value));

/** Whether a member denies, asks or stops in some format, at any depth. */
const denies = (key: string, value: unknown): boolean =>
  (isWordOf(strictWords, value) && isDecidingKey(key)) ||
  (isFalse(value) && key.length <= LONGEST_KEY && isTypingMistake(key, 'continue'));

/** Whether a member of an answer denies under a key that no format has, such as `"blocked": true` or `"allowed": false`. */
export const deniesByName = (key: string, value: unknown): boolean => {
  if (key.length > LONGEST_KEY || value === undefined || value === null) return false;
  const folded = fold(key);
  if (allowingKeys.has(folded)) return isFalse(value);
  return denyingKeys.has(folded) && (value === true || isRecord(value) || (typeof value === 'string' && value !== ''));
};

const dataKeys: ReadonlySet<string> = new Set([
  ...['reason', 'stopReason', 'systemMessage', 'additionalContext', 'permissionDecisionReason', 'hookEventName'],
  ...['user_message', 'agent_message', 'tool_input', 'updatedInput', 'updatedOutput', 'llm_request', 'llm_response'],
  ...['modifiedRequest', 'syntheticResponse', 'modifiedResponse', 'toolConfig', 'tailToolCallRequest', 'payload'],
]);

/** Whether a member holds a text, or the data of others: a verdict that is quoted there is none. */
export const holdsData = (key: string): boolean => dataKeys.has(key);

/** Whether a key may hold a verdict or an answer, so that giving it twice leaves open which one counts. */
export const mayHoldVerdict = (key: string): boolean => {
  const folded = fold(key);
  if (decidingKeys.has(folded) || denyingKeys.has(folded) || allowingKeys.has(folded)) return true;
  return ['continue', 'hookspecificoutput', 'hooksignals'].includes(folded);
};

/** What stands between two parts of a member in JSON, its relatives and JSON within strings. */
const QUOTES = '(?:[\\\\"\'`\u2018-\u201f\u00ab\u00bb]|&quot;)*';
const pair = once(
  () =>
    new RegExp(
      `(?<![\\w-])([A-Za-z][\\w-]{1,${LONGEST_KEY}})(${QUOTES})\\s*(?::|=>?|->|\uff1a|[,;])\\s*(${QUOTES})([A-Za-z]+)(?![\\w-])`,
      'g',
    ),
);
/** Colours of a terminal whose escape character was lost. */
const LOST_COLOUR = /\[\d{0,3}(?:;\d{1,3})*m/g;

const quote = once(() => new RegExp(`^${QUOTES.slice(0, -1)}+$`));

/** A letter that JSON spells by its number. */
const ESCAPED_LETTER = /\\+u00([4-7][\da-f])/gi;

/** Whether a key without quotes stands where a member begins: prose and YAML have the same words and none of the brackets. */
const beginsMember = (text: string, at: number, isQuoted: boolean): boolean => {
  let index = at - 1;
  let isSameLine = true;
  for (; /\s/.test(text[index] ?? ''); index -= 1) if (text[index] === '\n') isSameLine = false;
  return (text[index] === '{' || text[index] === ',') && (isSameLine || isQuoted);
};

const readsLikeVerdict = (key: string, word: string): boolean => {
  if (isWordOf(words(), word)) return isDecidingKey(key);
  const value = { true: true, false: false }[word.toLowerCase()];
  return value !== undefined && (denies(key, value) || deniesByName(key, value));
};

/** How far behind a pair its closing brace may be, where the opening one was cut off. */
const LONGEST_REST = 400;

/** The first member in a text that is no JSON which reads like a verdict: between braces, with a verdict's key and word. */
export const verdictInText = (given: string): string | undefined => {
  if (!/[{}]/.test(given)) return undefined;
  const text = given
    .replace(LOST_COLOUR, '')
    .replace(ESCAPED_LETTER, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  let depth = 0;
  let counted = 0;
  for (const match of text.matchAll(pair())) {
    const [pair, key = '', closing = '', opening = '', word = ''] = match;
    if (!readsLikeVerdict(key, word)) continue;
    const isQuoted = closing !== '' || quote().test(text[match.index - 1] ?? '');
    if (!isQuoted && !beginsMember(text, match.index, opening !== '')) continue;
    for (; counted < match.index; counted += 1) {
      if (text[counted] === '{') depth += 1;
      else if (text[counted] === '}') depth = Math.max(0, depth - 1);
    }
    const rest = text.slice(match.index + pair.length, match.index + pair.length + LONGEST_REST);
    if (depth > 0 || /^[^{}\n]*\}/.test(rest)) return pair;
  }
  return undefined;
};

/** More levels are looked at nowhere. */
const MAX_DEPTH = 100;

/** A list of numbers may have a hundred thousand: nothing is made of a member that can hide nothing. */
const mayHide = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('{') : typeof value === 'object';

/** Where in a value that no format reads something denies, asks or stops; `undefined` if nothing does. */
export const hiddenVerdict = (value: unknown, path: string, depth = 0): string | undefined => {
  if (typeof value === 'string') return mayHide(value) && verdictInText(value) !== undefined ? path : undefined;
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = mayHide(value[index]) ? hiddenVerdict(value[index], `${path}[${index}]`, depth + 1) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (const [key, member] of Object.entries(value)) {
    const inner = path === '' ? key : `${path}.${key}`;
    if (denies(key, member)) return inner;
    const found = mayHide(member) ? hiddenVerdict(member, inner, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};
