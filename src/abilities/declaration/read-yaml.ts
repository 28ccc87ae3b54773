import { parseDocument, Schema } from 'yaml';
import { once, shorten } from '../../kit/index.ts';
import { plainValue } from './plain-value.ts';
import { tooManyTokens } from './too-many-tokens.ts';

/** What is wrong with a text, and where. */
export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
  readonly hint?: string;
}

export interface ReadYaml {
  /** Absent when the text cannot be taken for what its author meant. */
  readonly value?: unknown;
  /** Where each value stands, by its path: `match.ability_scope[0]`. Keys have a place of their own: `match@key`. */
  readonly offsets: ReadonlyMap<string, number>;
  readonly problems: readonly YamlProblem[];
}

/** The parser's word for a mistake, and ours for what to do. */
const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'indent with blanks',
  MULTIPLE_DOCS: 'declare one hook in each file',
  BAD_INDENT: 'align the lines that belong together',
  MISSING_CHAR: 'look for a missing colon, quote or bracket',
  MULTILINE_IMPLICIT_KEY: 'look for a missing colon or a wrong indentation',
  BAD_ALIAS: 'put a glob that begins with * into quotes: "*"',
};

/** Where the parser speaks of itself. */
const ourWords: Readonly<Record<string, string>> = {
  BAD_ALIAS: 'a value that begins with * means an alias in YAML, and there is none of that name',
  MULTIPLE_DOCS: 'the file holds multiple documents: after a line with --- another one begins',
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
    const message = ourWords[first.code] ?? `this is not YAML as it is read here: ${shorten(first.message, 300)}`;
    return unusable({ offset: first.pos[0], message, ...(hint === undefined ? {} : { hint }) });
  }
  return plainValue(document);
};
