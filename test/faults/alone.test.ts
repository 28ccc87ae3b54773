import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHost, startHost } from '../support/hosts.ts';
import { atMost } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let file: string;
let directory: string;

beforeAll(async () => {
  file = await buildHost('alone');
  directory = temporaryFolder('alone');
});

afterAll(() => {
  rmSync(file);
  rmSync(directory, { recursive: true });
});

/** How a program that uses the library and nothing else ended, and how long after its answer. */
const alone = async (how: string): Promise<{ exitCode: number | null; said: string; ms: number }> => {
  const { says, ended } = startHost(file, [how, mkdtempSync(join(directory, 'home-'))]);
  await says('answered');
  const startedAt = performance.now();
  const { exitCode, stdout, stderr } = await ended;
  return { exitCode, said: stdout + stderr, ms: performance.now() - startedAt };
};

describe.skipIf(process.platform === 'win32')('F77 a program with nothing else to do has its answer, and ends', () => {
  test.each([
    'a command',
    'a guarded command',
    'a function that never settles',
    'a function that hangs by a thread',
    'a request on a bus',
    'a request with a deadline',
    'a request nobody answers',
    'a recorder that is closed',
    'a recorder that is left open',
    'watchConfig that is closed',
    'watchConfig that is left open',
  ])('within 200 ms: %s', { retry: 2 }, async (how) => {
    const { exitCode, said, ms } = await alone(how);
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: 'answered\n' });
    expect(ms).toBeLessThan(atMost(200));
  });

  test('P13 within a second after dispose, with hooks in flight that ignore being asked', async () => {
    const { exitCode, said, ms } = await alone('dispose with hooks in flight');
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: 'answered\n' });
    expect(ms).toBeLessThan(atMost(1_000));
  });
});
