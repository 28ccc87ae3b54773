import { type Dirent, existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describeThrown, isRecord } from '../kit/index.ts';
import { readFileSafely } from '../settings/index.ts';

const FOLDER = join('.system', 'hooks');

/** More files than that were not written by people. */
const MAX_FILES = 5_000;

/** Where declarations are, and which of them there are. */
export interface FoundHooks {
  readonly root: string;
  readonly directory: string;
  /** The root with all links followed. */
  readonly realRoot: string;
  /** Full paths in the order in which the hooks run: by name, the same on every machine. */
  readonly files: readonly string[];
  /** Folders that are not looked into. */
  readonly unvisited: readonly string[];
  /** Files and folders that look as if they were meant, and are not read. */
  readonly misnamed: readonly string[];
  /** YAML of something else, in a folder that is not there for hooks alone. */
  readonly others: readonly string[];
  /** Why the folder cannot be read, if so. The folder of a repository may be absent. */
  readonly problem?: string;
}

/** What lies in the folder of a repository under another name than a declaration has, and folders of almost its name. */
const misnamedIn = async (root: string, directory: string): Promise<string[]> => {
  if (directory !== join(root, FOLDER)) return [];
  const entriesOf = (path: string): Promise<Dirent[]> => readdir(path, { withFileTypes: true }).catch(() => []);
  const system = dirname(directory);
  const folders = (await entriesOf(system)).filter(({ name }) => name !== 'hooks' && name.toLowerCase() === 'hooks');
  const files = (await entriesOf(directory)).filter((entry) => entry.isFile() && !isDeclaration(entry));
  return [...folders.map(({ name }) => join(system, name)), ...files.map(({ name }) => join(directory, name)).sort()];
};

const isDeclaration = ({ name }: Dirent): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');

/** Folders may be nested for order; this deep is enough. */
const MAX_DEPTH = 8;

/** Relative to the folder. */
interface Names {
  readonly files: readonly string[];
  readonly unvisited: readonly string[];
  /** Why some of it is not known, the first reason if there are several. */
  readonly problem?: string | undefined;
}

const leadsToFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // It leads nowhere.
    return false;
  }
};

/** What stands in one folder that cannot be read hides nothing of what stands in the others. */
const namesWithin = async (directory: string, way: string, depth: number): Promise<Names> => {
  try {
    return await namesBelow(directory, way, depth);
  } catch (error) {
    return { files: [], unvisited: [], problem: `cannot be read: ${describeThrown(error)}` };
  }
};

/** Links to folders are not followed: they might lead anywhere, or in a circle. */
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

/** Whether the text of a file declares a hook, broken or not; `undefined` if the file cannot be read. */
const declares = (file: string): boolean | undefined => {
  const content = readFileSafely(file);
  return content.kind === 'text' ? DECLARES.test(content.text) : undefined;
};

interface NamedFolder {
  readonly root: string;
  readonly directory: string;
  /** Whether the folder is there for other things, too: of a repository, or any other one that was named. */
  readonly kind: 'hooks' | 'repository' | 'folder';
}

/**
 * A repository has its hooks in a folder of it, or in itself where there is none; a named folder holds the declarations among its
 * files.
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

/** Declarations that lie in a repository itself. */
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

/** A folder that is not there has no hooks and is really nowhere else. */
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
    // A repository need not have such a folder; one that was named has to be there.
    if (isMissing && (directory.endsWith(FOLDER) || existsSync(directory))) return nothing;
    if (isMissing) return { ...nothing, problem: 'does not exist' };
    return { ...nothing, problem: `cannot be read: ${describeThrown(error)}` };
  }
};
