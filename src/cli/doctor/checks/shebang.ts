import { basename } from 'node:path';

export interface Interpreter {
  /** A path, or a name when it is looked for by `env`. */
  readonly program: string;
}

const BYTE_ORDER_MARK = '\ufeff';

/** The program in the first line of a script; nothing when it names none. */
export const interpreterIn = (text: string | undefined): Interpreter | undefined => {
  const [, program = '', rest = ''] = /^\ufeff?#![ \t]*([^\s]+)[ \t]*([^\r\n]*)/.exec(text ?? '') ?? [];
  if (program === '') return undefined;
  if (basename(program) !== 'env') return { program };
  const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-') && !/^\w+=/.test(word));
  return { program: words[0] ?? program };
};

export const beginsWithMark = (text: string): boolean => text.startsWith(BYTE_ORDER_MARK);
