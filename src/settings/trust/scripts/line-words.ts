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

/** A line of more words was not written to be read, and looking for each of them would take longer than anybody should wait. */
export const MAX_WORDS = 1_000;

const collect = (found: Set<string>, text: string, variables: Variables, nesting = 0): void => {
  const bare = text.replace(outputs, ' ');
  for (const word of new Set(bare.match(wordPattern))) {
    if (found.size > MAX_WORDS) return;
    for (const part of partsOf(expandPlainly(word.replace(/["'{}]/g, ''), variables))) found.add(part);
  }
  if (nesting === MAX_NESTING) return;
  for (const part of new Set(quotedParts(bare))) collect(found, part, variables, nesting + 1);
};

/**
 * Every word of some texts that could be the name of a file to whoever reads them; more than `MAX_WORDS` when there are
 * more. Nothing follows from a word being here but that the file of that name, if there is one, is part of what is approved.
 */
export const lineWords = (texts: readonly string[], variables: Variables): string[] => {
  const found = new Set<string>();
  for (const text of texts) collect(found, text, variables);
  return [...found].filter((word) => word !== '' && word !== '.' && word !== '..');
};
