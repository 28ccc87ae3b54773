import { basename } from 'node:path';
import { inlineProgram } from './script-arguments.ts';
import { expandPlainly, plainWords, type Variables } from './shell-words.ts';

/** Programs whose first plain argument is a script, without which they end with a code of their own choosing. */
const interpreters =
  /^(?:ba|da|z|k)?sh$|^(?:node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|tclsh|julia|groovy|java|osascript|Rscript|pwsh|powershell)$|^python[\d.]*$/;

/** Programs and words of a shell that start what is named after them. */
const starters =
  /^(?:exec|eval|command|builtin|env|nohup|nice|time|timeout|xargs|sudo|doas|npx|bunx|pnpx|pnpm|yarn|uv|uvx|poetry|pipenv|go|run|dlx|if|then|elif|else|while|until|do|!)$/;

const nameOf = (program: string): string => basename(program).replace(/\.exe$/i, '');

export const isInterpreter = (program: string): boolean => interpreters.test(nameOf(program));

/** One simple command of a line. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** The file it reads as its input, where the line says so. */
  readonly input?: string | undefined;
  /** Whether the words are all there is to it; otherwise a shell would make something else of them. */
  readonly isPlain: boolean;
}

/** What only a shell can tell: what a substitution prints, which files a pattern matches, what a variable holds. */
const onlyForShells = /[$`*?[{~\\]/;

const quotedParts = /"[^"]*"|'[^']*'/g;

const isPlainText = (text: string, variables: Variables): boolean => {
  const singleQuoted = (text.match(quotedParts) ?? []).filter((part) => part.startsWith("'"));
  const hasLooseQuote = /["']/.test(text.replace(quotedParts, ''));
  const unquoted = expandPlainly(text.replace(/'[^']*'/g, ''), variables);
  return !hasLooseQuote && !onlyForShells.test(unquoted) && !singleQuoted.some((part) => part.includes('$'));
};

const looseWords = (text: string, variables: Variables): string[] => {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => expandPlainly(word.replace(/["']/g, ''), variables));
};

const commandOf = (piece: string, variables: Variables): SimpleCommand | undefined => {
  // Assignments in front change nothing about which program is named, and neither do redirections behind it.
  const text = piece.replace(/^\s*(?:\w+=\S*\s+)*/, '').replace(/\d?[<>].*$/s, '');
  const words = plainWords(text, variables) ?? looseWords(text, variables);
  if (words.length === 0) return undefined;
  const [input] = looseWords(/(?<!<)<(?![<(])\s*(\S+)/.exec(piece)?.[1] ?? '', variables);
  return { words, input, isPlain: isPlainText(piece, variables) };
};

const MAX_NESTING = 3;

/** What a command starts in the end, and what a shell among it is given to read. */
const unwrap = (command: SimpleCommand, variables: Variables, nesting: number): SimpleCommand[] => {
  const [program, ...args] = withoutStarters(command.words);
  if (program === undefined) return [];
  const own = { ...command, words: [program, ...args] };
  const inline = /sh$/.test(nameOf(program)) && nesting < MAX_NESTING ? inlineProgram(args) : undefined;
  return inline === undefined ? [own] : [own, ...commandsIn(inline.text, variables, nesting + 1)];
};

/** The commands of an argument list that no shell reads. */
export const commandsOf = (words: readonly string[], variables: Variables): SimpleCommand[] =>
  unwrap({ words, isPlain: true }, variables, 0);

/**
 * The simple commands of a line, as far as they can be made out without being its shell. A line that is handed to a
 * shell (`sh -c '…'`) is taken apart as well.
 */
export const commandsIn = (line: string, variables: Variables, nesting = 0): SimpleCommand[] => {
  const whole = plainWords(line, variables);
  const simple =
    whole !== undefined
      ? [{ words: whole, isPlain: true }]
      : line.split(/[|&;()\n]/).flatMap((piece) => commandOf(piece, variables) ?? []);
  return simple.flatMap((command) => unwrap(command, variables, nesting));
};

/** `env A=1 timeout 5 ./check.sh` starts ./check.sh. */
const withoutStarters = (words: readonly string[]): readonly string[] => {
  let start = 0;
  while (start < words.length - 1 && starters.test(nameOf(words[start] ?? ''))) {
    start += 1;
    while (start < words.length - 1 && /^(?:-.*|\w+=.*|\d+[smhd]?)$/.test(words[start] ?? '')) start += 1;
  }
  return words.slice(start);
};
