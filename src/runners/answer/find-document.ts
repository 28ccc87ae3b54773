// Finds a hook's answer in its output: every whole JSON object on the top level, and what was meant as one and is not.
import { isRecord, MAX_JSON_DEPTH, parseJson } from '../../kit/index.ts';
import {
  deniesByName,
  type HookOutput,
  hiddenVerdict,
  holdsData,
  isBlocking,
  mayHoldVerdict,
  type Notice,
  notice,
  type ReadOutput,
  readOutput,
  strictnessOf,
  verdictInText,
} from '../../protocol/index.ts';
import { type DoubledKey, extentOf, type JsonExtent, MAX_MEMBERS } from './scan-json.ts';

/** What a hook's output holds: an answer, something that was meant as one, or neither. */
export type FoundDocument =
  | {
      readonly kind: 'answer';
      readonly value: Record<string, unknown>;
      /** All that are whole, in the order in which they were printed. */
      readonly documents: readonly Record<string, unknown>[];
      readonly warnings: readonly Notice[];
      /** Something beside them was meant as an answer, or one of them says two things: a verdict may be lost. */
      readonly problem?: string;
    }
  | { readonly kind: 'broken'; readonly problem: string }
  | { readonly kind: 'none' };

/** Of a text in quotes whose end is left out. */
const OPEN_QUOTE = /["'`](?=\w*$)/;

type Document = Record<string, unknown>;

const none: FoundDocument = { kind: 'none' };
const clean: readonly Notice[] = [];

const QUOTE = 0x22;
/** `{` and `[`, `}` and `]` differ in this bit alone, and no other character becomes one of them by it. */
const SQUARE_OR_CURLY = 0x20;
const OPEN = 0x7b;

const isOpening = (code: number): boolean => (code | SQUARE_OR_CURLY) === OPEN;

/** Verdicts stand no deeper: `hookSpecificOutput.decision.behavior` inside the `output` of a worker. */
const MOST_KEYS = 4;

/** Keys with which answers begin, in any agent's format: an object that begins so and ends with its line was one. */
const answerKeys: ReadonlySet<string> = new Set([
  ...['reason', 'stopreason', 'systemmessage', 'suppressoutput', 'hookspecificoutput', 'additionalcontext'],
  ...['hooksignals', 'usermessage', 'agentmessage', 'permissiondecisionreason', 'hookeventname'],
]);

const beginsAnswer = (key: string): boolean =>
  mayHoldVerdict(key) || answerKeys.has(key.toLowerCase().replaceAll(/[-_]/g, ''));

const limits: Partial<Record<JsonExtent['how'], string>> = {
  'too-deep': `nests deeper than ${MAX_JSON_DEPTH} levels`,
  'too-full': `holds more than ${MAX_MEMBERS} keys, lists and objects`,
};

/** What may follow an opening bracket in JSON; anything else is found out without a scan. */
const objectBegins =
  /\{[ \t\r\n]*(?:\}|"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*(?:"[ \t\r\n]*:|"[ \t\r]*(?:\n|$)|\\?[\r\n]|\\?$))/y;
const listBegins = /\[[ \t\r\n]*[[\]{"\-\dtfn]/y;

/** Says what is wrong with a value that is not whole. */
const flawOf = (text: string, start: number, { how, end }: JsonExtent): string => {
  if (how === 'cut-off') return 'ends within its JSON';
  const parsed = parseJson(text.slice(start, end + 1));
  return limits[how] ?? (parsed.ok ? 'is no JSON object' : parsed.message);
};

/** A document whose repeated keys say what was written first; JSON.parse takes what was written last. */
const firstOfDoubled = (text: string, start: number, { end, doubled }: JsonExtent): unknown => {
  let renamed = '';
  let from = start;
  for (const { at } of doubled) {
    renamed += `${text.slice(from, at + 1)}given again: `;
    from = at + 1;
  }
  const parsed = parseJson(renamed + text.slice(from, end));
  return parsed.ok ? parsed.value : undefined;
};

/** Brackets of a scan that failed: those outside its strings failed with it. */
interface Covered {
  readonly until: number;
  readonly quoted: readonly number[];
  next: number;
}

/**
 * One search through a text. Each bracket is tried once. A scan that fails has tried the brackets it passed too, but for those
 * in its strings, and of two scans that overlap one is in strings where the other is not: no character is read more than twice.
 */
class Search {
  readonly #text: string;
  readonly #keys: readonly string[];
  readonly #documents: { readonly start: number; readonly value: Document }[] = [];
  /** Where whole values stand, in no order. */
  readonly #values: { readonly start: number; readonly end: number }[] = [];
  #covered: Covered | undefined;
  #members = 0;
  #hasLists = false;
  #problem: string | undefined;

  constructor(text: string, keys: readonly string[]) {
    this.#text = text;
    this.#keys = keys;
  }

  run(): FoundDocument {
    for (let start = this.#next(0); start !== -1; ) {
      const extent = extentOf(this.#text, start);
      this.#members += extent.how === 'whole' ? extent.members : 0;
      if (this.#members > MAX_MEMBERS) return this.#found(limits['too-full']);
      if (limits[extent.how] !== undefined) return this.#found(limits[extent.how]);
      start = this.#next(extent.how === 'whole' ? this.#takeWhole(start, extent) : this.#leave(start, extent));
    }
    const rest = this.#rest();
    const hasNoise = this.#hasLists || rest.trim() !== '';
    const inText = verdictInText(rest);
    if (inText !== undefined)
      this.#problem ??= `holds ${inText.trim().replace(OPEN_QUOTE, '')} in text that is not JSON`;
    return this.#found(undefined, hasNoise);
  }

  #found(limit: string | undefined, hasNoise = true): FoundDocument {
    const documents = this.#documents.sort((one, other) => one.start - other.start).map(({ value }) => value);
    const problem = limit ?? this.#problem;
    const value = documents.at(-1);
    if (value === undefined) return problem === undefined ? none : { kind: 'broken', problem };
    const printed = new Set(this.#documents.map(({ start }) => start)).size;
    const warnings = warningsFor(printed, hasNoise);
    return { kind: 'answer', value, documents, warnings, ...(problem === undefined ? {} : { problem }) };
  }

  #next(from: number): number {
    const text = this.#text;
    for (let index = this.#after(from); index < text.length; index = this.#after(index + 1)) {
      if (!isOpening(text.charCodeAt(index))) continue;
      const begins = text.charCodeAt(index) === OPEN ? objectBegins : listBegins;
      begins.lastIndex = index;
      if (begins.test(text)) return index;
      // Nothing but an object can be an answer, and nothing but an object stands at the start of an answer.
      if (index === 0 && text.charCodeAt(0) === OPEN) this.#problem = flawOf(text, 0, extentOf(text, 0));
    }
    return -1;
  }

  /** The first place from here on that no scan has passed. */
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

  /** A whole object is a document; a whole list is none, and what it denies is lost. */
  #takeWhole(start: number, extent: JsonExtent): number {
    this.#take(start, extent.end, extent);
    return extent.end;
  }

  #take(start: number, end: number, extent: JsonExtent): void {
    const parsed = parseJson(this.#text.slice(start, end));
    if (!parsed.ok) {
      this.#problem ??= parsed.message;
      return;
    }
    this.#values.push({ start, end });
    const { value } = parsed;
    if (!isRecord(value)) {
      this.#hasLists = true;
      const hidden = hiddenVerdict(value, '');
      if (hidden !== undefined) this.#problem ??= `has a verdict in a list, at ${hidden}`;
      return;
    }
    const twice = extent.doubled.find((doubled) => this.#matters(doubled));
    if (twice !== undefined) {
      const first = firstOfDoubled(this.#text, start, extent);
      if (isRecord(first)) this.#documents.push({ start, value: first });
      this.#problem ??= `gives "${twice.path.join('.')}" twice`;
    }
    this.#documents.push({ start, value });
  }

  /** Whether it is left open what an answer says because a key stands twice. In the data of others it is not. */
  #matters({ path }: DoubledKey): boolean {
    const [key = ''] = path.slice(-1);
    if (path.length > MOST_KEYS || path.some(holdsData)) return false;
    return this.#keys.includes(key) || mayHoldVerdict(key);
  }

  /** What is not whole is an answer that cannot be read, or a bracket in a text. Says where to go on. */
  #leave(start: number, extent: JsonExtent): number {
    const text = this.#text;
    if (this.#problem === undefined && this.#isMeant(start, extent)) this.#problem = flawOf(text, start, extent);
    const taken = extent.inner.filter((inner) => inner.inArray || this.#startsLine(inner.start));
    for (const inner of taken) this.#takeInner(inner);
    const quoted = extent.quoted.filter((at) => !taken.some((inner) => inner.start < at && at < inner.end));
    const before = this.#covered !== undefined && start < this.#covered.until ? this.#covered : undefined;
    if (before !== undefined && extent.end < before.until) return extent.end;
    this.#covered = { until: extent.end, quoted, next: 0 };
    return before === undefined ? start + 1 : before.until;
  }

  /** An object inside a value that is broken: a denial in it counts, nothing else does. */
  #takeInner({ start, end, inArray }: JsonExtent['inner'][number]): void {
    const extent = extentOf(this.#text, start);
    this.#members += extent.members;
    const parsed = parseJson(this.#text.slice(start, end));
    const isDenial = parsed.ok && hiddenVerdict(parsed.value, '') !== undefined;
    if (inArray || isDenial) this.#take(start, end, extent);
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

const warningsFor = (answers: number, hasNoise: boolean): readonly Notice[] => {
  const several = notice(
    'several-documents',
    `${answers} JSON documents were printed; the last one counts, with the strictest verdict among them`,
  );
  const noise = notice('noise', 'there is text beside the JSON document', {
    fix: 'print nothing else, or print it to stderr',
  });
  return [...(answers > 1 ? [several] : []), ...(hasNoise ? [noise] : [])];
};

/** The answer, if the text is one document and nothing else. */
const wholeIn = (text: string): FoundDocument | undefined => {
  if (text.charCodeAt(0) !== OPEN) return undefined;
  const extent = extentOf(text, 0);
  if (extent.how !== 'whole' || extent.end !== text.length || extent.doubled.length > 0) return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok || !isRecord(parsed.value)) return undefined;
  return { kind: 'answer', value: parsed.value, documents: [parsed.value], warnings: clean };
};

const findIn = (text: string, keys: readonly string[]): FoundDocument => wholeIn(text) ?? new Search(text, keys).run();

/** JSON that was turned into a JSON string once more, or several times, as careless wrappers do. */
const unwrapped = (text: string): string => {
  let inner = text;
  while (inner.charCodeAt(0) === QUOTE) {
    const parsed = parseJson(inner);
    if (!parsed.ok || typeof parsed.value !== 'string') break;
    inner = parsed.value.trim();
  }
  objectBegins.lastIndex = 0;
  return inner.charCodeAt(0) === OPEN && objectBegins.test(inner) ? inner : text;
};

/**
 * A control code of a terminal: a colour or movement, the opening of a title or another string, its end. What stands inside a
 * title stays, for a denial may stand there. The pattern of `node:util` drops it from Node 24 on, and takes time by the square.
 */
const controlCode =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[@-Z`-z~]?|\u001b(?:[()#%][0-9A-Z]|[\]PX^_]\d*|[0-9=>\\A-Za-z~]?)|[\u0007\u009c]/g;

/** A string with a control code and no white space. */
const codedWord = /"[^"\s]*\u009b[^"\s]*"/;

/**
 * Looks for a hook's answer in its output. Only whole documents on the top level count. `keys` are those of the format, beside
 * verdicts, that may not stand twice.
 */
export const findDocument = (output: string, keys: readonly string[] = []): FoundDocument => {
  // Text in UTF-16 without its mark has a zero byte beside each letter; JSON has none anywhere.
  const bare = output.includes('\0') ? output.replaceAll('\0', '') : output;
  const isCoded = bare.includes('\u001b') || bare.includes('\u009b');
  // JSON may hold U+009B in its strings. A text stays as the hook wrote it; in a key or a verdict it hides a word.
  const printed = isCoded && !codedWord.test(bare) ? wholeIn(bare.trim()) : undefined;
  if (printed !== undefined) return printed;
  const visible = isCoded ? bare.replace(controlCode, '') : bare;
  const text = visible.trim();
  if (text === '') return none;
  const found = findIn(unwrapped(text), keys);
  if (found.kind !== 'answer' || visible.length === output.length) return found;
  return {
    ...found,
    warnings: [...found.warnings, notice('noise', 'terminal control codes stand beside the JSON document')],
  };
};

type JsonDocument = Readonly<Record<string, unknown>>;
type Read = Extract<ReadOutput, { ok: true }>;

/** Each field and each argument is looked up and accounted for; an answer has a dozen of them, a flood has a million. */
const MAX_FIELDS = 1_000;

const countFields = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const countAll = (value: JsonDocument): number => {
  const { hookSpecificOutput: specific } = value;
  return countFields(value) + countFields(specific) + countFields(isRecord(specific) ? specific.tool_input : undefined);
};

const readOne = (value: Record<string, unknown>): ReadOutput =>
  countAll(value) > MAX_FIELDS ? { ok: false, message: `has more than ${MAX_FIELDS} fields` } : readOutput(value);

const strictestOf = (reads: readonly Read[], rank: (output: HookOutput) => number): HookOutput | undefined => {
  let strictest: HookOutput | undefined;
  for (const { output } of reads) {
    if (strictest === undefined || rank(output) >= rank(strictest)) strictest = output;
  }
  return strictest;
};

const takeOver = (
  output: HookOutput,
  from: HookOutput | undefined,
  verdict: 'decision' | 'continue',
  reason: 'reason' | 'stopReason',
): HookOutput => {
  if (from === undefined || from === output || from[verdict] === undefined) return output;
  const { [reason]: _lesser, ...rest } = output;
  return { ...rest, [verdict]: from[verdict], ...(from[reason] === undefined ? {} : { [reason]: from[reason] }) };
};

/** What may not be taken for a yes: something beside it was meant as an answer too, and cannot be read. */
export const withoutAllow = (output: HookOutput): HookOutput => {
  if (output.decision === undefined || strictnessOf(output.decision) > strictnessOf('allow')) return output;
  const { decision: _uncertain, ...rest } = output;
  return rest;
};

/** A document that is not the last counts by its verdict alone. */
const mayDecide = (document: JsonDocument): boolean =>
  hiddenVerdict(document, '') !== undefined ||
  Object.keys(document).some((key) => mayHoldVerdict(key) || deniesByName(key, document[key]));

/**
 * What several documents say together: what the last one says, and the strictest verdict that any of them gave. One that
 * cannot be read may have held a verdict, so it makes the answer a fault and takes nothing from the others.
 */
export const readDocuments = (documents: readonly Record<string, unknown>[]): ReadOutput => {
  const all = documents.filter((document, index) => index === documents.length - 1 || mayDecide(document)).map(readOne);
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const reads = all.filter((read) => read.ok);
  const last = reads.at(-1);
  if (last === undefined) return first ?? { ok: false, message: 'holds no document' };
  const decided = strictestOf(reads, ({ decision }) => strictnessOf(decision));
  const stopped = strictestOf(reads, (output) => (output.continue === false ? 1 : 0));
  const withDecision = takeOver(last.output, decided, 'decision', 'reason');
  const output =
    stopped?.continue === false && last.output.continue !== false
      ? takeOver(withDecision, stopped, 'continue', 'stopReason')
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

/** The block in an answer, without all else it said; nothing where it does not block. */
export const blockIn = (output: HookOutput): HookOutput | undefined => {
  if (!isBlocking(output.decision) && output.continue !== false) return undefined;
  const block: HookOutput = {};
  for (const field of verdictFields) if (output[field] !== undefined) Object.assign(block, { [field]: output[field] });
  return block;
};
