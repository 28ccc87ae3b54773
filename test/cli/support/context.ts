import type { Context } from '../../../src/cli/context.ts';

/** A context for tests of what commands are made of: nobody is asked, nothing is written. */
export const quietContext = (cwd: string, env: Context['env'] = process.env): Context => ({
  cwd,
  env,
  width: 80,
  isJson: false,
  signal: new AbortController().signal,
  onHangup: () => {},
  item: () => {},
  note: () => {},
  progress: () => {},
  write: () => {},
  ask: () => Promise.resolve(undefined),
  canAsk: false,
  readStdin: () => Promise.resolve(''),
});
