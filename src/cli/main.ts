#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts';

/** Whether an agent started this process. After a flag, `--as-hook` may be a value: the full program parses that. */
const isHookCall = ([, , name, ...words]: readonly string[]): boolean => {
  const before = words[words.indexOf('--as-hook') - 1] ?? '';
  const isRead = words.some((word) => ['--help', '-h', '--'].includes(word)) || before.startsWith('-');
  return name === 'run' && words.includes('--as-hook') && !isRead;
};

const keepCompiled = useCompileCache();
const { run } = await (isHookCall(process.argv) ? import('./hook-program.ts') : import('./program.ts'));
const code = await run(process);
keepCompiled();
// A hook that does not end must not keep the process alive.
process.exit(code);
