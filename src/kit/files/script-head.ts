import { basename } from 'node:path';
import { readBeginning } from './read-regular.ts';

/** Enough to see a first line and how the others end. */
const MAX_BYTES = 65_536;

/** The beginning of a regular file, if it is text. It neither waits for a pipe nor throws. */
export const beginningOf = (path: string): string | undefined => {
  const bytes = readBeginning(path, MAX_BYTES);
  return bytes?.includes(0) === false ? bytes.toString('utf8') : undefined;
};

/** What a script names in its first line, as it stands there. */
export const shebangOf = (text: string | undefined): { program: string; rest: string } | undefined => {
  const [, program = '', rest = ''] = /^\ufeff?#![ \t]*([^\s]+)[ \t]*([^\r\n]*)/.exec(text ?? '') ?? [];
  return program === '' ? undefined : { program, rest };
};

/** The program in the first line of a script, as a path, or as a name when `env` looks for it; none when it names none. */
export const interpreterIn = (text: string | undefined): string | undefined => {
  const { program, rest } = shebangOf(text) ?? {};
  if (program === undefined || rest === undefined || basename(program) !== 'env') return program;
  const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-') && !/^\w+=/.test(word));
  return words[0] ?? program;
};
