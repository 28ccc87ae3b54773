// Finds the files that a hook's command line names.
import { extname, isAbsolute } from 'node:path';
import { differsByProcess } from '../../kit/node.ts';
import type { HookConfig } from '../../protocol/index.ts';
import {
  expandPlainly,
  listCommands,
  listStartedFiles,
  parseCommands,
  removeProjectFromPath,
  selectKnownVariables,
  type Variables,
} from '../../runners/process-api.ts';
import type { SubjectFile, TrustSubject } from '../subject.ts';
import { type CoverageGap, formatNotCovered, parsePlainStart } from './plain-start.ts';
import { findProgram, findSearchPathInto, isProgramInside } from './programs.ts';

export interface HookDirectories {
  readonly projectDir: string;
  readonly cwd?: string | undefined;
}

export interface NamedFiles {
  readonly files: readonly SubjectFile[];
  readonly notCovered?: string | undefined;
  readonly start?: TrustSubject['start'];
}

/** Placeholder for the session id, which is unknown at the approval. No path can contain this character. */
const UNKNOWN_SESSION_ID = '\0';

/** Programs that also find a script named without its extension. */
const extensionCompletingPattern = /(?:^|[\s/])(?:node|nodejs|bun|tsx|ts-node)(?:\s|$)/;
const addedEndings = ['.js', '.json', '.node', '.ts', '/index.js'];

const MAX_NAMED_FILES = 100;

const MAX_COMMAND_LENGTH = 16_384;

const MAX_START_DIRECTORIES = 8;

/** The path is not normalised: after a link, the kernel resolves `..` differently. */
const joinPath = (directory: string, path: string): string => (isAbsolute(path) ? path : `${directory}/${path}`);

const isDirectoryName = (word: string): boolean =>
  word !== '' && !word.startsWith('-') && !word.includes(UNKNOWN_SESSION_ID);

/** Includes every target of a `cd`, because whether the shell reaches the `cd` is unknown. */
const findStartDirectories = (directory: string, line: string): string[] => {
  const entered = [...line.matchAll(/(?:^|[\s;&|({'"])cd[ \t]+["']?([^\s;&|<>()"']+)/g)].map(([, to = '']) => to);
  const directories = [directory];
  for (const to of entered.filter(isDirectoryName).slice(0, MAX_START_DIRECTORIES)) {
    directories.push(...directories.slice(0, MAX_START_DIRECTORIES).map((one) => joinPath(one, to)));
  }
  return directories;
};

class FileCollector {
  readonly files: SubjectFile[] = [];
  readonly #paths = new Set<string>();
  isFull = false;

  add(file: SubjectFile): void {
    if (file.path.includes(UNKNOWN_SESSION_ID) || this.#paths.has(file.path)) return;
    this.isFull ||= this.#paths.size === MAX_NAMED_FILES;
    if (this.isFull) return;
    this.#paths.add(file.path);
    this.files.push(file);
  }
}

/** Finds the files of the project that the command line names. `filledIn`: variables that the engine sets. */
export const findNamedFiles = (
  hook: HookConfig,
  { projectDir, cwd = projectDir }: HookDirectories,
  { own = {}, filledIn = {} }: { own?: Variables | undefined; filledIn?: Variables } = {},
): NamedFiles => {
  const { command, args = [], shell } = hook;
  if (command === undefined) return { files: [] };
  if ([command, ...args].reduce((sum, word) => sum + word.length, 0) > MAX_COMMAND_LENGTH) {
    const why = `it has more than ${MAX_COMMAND_LENGTH} characters, which is too large to look at, so no file of it is hashed`;
    return { files: [], notCovered: formatNotCovered({ why, fix: 'put it into a script' }) };
  }
  const known = selectKnownVariables({ projectDir, cwd, sessionId: UNKNOWN_SESSION_ID });
  const start = parsePlainStart(hook, { variables: known, own, filledIn });
  const directory = hook.cwd === undefined ? cwd : joinPath(cwd, expandPlainly(hook.cwd, known));
  const collector = new FileCollector();
  const plain = 'script' in start ? start : undefined;
  const interpreter =
    plain?.interpreter === undefined
      ? undefined
      : findProgram(plain.interpreter, directory, removeProjectFromPath(process.env.PATH ?? '', projectDir));
  if (plain !== undefined) {
    const isProgram = plain.interpreter === undefined ? { isProgram: true as const } : {};
    collector.add({ named: plain.script, path: joinPath(directory, plain.script), runs: true, ...isProgram });
  }
  const line = [command, ...args].join('\n');
  const texts = [command, ...args, ...Object.values(own), ...(shell === undefined ? [] : [shell])];
  // An interpreter outside of the project is not covered, even if the project has a file of that name.
  const isFile = (word: string): boolean => interpreter === undefined || word !== plain?.interpreter;
  const words = collectLineWords(texts, { ...own, ...known }).filter(isFile);
  const commands = nestedLinePattern.test(line)
    ? []
    : hook.args !== undefined
      ? listCommands([command, ...args], known)
      : parseCommands(command, known);
  const started = new Set(commands.flatMap((one) => [one.words[0] ?? '', ...listStartedFiles(one)]));
  const given = new Set(commands.flatMap(({ words: [, ...rest] }) => rest));
  const isArgument = (word: string): boolean => given.has(word) && !started.has(word);
  const directories = findStartDirectories(directory, line);
  const more = extensionCompletingPattern.test(line) ? addedEndings : [];
  for (const word of words.slice(0, MAX_WORDS)) {
    if (collector.isFull) break;
    for (const base of isAbsolute(word) ? [''] : directories) {
      for (const ending of extname(word) === '' ? ['', ...more] : [''])
        collector.add({
          named: word,
          path: `${joinPath(base, word)}${ending}`,
          ...(isArgument(word) ? { isArgument: true } : {}),
        });
    }
  }
  const projectSearchPath = findSearchPathInto(projectDir, directory);
  if (projectSearchPath !== undefined) {
    for (const word of words.filter((name) => /^[\w.+-]+$/.test(name))) {
      const found = findProgram(word, directory, projectSearchPath);
      if (found !== undefined && isProgramInside(projectDir, found)) collector.add({ named: word, path: found.path });
    }
  }
  const findReason = (): CoverageGap | undefined => {
    if (words.length > MAX_WORDS) {
      const why = `it has more than ${MAX_WORDS} words, which is too large to look at`;
      return { why, fix: 'put it into a script' };
    }
    if ('why' in start) return start;
    if (collector.isFull) return { why: `it names more than ${MAX_NAMED_FILES} files`, fix: 'name fewer' };
    if (start.script.includes(UNKNOWN_SESSION_ID)) {
      return { why: 'the name of its script contains the session', fix: 'name it' };
    }
    if (start.interpreter === undefined) return undefined;
    if (interpreter === undefined) return { why: `${start.interpreter} is not there`, fix: 'install it' };
    if (differsByProcess(interpreter.path, interpreter.realPath)) {
      return { why: `${start.interpreter} leads each process elsewhere`, fix: 'name it by where it lies' };
    }
    if (!isProgramInside(projectDir, interpreter)) return undefined;
    return { why: `${start.interpreter} is a program of the project`, fix: 'name one that is not' };
  };
  const reason = findReason();
  return {
    files: collector.files,
    notCovered: reason && formatNotCovered(reason),
    start: { directory, interpreter: interpreter?.realPath },
  };
};

const wordPattern = /(?:[^ \t\n;|&<>()"'`]|"[^"]*"|'[^']*')+/g;

/** `env -S` nests command lines, which take long to parse, so no word is recorded as an argument. */
const nestedLinePattern = /\s(?:-\w*S|--split-string)/;

/** Matches output redirections, because a hook that writes a log must not invalidate its own approval. */
const redirectionPattern = /(?<!<)>{1,2}[|&]?[ \t]*(?:"[^"]*"|'[^']*'|[^ \t\n"'<>;|&()]+)/g;

const quotedPattern = /"([^"]*)"|'([^']*)'/g;

const findQuotedParts = (text: string): string[] =>
  [...text.matchAll(quotedPattern)].map(([, double, single]) => double ?? single ?? '');

/** Splits words such as `--import=./a.mjs`, `-r./a.rb` and `A=./b.sh`. */
const splitOptionWord = (word: string): string[] => [word, word.replace(/^-+\w/, ''), ...word.split(/[=,:]/)];

const MAX_QUOTE_NESTING = 2;

const MAX_WORDS = 1_000;

const collectWords = (found: Set<string>, text: string, variables: Variables, nesting = 0): void => {
  const bare = text.replace(redirectionPattern, ' ');
  for (const word of new Set(bare.match(wordPattern))) {
    if (found.size > MAX_WORDS) return;
    for (const part of splitOptionWord(expandPlainly(word.replace(/["'{}]/g, ''), variables))) found.add(part);
  }
  if (nesting === MAX_QUOTE_NESTING) return;
  for (const part of new Set(findQuotedParts(bare))) collectWords(found, part, variables, nesting + 1);
};

/** Includes every word that could be a file name; other words do no harm. Stops after `MAX_WORDS`. */
const collectLineWords = (texts: readonly string[], variables: Variables): string[] => {
  const found = new Set<string>();
  for (const text of texts) collectWords(found, text, variables);
  return [...found].filter((word) => word !== '' && word !== '.' && word !== '..');
};
