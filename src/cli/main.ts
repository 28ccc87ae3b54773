#!/usr/bin/env node
import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Code that Node keeps compiled is run as it stands there, so the folder is the user's alone, within what is ours already. */
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

/** Node 20 does not have it, and its types do not know it. */
const enableCompileCache: unknown = Reflect.get(module, 'enableCompileCache');
if (typeof enableCompileCache === 'function') {
  const folder = cacheFolder();
  // Later ones start the second time in less. It counts for what is imported from here on.
  if (folder !== undefined) enableCompileCache(folder);
}

/** Whether another agent asks. A word behind a flag may be its value, so that the whole program has to read it. */
const isHookCall = ([, , name, ...words]: readonly string[]): boolean => {
  const before = words[words.indexOf('--as-hook') - 1] ?? '';
  const isRead = words.some((word) => ['--help', '-h', '--'].includes(word)) || before.startsWith('-');
  return name === 'run' && words.includes('--as-hook') && !isRead;
};

const { run } = await (isHookCall(process.argv) ? import('./hook-program.ts') : import('./program.ts'));
// What a command leaves behind, such as a hook that does not want to end, must not keep the shell waiting.
process.exit(await run(process));
