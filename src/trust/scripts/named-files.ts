import { extname, isAbsolute } from 'node:path';
import { isSeenByEachAlone } from '../../kit/node.ts';
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

/** A longer command is not searched: that would take too long. */
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
    if (isSeenByEachAlone(interpreter.path, interpreter.realPath)) {
      return trusting(`${start.interpreter} leads each process elsewhere`, 'name it by where it lies');
    }
    if (!leadsInto(projectDir, interpreter)) return undefined;
    return trusting(`${start.interpreter} is a program of the project`, 'name one that is not');
  };
  return { files: collector.files, notCovered: reason(), start: { directory, interpreter: interpreter?.realPath } };
};

/** What ends or begins a word of a command line, quotes aside. Any other space is a character like all others. */
const wordPattern = /(?:[^ \t\n;|&<>()"'`]|"[^"]*"|'[^']*')+/g;

/** `env -S` nests lines in lines, which takes long to follow: there no word counts as a mere argument. */
const splitsText = /\s(?:-\w*S|--split-string)/;

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

/** A line of more words is not searched: looking for a file of each name would take too long. */
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
 * Every word of some texts that a program could read as the name of a file; more than `MAX_WORDS` if there are more. Nothing follows from a word being here but that the file of that name, if there is one, is part of what is approved.
 */
const lineWords = (texts: readonly string[], variables: Variables): string[] => {
  const found = new Set<string>();
  for (const text of texts) collect(found, text, variables);
  return [...found].filter((word) => word !== '' && word !== '.' && word !== '..');
};
