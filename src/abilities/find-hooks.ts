// Finds the declaration files of ability hooks in a repository or a folder.
import { type Dirent, existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describeThrown, isRecord } from '../kit/index.ts';
import { readFileSafely } from '../settings/index.ts';

const FOLDER = join('.system', 'hooks');

/** The search stops after this many files. Real repositories have far fewer declarations. */
const MAX_FILES = 5_000;

/** The declaration files of a repository or folder. */
export interface FoundHooks {
  readonly root: string;
  readonly directory: string;
  /** The root with all links resolved. */
  readonly realRoot: string;
  /** Full paths, sorted by name: the hooks run in this order on every machine. */
  readonly files: readonly string[];
  /** Folders that are not searched. */
  readonly unvisited: readonly string[];
  /** Files and folders whose names look like declarations but are not read. */
  readonly misnamed: readonly string[];
  /** Other YAML files of a folder that is not only for hooks. */
  readonly others: readonly string[];
  /** Why the folder could not be read. A repository may have no such folder. */
  readonly problem?: string;
}

const misnamedIn = async (root: string, directory: string): Promise<string[]> => {
  if (directory !== join(root, FOLDER)) return [];
  const entriesOf = (path: string): Promise<Dirent[]> => readdir(path, { withFileTypes: true }).catch(() => []);
  const system = dirname(directory);
  const folders = (await entriesOf(system)).filter(({ name }) => name !== 'hooks' && name.toLowerCase() === 'hooks');
  const files = (await entriesOf(directory)).filter((entry) => entry.isFile() && !isDeclaration(entry));
  return [...folders.map(({ name }) => join(system, name)), ...files.map(({ name }) => join(directory, name)).sort()];
};

const isDeclaration = ({ name }: Dirent): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');

/** Folders may be nested this deep. */
const MAX_DEPTH = 8;

interface Names {
  readonly files: readonly string[];
  readonly unvisited: readonly string[];
  /** The first reason why the list is incomplete. */
  readonly problem?: string | undefined;
}

const leadsToFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/** Reports an unreadable folder without losing the others. */
const namesWithin = async (directory: string, way: string, depth: number): Promise<Names> => {
  try {
    return await namesBelow(directory, way, depth);
  } catch (error) {
    return { files: [], unvisited: [], problem: `cannot be read: ${describeThrown(error)}` };
  }
};

/** Links to folders are not followed: they could leave the repository or form a loop. */
const namesBelow = async (directory: string, way: string, depth: number): Promise<Names> => {
  const entries = await readdir(join(directory, way), { withFileTypes: true });
  const others = entries.filter((entry) => !entry.name.startsWith('.') && !isDeclaration(entry));
  const folders = others.filter((entry) => entry.isDirectory()).map(({ name }) => join(way, name));
  const links = others.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(way, name));
  const isFolder = await Promise.all(links.map((link) => leadsToFolder(join(directory, link))));
  const isDeep = depth >= MAX_DEPTH;
  const below = isDeep ? [] : await Promise.all(folders.map((folder) => namesWithin(directory, folder, depth + 1)));
  return {
    files: [
      ...entries.filter(isDeclaration).map(({ name }) => join(way, name)),
      ...below.flatMap(({ files }) => files),
    ],
    unvisited: [
      ...links.filter((_, index) => isFolder[index]),
      ...(isDeep ? folders : []),
      ...below.flatMap(({ unvisited }) => unvisited),
    ],
    problem: below.find(({ problem }) => problem !== undefined)?.problem,
  };
};

const namesIn = async (directory: string): Promise<Names> => {
  const { files, ...rest } = await namesBelow(directory, '', 0);
  return { files: files.toSorted((a, b) => (a < b ? -1 : 1)), ...rest };
};

const DECLARES =
  /(?:^|[{,])\s*["']?(?:event_type|eventType|on_fault|onFault|ability_scope)["']?\s*:|^(?:\{\s*)?["']?(?:id|enabled|blocking|handler)["']?[ \t]*:/m;

/** Whether a file declares a hook, valid or not; `undefined` if it cannot be read. */
const declares = (file: string): boolean | undefined => {
  const content = readFileSafely(file);
  return content.kind === 'text' ? DECLARES.test(content.text) : undefined;
};

interface NamedFolder {
  readonly root: string;
  readonly directory: string;
  /** `hooks`: a hooks folder. `repository`: a repository without one. `folder`: any other folder. */
  readonly kind: 'hooks' | 'repository' | 'folder';
}

/**
 * A repository has its declarations in `.system/hooks`, or else at its top; any other folder has them among its files.
 */
const folderNamed = (given: string): NamedFolder => {
  const directory = resolve(given);
  const inside = join(directory, FOLDER);
  if (existsSync(inside)) return { root: directory, directory: inside, kind: 'hooks' };
  const parent = dirname(directory);
  if (basename(directory) === 'hooks' && basename(parent) === '.system') {
    return { root: dirname(parent), directory, kind: 'hooks' };
  }
  const isRepository = existsSync(join(directory, '.git')) || existsSync(join(directory, '.system'));
  return { root: directory, directory, kind: isRepository ? 'repository' : 'folder' };
};

const filesOfRepository = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile() && isDeclaration(entry)).map(({ name }) => name);
  return names.toSorted((a, b) => (a < b ? -1 : 1)).filter((name) => declares(join(directory, name)) === true);
};

const namesOf = async ({ directory, kind }: NamedFolder): Promise<Names & { readonly others: readonly string[] }> => {
  if (kind === 'repository') return { files: await filesOfRepository(directory), unvisited: [], others: [] };
  const names = await namesIn(directory);
  if (kind === 'hooks') return { ...names, others: [] };
  const others = new Set(names.files.slice(0, MAX_FILES).filter((name) => declares(join(directory, name)) === false));
  return { ...names, files: names.files.filter((name) => !others.has(name)), others: [...others] };
};

/** The real path; a missing folder has none. */
const reallyAt = async (directory: string): Promise<string> => {
  try {
    return await realpath(directory);
  } catch {
    return directory;
  }
};

export const findHooks = async (given: string, givenRoot?: string): Promise<FoundHooks> => {
  const place = folderNamed(given);
  const { directory } = place;
  const root = givenRoot === undefined ? place.root : resolve(givenRoot);
  const misnamed = await misnamedIn(root, place.kind === 'repository' ? join(root, FOLDER) : directory);
  const found = { root, directory, realRoot: await reallyAt(root), misnamed, others: [] };
  try {
    const names = await namesOf(place);
    const files = names.files.slice(0, MAX_FILES).map((name) => join(directory, name));
    const read = {
      ...found,
      files,
      unvisited: names.unvisited.map((name) => join(directory, name)),
      others: names.others.map((name) => join(directory, name)),
    };
    if (names.problem !== undefined) return { ...read, problem: names.problem };
    if (names.files.length <= MAX_FILES) return read;
    return { ...read, problem: `has ${names.files.length} declarations; the first ${MAX_FILES} are read` };
  } catch (error) {
    const nothing = { ...found, files: [], unvisited: [] };
    const isMissing = isRecord(error) && error.code === 'ENOENT';
    // A repository need not have a hooks folder; a named folder must exist.
    if (isMissing && (directory.endsWith(FOLDER) || existsSync(directory))) return nothing;
    if (isMissing) return { ...nothing, problem: 'does not exist' };
    return { ...nothing, problem: `cannot be read: ${describeThrown(error)}` };
  }
};
