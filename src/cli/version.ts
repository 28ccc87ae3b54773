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

/** The version of this package: its package.json is somewhere above this file, built or not. */
export const packageVersion = (): string => {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const version = versionIn(directory);
    if (version !== undefined) return version;
    const above = dirname(directory);
    if (above === directory) return 'unknown';
    directory = above;
  }
};
