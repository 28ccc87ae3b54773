import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Dialect, FileRule, Platform } from './dialect.ts';
import type { ReadFile } from './reading/read-file.ts';

export interface Surroundings {
  readonly projectDir: string;
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Platform;
}

/** A settings file of a person has no more; what is larger is not looked at. */
const MAX_BYTES = 1_048_576;

const templateOf = ({ path }: FileRule, platform: Platform): string | undefined =>
  typeof path === 'string' ? path : path[platform];

/** `{NAME|default}`: a variable, or what stands for it. */
const fillVariables = (template: string, { home, projectDir, env }: Surroundings): string =>
  template
    .replaceAll(/\{([A-Z][A-Z0-9_]*)\|((?:\{home\})?[^}]*)\}/g, (_match, name: string, otherwise: string) => {
      const value = env[name];
      return value === undefined || value === '' ? otherwise : value;
    })
    .replaceAll('{home}', home)
    .replaceAll('{project}', projectDir);

/** The project and each directory below it on the way to the working directory. */
const directoriesUpTo = (cwd: string, projectDir: string): string[] => {
  const below = relative(projectDir, resolve(cwd));
  const parts = below === '' || below.startsWith('..') ? [] : below.split(sep);
  return [projectDir, ...parts.map((_part, index) => join(projectDir, ...parts.slice(0, index + 1)))];
};

/** Every path at which a dialect may have a file, there or not. */
export const pathsOf = (rule: FileRule, surroundings: Surroundings): string[] => {
  const template = templateOf(rule, surroundings.platform);
  if (template === undefined) return [];
  const { cwd, projectDir } = surroundings;
  const starts = template.startsWith('{cwd+}') ? directoriesUpTo(cwd, projectDir) : [''];
  return starts.map((start) => fillVariables(template.replace('{cwd+}', start), surroundings));
};

/** The files of a path that may end in `*.json`. */
const filesAt = async (path: string): Promise<string[]> => {
  if (!basename(path).startsWith('*.')) return [path];
  const ending = basename(path).slice(1);
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(dirname(path), name));
};

/** Reads a regular file of a size that a person writes; nothing when there is none. */
export const textAt = async (path: string): Promise<string | undefined> => {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || found.size > MAX_BYTES) return undefined;
  return readFile(path, 'utf8').catch(() => undefined);
};

/** The files of a dialect that are there, in its order. Nothing in them is run. */
export const findDialectFiles = async (dialect: Dialect, surroundings: Surroundings): Promise<ReadFile[]> => {
  const found: ReadFile[] = [];
  for (const rule of dialect.files) {
    for (const pattern of pathsOf(rule, surroundings)) {
      for (const path of await filesAt(pattern)) {
        const text = await textAt(path);
        if (text === undefined || found.some((file) => file.path === path)) continue;
        found.push({ path, scope: rule.scope, form: rule.form ?? 'settings', text });
      }
    }
  }
  return found;
};

export const platformOf = (platform: string): Platform =>
  platform === 'darwin' || platform === 'win32' ? platform : 'linux';
