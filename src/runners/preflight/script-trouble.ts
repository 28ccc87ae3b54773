import { basename, isAbsolute } from 'node:path';
import { interpreterIn } from '../../kit/node.ts';

/** A file a hook runs, as far as it was read. */
export interface Script {
  /** As the command names it. */
  readonly named: string;
  /** Whether it is started itself, and not handed to an interpreter. */
  readonly isStarted: boolean;
  /** Whether the command hands it to a shell. */
  readonly isGivenToShell: boolean;
  /** Its beginning; absent when it is no text that can be read. */
  readonly text?: string | undefined;
}

/** What keeps a script that is there from being run as it was meant. */
export interface ScriptTrouble {
  readonly what: string;
  /** What comes of it; absent where nothing runs at all. */
  readonly why?: string;
  readonly fix: string;
}

/** Programs that read a script as sh does. */
export const isShell = (program: string): boolean => /^(?:ba|da|z|k)?sh$/.test(basename(program));

/** Whether a shell reads it: because its first line or its name says so, or because it is handed to one. */
const isForShell = ({ text, named, isGivenToShell }: Script): boolean => {
  const interpreter = interpreterIn(text);
  if (interpreter !== undefined) return isShell(interpreter);
  return isGivenToShell || named.endsWith('.sh');
};

const lineEnds = (script: Script): ScriptTrouble[] => {
  const { text = '', named, isStarted } = script;
  const firstLine = /^\ufeff?#![^\n]*\r\n/.test(text) && isStarted;
  if (!firstLine && !(text.includes('\r\n') && isForShell(script))) return [];
  return [
    {
      what: `${named} has Windows line endings (CRLF)`,
      why: firstLine
        ? 'The carriage return becomes part of the interpreter’s name, so the interpreter is not found.'
        : 'For a shell, the carriage return is part of the last word of each line.',
      fix: `run sed -i 's/\\r$//' ${named}, and write *.sh text eol=lf into .gitattributes`,
    },
  ];
};

const byteOrderMark = ({ text, named, isStarted }: Script): ScriptTrouble[] =>
  text?.startsWith('\ufeff') !== true || !isStarted
    ? []
    : [
        {
          what: `${named} begins with a byte order mark`,
          why: 'The system does not find the #! after it.',
          fix: 'store it as UTF-8 without a byte order mark',
        },
      ];

const interpreter = ({ text, named, isStarted }: Script, isThere: (program: string) => boolean): ScriptTrouble[] => {
  const program = isStarted ? interpreterIn(text) : undefined;
  if (program === undefined || isThere(program)) return [];
  const where = isAbsolute(program) ? 'does not exist' : 'is not in PATH';
  return [
    {
      what: `the first line of ${named} names ${program}, which ${where}`,
      fix: `install ${basename(program)}, or name another program`,
    },
  ];
};

/** Everything that is wrong with a script; `isThere` tells whether a program is, by its path or by its name. */
export const scriptTrouble = (script: Script, isThere: (program: string) => boolean): ScriptTrouble[] => [
  ...lineEnds(script),
  ...byteOrderMark(script),
  ...interpreter(script, isThere),
];
