// Finds the declaration files of ability hooks in a repository or a folder.
import { type Dirent, existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { describeThrown, isRecord } from '../kit/index.ts';
import { readFileSafely } from '../settings/index.ts';

const HOOKS_FOLDER = join('.system', 'hooks');

const MAX_FILES = 5_000;

export interface FoundHooks {
  readonly root: string;
  readonly directory: string;
  readonly realRoot: string;
  /** Full paths, sorted by name: the hooks run in this order on every machine. */
  readonly files: readonly string[];
  readonly unvisited: readonly string[];
  /** Files and folders whose names look like declarations but are not read. */
  readonly misnamed: readonly string[];
  readonly others: readonly string[];
  readonly problem?: string;
}

const findMisnamed = async (root: string, directory: string): Promise<string[]> => {
  if (directory !== join(root, HOOKS_FOLDER)) return [];
  const entriesOf = (path: string): Promise<Dirent[]> => readdir(path, { withFileTypes: true }).catch(() => []);
  const system = dirname(directory);
  const folders = (await entriesOf(system)).filter(({ name }) => name !== 'hooks' && name.toLowerCase() === 'hooks');
  const files = (await entriesOf(directory)).filter((entry) => entry.isFile() && !hasDeclarationName(entry));
  return [...folders.map(({ name }) => join(system, name)), ...files.map(({ name }) => join(directory, name)).sort()];
};

const hasDeclarationName = ({ name }: Dirent): boolean => /\.ya?ml$/i.test(name) && !name.startsWith('.');

const MAX_DEPTH = 8;

interface DeclarationNames {
  readonly files: readonly string[];
  readonly unvisited: readonly string[];
  readonly problem?: string | undefined;
}

const isLinkToFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

const readNamesOrProblem = async (directory: string, way: string, depth: number): Promise<DeclarationNames> => {
  try {
    return await readNamesBelow(directory, way, depth);
  } catch (error) {
    return { files: [], unvisited: [], problem: `cannot be read: ${describeThrown(error)}` };
  }
};

/** Links to folders are not followed: they could leave the repository or form a loop. */
const readNamesBelow = async (directory: string, way: string, depth: number): Promise<DeclarationNames> => {
  const entries = await readdir(join(directory, way), { withFileTypes: true });
  const others = entries.filter((entry) => !entry.name.startsWith('.') && !hasDeclarationName(entry));
  const folders = others.filter((entry) => entry.isDirectory()).map(({ name }) => join(way, name));
  const links = others.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(way, name));
  const isFolder = await Promise.all(links.map((link) => isLinkToFolder(join(directory, link))));
  const isDeep = depth >= MAX_DEPTH;
  const below = isDeep
    ? []
    : await Promise.all(folders.map((folder) => readNamesOrProblem(directory, folder, depth + 1)));
  return {
    files: [
      ...entries.filter(hasDeclarationName).map(({ name }) => join(way, name)),
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

const readSortedNames = async (directory: string): Promise<DeclarationNames> => {
  const { files, ...rest } = await readNamesBelow(directory, '', 0);
  return { files: files.toSorted((a, b) => (a < b ? -1 : 1)), ...rest };
};

const DECLARATION_KEY =
  /(?:^|[{,])\s*["']?(?:event_type|eventType|on_fault|onFault|ability_scope)["']?\s*:|^(?:\{\s*)?["']?(?:id|enabled|blocking|handler)["']?[ \t]*:/m;

const declaresHook = (file: string): boolean | undefined => {
  const content = readFileSafely(file);
  return content.kind === 'text' ? DECLARATION_KEY.test(content.text) : undefined;
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
const locateFolder = (given: string): NamedFolder => {
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
  return names.toSorted((a, b) => (a < b ? -1 : 1)).filter((name) => declaresHook(join(directory, name)) === true);
};

const findDeclarationNames = async ({
  directory,
  kind,
}: NamedFolder): Promise<DeclarationNames & { readonly others: readonly string[] }> => {
  if (kind === 'repository') return { files: await findTopLevelDeclarations(directory), unvisited: [], others: [] };
  const names = await readSortedNames(directory);
  if (kind === 'hooks') return { ...names, others: [] };
  const others = new Set(
    names.files.slice(0, MAX_FILES).filter((name) => declaresHook(join(directory, name)) === false),
  );
  return { ...names, files: names.files.filter((name) => !others.has(name)), others: [...others] };
};

const resolveRealPath = async (directory: string): Promise<string> => {
  try {
    return await realpath(directory);
  } catch {
    return directory;
  }
};

export const findHooks = async (given: string, givenRoot?: string): Promise<FoundHooks> => {
  const place = locateFolder(given);
  const { directory } = place;
  const root = givenRoot === undefined ? place.root : resolve(givenRoot);
  const misnamed = await findMisnamed(root, place.kind === 'repository' ? join(root, HOOKS_FOLDER) : directory);
  const found = { root, directory, realRoot: await resolveRealPath(root), misnamed, others: [] };
  try {
    const names = await findDeclarationNames(place);
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
    // A repository need not have a hooks folder; a folder that the caller names must exist.
    if (isMissing && (directory.endsWith(HOOKS_FOLDER) || existsSync(directory))) return nothing;
    if (isMissing) return { ...nothing, problem: 'does not exist' };
    return { ...nothing, problem: `cannot be read: ${describeThrown(error)}` };
  }
};
