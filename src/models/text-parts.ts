/** Reads and replaces the text parts of a message. */
import { isRecord, type Members } from '../kit/index.ts';
import { alignPieces } from './align.ts';

/** Describes how an SDK stores texts in the parts of a message. */
export interface PartFacts {
  /** Returns `undefined` for a part that hooks do not see as text. */
  readonly textOf: (part: unknown) => string | undefined;
  /** Keeps the other members of the part as far as they still apply to the new text. */
  readonly withText: (part: unknown, text: string) => unknown;
  /** Returns `undefined` if the part has no content but text. */
  readonly withoutText: (part: unknown) => unknown;
  /** True if the part must come before all text, such as reasoning. */
  readonly leads: (part: unknown) => boolean;
}

/** For SDKs whose parts have a `type`, which is all SDKs but Gemini's. */
export const typedParts = ({
  text,
  leading = [],
  positional = {},
}: {
  readonly text: readonly string[];
  readonly leading?: readonly string[];
  /** Members that refer to positions in the old text, with their values for a new text. */
  readonly positional?: Members;
}): PartFacts => {
  const textOf = (part: unknown): string | undefined =>
    isRecord(part) && text.includes(String(part.type)) && typeof part.text === 'string' ? part.text : undefined;
  const resetPositional = (part: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(positional).filter(([key]) => part[key] !== undefined));
  return {
    textOf,
    withText: (part, words) => (isRecord(part) ? { ...part, ...resetPositional(part), text: words } : words),
    withoutText: () => undefined,
    leads: (part) => isRecord(part) && leading.includes(String(part.type)),
  };
};

export interface TextPartOperations {
  readonly textsOf: (parts: readonly unknown[]) => string[];
  readonly removeText: (parts: readonly unknown[]) => unknown[];
  /**
   * Replaces the joined text. Text parts at the start and at the end that the new text still contains keep their
   * object. The first other text part gets the rest of the new text, and further ones are removed.
   */
  readonly replaceText: (parts: readonly unknown[], text: string) => unknown[];
  /** Makes the texts of the parts exactly `texts`. Text parts with an unchanged text keep their object. */
  readonly replaceTexts: (
    parts: readonly unknown[],
    texts: readonly string[],
    createPart: (text: string) => unknown,
  ) => unknown[];
}

export const createTextPartOperations = (facts: PartFacts): TextPartOperations => {
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
      text === '' ? removeText(parts) : mapTexts(facts, parts, divideText(textsOf(parts), text)),
    replaceTexts: (parts, texts, createPart) => replaceTexts(facts, textsOf(parts), parts, texts, createPart),
  };
};

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

const divideText = (before: readonly string[], text: string): (string | undefined)[] => {
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
  // No old text was replaced, so the added text is appended to a text beside it.
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
  const origins = alignPieces(before.map(toTextPiece), texts.map(toTextPiece));
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

const toTextPiece = (text: string) => ({ kind: 'text', text });
