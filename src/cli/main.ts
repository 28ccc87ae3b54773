#!/usr/bin/env node
/** The binary `hookwright`: starts the small hook program for agents, and the full program for users. */
import { attempt } from '../kit/index.ts';
import { enableCompileCache } from './compile-cache.ts';

/** If `--as-hook` follows a flag, it may be the flag's value. Only the full program can parse that. */
const isHookCall = ([, , name, ...words]: readonly string[]): boolean => {
  const before = words[words.indexOf('--as-hook') - 1] ?? '';
  const isRead = words.some((word) => ['--help', '-h', '--'].includes(word)) || before.startsWith('-');
  return name === 'run' && words.includes('--as-hook') && !isRead;
};

const isHook = isHookCall(process.argv);
// `process.cwd()` throws in a removed directory, but the user's guards must also run there.
if (isHook && attempt(() => process.cwd()) === undefined) process.chdir('/');
const saveCompiledCode = enableCompileCache();
const { run } = await (isHook ? import('./hook-program.ts') : import('./program.ts'));
const exitCode = await run(process);
saveCompiledCode();
// A hook that does not end must not keep this process alive.
process.exit(exitCode);
