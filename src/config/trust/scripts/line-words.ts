import { expandPlainly, type Variables } from '../../../runners/commands.ts';

/** What ends or begins a word of a command line, quotes aside. Any other space is a character like all others. */
const wordPattern = /(?:[^ \t\n;|&<>()"'`]|"[^"]*"|'[^']*')+/g;

/** What a line only writes into: a hook that keeps a log does not end its own approval. */
const outputs = /(?<!<)>{1,2}[|&]?[ \t]*(?:"[^"]*"|'[^']*'|[^ \t\n"'<>;|&()]+)/g;

const quoted = /"([^"]*)"|'([^']*)'/g;

const quotedParts = (text: string): string[] =>
  [...text.matchAll(quoted)].map(([, double, single]) => double ?? single ?? '');

/** `--import=./a.mjs`, `-r./a.rb`, `A=./b.sh`: what is joined to a file name. */
const partsOf = (word: string): string[] => {
  const option = word.replace(/^-+\w/, '');
  const parts = word.split(/[=,:]/);
  return [word, ...(option === word ? [] : [option]), ...(parts.length > 1 ? parts : [])];
};

const MAX_NESTING = 2;

const wordsIn = (text: string, variables: Variables, nesting = 0): string[] => {
  const bare = text.replace(outputs, ' ');
  const words = (bare.match(wordPattern) ?? []).map((word) => expandPlainly(word.replace(/["'{}]/g, ''), variables));
  const inside =
    nesting === MAX_NESTING ? [] : quotedParts(bare).flatMap((part) => wordsIn(part, variables, nesting + 1));
  return [...words.flatMap(partsOf), ...inside];
};

/**
 * Every word of some texts that could be the name of a file to whoever reads them. Nothing follows from a word being here
 * but that the file of that name, if there is one, is part of what is approved.
 */
export const lineWords = (texts: readonly string[], variables: Variables): string[] => {
  const words = texts.flatMap((text) => wordsIn(text, variables));
  return [...new Set(words)].filter((word) => word !== '' && word !== '.' && word !== '..');
};
