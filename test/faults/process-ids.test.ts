import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type DirectStarter, startDirectly } from '../../src/runners/process-api.ts';
import { CommandBench, G } from '../support/commands.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { atMost, until } from '../support/processes.ts';

/** A namespace with process ids of its own, of which whoever is in it may choose the next. */
const unshare = 'unshare';
const apart = ['-Urpf', '--mount-proc'];
const choosesIds = ['sh', '-c', 'echo 300 > /proc/sys/kernel/ns_last_pid'];
const canReuse = spawnSync(unshare, [...apart, ...choosesIds]).status === 0;

let file: string;
beforeAll(async () => {
  file = await buildHost('reuses-ids');
});
afterAll(() => rmSync(file));

describe.skipIf(!canReuse)(`F76 an id is used again${canReuse ? '' : ' (needs a namespace for process ids)'}`, () => {
  /** A shell that stays the first process of the namespace: when that one ends, all others do. */
  const reuse = (how: string, afterwards: string) =>
    startHost(file, [how], [unshare, ...apart, 'sh', '-c', `"$@"; ${afterwards}`, 'sh']).ended;

  test.each(['ends', 'is ended'])('by a stranger, after a hook that %s: the stranger is left alone', async (how) => {
    const { stdout, stderr } = await reuse(how, 'true');
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^the stranger has the id \d+\nthe stranger lives\n$/),
      stderr: '',
    });
  });

  test('by a stranger, and the host is killed: the orphan guard leaves the stranger alone', async () => {
    const { stdout } = await reuse('killed', 'sleep 0.5; pgrep -c sleep');
    expect(stdout).toMatch(/^the stranger has the id \d+\n/);
    expect(stdout).toMatch(/^1$/m);
  });
});

/** Says of each end that it was half a second ago, as a helper does that was kept waiting. */
const hearsLate: DirectStarter = (request) => {
  const started = startDirectly(request);
  if ('failure' in started) return started;
  return { child: Object.defineProperty(started.child, 'exitedAt', { get: () => performance.now() - 500 }) };
};

describe.skipIf(process.platform === 'win32')('F76 a group of whose leader is heard too late', () => {
  test('is not touched, and who holds the output of the hook is not said to have left it', async () => {
    const bench = new CommandBench({ start: hearsLate });
    const { result } = await bench.runFixture('holds-pipe.sh');
    expect(result).toMatchObject({ exitCode: 2, output: { decision: 'block' } });
    expect(result.warnings).toMatchObject([{ code: 'held-pipe' }]);
    await bench.close();
  });
});

describe.skipIf(process.platform === 'win32')('F76 a group that is gone', () => {
  test('is never signalled again, nor any that is dead for longer than the grace period and a quarter of a second', async () => {
    const calls: { id: number; at: number; gone: boolean }[] = [];
    const { kill } = process;
    process.kill = (id, signal) => {
      const call = { id, at: performance.now(), gone: false };
      calls.push(call);
      try {
        return kill.call(process, id, signal);
      } catch (error) {
        call.gone = true;
        throw error;
      }
    };
    onTestFinished(() => {
      process.kill = kill;
    });
    const bench = new CommandBench();
    const args = ['-c', 'echo $$'];
    const background = ['-c', 'echo $$; sleep 30 >/dev/null 2>&1 </dev/null &'];
    const runs = [
      ...Array.from({ length: 5 }, () => bench.run({ command: 'sh', args })),
      bench.run({ command: 'sh', args: background }),
      bench.runFixture('ignores-term.sh', [], { timeout: 200 }),
      bench.runFixture('family.sh', [], { timeout: 200 }),
      bench.runFixture('leader-dies.sh', [], { timeout: 200 }),
    ];
    const startedAt = performance.now();
    await Promise.all(runs);
    await bench.close();
    await until('everything was given up', 3_000, () => performance.now() - startedAt > 200 + G + 500);
    const groups = new Set(calls.filter(({ id }) => id < 0).map(({ id }) => id));
    expect(groups.size).toBe(runs.length);
    for (const group of groups) {
      const own = calls.filter(({ id }) => id === group);
      const end = own.findIndex(({ gone }) => gone);
      expect(end === -1 ? [] : own.slice(end + 1), 'signals to a group that was gone').toEqual([]);
    }
    const last = Math.max(...calls.map(({ at }) => at));
    expect(last - startedAt).toBeLessThan(atMost(200 + G + 350));
  });
});
