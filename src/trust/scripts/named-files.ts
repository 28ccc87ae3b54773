// Finds the files that a hook's command line names.
import { extname, isAbsolute } from 'node:path';
import { differsByProcess } from '../../kit/node.ts';
import type { HookConfig } from '../../protocol/index.ts';
import {
  commandsIn,
  commandsOf,
  expandPlainly,
  filesStartedBy,
  knownVariables,
  pathOutside,
  type Variables,
} from '../../runners/process-api.ts';
import type { SubjectFile, TrustSubject } from '../subject.ts';
import { plainStart } from './plain-start.ts';
import { findProgram, leadsInto, pathInto } from './programs.ts';

export interface HookDirectories {
  readonly projectDir: string;
  /** The directory where hooks run. */
  readonly cwd?: string | undefined;
}

export interface NamedFiles {
  readonly files: readonly SubjectFile[];
  /** Why an approval cannot cover what the line starts; absent if it can. */
  readonly notCovered?: string | undefined;
  readonly start?: TrustSubject['start'];
}

/** Stands for the session id, which is unknown at the approval. No path can contain it. */
const UNKNOWN = '\0';

/** Programs that complete the extension of a script. */
const completing = /(?:^|[\s/])(?:node|nodejs|bun|tsx|ts-node)(?:\s|$)/;
const endings = ['.js', '.json', '.node', '.ts', '/index.js'];

/** Each of them is checked before every run. */
const MAX_FILES = 100;

/** Searching longer commands would take too long. */
const MAX_COMMAND = 16_384;

const MAX_DIRECTORIES = 8;

const trusting = (why: string, fix: string): string =>
  `approving this line means trusting whatever it starts, now and later: ${why}; to have it covered, ${fix}`;

/** Not normalised: behind a link, `..` leads elsewhere for the kernel. */
const from = (directory: string, path: string): string => (isAbsolute(path) ? path : `${directory}/${path}`);

const isDirectoryName = (word: string): boolean => word !== '' && !word.startsWith('-') && !word.includes(UNKNOWN);

/** Possible start directories of relative paths: every target of a `cd` counts, whether it is reached or not. */
const directoriesOf = (directory: string, line: string): string[] => {
  const entered = [...line.matchAll(/(?:^|[\s;&|({'"])cd[ \t]+["']?([^\s;&|<>()"']+)/g)].map(([, to = '']) => to);
  const directories = [directory];
  for (const to of entered.filter(isDirectoryName).slice(0, MAX_DIRECTORIES)) {
    directories.push(...directories.slice(0, MAX_DIRECTORIES).map((one) => from(one, to)));
  }
  return directories;
};

class Collector {
  readonly files: SubjectFile[] = [];
  readonly #paths = new Set<string>();
  isFull = false;

  add(file: SubjectFile): void {
    if (file.path.includes(UNKNOWN) || this.#paths.has(file.path)) return;
    this.isFull ||= this.#paths.size === MAX_FILES;
    if (this.isFull) return;
    this.#paths.add(file.path);
    this.files.push(file);
  }
}

const tooLong = ({ command = '', args = [] }: HookConfig): boolean =>
  [command, ...args].reduce((sum, word) => sum + word.length, 0) > MAX_COMMAND;

/**
 * The files that an approval of a hook covers: every file of the project that is a word of its line. `notCovered` tells
 * if the line may start more. `filledIn` are variables that the engine set for the hook.
 */
export const namedFiles = (
  hook: HookConfig,
  { projectDir, cwd = projectDir }: HookDirectories,
  { own = {}, filledIn = {} }: { own?: Variables | undefined; filledIn?: Variables } = {},
): NamedFiles => {
  if (hook.command === undefined) return { files: [] };
  if (tooLong(hook)) {
    const why = `it has more than ${MAX_COMMAND} characters, which is too large to look at, so no file of it is hashed`;
    return { files: [], notCovered: trusting(why, 'put it into a script') };
  }
  const known = knownVariables({ projectDir, cwd, sessionId: UNKNOWN });
  const start = plainStart(hook, { variables: known, own, filledIn });
  const directory = hook.cwd === undefined ? cwd : from(cwd, expandPlainly(hook.cwd, known));
  const collector = new Collector();
  const interpreter =
    'script' in start && start.interpreter !== undefined
      ? findProgram(start.interpreter, directory, pathOutside(process.env.PATH ?? '', projectDir))
      : undefined;
  if ('script' in start) {
    const isProgram = start.interpreter === undefined ? { isProgram: true as const } : {};
    collector.add({ named: start.script, path: from(directory, start.script), runs: true, ...isProgram });
  }
  const { command, args = [], shell } = hook;
  const line = [command, ...args].join('\n');
  const texts = [command, ...args, ...Object.values(own), ...(shell === undefined ? [] : [shell])];
  // An interpreter outside of the project is not a file of it, even if the project has a file of that name.
  const isFile = (word: string): boolean =>
    interpreter === undefined || !('script' in start) || word !== start.interpreter;
  const words = lineWords(texts, { ...own, ...known }).filter(isFile);
  const commands = splitsText.test(line)
    ? []
    : hook.args !== undefined
      ? commandsOf([command, ...args], known)
      : commandsIn(command, known);
  const started = new Set(commands.flatMap((one) => [one.words[0] ?? '', ...filesStartedBy(one)]));
  const given = new Set(commands.flatMap(({ words: [, ...rest] }) => rest));
  const isArgument = (word: string): boolean => given.has(word) && !started.has(word);
  const directories = directoriesOf(directory, line);
  const more = completing.test(line) ? endings : [];
  for (const word of words.slice(0, MAX_WORDS)) {
    if (collector.isFull) break;
    for (const base of isAbsolute(word) ? [''] : directories) {
      for (const ending of extname(word) === '' ? ['', ...more] : [''])
        collector.add({
          named: word,
          path: `${from(base, word)}${ending}`,
          ...(isArgument(word) ? { isArgument: true } : {}),
        });
    }
  }
  const brought = pathInto(projectDir, directory);
  for (const word of brought === undefined ? [] : words.filter((name) => /^[\w.+-]+$/.test(name))) {
    const found = findProgram(word, directory, brought);
    if (found !== undefined && leadsInto(projectDir, found)) collector.add({ named: word, path: found.path });
  }
  const reason = (): string | undefined => {
    if (words.length > MAX_WORDS) {
      return trusting(`it has more than ${MAX_WORDS} words, which is too large to look at`, 'put it into a script');
    }
    if ('why' in start) return trusting(start.why, start.fix);
    if (collector.isFull) return trusting(`it names more than ${MAX_FILES} files`, 'name fewer');
    if (start.script.includes(UNKNOWN)) return trusting('the name of its script contains the session', 'name it');
    if (start.interpreter === undefined) return undefined;
    if (interpreter === undefined) return trusting(`${start.interpreter} is not there`, 'install it');
    if (differsByProcess(interpreter.path, interpreter.realPath)) {
      return trusting(`${start.interpreter} leads each process elsewhere`, 'name it by where it lies');
    }
    if (!leadsInto(projectDir, interpreter)) return undefined;
    return trusting(`${start.interpreter} is a program of the project`, 'name one that is not');
  };
  return { files: collector.files, notCovered: reason(), start: { directory, interpreter: interpreter?.realPath } };
};

/** A word of a command line, without regard to quotes. Other spaces are ordinary characters. */
const wordPattern = /(?:[^ \t\n;|&<>()"'`]|"[^"]*"|'[^']*')+/g;

/** `env -S` nests command lines, which take long to parse: no word counts as a mere argument. */
const splitsText = /\s(?:-\w*S|--split-string)/;

/** Files that a line only writes: a hook with a log must not invalidate its own approval. */
const outputs = /(?<!<)>{1,2}[|&]?[ \t]*(?:"[^"]*"|'[^']*'|[^ \t\n"'<>;|&()]+)/g;

const quoted = /"([^"]*)"|'([^']*)'/g;

const quotedParts = (text: string): string[] =>
  [...text.matchAll(quoted)].map(([, double, single]) => double ?? single ?? '');

/** The parts of `--import=./a.mjs`, `-r./a.rb`, `A=./b.sh` that may be file names. */
const partsOf = (word: string): string[] => {
  const option = word.replace(/^-+\w/, '');
  const parts = word.split(/[=,:]/);
  return [word, ...(option === word ? [] : [option]), ...(parts.length > 1 ? parts : [])];
};

const MAX_NESTING = 2;

/** Looking for a file of every word would take too long. */
const MAX_WORDS = 1_000;

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
 * Every word that a program could read as a file name, or more than `MAX_WORDS`. A file with such a name becomes part
 * of the approval; nothing else follows from it.
 */
const lineWords = (texts: readonly string[], variables: Variables): string[] => {
  const found = new Set<string>();
  for (const text of texts) collect(found, text, variables);
  return [...found].filter((word) => word !== '' && word !== '.' && word !== '..');
};
