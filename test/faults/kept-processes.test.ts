import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixture } from '../support/commands.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { atMost, processesWith, until } from '../support/processes.ts';

const worker = join(import.meta.dirname, '../fixtures/workers/odd.mjs');
let file: string;
let count = 0;

beforeAll(async () => {
  file = await buildHost('keeps');
}, 60_000);

afterAll(() => rmSync(file));

const keep = (how: string, prefix: readonly string[] = []) => {
  count += 1;
  const marker = `${process.pid}-kept-${count}`;
  const host = startHost(file, [how, marker, worker, fixture('answers.sh')], prefix);
  const alive = (): number => processesWith(`HOOKWRIGHT_KEPT=${marker}`).length;
  return { ...host, alive };
};

describe.skipIf(process.platform !== 'linux')('workers and spares when their host ends', () => {
  test.each([
    ['by process.exit', 'exit', undefined],
    ['by SIGTERM', 'wait', 'SIGTERM'],
    ['by SIGINT', 'wait', 'SIGINT'],
    ['by SIGKILL, guarded', 'guarded', 'SIGKILL'],
  ] as const)('F70 F71 %s: none is left', async (_way, how, signal) => {
    const { child, says, ended, alive } = keep(how);
    await says('ready');
    if (signal !== undefined) {
      expect(alive()).toBeGreaterThanOrEqual(2);
      child.kill(signal);
    }
    const { exitCode, signal: by } = await ended;
    expect({ exitCode, by }).toEqual(signal === undefined ? { exitCode: 7, by: null } : { exitCode: null, by: signal });
    await until('none is left', atMost(500), () => alive() === 0);
  });

  test('F77 they do not keep a host alive that has nothing else to do', async () => {
    const { says, ended, alive } = keep('nothing else');
    await says('ready');
    const startedAt = performance.now();
    expect((await ended).exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(atMost(300));
    await until('none is left', atMost(500), () => alive() === 0);
  });

  test('F14 without file descriptors a worker cannot be started, the host lives on, and with some again it works', async () => {
    const { ended, alive } = keep('no descriptors', ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh']);
    const { exitCode, stdout, stderr } = await ended;
    expect(exitCode).toBe(0);
    // A host without a logger is warned of a hook that cannot start, and of nothing else.
    expect(stderr.match(/\[HOOKWRIGHT_\w+\]/g)).toEqual(['[HOOKWRIGHT_CANNOT_START]']);
    const { without, relieved }: { without: string[]; relieved: string[] } = JSON.parse(stdout);
    expect(without).toEqual([expect.stringContaining('EMFILE')]);
    expect(relieved).toEqual([]);
    await until('none is left', atMost(500), () => alive() === 0);
  });
});
