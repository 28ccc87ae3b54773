import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { runTests, type TestOptions, type TestRun } from '../../../src/cli/hook-tests/run-tests.ts';
import { setUpTestBench, type TestBench } from '../../../src/cli/hook-tests/test-bench.ts';
import { type Text, toTerminal } from '../../../src/cli/rendering/text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A context whose notes and items are kept. */
export interface KeptContext extends Context {
  readonly notes: string[];
  readonly items: unknown[];
  readonly progressed: (string | undefined)[];
  stop(): void;
}

const contextAt = (cwd: string): KeptContext => {
  const stopping = new AbortController();
  const notes: string[] = [];
  const items: unknown[] = [];
  const progressed: (string | undefined)[] = [];
  return {
    cwd,
    env: {},
    width: 100,
    isJson: false,
    signal: stopping.signal,
    onHangup: () => {},
    notes,
    items,
    progressed,
    item: (data) => items.push(data),
    note: (text: Text) => notes.push(toTerminal(text, false)),
    progress: (text) => progressed.push(text),
    write: () => undefined,
    ask: () => Promise.resolve(undefined),
    canAsk: false,
    readStdin: () => Promise.resolve(''),
    stop: () => stopping.abort(),
  };
};

/** A project with hooks and tests in a directory of its own, and a home with nothing in it. */
export interface Project {
  readonly cwd: string;
  readonly context: KeptContext;
  write(path: string, content: string | object): string;
  script(path: string, text: string): string;
  read(path: string): string;
  stage(options?: { readonly isTrusted?: boolean }): Promise<TestBench>;
  run(options?: Partial<TestOptions>): Promise<TestRun>;
}

export const createProject = (hooks: object = {}): Project => {
  const root = temporaryFolder('tests');
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  for (const directory of [join(cwd, '.git'), home]) mkdirSync(directory, { recursive: true });
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const context = contextAt(cwd);
  const write = (path: string, content: string | object): string => {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return file;
  };
  const script = (path: string, text: string): string => {
    const file = write(path, text);
    chmodSync(file, 0o755);
    return file;
  };
  const stage = ({ isTrusted = true } = {}): Promise<TestBench> => setUpTestBench(context, isTrusted);
  write('.hookwright/settings.json', { hooks });
  return {
    cwd,
    context,
    write,
    script,
    read: (path) => readFileSync(join(cwd, path), 'utf8'),
    stage,
    run: async (options = {}) => {
      const selection = { name: undefined, hooks: [], events: [] };
      return runTests({ files: [], selection, timeoutMs: undefined, ...options }, await stage(), context);
    },
  };
};

/** `name: message` of every mismatch. */
export const failuresIn = ({ results }: TestRun): string[] =>
  results.flatMap(({ test, mismatches }) => mismatches.map(({ message }) => `${test.name}: ${message}`));

/** A hook that blocks what contains this word, written for a shell. */
export const blocks = (word: string): string => `#!/bin/sh
if grep -q '${word}'; then echo "${word} is not allowed" >&2; exit 2; fi
`;
