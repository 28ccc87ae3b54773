import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { buildPackage, runNode } from './support.ts';

/** All that the hooks and abilities of the example need. */
const commands = ['sh', 'bash', 'env', 'cat', 'grep', 'mkdir', 'cp'];

const onPath = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-example-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
};

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
