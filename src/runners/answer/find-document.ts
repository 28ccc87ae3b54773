import { isRecord, MAX_JSON_DEPTH, parseJson } from '../../kit/index.ts';
import { type Notice, notice } from '../../protocol/index.ts';
import { withoutTerminalCodes } from './terminal-codes.ts';

/** What a hook's output holds: an answer, something that was meant as one, or no JSON object at all. */
export type Found =
  | {
      readonly kind: 'answer';
      /** The last of the documents. */
      readonly value: Record<string, unknown>;
      /** All that are whole, in the order in which they were printed. */
      readonly documents: readonly Record<string, unknown>[];
      readonly warnings: readonly Notice[];
      /** Set when a further document follows that is cut off: what it would have said is lost. */
      readonly problem?: string;
    }
  | { readonly kind: 'broken'; readonly problem: string }
  | { readonly kind: 'none' };

const none: Found = { kind: 'none' };
const clean: readonly Notice[] = [];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** `{` and `[`, `}` and `]` differ in this bit alone, and no other character becomes one of them by it. */
const SQUARE_OR_CURLY = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COLON = 0x3a;

/** A document with more keys, lists and objects takes so long to parse, check and merge that the whole host stands still. */
const MAX_MEMBERS = 25_000;

/** Brackets inside each other beyond this are a flood and no document; nobody waits for where it ends. */
const HOPELESS_DEPTH = 100_000;

/** How many brackets of a text may turn out to belong to nothing before the rest is taken for text. */
const MAX_RESTARTS = 4;
/** How many documents are looked at: each attempt costs, and no hook means this many. */
const MAX_DOCUMENTS = 1_000;

interface Extent {
  readonly how: 'whole' | 'unfinished' | 'broken';
  /** Just after the value, or where it stopped being one. */
  readonly end: number;
  readonly depth: number;
  /** How many keys, lists and objects it has. */
  readonly members: number;
}

/**
 * How far the value reaches that opens at `start`, how deep and how full it is. It looks at brackets, colons and strings
 * only, and it comes before every parse: nothing later may meet a depth that was not measured.
 */
const extentOf = (text: string, start: number): Extent => {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === QUOTE) inString = false;
      else if (code === BACKSLASH) index += 1;
      else if (code < SPACE) return { how: 'broken', end: index, depth: deepest, members };
    } else if (code === QUOTE) {
      inString = true;
    } else if (code === COLON) {
      members += 1;
    } else if ((code | SQUARE_OR_CURLY) === OPEN) {
      members += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (depth > HOPELESS_DEPTH) break;
    } else if ((code | SQUARE_OR_CURLY) === CLOSE) {
      depth -= 1;
      if (depth === 0) return { how: 'whole', end: index + 1, depth: deepest, members };
    }
  }
  return { how: 'unfinished', end: text.length, depth: deepest, members };
};

const nextOpening = (text: string, from: number): number => {
  for (let index = from; index < text.length; index += 1) {
    if ((text.charCodeAt(index) | SQUARE_OR_CURLY) === OPEN) return index;
  }
  return -1;
};

/** Reads one measured object, or says why it is none. */
const readObject = (text: string, { how, depth, members }: Extent): Record<string, unknown> | string => {
  if (depth > MAX_JSON_DEPTH) return `nests deeper than ${MAX_JSON_DEPTH} levels`;
  if (members > MAX_MEMBERS) return `holds more than ${MAX_MEMBERS} keys, lists and objects`;
  if (how === 'unfinished') return 'ends within its JSON';
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed.message;
  return isRecord(parsed.value) ? parsed.value : 'is not an object';
};

/** `{"` or `{}` is how an answer begins; any other brace within a text is just a brace. */
const looksLikeAnswer = /^\{\s*["}]/;
/** How far ahead that takes a look. */
const LOOK = 64;

const isBlank = (text: string, from: number, to: number): boolean => from >= to || text.slice(from, to).trim() === '';

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

/** Goes through a text that holds more than one document and nothing else. */
const search = (text: string): Found => {
  const documents: Record<string, unknown>[] = [];
  let attempts = 0;
  let restarts = 0;
  let problem: string | undefined;
  let hasNoise = false;
  let position = 0;
  while (restarts < MAX_RESTARTS) {
    const start = nextOpening(text, position);
    if (start === -1) break;
    hasNoise ||= !isBlank(text, position, start);
    const extent = extentOf(text, start);
    const isMeant =
      text.charCodeAt(start) === OPEN && (start === 0 || looksLikeAnswer.test(text.slice(start, start + LOOK)));
    const whole = extent.how === 'whole';
    position = whole || extent.how === 'broken' || isMeant ? extent.end : start + 1;
    if (extent.how === 'unfinished') restarts += 1;
    if (!isMeant) {
      hasNoise = true;
      continue;
    }
    attempts += 1;
    if (attempts > MAX_DOCUMENTS) return { kind: 'broken', problem: `holds more than ${MAX_DOCUMENTS} documents` };
    const read = readObject(text.slice(start, whole ? extent.end : extent.end + 1), extent);
    if (typeof read !== 'string') {
      documents.push(read);
      problem = undefined;
    } else if (start === 0) {
      return { kind: 'broken', problem: read };
    } else {
      problem = read;
      hasNoise = true;
    }
  }
  hasNoise ||= !isBlank(text, position, text.length);
  const value = documents.at(-1);
  if (value === undefined) return problem === undefined ? none : { kind: 'broken', problem };
  const warnings = warningsFor(documents.length, hasNoise);
  return { kind: 'answer', value, documents, warnings, ...(problem === undefined ? {} : { problem }) };
};

const findIn = (text: string): Found => {
  const first = text.charCodeAt(0);
  if ((first | SQUARE_OR_CURLY) !== OPEN) return search(text);
  const extent = extentOf(text, 0);
  if (extent.how !== 'whole' || extent.end !== text.length) return search(text);
  if (first !== OPEN) return none;
  const read = readObject(text, extent);
  return typeof read === 'string'
    ? { kind: 'broken', problem: read }
    : { kind: 'answer', value: read, documents: [read], warnings: clean };
};

/** JSON that was turned into a JSON string once more, as careless wrappers do. */
const unwrapped = (text: string): string | undefined => {
  if (text.charCodeAt(0) !== QUOTE) return undefined;
  const parsed = parseJson(text);
  const inner = parsed.ok && typeof parsed.value === 'string' ? parsed.value.trim() : '';
  return looksLikeAnswer.test(inner.slice(0, LOOK)) ? inner : undefined;
};

/** Looks for a hook's answer in what it printed. Only whole documents on the top level count. */
export const findDocument = (output: string): Found => {
  const visible = withoutTerminalCodes(output);
  const text = visible.trim();
  if (text === '') return none;
  const found = findIn(unwrapped(text) ?? text);
  if (found.kind !== 'answer' || visible.length === output.length) return found;
  return {
    ...found,
    warnings: [...found.warnings, notice('noise', 'terminal control codes stand beside the JSON document')],
  };
};
