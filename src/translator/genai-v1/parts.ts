import { isRecord } from '../../kit/index.ts';
import { align } from '../align.ts';

/** Keys that describe a part and carry nothing themselves: a part that has only these left is empty. */
const annotations: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'partMetadata',
  'videoMetadata',
  'mediaResolution',
  'mediaProcessing',
  'speechMetadata',
]);

/**
 * The text a hook sees of a part, or nothing. A part with `thought: true` is not text for hooks: it is the model talking
 * to itself, the SDK's own `text` getter leaves it out too, and a hook that rewrites an answer must not turn reasoning
 * into answer. Like every other part without text it stays where it is.
 */
const textOfPart = (part: unknown): string | undefined => {
  if (typeof part === 'string') return part;
  return isRecord(part) && typeof part.text === 'string' && part.thought !== true ? part.text : undefined;
};

export const textsOfParts = (parts: readonly unknown[]): string[] => {
  const texts: string[] = [];
  for (const part of parts) {
    const text = textOfPart(part);
    if (text !== undefined) texts.push(text);
  }
  return texts;
};

/**
 * What else the part carries stays: a thought signature is opaque to us, and an API may refuse a turn that lost it.
 */
const withText = (part: unknown, text: string): unknown =>
  typeof part === 'string' || !isRecord(part) ? text : { ...part, text };

/** The part without its text, or nothing when no other content is left in it. */
const withoutText = (part: unknown): Record<string, unknown> | undefined => {
  if (!isRecord(part)) return undefined;
  const { text, ...rest } = part;
  const carriesMore = Object.entries(rest).some(([key, value]) => value != null && !annotations.has(key));
  return carriesMore ? rest : undefined;
};

/** One new text for every text part, in order; `undefined` takes the text away. Other parts are untouched. */
const mapTexts = (parts: readonly unknown[], texts: readonly (string | undefined)[]): unknown[] => {
  const result: unknown[] = [];
  let position = 0;
  for (const part of parts) {
    const before = textOfPart(part);
    if (before === undefined) {
      result.push(part);
      continue;
    }
    const after = texts[position];
    position += 1;
    if (after === before) result.push(part);
    else if (after !== undefined) result.push(withText(part, after));
    else {
      const rest = withoutText(part);
      if (rest !== undefined) result.push(rest);
    }
  }
  return result;
};

export const removeText = (parts: readonly unknown[]): unknown[] => mapTexts(parts, []);

/**
 * Puts one new text into parts whose joined text it replaces. Text parts at the beginning and at the end that the new
 * text still contains keep their object; what is between goes into the first of the others, which replaces them all.
 */
export const replaceText = (parts: readonly unknown[], text: string): unknown[] =>
  text === '' ? removeText(parts) : mapTexts(parts, divide(textsOfParts(parts), text));

const divide = (before: readonly string[], text: string): (string | undefined)[] => {
  const after: (string | undefined)[] = before.map(() => undefined);
  let first = 0;
  let rest = text;
  for (const known of before) {
    if (!rest.startsWith(known)) break;
    after[first] = known;
    rest = rest.slice(known.length);
    first += 1;
  }
  let last = before.length - 1;
  while (last >= first) {
    const known = before[last] ?? '';
    if (!rest.endsWith(known)) break;
    after[last] = known;
    rest = rest.slice(0, rest.length - known.length);
    last -= 1;
  }
  if (rest === '') return after;
  if (first <= last) after[first] = rest;
  // Every old text is still there: what is new joins its neighbour.
  else if (first > 0) after[first - 1] = `${after[first - 1] ?? ''}${rest}`;
  else after[0] = `${rest}${after[0] ?? ''}`;
  return after;
};

/**
 * Makes the texts of the parts exactly these, in this order. Text parts whose text stays keep their object, and what is
 * new comes after the text before it; with no text before it, after the thoughts that lead to it.
 */
export const replaceTexts = (
  parts: readonly unknown[],
  texts: readonly string[],
  createPart: (text: string) => unknown,
): unknown[] => {
  const before = textsOfParts(parts);
  const origins = align(before.map(toPiece), texts.map(toPiece));
  const after: (string | undefined)[] = before.map(() => undefined);
  const added = new Map<number, string[]>();
  let previous = -1;
  for (const [index, text] of texts.entries()) {
    const origin = origins[index];
    if (origin === undefined) added.set(previous, [...(added.get(previous) ?? []), text]);
    else {
      after[origin] = text;
      previous = origin;
    }
  }

  const result: unknown[] = [];
  const addAfter = (position: number): void => {
    for (const text of added.get(position) ?? []) result.push(createPart(text));
  };
  let position = -1;
  let leading = true;
  for (const part of parts) {
    if (leading && !isThought(part)) {
      leading = false;
      addAfter(-1);
    }
    if (textOfPart(part) === undefined) {
      result.push(part);
      continue;
    }
    position += 1;
    result.push(...mapTexts([part], [after[position]]));
    addAfter(position);
  }
  if (leading) addAfter(-1);
  return result;
};

const toPiece = (text: string) => ({ kind: 'text', text });

const isThought = (part: unknown): boolean => isRecord(part) && part.thought === true;
