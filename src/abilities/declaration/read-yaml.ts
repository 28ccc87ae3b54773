// Reads one YAML document as plain data, within limits.
import { Lexer, parseDocument, Schema } from 'yaml';
import { omitUndefined, once, shorten } from '../../kit/index.ts';
import { type ReadYaml, toPlainValue, type YamlProblem } from './plain-value.ts';

/** A declaration has about fifty tokens. Parsing costs far more than counting and would block the event loop. */
const MAX_YAML_TOKENS = 20_000;

const MAX_LENGTH_WITHOUT_COUNT = 4_096;

const findTokenExcess = (text: string): YamlProblem | undefined => {
  if (text.length <= MAX_LENGTH_WITHOUT_COUNT) return undefined;
  let tokens = 0;
  let offset = 0;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    offset += token.length;
    if (tokens > MAX_YAML_TOKENS) return { offset, message: `the file has more than ${MAX_YAML_TOKENS} parts` };
  }
  return undefined;
};

const hintByErrorCode: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with blanks',
  MULTIPLE_DOCS: 'declare one hook in each file',
  BAD_INDENT: 'align the lines that belong together',
  MISSING_CHAR: 'look for a missing colon, quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'look for a missing colon or a wrong indentation',
  BAD_ALIAS: 'put a glob that begins with * in quotes: "*"',
};

const messageByErrorCode: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * means an alias in YAML, and there is no anchor of that name',
  MULTIPLE_DOCS: 'the file has several documents: a line with --- begins another one',
};

const createCoreSchema = once(() => new Schema({ schema: 'core', merge: false }));

const createUnusableYaml = (problem: YamlProblem): ReadYaml => ({ offsets: new Map(), problems: [problem] });

export const readYaml = (text: string): ReadYaml => {
  if (text.trim() === '')
    return createUnusableYaml({ offset: 0, message: 'the file is empty', hint: 'declare a hook, or remove it' });
  const excess = findTokenExcess(text);
  if (excess !== undefined) return createUnusableYaml(excess);
  const document = parseDocument(text, {
    // `toPlainValue` finds repeated keys in linear time; the parser compares every pair of keys.
    uniqueKeys: false,
    schema: createCoreSchema(),
    prettyErrors: false,
    // With `silent`, a second document would be ignored without a warning.
    logLevel: 'error',
  });
  const first = document.errors[0] ?? document.warnings[0];
  if (first !== undefined) {
    const message = messageByErrorCode[first.code] ?? `this YAML cannot be read: ${shorten(first.message, 300)}`;
    return createUnusableYaml(omitUndefined({ offset: first.pos[0], message, hint: hintByErrorCode[first.code] }));
  }
  return toPlainValue(document);
};
