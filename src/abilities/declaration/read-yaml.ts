// Reads one YAML document as plain data, within limits.
import { Lexer, parseDocument, Schema } from 'yaml';
import { once, shorten } from '../../kit/index.ts';
import { plainValue, type ReadYaml, type YamlProblem } from './plain-value.ts';

/** A declaration has about fifty tokens. Parsing costs far more than counting, and odd texts can make it explode. */
const MAX_TOKENS = 20_000;

/** Shorter texts cannot have that many tokens. */
const SHORT = 4_096;

/** Rejects a text before parsing it would block the event loop. */
const tooManyTokens = (text: string): YamlProblem | undefined => {
  if (text.length <= SHORT) return undefined;
  let tokens = 0;
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    offset += token.length;
    if (tokens > MAX_TOKENS) return { offset, message: `the file has more than ${MAX_TOKENS} parts` };
  }
  return undefined;
};

/** Error code of the parser → advice. */
const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with blanks',
  MULTIPLE_DOCS: 'declare one hook in each file',
  BAD_INDENT: 'align the lines that belong together',
  MISSING_CHAR: 'look for a missing colon, quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'look for a missing colon or a wrong indentation',
  BAD_ALIAS: 'put a glob that begins with * in quotes: "*"',
};

/** Error code of the parser → a message in place of the parser's own. */
const ourWords: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * means an alias in YAML, and there is no anchor of that name',
  MULTIPLE_DOCS: 'the file has several documents: a line with --- begins another one',
};

/** Texts, numbers, booleans, lists and objects; no other tags and no merge keys. */
const coreSchema = once(() => new Schema({ schema: 'core', merge: false }));

const unusable = (problem: YamlProblem): ReadYaml => ({ offsets: new Map(), problems: [problem] });

/**
 * Reads one YAML document as plain data. Refuses custom tags, keys that are not text, values that contain themselves,
 * and texts that would expand to huge values. Never throws.
 */
export const readYaml = (text: string): ReadYaml => {
  if (text.trim() === '')
    return unusable({ offset: 0, message: 'the file is empty', hint: 'declare a hook, or remove it' });
  const excess = tooManyTokens(text);
  if (excess !== undefined) return unusable(excess);
  const document = parseDocument(text, {
    // plainValue checks this in linear time; the parser compares every pair of keys.
    uniqueKeys: false,
    schema: coreSchema(),
    prettyErrors: false,
    // With `silent`, a second document would be ignored without a warning.
    logLevel: 'error',
  });
  const first = document.errors[0] ?? document.warnings[0];
  if (first !== undefined) {
    const hint = hints[first.code];
    const message = ourWords[first.code] ?? `this YAML cannot be read: ${shorten(first.message, 300)}`;
    return unusable({ offset: first.pos[0], message, ...(hint === undefined ? {} : { hint }) });
  }
  return plainValue(document);
};
