import { basename, isAbsolute, resolve } from 'node:path';
import type { HookConfig } from '../../protocol/settings.ts';
import { steersPrograms } from '../../protocol/steering-names.ts';
import { commandsIn, commandsOf, isInterpreter, type SimpleCommand } from '../../runners/command-words.ts';
import { knownVariables } from '../../runners/environment.ts';
import { scriptArguments } from '../../runners/script-arguments.ts';
import { expandPlainly, type Variables } from '../../runners/shell-words.ts';
import type { NamedFile } from './subject.ts';

export interface Where {
  readonly projectDir: string;
  /** Where hooks run. */
  readonly cwd?: string | undefined;
}

export interface NamedFiles {
  readonly files: readonly NamedFile[];
  readonly notCovered: readonly string[];
}

/** A session is not known yet when trust is asked for; no path can contain this. */
const UNKNOWN = '\0';

const hasPath = (word: string): boolean => /[\\/]/.test(word);

/** A path, or a name like that of a script: what starts others finds `check.py` in its working directory. */
const isFile = (program: string): boolean => hasPath(program) || /\.\w+$/.test(program);

/** What runs no file, whatever its arguments. */
const harmless =
  /^(?:true|false|:|echo|printf|test|\[|exit|return|export|set|unset|read|pwd|umask|wait|fi|done|esac|cat|tee|head|tail|wc|sort|uniq|tr|cut|sleep|date|ls|touch|mkdir|grep)$/;

/** A line that goes into more directories than this is not there to be understood. */
const MAX_DIRECTORIES = 8;

/** To take a longer command apart takes longer than anybody should wait for it. */
const MAX_COMMAND = 65_536;
const TOO_LONG = `files named in a command of more than ${MAX_COMMAND} characters`;

class Collector {
  readonly files: NamedFile[] = [];
  readonly notCovered: string[] = [];
  /** Where a relative path may start from: a `cd` may fail, or be undone by a subshell. */
  readonly #directories: string[];

  constructor(directory: string) {
    this.#directories = [directory];
  }

  addFile(named: string): void {
    if (named.includes(UNKNOWN)) {
      this.notCovered.push('a file whose name contains the session');
      return;
    }
    const paths = isAbsolute(named) ? [named] : this.#directories.map((directory) => resolve(directory, named));
    for (const path of paths) this.files.push({ named, path });
  }

  addCommand({ words: [program = '', ...args], input, isPlain }: SimpleCommand): void {
    if (!isPlain) this.notCovered.push('what a shell makes of substitutions, patterns and unknown variables');
    if (program === 'cd') {
      this.#enter(args[0] ?? '');
      return;
    }
    if (isFile(program)) this.addFile(program);
    const isSource = program === '.' || program === 'source';
    if (isInterpreter(program) || isSource) this.#addScripts(program, args, input);
    else if (!isFile(program) && !harmless.test(program)) {
      this.notCovered.push(`files that ${basename(program)} reads or starts by itself`);
    }
  }

  #enter(directory: string): void {
    if (this.#directories.length >= MAX_DIRECTORIES) {
      this.notCovered.push('files in some of the directories the line changes to');
    } else this.#directories.push(...this.#directories.map((from) => resolve(from, directory)));
  }

  #addScripts(program: string, args: readonly string[], input: string | undefined): void {
    const { files, isInline } = scriptArguments(args);
    for (const file of files) this.addFile(file);
    if (input !== undefined) this.addFile(input);
    if (isInline) this.notCovered.push('files that the program in the command line reads or starts by itself');
    else if (files.length === 0 && input === undefined) {
      this.notCovered.push(`what ${basename(program)} reads from its input`);
    }
  }
}

/** Names that a line sets, wherever it does. */
const settingIn = (line: string): string[] =>
  [...line.matchAll(/(?:^|[\s;&|('"])([A-Za-z_]\w*)=/g)].flatMap(([, name]) => name ?? []);

/**
 * The files that a command names as what is to be run: the program when it is a path, and the script an interpreter is
 * given. What those files read or start in turn is nobody's to know.
 */
export const namedFiles = (
  hook: HookConfig,
  { projectDir, cwd = projectDir }: Where,
  own: Variables = {},
): NamedFiles => {
  if (hook.command === undefined) return { files: [], notCovered: [] };
  const { command, args } = hook;
  const length = [command, ...(args ?? [])].reduce((sum, word) => sum + word.length, 0);
  if (length > MAX_COMMAND) return { files: [], notCovered: [TOO_LONG] };
  const known = knownVariables({ projectDir, cwd, sessionId: UNKNOWN });
  const collector = new Collector(hook.cwd === undefined ? cwd : resolve(cwd, expandPlainly(hook.cwd, known)));
  // A shell also finds what the hook sets itself; without one nobody does.
  const commands =
    args === undefined
      ? commandsIn(command, { ...own, ...known })
      : commandsOf(
          [command, ...args].map((word) => expandPlainly(word, known)),
          known,
        );
  for (const simple of commands) collector.addCommand(simple);
  if (hook.shell !== undefined && hasPath(hook.shell)) collector.addFile(hook.shell);
  const steering = settingIn([command, ...(args ?? [])].join(' ')).filter(steersPrograms);
  const led = steering.map((name) => `where the line leads programs to by ${name}`);
  return { files: collector.files, notCovered: [...new Set([...collector.notCovered, ...led])] };
};
