import { basename } from 'node:path';
import { inlineProgram } from './script-arguments.ts';
import { expandPlainly, plainWords, type Variables } from './shell-words.ts';
import { nameOf, startedBy } from './started-words.ts';

/** Programs whose first plain argument is a script, without which they end with a code of their own choosing. */
const interpreters =
  /^(?:ba|da|z|k)?sh$|^(?:node|nodejs|deno|bun|tsx|ts-node|ruby|perl|php|lua|tclsh|julia|groovy|java|osascript|Rscript|pwsh|powershell)$|^python[\d.]*$/;

export const isInterpreter = (program: string): boolean => interpreters.test(nameOf(program));

/** One simple command of a line, as far as it can be told: for hints about it, never to decide what may run. */
export interface SimpleCommand {
  readonly words: readonly string[];
}

/** Only blanks and tabs part words: to a shell, any other space is a character like all others. */
const looseWords = (text: string, variables: Variables): string[] => {
  const words = text.match(/(?:[^ \t"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) => expandPlainly(word.replace(/["']/g, ''), variables));
};

/** Quoted parts, in which there are none, and redirections with what they lead to. */
const redirections = /("[^"]*"|'[^']*')|(?:(?<=^|[ \t])\d+)?(?:<>|<{1,3}|>{1,2})[ \t]*(?:"[^"]*"|'[^']*'|[^ \t"'<>])*/g;

const assignments = /^[ \t]*(?:\w+\+?=[^ \t]*[ \t]+)*/;

const commandOf = (piece: string, variables: Variables): SimpleCommand | undefined => {
  // Assignments and redirections change nothing about which program is named; the latter stand in front of it as well.
  const text = piece.replace(redirections, (_, quoted?: string) => quoted ?? ' ').replace(assignments, '');
  const words = plainWords(text, variables) ?? looseWords(text, variables);
  return words.length === 0 ? undefined : { words };
};

const MAX_NESTING = 3;

/** What a command starts in the end, and what a shell among it is given to read. */
const unwrap = (command: SimpleCommand, variables: Variables, nesting: number): SimpleCommand[] => {
  const { commands, lines } = startedBy(command.words);
  const isTooDeep = nesting >= MAX_NESTING;
  const own = (isTooDeep && lines.length > 0 ? [...commands, command.words] : commands).map((words) => ({ words }));
  if (isTooDeep) return own;
  const inline = own.flatMap(({ words: [program = '', ...args] }) =>
    /sh$/.test(nameOf(program)) ? (inlineProgram(args, nameOf(program))?.text ?? []) : [],
  );
  return [...own, ...[...inline, ...lines].flatMap((line) => commandsIn(line, variables, nesting + 1))];
};

/** The commands of an argument list that no shell reads. */
export const commandsOf = (words: readonly string[], variables: Variables): SimpleCommand[] =>
  unwrap({ words }, variables, 0);

/**
 * The simple commands of a line, as far as they can be made out without being its shell. A line that is handed to a
 * shell (`sh -c '…'`) is taken apart as well.
 */
export const commandsIn = (line: string, variables: Variables, nesting = 0): SimpleCommand[] => {
  const whole = plainWords(line, variables);
  const simple =
    whole !== undefined
      ? [{ words: whole }]
      : line.split(/[|&;()\n]/).flatMap((piece) => commandOf(piece, variables) ?? []);
  return simple.flatMap((command) => unwrap(command, variables, nesting));
};

/** Options of interpreters behind which a file follows that is run as well, and those behind which a word follows. */
const loading = /^(?:-r|--require|--import|--loader|--experimental-loader|--rcfile|--init-file)$/;
const valued = /^(?:-[WXOoCI]|--conditions|--title)$/;

const scriptsGiven = (args: readonly string[]): string[] => {
  const loaded: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (!/^[-+]/.test(word)) return [...loaded, word];
    const value = args[index + 1];
    if (loading.test(word) && value !== undefined) loaded.push(value);
    if (loading.test(word) || valued.test(word)) index += 1;
  }
  return loaded;
};

/** What a command starts that is a file: the program if it is a path, the script of an interpreter and what it loads first. */
export const filesStartedBy = ({ words: [program = '', ...args] }: SimpleCommand): string[] => {
  if (program === '.' || program === 'source') return args.slice(0, 1);
  const isRead = isInterpreter(program) && inlineProgram(args, basename(program)) === undefined;
  return [...(/[\\/]|\.\w+$/.test(program) ? [program] : []), ...(isRead ? scriptsGiven(args) : [])];
};
