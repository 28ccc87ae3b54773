/** Reads and replaces the text parts of a message. */
import { isRecord } from '../kit/index.ts';
import { alignPieces } from './align.ts';

/** Describes the text parts of an SDK. */
export interface PartFacts {
  /** `undefined` for a part that hooks do not see as text. */
  readonly textOf: (part: unknown) => string | undefined;
  /** Keeps other members as far as they still apply. */
  readonly withText: (part: unknown, text: string) => unknown;
  /** `undefined` if the part has no other content. */
  readonly withoutText: (part: unknown) => unknown;
  /** Whether new text must come after the part, such as reasoning. */
  readonly leads: (part: unknown) => boolean;
}

/** For parts whose `type` says that they are text, as in all SDKs but Gemini's. */
export const typedParts = ({
  text,
  leading = [],
  positional = {},
}: {
  readonly text: readonly string[];
  readonly leading?: readonly string[];
  /** Members that refer to positions in the text, and their values for a new text. */
  readonly positional?: Readonly<Record<string, unknown>>;
}): PartFacts => {
  const textOf = (part: unknown): string | undefined =>
    isRecord(part) && text.includes(String(part.type)) && typeof part.text === 'string' ? part.text : undefined;
  const nowhere = (part: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(positional).filter(([key]) => part[key] !== undefined));
  return {
    textOf,
    withText: (part, words) => (isRecord(part) ? { ...part, ...nowhere(part), text: words } : words),
    withoutText: () => undefined,
    leads: (part) => isRecord(part) && leading.includes(String(part.type)),
  };
};

/** Parts that are not text are never touched. */
export interface TextParts {
  readonly textsOf: (parts: readonly unknown[]) => string[];
  readonly removeText: (parts: readonly unknown[]) => unknown[];
  /**
   * Replaces the joined text. Text parts at the start and end that the new text still contains keep their object; the
   * first of the others gets the text between them and the rest of them are removed.
   */
  readonly replaceText: (parts: readonly unknown[], text: string) => unknown[];
  /**
   * Makes the texts exactly `texts`, in order. Text parts with an unchanged text keep their object; a new text comes
   * after the text before it, or after leading parts if it is the first.
   */
  readonly replaceTexts: (
    parts: readonly unknown[],
    texts: readonly string[],
    createPart: (text: string) => unknown,
  ) => unknown[];
}

export const textParts = (facts: PartFacts): TextParts => {
  const textsOf = (parts: readonly unknown[]): string[] => {
    const texts: string[] = [];
    for (const part of parts) {
      const text = facts.textOf(part);
      if (text !== undefined) texts.push(text);
    }
    return texts;
  };
  const removeText = (parts: readonly unknown[]): unknown[] => mapTexts(facts, parts, []);
  return {
    textsOf,
    removeText,
    replaceText: (parts, text) =>
      text === '' ? removeText(parts) : mapTexts(facts, parts, divide(textsOf(parts), text)),
    replaceTexts: (parts, texts, createPart) => replaceTexts(facts, textsOf(parts), parts, texts, createPart),
  };
};

/** One new text for each text part in order; `undefined` removes the text. */
const mapTexts = (
  { textOf, withText, withoutText }: PartFacts,
  parts: readonly unknown[],
  texts: readonly (string | undefined)[],
): unknown[] => {
  const result: unknown[] = [];
  let position = 0;
  for (const part of parts) {
    const before = textOf(part);
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
  // Every old text is still there: append the new text to its neighbour.
  else if (first > 0) after[first - 1] = `${after[first - 1] ?? ''}${rest}`;
  else after[0] = `${rest}${after[0] ?? ''}`;
  return after;
};

const replaceTexts = (
  facts: PartFacts,
  before: readonly string[],
  parts: readonly unknown[],
  texts: readonly string[],
  createPart: (text: string) => unknown,
): unknown[] => {
  const origins = alignPieces(before.map(toPiece), texts.map(toPiece));
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
    if (leading && !facts.leads(part)) {
      leading = false;
      addAfter(-1);
    }
    if (facts.textOf(part) === undefined) {
      result.push(part);
      continue;
    }
    position += 1;
    result.push(...mapTexts(facts, [part], [after[position]]));
    addAfter(position);
  }
  if (leading) addAfter(-1);
  return result;
};

const toPiece = (text: string) => ({ kind: 'text', text });
