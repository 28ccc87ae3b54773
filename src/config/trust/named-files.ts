import { basename, dirname, extname, isAbsolute, resolve } from 'node:path';
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

/** Where the system keeps its programs: nobody puts one there who could not do worse. */
const systemDirectories = /^(?:\/usr(?:\/local)?)?\/s?bin$|^\/opt\/homebrew\/bin$|^[A-Z]:\\Windows(?:\\System32)?$/i;

/** A program of the system by its name alone, however it is written. */
const plainName = (program: string): string => (systemDirectories.test(dirname(program)) ? basename(program) : program);

/** What runs no file, whatever its arguments. */
const harmless =
  /^(?:true|false|:|echo|printf|test|\[|exit|return|export|set|unset|read|pwd|umask|wait|fi|done|esac|\}|cat|tee|head|tail|wc|uniq|tr|cut|sleep|date|ls|touch|mkdir|grep)$/;

/** What may be given the name of a variable to write into. */
const assigning = /^(?:read|printf|wait|for|select|getopts|mapfile|readarray|let|declare|typeset|local|readonly)$/;

/** They find a script that is named without its ending. */
const completing = /^(?:node|nodejs|bun|tsx|ts-node)$/;
const endings = ['.js', '.json', '.node', '.ts', '/index.js'];

const posixShell = /^(?:ba|da|z|k)?sh$/;

/** A line that goes into more directories than this is not there to be understood. */
const MAX_DIRECTORIES = 8;

/** Each of them is looked at before every run. */
const MAX_FILES = 100;

/** To take a longer command apart takes longer than anybody should wait for it. */
const MAX_COMMAND = 16_384;
const TOO_LONG = `files named in a command of more than ${MAX_COMMAND} characters`;

class Collector {
  readonly files: NamedFile[] = [];
  readonly notCovered: string[] = [];
  readonly #paths = new Set<string>();
  /** Where a relative path may start from: a `cd` may fail, or be undone by a subshell. */
  readonly #directories: string[];

  constructor(directory: string) {
    this.#directories = [directory];
  }

  addFile(named: string, moreEndings: readonly string[] = []): void {
    if (named.includes(UNKNOWN)) {
      this.notCovered.push('a file whose name contains the session');
      return;
    }
    const paths = isAbsolute(named) ? [named] : this.#directories.map((directory) => resolve(directory, named));
    for (const path of paths) {
      for (const ending of ['', ...moreEndings]) this.#add({ named, path: `${path}${ending}` });
    }
  }

  #add(file: NamedFile): void {
    if (this.#paths.has(file.path)) return;
    if (this.#paths.size === MAX_FILES) {
      this.notCovered.push(`files beyond the first ${MAX_FILES} that the command names`);
      return;
    }
    this.#paths.add(file.path);
    this.files.push(file);
  }

  addCommand({ words: [named = '', ...args], input, isPlain }: SimpleCommand): void {
    const program = plainName(named);
    if (!isPlain) this.notCovered.push('what a shell makes of substitutions, patterns and unknown variables');
    if (program === 'cd') {
      this.#enter(args[0] ?? '');
      return;
    }
    if (assigning.test(program)) this.addSteering(args.filter(steersPrograms));
    if (isFile(program)) this.addFile(program);
    const isSource = program === '.' || program === 'source';
    if (isInterpreter(program) || isSource) this.#addScripts(program, args, input);
    else if (!isFile(program) && !harmless.test(program)) {
      this.notCovered.push(`files that ${basename(program)} reads or starts by itself`);
    }
  }

  /** What reads the line; of another language than sh is not known what the line means in it. */
  addShell(shell: string): void {
    if (hasPath(shell)) this.addFile(shell);
    if (!posixShell.test(basename(shell))) this.notCovered.push(`what ${basename(shell)} makes of the line`);
  }

  addSteering(names: readonly string[]): void {
    for (const name of names) this.notCovered.push(`where the line leads programs to by ${name}`);
  }

  #enter(directory: string): void {
    if (this.#directories.length >= MAX_DIRECTORIES) {
      this.notCovered.push('files in some of the directories the line changes to');
    } else this.#directories.push(...this.#directories.map((from) => resolve(from, directory)));
  }

  #addScripts(program: string, args: readonly string[], input: string | undefined): void {
    const name = basename(program);
    const { files, isInline, readsInput, loading } = scriptArguments(args, name);
    for (const file of files) this.addFile(file, completing.test(name) && extname(file) === '' ? endings : []);
    if (input !== undefined) this.addFile(input);
    for (const option of loading) this.notCovered.push(`what ${name} loads by ${option}`);
    if (isInline) this.notCovered.push('files that the program in the command line reads or starts by itself');
    else if (readsInput || (files.length === 0 && input === undefined)) {
      this.notCovered.push(`what ${name} reads from its input`);
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
  // A shell also finds what the hook sets itself; without one nobody does. It makes several words of some values.
  const oneWord = Object.fromEntries(Object.entries(own).filter(([, value]) => /^[^\s*?[\]\\]+$/.test(value)));
  const commands =
    args === undefined
      ? commandsIn(command, { ...oneWord, ...known })
      : commandsOf(
          [command, ...args].map((word) => expandPlainly(word, known)),
          known,
        );
  for (const simple of commands) collector.addCommand(simple);
  if (hook.shell !== undefined) collector.addShell(plainName(hook.shell));
  collector.addSteering(settingIn([command, ...(args ?? [])].join(' ')).filter(steersPrograms));
  return { files: collector.files, notCovered: [...new Set(collector.notCovered)] };
};
