/** Finds the version and the location of the installed package. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { attempt, isRecord, parseJson, textOf } from '../kit/index.ts';

const readVersion = (directory: string): string | undefined => {
  const read = parseJson(attempt(() => readFileSync(join(directory, 'package.json'), 'utf8')) ?? '');
  const { name, version } = read.ok && isRecord(read.value) ? read.value : {};
  return name === 'hookwright' ? textOf(version) : undefined;
};

/** Searches upwards, because source and bundle are at different depths of the package. */
const findOwnPackage = (): { readonly directory: string; readonly version: string } | undefined => {
  for (let at = fileURLToPath(import.meta.url); at !== dirname(at); at = dirname(at)) {
    const version = readVersion(dirname(at));
    if (version !== undefined) return { directory: dirname(at), version };
  }
  return undefined;
};

export const readPackageVersion = (): string => findOwnPackage()?.version ?? 'unknown';

export const findCliScript = (): string | undefined => {
  const found = findOwnPackage();
  return found === undefined ? undefined : join(found.directory, 'dist', 'cli.js');
};
