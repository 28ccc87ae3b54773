import { Lexer, parseDocument, Schema } from 'yaml';
import { once, shorten } from '../../kit/index.ts';
import { plainValue, type ReadYaml, type YamlProblem } from './plain-value.ts';

/** A declaration has some fifty. Parsing costs much more than counting, and in odd texts more than it should. */
const MAX_TOKENS = 20_000;

/** Counting them is not worth it where there cannot be that many. */
const SHORT = 4_096;

/** Looks at a text before it is parsed, so that no text of a permitted size keeps the agent waiting. */
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

/** The parser's word for a mistake, and ours for what to do. */
const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with blanks',
  MULTIPLE_DOCS: 'declare one hook in each file',
  BAD_INDENT: 'align the lines that belong together',
  MISSING_CHAR: 'look for a missing colon, quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'look for a missing colon or a wrong indentation',
  BAD_ALIAS: 'put a glob that begins with * in quotes: "*"',
};

/** Where the parser speaks of itself. */
const ourWords: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * means an alias in YAML, and there is no anchor of that name',
  MULTIPLE_DOCS: 'the file has several documents: a line with --- begins another one',
};

/** Texts, numbers, truth values, lists and objects; no tags beyond these, and no merge keys. */
const coreSchema = once(() => new Schema({ schema: 'core', merge: false }));

const unusable = (problem: YamlProblem): ReadYaml => ({ offsets: new Map(), problems: [problem] });

/**
 * Reads one YAML document as plain data. Nothing is executed or built: tags of one's own, keys that are no text, values
 * that contain themselves and texts that would grow into something huge are refused. It never throws.
 */
export const readYaml = (text: string): ReadYaml => {
  if (text.trim() === '')
    return unusable({ offset: 0, message: 'the file is empty', hint: 'declare a hook, or remove it' });
  const excess = tooManyTokens(text);
  if (excess !== undefined) return unusable(excess);
  const document = parseDocument(text, {
    // Ours is linear; the parser's compares every key with every other one.
    uniqueKeys: false,
    schema: coreSchema(),
    prettyErrors: false,
    // With `silent`, a second document in the file would be passed over without a word.
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
