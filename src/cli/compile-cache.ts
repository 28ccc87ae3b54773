/** Stores the compiled code of this program in `~/.hookwright/compile-cache`, so that the program starts faster. */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { attempt } from '../kit/index.ts';

const MAX_CACHED_FILES = 100;

/** Affects only files that are loaded later. The returned function stores their compiled code where Node does not. */
export const enableCompileCache = (): (() => void) => {
  const folder = attempt(prepareCacheFolder);
  // Node 20 and its types lack this function.
  const enableInNode: unknown = Reflect.get(module, 'enableCompileCache');
  if (folder === undefined) return () => undefined;
  if (typeof enableInNode !== 'function') return loadThroughOwnCache(folder);
  enableInNode(folder);
  return () => undefined;
};

const loadThroughOwnCache = (folder: string): (() => void) => {
  const ours = dirname(fileURLToPath(import.meta.url));
  const { extensions } = createRequire(import.meta.url);
  const compiled: { file: string; script: Script }[] = [];
  extensions['.cjs'] = (loaded, filename) => {
    if (!filename.startsWith(ours)) return extensions['.js'](loaded, filename);
    const source = readFileSync(filename);
    const hash = createHash('sha256').update(process.version).update(source).digest('hex');
    const file = join(folder, `${basename(filename, '.cjs')}-${hash}`);
    const cachedData = attempt(() => readFileSync(file));
    const script = new Script(`(function(exports,require,module,__filename){${source}\n})`, { filename, cachedData });
    if (script.cachedDataRejected !== false) compiled.push({ file, script });
    script.runInThisContext()(loaded.exports, loaded.require.bind(loaded), loaded, filename);
  };
  return () => saveCompiledCode(folder, compiled);
};

/** Node runs cached code without checking it, so only the user may be able to write or replace the folder. */
const prepareCacheFolder = (): string | undefined => {
  const home = join(homedir(), '.hookwright');
  const folder = join(home, 'compile-cache');
  if (!isPrivateDirectory(home, 0o022)) return undefined;
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) mkdirSync(folder, { mode: 0o700 });
  return isPrivateDirectory(folder, 0o077) ? folder : undefined;
};

const isPrivateDirectory = (path: string, forbidden: number): boolean => {
  const found = lstatSync(path);
  return found.isDirectory() && (found.mode & forbidden) === 0 && found.uid === process.getuid?.();
};

const saveCompiledCode = (folder: string, compiled: readonly { file: string; script: Script }[]): void => {
  try {
    if (compiled.length > 0 && readdirSync(folder).length > MAX_CACHED_FILES) rmSync(folder, { recursive: true });
    for (const { file, script } of compiled) {
      const written = `${file}.${process.pid}`;
      writeFileSync(written, script.createCachedData(), { flag: 'wx', mode: 0o600 });
      renameSync(written, file);
    }
  } catch {
    // Without these files, the program only starts slower.
  }
};
