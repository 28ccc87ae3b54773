#!/usr/bin/env node
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Node runs cached code without checking it, so the folder must belong to the user alone. */
const cacheFolder = (): string | undefined => {
  try {
    const folder = join(homedir(), '.hookwright', 'compile-cache');
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) mkdirSync(folder, { mode: 0o700 });
    else if (!found.isDirectory() || (found.mode & 0o077) !== 0 || found.uid !== process.getuid?.()) return undefined;
    return folder;
  } catch {
    return undefined;
  }
};

// Node 20 does not have this function.
const enableCompileCache: unknown = Reflect.get(module, 'enableCompileCache');
if (typeof enableCompileCache === 'function') {
  const folder = cacheFolder();
  // Speeds up later starts. It works only for modules that are imported after this call.
  if (folder !== undefined) enableCompileCache(folder);
}

/** Whether an agent started this process. After a flag, `--as-hook` may be a value: the full program parses that. */
const isHookCall = ([, , name, ...words]: readonly string[]): boolean => {
  const before = words[words.indexOf('--as-hook') - 1] ?? '';
  const isRead = words.some((word) => ['--help', '-h', '--'].includes(word)) || before.startsWith('-');
  return name === 'run' && words.includes('--as-hook') && !isRead;
};

const { run } = await (isHookCall(process.argv) ? import('./hook-program.ts') : import('./program.ts'));
// A hook that does not end must not keep the process alive.
process.exit(await run(process));
