// Refuses JSON and TOML texts that nest too deeply or have too many values, before a parser reads them.
import { MAX_JSON_DEPTH } from './json.ts';

const MAX_VALUES_PER_FILE = 10_000;
const MAX_LINES_PER_FILE = 50_000;

export interface TextExcess {
  readonly offset: number;
  readonly message: string;
}

const findEndOfString = (text: string, start: number): number => {
  for (let offset = start + 1; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === '"' || character === '\n') return offset;
    if (character === '\\') offset += 1;
  }
  return text.length;
};

const findEndOfComment = (text: string, start: number): number => {
  const end = text[start + 1] === '/' ? text.indexOf('\n', start) : text.indexOf('*/', start + 2) + 1;
  if (text[start + 1] !== '/' && text[start + 1] !== '*') return start;
  return end <= 0 ? text.length : end;
};

const MAX_UNQUOTED_LENGTH = 1_000;

const isUnquoted = (character = ' '): boolean => !' \t\r\n"{}[],:/'.includes(character);

/** A JSON parser recurses at each bracket, so a few kilobytes of brackets would overflow the stack. */
export const findJsonExcess = (text: string): TextExcess | undefined => {
  let depth = 0;
  let values = 1;
  let texts = 0;
  let lines = 1;
  let bare = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text[offset];
    bare = isUnquoted(character) ? bare + 1 : 0;
    if (bare > MAX_UNQUOTED_LENGTH) return { offset, message: 'is no JSON: texts need double quotes' };
    if (character === '"') {
      texts += 1;
      offset = findEndOfString(text, offset);
    } else if (character === '\n') lines += 1;
    else if (character === '\0') return { offset, message: 'is no text: it has a zero byte' };
    else if (character === '/') offset = findEndOfComment(text, offset);
    else if (character === '{' || character === '[') {
      depth += 1;
      values += 1;
      if (depth > MAX_JSON_DEPTH) return { offset, message: `nests deeper than ${MAX_JSON_DEPTH} levels` };
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',') values += 1;
    if (lines > MAX_LINES_PER_FILE) return { offset, message: `has more than ${MAX_LINES_PER_FILE} lines` };
    // Each member has at most two strings: a key and a value.
    if (texts > 2 * MAX_VALUES_PER_FILE || values > MAX_VALUES_PER_FILE)
      return { offset, message: `has more than ${MAX_VALUES_PER_FILE} values` };
  }
  return undefined;
};

const isDeepTomlKey = (word: string): boolean => word.split('.', MAX_JSON_DEPTH + 2).length > MAX_JSON_DEPTH + 1;

export const findTomlExcess = (text: string): string | undefined => {
  const values = text.match(/[[{,=]/g)?.length ?? 0;
  if (values > MAX_VALUES_PER_FILE) return `has more than ${MAX_VALUES_PER_FILE} values`;
  return text.split(/[\s[\]{},=]+/).some(isDeepTomlKey) ? `nests deeper than ${MAX_JSON_DEPTH} levels` : undefined;
};
