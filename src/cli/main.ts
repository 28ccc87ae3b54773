#!/usr/bin/env node
/** The binary `hookwright`: starts the small hook program for agents, and the full program for users. */
import { useCompileCache } from './compile-cache.ts';

/** If `--as-hook` follows a flag, it may be the flag's value. Only the full program can parse that. */
const isHookCall = ([, , name, ...words]: readonly string[]): boolean => {
  const before = words[words.indexOf('--as-hook') - 1] ?? '';
  const isRead = words.some((word) => ['--help', '-h', '--'].includes(word)) || before.startsWith('-');
  return name === 'run' && words.includes('--as-hook') && !isRead;
};

/** `process.cwd()` throws in a removed directory, but the user's guards must also run there. */
const leaveRemovedDirectory = (): void => {
  try {
    process.cwd();
  } catch {
    process.chdir('/');
  }
};

const isHook = isHookCall(process.argv);
if (isHook) leaveRemovedDirectory();
const keepCompiled = useCompileCache();
const { run } = await (isHook ? import('./hook-program.ts') : import('./program.ts'));
const exitCode = await run(process);
keepCompiled();
// A hook that does not end must not keep this process alive.
process.exit(exitCode);
