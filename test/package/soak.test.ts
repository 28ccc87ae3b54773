import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The plans are those of the seed; what a machine does with them differs, the promises do not. */
test.skipIf(process.platform === 'win32')(
  'P1 to P13 a soak of all lanes keeps every promise, whatever hooks, deadlines, cancels, reloads and disposes do',
  () => {
    const args = ['bench/soak.mjs', '--requests', '400', '--seed', '7', '--at-once', '8', '--seconds', '60'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toContain('left behind: 0 processes');
    expect(stdout.trim().split('\n').at(-1)).toBe('every promise was kept');
    expect(status).toBe(0);
  },
  120_000,
);
