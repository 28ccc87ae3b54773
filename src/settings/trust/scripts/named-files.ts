import { extname, isAbsolute } from 'node:path';
import { isSeenByEachAlone } from '../../../kit/node.ts';
import type { HookConfig } from '../../../protocol/index.ts';
import { expandPlainly, knownVariables, pathOutside, type Variables } from '../../../runners/commands.ts';
import type { SubjectFile, TrustSubject } from '../subject.ts';
import { lineWords, MAX_WORDS } from './line-words.ts';
import { plainStart } from './plain-start.ts';
import { findProgram, leadsInto, pathInto } from './programs.ts';

export interface Where {
  readonly projectDir: string;
  /** Where hooks run. */
  readonly cwd?: string | undefined;
}

export interface NamedFiles {
  readonly files: readonly SubjectFile[];
  /** The one sentence on why an approval of the line cannot cover what it starts; absent when it may. */
  readonly notCovered?: string | undefined;
  readonly start?: TrustSubject['start'];
}

/** A session is not known yet when trust is asked for; no path can contain this. */
const UNKNOWN = '\0';

/** They find a script that is named without its ending. */
const completing = /(?:^|[\s/])(?:node|nodejs|bun|tsx|ts-node)(?:\s|$)/;
const endings = ['.js', '.json', '.node', '.ts', '/index.js'];

/** Each of them is looked at before every run. */
const MAX_FILES = 100;

/** A longer command is not there to be read, and looking at it would take longer than anybody should wait. */
const MAX_COMMAND = 16_384;

const MAX_DIRECTORIES = 8;

const trusting = (why: string, fix: string): string =>
  `approving this line means trusting whatever it starts, now and later: ${why}; to have it covered, ${fix}`;

/** As the kernel is given it: `..` behind a link is not what it seems, so nothing is shortened here. */
const from = (directory: string, path: string): string => (isAbsolute(path) ? path : `${directory}/${path}`);

const isDirectoryName = (word: string): boolean => word !== '' && !word.startsWith('-') && !word.includes(UNKNOWN);

/** Where a relative path may start from: what stands behind `cd` counts, whether it is reached or not. */
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
 * The files of a hook that are part of what is approved: every file of the project that is a word of its line. Whether
 * that is all the line starts says `notCovered`. `filledIn` are variables of the hook that were set for it.
 */
export const namedFiles = (
  hook: HookConfig,
  { projectDir, cwd = projectDir }: Where,
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
  // An interpreter that is found outside of the project is no file of it, whatever lies there under its name.
  const isFile = (word: string): boolean =>
    interpreter === undefined || !('script' in start) || word !== start.interpreter;
  const words = lineWords(texts, { ...own, ...known }).filter(isFile);
  const directories = directoriesOf(directory, line);
  const more = completing.test(line) ? endings : [];
  for (const word of words.slice(0, MAX_WORDS)) {
    if (collector.isFull) break;
    for (const base of isAbsolute(word) ? [''] : directories) {
      for (const ending of extname(word) === '' ? ['', ...more] : [''])
        collector.add({ named: word, path: `${from(base, word)}${ending}` });
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
    if (isSeenByEachAlone(interpreter.path, interpreter.realPath)) {
      return trusting(`${start.interpreter} leads each process elsewhere`, 'name it by where it lies');
    }
    if (!leadsInto(projectDir, interpreter)) return undefined;
    return trusting(`${start.interpreter} is a program of the project`, 'name one that is not');
  };
  return { files: collector.files, notCovered: reason(), start: { directory, interpreter: interpreter?.realPath } };
};
