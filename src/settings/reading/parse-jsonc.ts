/** Parses JSON with comments and trailing commas, and explains syntax errors. */
import { createScanner, type ParseError, parseTree } from 'jsonc-parser';
import { createLineIndex, findJsonExcess, shorten } from '../../kit/index.ts';

export interface TextProblem {
  readonly offset: number;
  readonly message: string;
}

/** Hides the parser's types from the declarations of the package. */
export interface JsonNode {
  readonly type: 'object' | 'array' | 'property' | 'string' | 'number' | 'boolean' | 'null';
  readonly value?: unknown;
  readonly offset: number;
  readonly length: number;
  readonly children?: JsonNode[];
  readonly parent?: JsonNode;
}

export interface ParsedText {
  readonly root?: JsonNode | undefined;
  readonly problems: readonly TextProblem[];
  /** The values after this offset are guesses of the parser. */
  readonly certainUntil: number;
}

const errorExplanations: Readonly<Record<number, string>> = {
  1: 'this is not JSON; texts and keys need double quotes',
  2: 'this is not a number',
  3: 'a key in double quotes is expected here',
  4: 'a value is expected here',
  5: 'a colon is missing before this',
  6: 'a comma is missing before this',
  7: 'a closing brace } is missing before this',
  8: 'a closing bracket ] is missing before this',
  9: 'the file should end here, but there is more text',
  11: 'the comment that begins here has no end',
  12: 'the text that begins here has no closing quote',
  13: 'the number that begins here has no end',
  14: 'this escape is not a character; write four digits after \\u',
  15: 'this escape is unknown; write \\\\ for a backslash, and / in a path',
  16: 'the text has a control character; write a tab as \\t and a line break as \\n',
};

/** The parser's code for a missing comma, after which it does not guess. */
const COMMA_EXPECTED_CODE = 6;

const explainError = (text: string, { error, offset, length }: ParseError): string => {
  const what = errorExplanations[error] ?? 'this is not JSON';
  const found = shorten(text.slice(offset, offset + length), 40);
  if (found.trim() !== '') return `${what}, found ${/^"[^\p{Cc}]*$/u.test(found) ? found : JSON.stringify(found)}`;
  return offset >= text.trimEnd().length ? `${what}, found the end of the file` : what;
};

const MAX_REPORTED_PROBLEMS = 50;

const keepFirstOfEachLine = (text: string, errors: readonly ParseError[]): TextProblem[] => {
  const problems: TextProblem[] = [];
  let endOfLine = -1;
  for (const error of errors) {
    if (error.offset <= endOfLine) continue;
    if (problems.length === MAX_REPORTED_PROBLEMS) {
      const message = 'there are more errors; correct those above first';
      return [...problems, { offset: error.offset, message }];
    }
    problems.push({ offset: error.offset, message: explainError(text, error) });
    const rest = /[\r\n]|$/g;
    rest.lastIndex = error.offset;
    endOfLine = rest.exec(text)?.index ?? text.length;
  }
  return problems;
};

const MAX_PARSER_ERRORS = 1_000;

class TooManyErrors extends Error {}

/** Only an exception stops the parser; otherwise it would read a megabyte of text that is not JSON to the end. */
class LimitedErrors extends Array<ParseError> {
  override push(error: ParseError): number {
    if (this.length === MAX_PARSER_ERRORS) throw new TooManyErrors();
    return super.push(error);
  }
}

const parseUpToErrorLimit = (text: string, errors: ParseError[]): JsonNode | undefined => {
  try {
    return parseTree(text, errors, { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof TooManyErrors) return undefined;
    throw error;
  }
};

const findMissingBracket = (text: string, errors: readonly ParseError[]): TextProblem | undefined => {
  if (errors.length === 0) return undefined;
  const wrong = findWrongBracket(text);
  if (wrong === undefined) return undefined;
  // An earlier mistake, such as an unclosed quote, hides brackets and is reported instead.
  if (errors.some(({ error, offset }) => error !== COMMA_EXPECTED_CODE && offset < wrong.offset)) return undefined;
  const { found, open, offset } = wrong;
  const missing = open.character === '{' ? 'brace }' : 'bracket ]';
  const { line, column } = createLineIndex(text)(open.offset);
  const message = `a closing ${missing} is missing before this, for the ${open.character} at ${line}:${column}; found "${found}"`;
  return { offset, message };
};

export const parseJsonc = (text: string): ParsedText => {
  if (text.trim() === '') {
    return { problems: [{ offset: 0, message: 'the file is empty; write {} for no settings' }], certainUntil: 0 };
  }
  const excess = findJsonExcess(text);
  if (excess !== undefined) {
    return { problems: [{ offset: excess.offset, message: `the file ${excess.message}` }], certainUntil: 0 };
  }
  const errors: ParseError[] = new LimitedErrors();
  const root = parseUpToErrorLimit(text, errors);
  errors.sort((a, b) => a.offset - b.offset);
  const missing = findMissingBracket(text, errors);
  if (missing !== undefined) {
    const before = errors.filter(({ offset }) => offset < missing.offset);
    return { root, problems: [...keepFirstOfEachLine(text, before), missing], certainUntil: missing.offset };
  }
  const guess = errors.find(({ error }) => error !== COMMA_EXPECTED_CODE);
  const certainUntil = guess?.offset ?? Number.POSITIVE_INFINITY;
  return { root, problems: keepFirstOfEachLine(text, errors), certainUntil };
};

interface WrongBracket {
  readonly offset: number;
  readonly found: '}' | ']';
  readonly open: { readonly offset: number; readonly character: '{' | '[' };
}

const closingBrackets = { '{': '}', '[': ']' } as const;

const findWrongBracket = (text: string): WrongBracket | undefined => {
  const scanner = createScanner(text, true);
  const opened: WrongBracket['open'][] = [];
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    // The token length cannot end the loop: after a backslash at the end of the text it stays above 0.
    if (offset >= text.length) return undefined;
    const character = text[offset];
    if (character === '{' || character === '[') opened.push({ offset, character });
    if (character === '}' || character === ']') {
      const open = opened.pop();
      if (open !== undefined && closingBrackets[open.character] !== character)
        return { offset, found: character, open };
    }
  }
};
