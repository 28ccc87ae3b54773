import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildPackage, runNode } from './support.ts';

/** All that the hooks and abilities of the example need. */
const commands = ['sh', 'bash', 'env', 'cat', 'grep', 'mkdir', 'cp'];

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));

const temporary = (): string => temporaryFolder('example');

beforeAll(buildPackage, 60_000);

test.skipIf(process.platform === 'win32')(
  'the session of abilities is the same on a machine without python3, and leaves nothing behind',
  { timeout: 30_000 },
  async () => {
    const [PATH, TMPDIR] = [temporary(), temporary()];
    symlinkSync(process.execPath, join(PATH, 'node'));
    for (const name of commands) {
      const file = onPath(name);
      if (file !== undefined) symlinkSync(file, join(PATH, name));
    }
    const { code, stdout, stderr } = await runNode('examples/abilities.mjs', { env: { PATH, TMPDIR } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(readFileSync('examples/abilities.expected.txt', 'utf8'));
    expect(readdirSync(TMPDIR)).toEqual([]);
  },
);
