import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

const root = join(import.meta.dirname, '../..');
const output = join(root, '.tmp/hosts');

/** Makes a program of a script in `test/fixtures/hosts`, which uses the library as it stands in `src`. */
export const buildHost = async (name: string): Promise<string> => {
  mkdirSync(output, { recursive: true });
  const outfile = join(output, `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(root, 'test/fixtures/hosts', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    // What packages have beside CommonJS is what a bundler can see through.
    mainFields: ['module', 'main'],
    format: 'esm',
    // One file, so that starting it opens no others; the packages in CommonJS need a require of their own.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
};

export interface HostEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface Host {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** Resolves when the host printed this. */
  says(text: string): Promise<void>;
  readonly ended: Promise<HostEnd>;
}

/** Starts a host of its own, which may end in any way without ending the tests. */
export const startHost = (file: string, args: readonly string[], prefix: readonly string[] = []): Host => {
  const startedAt = performance.now();
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, file, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const waiting: { text: string; resolve: () => void }[] = [];
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const { text: wanted, resolve } of waiting) if (stdout.includes(wanted)) resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    child,
    says: (text) =>
      new Promise((resolve, reject) => {
        if (stdout.includes(text)) resolve();
        waiting.push({ text, resolve });
        child.once('close', () => reject(new Error(`the host ended without saying "${text}": ${stdout}${stderr}`)));
      }),
    ended: new Promise((resolve) => {
      child.once('close', (exitCode, signal) =>
        resolve({ exitCode, signal, stdout, stderr, ms: performance.now() - startedAt }),
      );
    }),
  };
};

/** Builds hosts before the tests of a file, and gives the file of each by its name. */
export const hostFiles = <Name extends string>(names: readonly Name[]): ((name: Name) => string) => {
  const files = new Map<Name, string>();
  beforeAll(async () => {
    for (const name of names) files.set(name, await buildHost(name));
  });
  afterAll(() => {
    for (const file of files.values()) rmSync(file);
  });
  return (name) => files.get(name) ?? '';
};
