import { execFile, execFileSync, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');

/** Puts a file and a pipe in each other's place, as fast as the system can. */
const swapping = `
const { linkSync, renameSync, writeFileSync } = require('node:fs');
const [path] = process.argv.slice(2);
for (;;) {
  writeFileSync(path + '.file', 'text');
  renameSync(path + '.file', path);
  linkSync(path + '.pipe', path + '.next');
  renameSync(path + '.next', path);
}`;

const reading = (name: string): string => `
import { ${name} } from '${join(root, 'src/kit/node.ts')}';
const [path] = process.argv.slice(2);
const end = Date.now() + 2_000;
let reads = 0;
const limit = '${name}' === 'readBeginning' ? 100 : { maxBytes: 100 };
while (Date.now() < end) { ${name}(path, limit); reads += 1; }
console.log(reads);`;

test.each(['readRegularFile', 'readBeginning'])(
  'R1041 %s never waits for a pipe that took the place of a file while it was opened',
  async (name) => {
    const directory = temporaryFolder('pipe');
    const path = join(directory, 'file');
    const bundle = join(directory, 'reading.mjs');
    await build({
      stdin: { contents: reading(name), resolveDir: root, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: bundle,
    });
    writeFileSync(join(directory, 'swap.cjs'), swapping);
    execFileSync('mkfifo', [`${path}.pipe`]);
    const swap = fork(join(directory, 'swap.cjs'), [path], { execArgv: [] });
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [bundle, path], { timeout: 10_000 });
      expect(Number(stdout)).toBeGreaterThan(100);
    } finally {
      swap.kill('SIGKILL');
    }
  },
);
