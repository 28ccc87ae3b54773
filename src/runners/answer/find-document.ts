// Finds a hook's answer in its output, which may contain several JSON documents, broken ones and other text.
import { isRecord, MAX_JSON_DEPTH, parseJson } from '../../kit/index.ts';
import {
  findHiddenVerdict,
  findVerdictInText,
  getStrictness,
  type HookOutput,
  isBlocking,
  isDataKey,
  isDenialByName,
  isRefusingOutcome,
  mayHoldVerdict,
  type Notice,
  notice,
  type ReadOutputResult,
  readOutput,
  withWarnings,
} from '../../protocol/index.ts';
import { type DoubledKey, findJsonExtent, type JsonExtent, MAX_JSON_ELEMENTS, MAX_JSON_MEMBERS } from './scan-json.ts';

type JsonDocument = Record<string, unknown>;

export type FoundDocument =
  | {
      readonly kind: 'answer';
      readonly value: JsonDocument;
      readonly documents: readonly JsonDocument[];
      readonly warnings: readonly Notice[];
      /** Set if a verdict may be missing: a broken document, or a key that occurs twice. */
      readonly problem?: string;
    }
  | { readonly kind: 'broken'; readonly problem: string }
  | { readonly kind: 'none' };

const OPEN_QUOTE_PATTERN = /["'`](?=\w*$)/;

const noDocument: FoundDocument = { kind: 'none' };
const noNotices: readonly Notice[] = [];

const QUOTE_CODE = 0x22;
/** `{` and `[` differ in this bit only, and so do `}` and `]`. */
const SQUARE_TO_CURLY_BIT = 0x20;
const OPEN_BRACE_CODE = 0x7b;

const isOpeningBracket = (code: number): boolean => (code | SQUARE_TO_CURLY_BIT) === OPEN_BRACE_CODE;

/** The longest path to a verdict is `output.hookSpecificOutput.decision.behavior`, in the answer of a worker. */
const MAX_VERDICT_DEPTH = 4;

/** First keys of answers in the format of any agent. A broken object with such a key was meant as an answer. */
const answerKeys: ReadonlySet<string> = new Set([
  ...['reason', 'stopreason', 'systemmessage', 'suppressoutput', 'hookspecificoutput', 'additionalcontext'],
  ...['hooksignals', 'usermessage', 'agentmessage', 'permissiondecisionreason', 'hookeventname'],
]);

const beginsAnswer = (key: string): boolean =>
  mayHoldVerdict(key) || answerKeys.has(key.toLowerCase().replaceAll(/[-_]/g, ''));

/** Text may hold many brackets that begin no JSON, and scanning from each takes time. */
const MAX_STARTS = 50_000;
const TOO_MANY_STARTS = `begins JSON more than ${MAX_STARTS} times`;

const limitTexts: Partial<Record<JsonExtent['how'], string>> = {
  'too-deep': `nests deeper than ${MAX_JSON_DEPTH} levels`,
  'too-full': `holds more than ${MAX_JSON_MEMBERS} keys, lists and objects, or ${MAX_JSON_ELEMENTS} elements of lists`,
};

const objectStartPattern =
  /\{[ \t\r\n]*(?:\}|"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*(?:"[ \t\r\n]*:|"[ \t\r]*(?:\n|$)|\\?[\r\n]|\\?$))/y;
const listStartPattern = /\[[ \t\r\n]*[[\]{"\-\dtfn]/y;

const describeFlaw = (text: string, start: number, { how, end }: JsonExtent): string => {
  if (how === 'cut-off') return 'ends within its JSON';
  const parsed = parseJson(text.slice(start, end + 1));
  return limitTexts[how] ?? (parsed.ok ? 'is no JSON object' : parsed.message);
};

/**
 * `JSON.parse` keeps the last value of a repeated key; this parse keeps the first, so that both can be checked for a
 * verdict.
 */
const parseFirstOfDoubled = (text: string, start: number, { end, doubled }: JsonExtent): unknown => {
  let renamed = '';
  let from = start;
  for (const { at } of doubled) {
    renamed += `${text.slice(from, at + 1)}given again: `;
    from = at + 1;
  }
  const parsed = parseJson(renamed + text.slice(from, end));
  return parsed.ok ? parsed.value : undefined;
};

interface ScannedRange {
  readonly until: number;
  readonly quoted: readonly number[];
  next: number;
}

/** Takes linear time: a failed scan is not repeated from the brackets that it passed, except those inside strings. */
class DocumentSearch {
  readonly #text: string;
  readonly #keys: readonly string[];
  readonly #documents: { readonly start: number; readonly value: JsonDocument }[] = [];
  readonly #values: { readonly start: number; readonly end: number }[] = [];
  #covered: ScannedRange | undefined;
  #members = 0;
  #hasLists = false;
  #problem: string | undefined;

  constructor(text: string, keys: readonly string[]) {
    this.#text = text;
    this.#keys = keys;
  }

  run(): FoundDocument {
    let starts = 0;
    for (let start = this.#next(0); start !== -1; ) {
      const extent = findJsonExtent(this.#text, start);
      this.#members += extent.how === 'whole' ? extent.members : 0;
      starts += 1;
      const isFull = this.#members > MAX_JSON_MEMBERS;
      const limit = starts > MAX_STARTS ? TOO_MANY_STARTS : limitTexts[isFull ? 'too-full' : extent.how];
      if (limit !== undefined) return this.#endAt(start, limit);
      if (extent.how === 'whole') this.#take(start, extent);
      start = this.#next(extent.how === 'whole' ? extent.end : this.#leave(start, extent));
    }
    const rest = this.#rest();
    const hasNoise = this.#hasLists || rest.trim() !== '';
    const inText = findVerdictInText(rest);
    if (inText !== undefined)
      this.#problem ??= `holds ${inText.trim().replace(OPEN_QUOTE_PATTERN, '')} in text that is not JSON`;
    return this.#found(undefined, hasNoise);
  }

  /** A denial is usually printed last, so the last object that begins a line counts after a limit, too. */
  #endAt(from: number, limit: string): FoundDocument {
    const start = this.#text.lastIndexOf('\n{') + 1;
    const extent = start > from ? findJsonExtent(this.#text, start) : undefined;
    if (extent?.how === 'whole') this.#take(start, extent);
    return this.#found(limit);
  }

  #found(limit: string | undefined, hasNoise = true): FoundDocument {
    const documents = this.#documents.sort((one, other) => one.start - other.start).map(({ value }) => value);
    const problem = limit ?? this.#problem;
    const value = documents.at(-1);
    if (value === undefined) return problem === undefined ? noDocument : { kind: 'broken', problem };
    const printed = new Set(this.#documents.map(({ start }) => start)).size;
    const warnings = listDocumentWarnings(printed, hasNoise);
    return { kind: 'answer', value, documents, warnings, ...(problem === undefined ? {} : { problem }) };
  }

  #next(from: number): number {
    const text = this.#text;
    for (let index = this.#after(from); index < text.length; index = this.#after(index + 1)) {
      if (!isOpeningBracket(text.charCodeAt(index))) continue;
      const begins = text.charCodeAt(index) === OPEN_BRACE_CODE ? objectStartPattern : listStartPattern;
      begins.lastIndex = index;
      if (begins.test(text)) return index;
      // A text that begins with `{` was meant as an answer, so the error in it is reported.
      if (index === 0 && text.charCodeAt(0) === OPEN_BRACE_CODE)
        this.#problem = describeFlaw(text, 0, findJsonExtent(text, 0));
    }
    return -1;
  }

  #after(from: number): number {
    const covered = this.#covered;
    if (covered === undefined || from >= covered.until) return from;
    let place = covered.quoted[covered.next];
    while (place !== undefined && place < from) {
      covered.next += 1;
      place = covered.quoted[covered.next];
    }
    return place ?? covered.until;
  }

  #take(start: number, extent: JsonExtent): void {
    const { end } = extent;
    const parsed = parseJson(this.#text.slice(start, end));
    if (!parsed.ok) {
      this.#problem ??= parsed.message;
      return;
    }
    this.#values.push({ start, end });
    const { value } = parsed;
    if (!isRecord(value)) {
      this.#hasLists = true;
      const hidden = findHiddenVerdict(value, '');
      if (hidden !== undefined) this.#problem ??= `has a verdict in a list, at ${hidden}`;
      return;
    }
    const twice = extent.doubled.find((doubled) => this.#matters(doubled));
    if (twice !== undefined) {
      const first = parseFirstOfDoubled(this.#text, start, extent);
      if (isRecord(first)) this.#documents.push({ start, value: first });
      this.#problem ??= `gives "${twice.path.join('.')}" twice`;
    }
    this.#documents.push({ start, value });
  }

  #matters({ path }: DoubledKey): boolean {
    const [key = ''] = path.slice(-1);
    if (path.length > MAX_VERDICT_DEPTH || path.some(isDataKey)) return false;
    return this.#keys.includes(key) || mayHoldVerdict(key);
  }

  #leave(start: number, extent: JsonExtent): number {
    const text = this.#text;
    if (this.#problem === undefined && this.#isMeant(start, extent)) this.#problem = describeFlaw(text, start, extent);
    const taken = extent.inner.filter((inner) => inner.inArray || this.#startsLine(inner.start));
    for (const inner of taken) this.#takeInner(inner);
    const quoted = extent.quoted.filter((at) => !taken.some((inner) => inner.start < at && at < inner.end));
    const before = this.#covered !== undefined && start < this.#covered.until ? this.#covered : undefined;
    if (before !== undefined && extent.end < before.until) return extent.end;
    this.#covered = { until: extent.end, quoted, next: 0 };
    return before === undefined ? start + 1 : before.until;
  }

  /** Inside JSON that does not parse, an element of an array may be an answer, and a denial must not be lost. */
  #takeInner({ start, end, inArray }: JsonExtent['inner'][number]): void {
    const extent = findJsonExtent(this.#text, start);
    this.#members += extent.members;
    const parsed = parseJson(this.#text.slice(start, end));
    const isDenial = parsed.ok && findHiddenVerdict(parsed.value, '') !== undefined;
    if (inArray || isDenial) this.#take(start, extent);
  }

  #isMeant(start: number, { how, end, open }: JsonExtent): boolean {
    if (start === 0 && open[0]?.start === 0) return true;
    return open.some(({ start: from, firstKey }) => {
      if (firstKey === undefined) return false;
      if (how === 'cut-off' || this.#startsLine(from)) return true;
      return beginsAnswer(firstKey) && this.#text.slice(from, end).includes('\n');
    });
  }

  #startsLine(start: number): boolean {
    let index = start - 1;
    while (this.#text[index] === ' ' || this.#text[index] === '\t') index -= 1;
    return index < 0 || this.#text[index] === '\n';
  }

  #rest(): string {
    const parts: string[] = [];
    let from = 0;
    for (const { start, end } of this.#values.sort((one, other) => one.start - other.start)) {
      if (start > from) parts.push(this.#text.slice(from, start));
      from = Math.max(from, end);
    }
    return [...parts, this.#text.slice(from)].join('\n');
  }
}

const listDocumentWarnings = (answers: number, hasNoise: boolean): readonly Notice[] => {
  const several = `${answers} JSON documents were printed; the last one counts, with the strictest verdict among them`;
  const fix = 'print nothing else, or print it to stderr';
  return [
    ...(answers > 1 ? [notice('several-documents', several)] : []),
    ...(hasNoise ? [notice('noise', 'there is text beside the JSON document', { fix })] : []),
  ];
};

const parseWholeText = (text: string): FoundDocument | undefined => {
  if (text.charCodeAt(0) !== OPEN_BRACE_CODE) return undefined;
  const extent = findJsonExtent(text, 0);
  if (extent.how !== 'whole' || extent.end !== text.length || extent.doubled.length > 0) return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  return { kind: 'answer', value: parsed.value, documents: [parsed.value], warnings: noNotices };
};

const searchDocument = (text: string, keys: readonly string[]): FoundDocument =>
  parseWholeText(text) ?? new DocumentSearch(text, keys).run();

const unwrapJsonString = (text: string): string => {
  let inner = text;
  while (inner.charCodeAt(0) === QUOTE_CODE) {
    const parsed = parseJson(inner);
    if (!parsed.ok || typeof parsed.value !== 'string') break;
    inner = parsed.value.trim();
  }
  objectStartPattern.lastIndex = 0;
  return inner.charCodeAt(0) === OPEN_BRACE_CODE && objectStartPattern.test(inner) ? inner : text;
};

/**
 * Of a sequence that sets the terminal title, only its opening and closing codes match: the title may contain a denial.
 * `stripVTControlCharacters` of `node:util` would remove the title from Node 24 on, and take quadratic time.
 */
const controlCodePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
  /(?:\u001b\[|\u009b)[0-?]*[@-Z`-z~]?|\u001b(?:[()#%][0-9A-Z]|[\]PX^_]\d*|[0-9=>\\A-Za-z~]?)|[\u0007\u009c]/g;

const codedWordPattern = /"[^"\s]*\u009b[^"\s]*"/;

/** Reads only complete top-level objects. Verdicts and the keys in `keys` must not occur twice. */
export const findDocument = (output: string, keys: readonly string[] = []): FoundDocument => {
  // UTF-16 without a byte order mark has a zero byte beside each letter; valid JSON has none.
  const bare = output.includes('\0') ? output.replaceAll('\0', '') : output;
  const isCoded = bare.includes('\u001b') || bare.includes('\u009b');
  // JSON strings may contain U+009B, so a valid document stays unchanged, unless the control code could hide a key or a
  // verdict.
  const printed = isCoded && !codedWordPattern.test(bare) ? parseWholeText(bare.trim()) : undefined;
  if (printed !== undefined) return printed;
  const visible = isCoded ? bare.replace(controlCodePattern, '') : bare;
  const text = visible.trim();
  if (text === '') return noDocument;
  const found = searchDocument(unwrapJsonString(text), keys);
  if (found.kind !== 'answer' || visible.length === output.length) return found;
  return withWarnings(found, [notice('noise', 'terminal control codes stand beside the JSON document')]);
};

type SuccessfulRead = Extract<ReadOutputResult, { ok: true }>;

/** An answer has about a dozen fields. Each field is checked and reported, so a million would block the host. */
const MAX_ANSWER_FIELDS = 1_000;

const countFields = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const countAllFields = (value: JsonDocument): number => {
  const { hookSpecificOutput: specific } = value;
  return countFields(value) + countFields(specific) + countFields(isRecord(specific) ? specific.tool_input : undefined);
};

const readLimitedOutput = (value: JsonDocument): ReadOutputResult =>
  countAllFields(value) > MAX_ANSWER_FIELDS
    ? { ok: false, message: `has more than ${MAX_ANSWER_FIELDS} fields` }
    : readOutput(value);

const findStrictest = (reads: readonly SuccessfulRead[], rank: (output: HookOutput) => number): HookOutput =>
  reads.map(({ output }) => output).reduce((strictest, one) => (rank(one) >= rank(strictest) ? one : strictest));

const takeVerdictFrom = (
  output: HookOutput,
  from: HookOutput,
  verdict: 'decision' | 'continue',
  reason: 'reason' | 'stopReason',
): HookOutput => {
  if (from === output || from[verdict] === undefined) return output;
  const { [reason]: _lesser, ...rest } = output;
  return { ...rest, [verdict]: from[verdict], ...(from[reason] === undefined ? {} : { [reason]: from[reason] }) };
};

/** Another document of the same output may have been a denial that could not be read, so an `allow` is dropped. */
export const withoutAllow = (output: HookOutput): HookOutput => {
  if (output.decision === undefined || getStrictness(output.decision) > getStrictness('allow')) return output;
  const { decision: _uncertain, ...rest } = output;
  return rest;
};

const mayDecide = (document: JsonDocument): boolean =>
  findHiddenVerdict(document, '') !== undefined ||
  Object.keys(document).some(
    (key) => mayHoldVerdict(key) || isDenialByName(key, document[key]) || isRefusingOutcome(key, document[key]),
  );

/** A document that cannot be read may have contained a verdict, so the result is then marked as a fault. */
export const readDocuments = (documents: readonly JsonDocument[]): ReadOutputResult => {
  const all = documents
    .filter((document, index) => index === documents.length - 1 || mayDecide(document))
    .map(readLimitedOutput);
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const reads = all.filter((read) => read.ok);
  const last = reads.at(-1);
  if (last === undefined) return first ?? { ok: false, message: 'holds no document' };
  const decided = findStrictest(reads, ({ decision }) => getStrictness(decision));
  const stopped = findStrictest(reads, (output) => (output.continue === false ? 1 : 0));
  const withDecision = takeVerdictFrom(last.output, decided, 'decision', 'reason');
  const output =
    stopped.continue === false && last.output.continue !== false
      ? takeVerdictFrom(withDecision, stopped, 'continue', 'stopReason')
      : withDecision;
  const notices = reads.flatMap((read) => read.notices ?? []);
  return {
    ok: true,
    output,
    ...(notices.length === 0 ? {} : { notices }),
    problems: reads.filter((read) => read === last || read.verdictLost).flatMap(({ problems }) => problems),
    verdictLost: reads.length < all.length || reads.some((read) => read.verdictLost),
  };
};

const verdictFields = ['decision', 'reason', 'continue', 'stopReason'] as const;

export const extractBlock = (output: HookOutput): HookOutput | undefined => {
  if (!isBlocking(output.decision) && output.continue !== false) return undefined;
  const block: HookOutput = {};
  for (const field of verdictFields) if (output[field] !== undefined) Object.assign(block, { [field]: output[field] });
  return block;
};
