// Recognizes verdicts in spellings of other agents, in wrong places and with typos, so that no denial is lost.
import { appendToPath, describeValue, isRecord, isTypingMistake, once } from '../../kit/index.ts';
import { type FieldProblem, type Notice, notice } from '../notices.ts';
import { getStrictness, type HookDecision, isDecision, quotedDecisions } from './verdicts.ts';

type JsonMembers = Record<string, unknown>;

export interface NormalizedVerdict {
  readonly answer: JsonMembers;
  readonly problems: readonly FieldProblem[];
  readonly notices: readonly Notice[];
  readonly isLost: boolean;
}

interface VerdictSpelling {
  readonly key: string;
  readonly reasonKeys: readonly string[];
  readonly inside: boolean;
  readonly right?: string;
  /** The key has harmless meanings too, so only a value that blocks or asks is a verdict. */
  readonly onlyStrict?: true;
}

const verdictSpellings: readonly VerdictSpelling[] = [
  { key: 'permissionDecision', reasonKeys: ['permissionDecisionReason'], inside: true },
  {
    key: 'permissionDecision',
    reasonKeys: ['permissionDecisionReason'],
    inside: false,
    right: 'write "decision", or put it into "hookSpecificOutput"',
  },
  { key: 'decision', reasonKeys: ['reason'], inside: true, right: 'write it beside "hookSpecificOutput", not inside' },
  {
    key: 'permission',
    reasonKeys: ['agent_message', 'user_message'],
    inside: false,
    right: 'write "decision", and its message as "reason"',
    onlyStrict: true,
  },
];

const listVerdictKeys = (inside: boolean): ReadonlySet<string> =>
  new Set(verdictSpellings.filter((spelling) => spelling.inside === inside).map(({ key }) => key));

const innerVerdictKeys = listVerdictKeys(true);
const topVerdictKeys = listVerdictKeys(false);

const isStricterThanAllow = (value: unknown): boolean =>
  isDecision(value) && getStrictness(value) > getStrictness('allow');

const mistypedFields: readonly { readonly field: string; readonly type: 'string' | 'boolean' }[] = [
  { field: 'decision', type: 'string' },
  { field: 'permissionDecision', type: 'string' },
  { field: 'continue', type: 'boolean' },
];

const findIntendedField = (key: string, value: unknown): string | undefined => {
  if (isDenialByName(key, value)) return '"decision": "deny"';
  if (key === 'verdict' && isDecision(value)) return '"decision"';
  const mistake = mistypedFields.find(
    ({ field, type }) => typeof value === type && key !== field && isTypingMistake(key, field),
  );
  if (mistake !== undefined) return `"${mistake.field}"`;
  return isRefusingOutcome(key, value) ? '"decision": "deny"' : undefined;
};

const findVerdictWithin = (key: string, value: unknown, inside: boolean): string | undefined => {
  const isRead = !inside && (key === 'decision' || key === 'continue');
  if (isRead || isDataKey(key) || (key === 'hookSpecificOutput' && isRecord(value))) return undefined;
  return findHiddenVerdict({ [key]: value }, '');
};

interface VerdictCandidate {
  readonly field: string;
  readonly decision: HookDecision;
  readonly reason: unknown;
}

const formatFieldPath = (key: string, inside: boolean): string => (inside ? `hookSpecificOutput.${key}` : key);

class VerdictNormalizer {
  readonly #top: JsonMembers;
  readonly #inner: JsonMembers | undefined;
  readonly #problems: FieldProblem[] = [];
  readonly #notices: Notice[] = [];
  readonly #candidates: VerdictCandidate[] = [];
  #isLost = false;

  constructor(answer: JsonMembers) {
    this.#top = { ...answer };
    this.#inner = isRecord(answer.hookSpecificOutput) ? { ...answer.hookSpecificOutput } : undefined;
  }

  normalize(): NormalizedVerdict {
    for (const spelling of verdictSpellings) this.#readSpelling(spelling);
    this.#readStop();
    this.#readInput();
    this.#findMistakes(this.#top, false);
    this.#findMistakes(this.#inner ?? {}, true);
    this.#decide();
    const answer = this.#inner === undefined ? this.#top : { ...this.#top, hookSpecificOutput: this.#inner };
    return { answer, problems: this.#problems, notices: this.#notices, isLost: this.#isLost };
  }

  #lose(field: string, note: string): void {
    this.#problems.push({ field, fate: 'malformed', note });
    this.#isLost = true;
  }

  #readSpelling({ key, reasonKeys, inside, right, onlyStrict }: VerdictSpelling): void {
    const members = inside ? this.#inner : this.#top;
    const value = members?.[key];
    if (members === undefined || value == null || (right !== undefined && typeof value !== 'string')) return;
    if (onlyStrict === true && !isStricterThanAllow(value)) return;
    const field = formatFieldPath(key, inside);
    const reason = reasonKeys.map((reasonKey) => members[reasonKey]).find((said) => said != null);
    for (const said of [key, ...reasonKeys]) delete members[said];
    if (!isDecision(value)) {
      const hint = right === undefined ? '' : `; ${right}`;
      this.#lose(field, `expected ${quotedDecisions}, found ${describeValue(value)}${hint}`);
    } else if (right !== undefined && getStrictness(value) <= getStrictness('allow')) {
      this.#lose(field, `"${value}" does not count here; ${right}`);
    } else {
      this.#candidates.push({ field, decision: value, reason });
      if (right !== undefined) {
        this.#notices.push(notice('wrong-depth', `${field} counts, although it is in the wrong place`, { fix: right }));
      }
    }
  }

  /** Accepts `continue: false` inside `hookSpecificOutput` too. `continue: true` is the default and changes nothing. */
  #readStop(): void {
    const inner = this.#inner;
    if (inner?.continue !== false) return;
    this.#top.continue = false;
    this.#top.stopReason ??= inner.stopReason;
    delete inner.continue;
    delete inner.stopReason;
    const fix = 'write it beside "hookSpecificOutput", not inside';
    this.#notices.push(
      notice('wrong-depth', 'hookSpecificOutput.continue counts, although it is in the wrong place', { fix }),
    );
  }

  #readInput(): void {
    const inner = this.#inner;
    if (inner?.updatedInput == null) return;
    const field = formatFieldPath('updatedInput', true);
    const { updatedInput } = inner;
    delete inner.updatedInput;
    if (!isRecord(updatedInput)) {
      const note = `expected an object of tool arguments, found ${describeValue(updatedInput)}`;
      this.#problems.push({ field, fate: 'malformed', note });
    } else if (inner.tool_input == null) {
      inner.tool_input = updatedInput;
    } else {
      const note = 'hookSpecificOutput.tool_input is there too, and counts';
      this.#problems.push({ field, fate: 'unsupported', note });
    }
  }

  #findMistakes(members: JsonMembers, inside: boolean): void {
    for (const key of Object.keys(members)) {
      const meant = findIntendedField(key, members[key]);
      if (meant !== undefined) {
        delete members[key];
        this.#lose(formatFieldPath(key, inside), `did you mean ${meant}?`);
        continue;
      }
      const place = findVerdictWithin(key, members[key], inside);
      if (place !== undefined)
        this.#lose(
          formatFieldPath(place, inside),
          'a verdict does not count here; write "decision" beside "hookSpecificOutput"',
        );
    }
  }

  /** Uses the strictest verdict. An unreadable `decision` ranks like `ask`, so only a block overrides it. */
  #decide(): void {
    for (const { field, decision, reason } of this.#candidates) {
      const { decision: before } = this.#top;
      const known = isDecision(before) ? getStrictness(before) : before == null ? -1 : getStrictness('ask');
      if (getStrictness(decision) <= known) {
        this.#problems.push({ field, fate: 'unsupported', note: `"decision" is at least as strict, and counts` });
        if (getStrictness(decision) === known) this.#top.reason ??= reason;
        continue;
      }
      this.#top.decision = decision;
      if (reason != null) this.#top.reason = reason;
    }
  }
}

const mayConcernVerdict = (members: unknown, inside: boolean): boolean =>
  isRecord(members) &&
  Object.keys(members).some(
    (key) =>
      (inside ? innerVerdictKeys : topVerdictKeys).has(key) ||
      (inside && (key === 'continue' || key === 'updatedInput')) ||
      findIntendedField(key, members[key]) !== undefined ||
      findVerdictWithin(key, members[key], inside) !== undefined,
  );

/**
 * Accepts a block in any field. A milder verdict in a wrong field or with a typo is ambiguous, so the answer is a
 * fault.
 */
export const normalizeVerdict = (answer: JsonMembers): NormalizedVerdict => {
  if (!mayConcernVerdict(answer, false) && !mayConcernVerdict(answer.hookSpecificOutput, true)) {
    return { answer, problems: [], notices: [], isLost: false };
  }
  return new VerdictNormalizer(answer).normalize();
};

const foldSpelling = (text: string): string => text.toLowerCase().replace(/[-_\s\u200b-\u200f\u2060\ufeff]/g, '');

const strictVerdictWords: ReadonlySet<string> = new Set([
  ...['deny', 'denied', 'block', 'blocked', 'ask', 'reject', 'rejected', 'refuse', 'refused'],
]);
const refusingWords = once((): ReadonlySet<string> => {
  const refusing = new Set([...strictVerdictWords, 'forbid', 'forbidden']);
  refusing.delete('ask');
  return refusing;
});
const knownVerdictWords = once(
  (): ReadonlySet<string> => new Set([...strictVerdictWords, 'allow', 'allowed', 'approve', 'approved']),
);

const decidingKeys: ReadonlySet<string> = new Set([
  ...['decision', 'permissiondecision', 'permission', 'verdict', 'behavior', 'behaviour'],
]);
const oftenMistypedKeys = ['decision', 'permissiondecision'] as const;

const denyingKeys: ReadonlySet<string> = new Set([
  ...['block', 'blocked', 'deny', 'denied', 'requirehuman', 'requireshuman'],
]);
const allowingKeys: ReadonlySet<string> = new Set(['allow', 'allowed', 'approve', 'approved']);

/** Keys that results of other programs have too, so they deny only if the whole value is a word of refusal. */
const outcomeKeys: ReadonlySet<string> = new Set([
  ...['action', 'outcome', 'status', 'result', 'response', 'type', 'effect', 'hookspecificoutput'],
]);

/** Keys that deny with the value `false`, but only at the top of an answer; deeper inside they report a failure. */
const failingKeys: ReadonlySet<string> = new Set(['ok', 'success']);

const MAX_KEY_LENGTH = 30;

const isDecidingKey = (key: string): boolean => {
  if (key.length > MAX_KEY_LENGTH) return false;
  const folded = foldSpelling(key);
  return decidingKeys.has(folded) || oftenMistypedKeys.some((known) => isTypingMistake(folded, known));
};

const isFalse = (value: unknown): boolean =>
  value === false || (typeof value === 'string' && foldSpelling(value) === 'false');

const isWordOf = (known: ReadonlySet<string>, value: unknown): boolean =>
  typeof value === 'string' && value.length <= MAX_KEY_LENGTH && known.has(foldSpelling(value));

const isDenial = (key: string, value: unknown): boolean =>
  (isWordOf(strictVerdictWords, value) && isDecidingKey(key)) ||
  (isFalse(value) && key.length <= MAX_KEY_LENGTH && isTypingMistake(key, 'continue'));

/** Recognizes, for example, `"status": "denied"` and `"ok": false`. */
export const isRefusingOutcome = (key: string, value: unknown): boolean => {
  if (key.length > MAX_KEY_LENGTH) return false;
  const folded = foldSpelling(key);
  return outcomeKeys.has(folded) ? isWordOf(refusingWords(), value) : failingKeys.has(folded) && isFalse(value);
};

/** Recognizes, for example, `"blocked": true` and `"allowed": false`. */
export const isDenialByName = (key: string, value: unknown): boolean => {
  if (key.length > MAX_KEY_LENGTH || value === undefined || value === null) return false;
  const folded = foldSpelling(key);
  if (allowingKeys.has(folded)) return isFalse(value);
  return denyingKeys.has(folded) && (value === true || isRecord(value) || (typeof value === 'string' && value !== ''));
};

const dataKeys: ReadonlySet<string> = new Set([
  ...['reason', 'stopReason', 'systemMessage', 'additionalContext', 'permissionDecisionReason', 'hookEventName'],
  ...['user_message', 'agent_message', 'tool_input', 'updatedInput', 'updatedOutput', 'llm_request', 'llm_response'],
  ...['modifiedRequest', 'syntheticResponse', 'modifiedResponse', 'toolConfig', 'tailToolCallRequest', 'payload'],
]);

export const isDataKey = (key: string): boolean => dataKeys.has(key);

/** Finds keys that make an answer ambiguous if they occur twice. */
export const mayHoldVerdict = (key: string): boolean => {
  const folded = foldSpelling(key);
  if (decidingKeys.has(folded) || denyingKeys.has(folded) || allowingKeys.has(folded)) return true;
  return ['continue', 'hookspecificoutput', 'hooksignals'].includes(folded);
};

const QUOTES_PATTERN_TEXT = '(?:[\\\\"\'`\u2018-\u201f\u00ab\u00bb]|&quot;)*';
const keyValuePattern = once(
  () =>
    new RegExp(
      `(?<![\\w-])([A-Za-z][\\w-]{1,${MAX_KEY_LENGTH}})(${QUOTES_PATTERN_TEXT})\\s*(?::|=>?|->|\uff1a|[,;])\\s*(${QUOTES_PATTERN_TEXT})([A-Za-z]+)(?![\\w-])`,
      'g',
    ),
);
const COLOUR_CODE_REST_PATTERN = /\[\d{0,3}(?:;\d{1,3})*m/g;

const quotePattern = once(() => new RegExp(`^${QUOTES_PATTERN_TEXT.slice(0, -1)}+$`));

const ESCAPED_LETTER_PATTERN = /\\+u00([4-7][\da-f])/gi;

/** A key in JSON-like text follows a bracket or a comma; the same word in prose or YAML does not. */
const isMemberBegin = (text: string, at: number, isQuoted: boolean): boolean => {
  let index = at - 1;
  let isSameLine = true;
  for (; /\s/.test(text[index] ?? ''); index -= 1) if (text[index] === '\n') isSameLine = false;
  return (text[index] === '{' || text[index] === ',') && (isSameLine || isQuoted);
};

const isVerdictPair = (key: string, word: string): boolean => {
  if (isWordOf(knownVerdictWords(), word)) return isDecidingKey(key);
  const value = { true: true, false: false }[word.toLowerCase()];
  return value !== undefined && (isDenial(key, value) || isDenialByName(key, value));
};

/** If the opening brace was cut off, the closing brace must follow within this many characters. */
const MAX_TEXT_AFTER_VALUE = 400;

export const findVerdictInText = (given: string): string | undefined => {
  if (!/[{}]/.test(given)) return undefined;
  const text = given
    .replace(COLOUR_CODE_REST_PATTERN, '')
    .replace(ESCAPED_LETTER_PATTERN, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  let depth = 0;
  let counted = 0;
  for (const match of text.matchAll(keyValuePattern())) {
    const [pair, key = '', closing = '', opening = '', word = ''] = match;
    if (!isVerdictPair(key, word)) continue;
    const isQuoted = closing !== '' || quotePattern().test(text[match.index - 1] ?? '');
    if (!isQuoted && !isMemberBegin(text, match.index, opening !== '')) continue;
    for (; counted < match.index; counted += 1) {
      if (text[counted] === '{') depth += 1;
      else if (text[counted] === '}') depth = Math.max(0, depth - 1);
    }
    const rest = text.slice(match.index + pair.length, match.index + pair.length + MAX_TEXT_AFTER_VALUE);
    if (depth > 0 || /^[^{}\n]*\}/.test(rest)) return pair;
  }
  return undefined;
};

const MAX_SEARCH_DEPTH = 100;

/** Skips values such as numbers, because searching an array of a hundred thousand would take long. */
const mayHideVerdict = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes('{') : typeof value === 'object';

/** Matches paths of whole answers: in a printed list, or in a member `output`. Elsewhere a `result` is only data. */
const ANSWER_PATH_PATTERN = /^(?:output)?(?:\[\d+\])*$/;

export const findHiddenVerdict = (value: unknown, path: string, depth = 0): string | undefined => {
  if (typeof value === 'string')
    return mayHideVerdict(value) && findVerdictInText(value) !== undefined ? path : undefined;
  if (depth > MAX_SEARCH_DEPTH || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = mayHideVerdict(value[index])
        ? findHiddenVerdict(value[index], appendToPath(path, index), depth + 1)
        : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const isAnswer = path !== '' && ANSWER_PATH_PATTERN.test(path);
  for (const [key, member] of Object.entries(value)) {
    const inner = appendToPath(path, key);
    if (isDenial(key, member) || (isAnswer && (isDenialByName(key, member) || isRefusingOutcome(key, member))))
      return inner;
    const found = mayHideVerdict(member) ? findHiddenVerdict(member, inner, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};
