import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord, parseJson } from '../kit/index.ts';

const versionIn = (directory: string): string | undefined => {
  try {
    const read = parseJson(readFileSync(join(directory, 'package.json'), 'utf8'));
    if (!read.ok || !isRecord(read.value) || read.value.name !== 'hookwright') return undefined;
    return typeof read.value.version === 'string' ? read.value.version : undefined;
  } catch {
    // There is none here: one further up.
    return undefined;
  }
};

interface Package {
  readonly directory: string;
  readonly version: string;
}

/** This package: its package.json is somewhere above this file, built or not. */
const ownPackage = (): Package | undefined => {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const version = versionIn(directory);
    if (version !== undefined) return { directory, version };
    const above = dirname(directory);
    if (above === directory) return undefined;
    directory = above;
  }
};

export const packageVersion = (): string => ownPackage()?.version ?? 'unknown';

/** The program of this package, as it is installed. */
export const packageProgram = (): string | undefined => {
  const found = ownPackage();
  return found === undefined ? undefined : join(found.directory, 'dist', 'cli.js');
};
