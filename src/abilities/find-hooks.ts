// Finds the declaration files of ability hooks in a repository or a folder.
import { type Dirent, existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describeThrown, omitUndefined } from '../kit/index.ts';
import { isDirectory, readErrorCode } from '../kit/node.ts';
import { readFileSafely } from '../settings/index.ts';

const HOOKS_FOLDER = join('.system', 'hooks');

const MAX_DECLARATION_FILES = 5_000;
const MAX_FOLDER_DEPTH = 8;

export interface FoundHooks {
  readonly root: string;
  readonly directory: string;
  readonly realRoot: string;
  /** Absolute paths, sorted by name, so that hooks run in the same order on every machine. */
  readonly files: readonly string[];
  /** Folders that were not read, because they are links or nested too deep. */
  readonly unvisited: readonly string[];
  /** Files and folders whose names look like declarations but are not read. */
  readonly misnamed: readonly string[];
  /** YAML files that declare no hook. */
  readonly others: readonly string[];
  readonly problem?: string;
}

const findMisnamed = async (root: string, directory: string): Promise<string[]> => {
  if (directory !== join(root, HOOKS_FOLDER)) return [];
  const readEntries = (path: string): Promise<Dirent[]> => readdir(path, { withFileTypes: true }).catch(() => []);
  const system = dirname(directory);
  const folders = (await readEntries(system)).filter(({ name }) => name !== 'hooks' && /^hooks?$/i.test(name));
  const files = (await readEntries(directory)).filter((entry) => entry.isFile() && !hasDeclarationName(entry));
  return [...folders.map(({ name }) => join(system, name)), ...files.map(({ name }) => join(directory, name)).sort()];
};

const hasDeclarationName = ({ name }: Dirent): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');

const isMisnamed = (entry: Dirent): boolean =>
  entry.isFile() && /\.ya?ml/i.test(entry.name) && !hasDeclarationName(entry);

interface DeclarationNames {
  readonly files: readonly string[];
  readonly unvisited: readonly string[];
  /** Files below the top folder, which may also contain scripts, with a name such as `guard.yaml.txt`. */
  readonly misnamed: readonly string[];
  readonly problem?: string | undefined;
}

const readNamesOrProblem = async (directory: string, folder: string, depth: number): Promise<DeclarationNames> => {
  try {
    return await readNamesBelow(directory, folder, depth);
  } catch (error) {
    return { files: [], unvisited: [], misnamed: [], problem: `cannot be read: ${describeThrown(error)}` };
  }
};

/** Does not follow links to folders: they could leave the repository or form a loop. */
const readNamesBelow = async (directory: string, folder: string, depth: number): Promise<DeclarationNames> => {
  const entries = await readdir(join(directory, folder), { withFileTypes: true });
  const others = entries.filter((entry) => !entry.name.startsWith('.') && !hasDeclarationName(entry));
  const folders = others.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const links = others.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  const isDeep = depth >= MAX_FOLDER_DEPTH;
  const below = isDeep
    ? []
    : await Promise.all(folders.map((inner) => readNamesOrProblem(directory, inner, depth + 1)));
  return {
    files: [
      ...entries.filter(hasDeclarationName).map(({ name }) => join(folder, name)),
      ...below.flatMap(({ files }) => files),
    ],
    unvisited: [
      ...links.filter((link) => isDirectory(join(directory, link))),
      ...(isDeep ? folders : []),
      ...below.flatMap(({ unvisited }) => unvisited),
    ],
    misnamed: [
      ...(folder === '' ? [] : entries.filter(isMisnamed).map(({ name }) => join(folder, name))),
      ...below.flatMap(({ misnamed }) => misnamed),
    ],
    problem: below.find(({ problem }) => problem !== undefined)?.problem,
  };
};

const compareNames = (a: string, b: string): number => (a < b ? -1 : 1);

const DECLARATION_KEY_PATTERN =
  /(?:^|[{,])\s*["']?(?:event_type|eventType|on_fault|onFault|ability_scope)["']?\s*:|^(?:\{\s*)?["']?(?:id|enabled|blocking|handler)["']?[ \t]*:/m;

const declaresHook = (file: string): boolean | undefined => {
  const content = readFileSafely(file);
  return content.kind === 'text' ? DECLARATION_KEY_PATTERN.test(content.text) : undefined;
};

interface LocatedFolder {
  readonly root: string;
  readonly directory: string;
  /** `hooks`: a hooks folder. `repository`: a repository without a hooks folder. `folder`: any other folder. */
  readonly kind: 'hooks' | 'repository' | 'folder';
}

/**
 * A repository has its declarations in `.system/hooks`, or else at its top; any other folder has them among its files.
 */
const locateFolder = (given: string): LocatedFolder => {
  const directory = resolve(given);
  const inside = join(directory, HOOKS_FOLDER);
  if (existsSync(inside)) return { root: directory, directory: inside, kind: 'hooks' };
  const parent = dirname(directory);
  if (basename(directory) === 'hooks' && basename(parent) === '.system') {
    return { root: dirname(parent), directory, kind: 'hooks' };
  }
  const isRepository = existsSync(join(directory, '.git')) || existsSync(join(directory, '.system'));
  return { root: directory, directory, kind: isRepository ? 'repository' : 'folder' };
};

const findTopLevelDeclarations = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && hasDeclarationName(entry)).map(({ name }) => name);
  return names.toSorted(compareNames).filter((name) => declaresHook(join(directory, name)) === true);
};

const findDeclarationNames = async ({
  directory,
  kind,
}: LocatedFolder): Promise<DeclarationNames & { readonly others: readonly string[] }> => {
  if (kind === 'repository')
    return { files: await findTopLevelDeclarations(directory), unvisited: [], misnamed: [], others: [] };
  const names = await readNamesBelow(directory, '', 0);
  const files = names.files.toSorted(compareNames);
  if (kind === 'hooks') return { ...names, files, others: [] };
  const others = new Set(
    files.slice(0, MAX_DECLARATION_FILES).filter((name) => declaresHook(join(directory, name)) === false),
  );
  return { ...names, files: files.filter((name) => !others.has(name)), misnamed: [], others: [...others] };
};

export const findHooks = async (given: string, givenRoot?: string): Promise<FoundHooks> => {
  const folder = locateFolder(given);
  const { directory } = folder;
  const root = givenRoot === undefined ? folder.root : resolve(givenRoot);
  const misnamed = await findMisnamed(root, folder.kind === 'repository' ? join(root, HOOKS_FOLDER) : directory);
  const found = { root, directory, realRoot: await realpath(root).catch(() => root), misnamed, others: [] };
  try {
    const names = await findDeclarationNames(folder);
    const files = names.files.slice(0, MAX_DECLARATION_FILES).map((name) => join(directory, name));
    const excess = `has ${names.files.length} declarations; the first ${MAX_DECLARATION_FILES} are read`;
    return omitUndefined({
      ...found,
      files,
      unvisited: names.unvisited.map((name) => join(directory, name)),
      misnamed: [...misnamed, ...names.misnamed.map((name) => join(directory, name))],
      others: names.others.map((name) => join(directory, name)),
      problem: names.problem ?? (names.files.length > MAX_DECLARATION_FILES ? excess : undefined),
    });
  } catch (error) {
    const nothing = { ...found, files: [], unvisited: [] };
    const isMissing = readErrorCode(error) === 'ENOENT';
    // A repository need not have a hooks folder; a folder that the caller names must exist.
    if (isMissing && (directory.endsWith(HOOKS_FOLDER) || existsSync(directory))) return nothing;
    if (isMissing) return { ...nothing, problem: 'does not exist' };
    return { ...nothing, problem: `cannot be read: ${describeThrown(error)}` };
  }
};
