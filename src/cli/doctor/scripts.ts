import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { namedFiles, type Where } from '../../config/trust/named-files.ts';
import type { HookConfig } from '../../protocol/settings.ts';
import type { SimpleCommand } from '../../runners/command-words.ts';
import type { Script } from './check.ts';

/** Enough to see a first line and how the others end. */
const MAX_BYTES = 65_536;

/** The beginning of a regular file, if it is text. It neither waits for a pipe nor throws. */
const beginningOf = (path: string): string | undefined => {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(MAX_BYTES);
    const bytes = buffer.subarray(0, readSync(file, buffer, 0, MAX_BYTES, 0));
    return bytes.includes(0) ? undefined : bytes.toString('utf8');
  } catch {
    // Not there or not to be read: other checks say so.
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};

/** The files a hook runs. */
export const scriptsOf = (hook: HookConfig, commands: readonly SimpleCommand[], where: Where): Script[] => {
  const { projectDir, cwd = projectDir } = where;
  const started = commands.map(({ words: [program = ''] }) => (isAbsolute(program) ? program : resolve(cwd, program)));
  return namedFiles(hook, where).files.map(({ named, path }) => ({
    named,
    path,
    isStarted: started.includes(path),
    text: beginningOf(path),
  }));
};
