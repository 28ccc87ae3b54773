import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { temporaryFolder } from '../support/temporary-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** What npm would publish, packed once for all tests of the package. */
    tarball: string;
  }
}

const runScript = (...args: string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

export default (project: TestProject): (() => void) => {
  const directory = temporaryFolder('pack');
  runScript('scripts/build.mjs', '--quiet');
  project.provide('tarball', runScript('scripts/pack.mjs', directory));
  return () => rmSync(directory, { recursive: true, force: true });
};
