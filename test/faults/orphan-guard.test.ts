import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { OrphanGuard } from '../../src/runners/process/orphan-guard.ts';
import { fixture } from '../support/commands.ts';
import { type Host, hostFiles, startHost } from '../support/hosts.ts';
import { childrenOf, isAlive, processesWith, until } from '../support/processes.ts';

const isLinux = process.platform === 'linux';
const names = ['guarded', 'tells-guard', 'threaded'] as const;
const fileOf = hostFiles(names);

interface MarkedHost extends Host {
  /** What is alive of the host and of all it started. The guard is not among it: it carries no marker. */
  alive(): number[];
}

/** A host whose processes can be found after its end, and are ended with the test. */
const host = (
  name: (typeof names)[number],
  args: readonly string[],
  environment: readonly string[] = [],
): MarkedHost => {
  const entry = `TEST_HOST=${randomUUID()}`;
  const started = startHost(fileOf(name), args, ['env', entry, ...environment]);
  const alive = (): number[] => processesWith(entry);
  onTestFinished(() => {
    for (const pid of alive()) process.kill(pid, 'SIGKILL');
  });
  return { ...started, alive };
};

const guardsOf = (pid: number | undefined): number[] => childrenOf(pid ?? 0, 'hookwright-orphan-guard');

const gone = async ({ alive }: MarkedHost): Promise<void> => {
  await until('nothing the host started is alive', 2_000, () => alive().length === 0);
};

/** Three processes and their shell; one that cannot be asked to end; one in its group and one that left it. */
const hooks = ['family.sh', 'ignores-term.sh', 'escapes.sh'].map(fixture);

const ways: readonly (readonly [way: string, how: string, environment: readonly string[]])[] = [
  ['is killed', 'waits', []],
  ['runs out of memory', 'eats-memory', ['NODE_OPTIONS=--max-old-space-size=32']],
];

describe.skipIf(!isLinux).each(ways)('F71 a host that %s', (_way, how, environment) => {
  const end = async (guard: string, commands: readonly string[]): Promise<MarkedHost> => {
    const started = host('guarded', [guard, how, ...commands], environment);
    await started.says('ready');
    if (how === 'waits') started.child.kill('SIGKILL');
    const { exitCode, signal } = await started.ended;
    expect(signal ?? exitCode).toBe(how === 'waits' ? 'SIGKILL' : 'SIGABRT');
    return started;
  };

  test('leaves the processes of its hooks behind', async () => {
    const { alive } = await end('alone', [fixture('family.sh')]);
    expect(alive()).toHaveLength(4);
  });

  test('P14 takes them along with orphanGuard, also those that ignore signals or left their group', async () => {
    await gone(await end('guarded', hooks));
  });
});

describe.skipIf(!isLinux)('R2091 the hooks of a worker thread end with it', () => {
  test.each([
    ['when the thread is terminated', 'terminates', undefined],
    ['when its process gets SIGINT', 'waits', 'SIGINT'],
    ['when its process gets SIGTERM', 'waits', 'SIGTERM'],
    ['when its process is killed', 'waits', 'SIGKILL'],
  ] as const)('%s', async (_when, how, signal) => {
    const started = host('threaded', [how, ...hooks]);
    const own = started.child.pid;
    await started.says('ready');
    if (signal !== undefined) started.child.kill(signal);
    await until('no hook is alive', 2_000, () => started.alive().every((pid) => pid === own));
  });
});

describe.skipIf(!isLinux)('F71 the guard', () => {
  test('is one for all engines, ends after its host, and lets nothing of a nested host live on', async () => {
    const nested = [process.execPath, fileOf('guarded'), 'guarded', 'waits', fixture('family.sh')].join(' ');
    const started = host('guarded', ['guarded', 'shell', ...hooks, nested]);
    await started.says('ready');
    await until('the nested host runs its hook', 5_000, () => started.alive().length >= 10);
    const guards = guardsOf(started.child.pid);
    expect(guards).toHaveLength(1);
    started.child.kill('SIGKILL');
    await gone(started);
    await until('the guard has ended', 2_000, () => !guards.some(isAlive));
  });

  test('F76 ends no group that was taken off its list', async () => {
    const strangers = [0, 1, 2].map(() => spawn('sleep', ['30'], { stdio: 'ignore', detached: true }));
    onTestFinished(() => strangers.forEach((stranger) => void stranger.kill('SIGKILL')));
    const [first, second, third] = strangers.map(({ pid }) => pid ?? 0);
    const lines = [
      `+g ${first}`,
      `+g ${second}`,
      `+g ${third}`,
      `-g ${second}`,
      `-g ${first}`,
      `+g ${first}`,
      `-g ${first}`,
    ];
    const { child, says } = host('tells-guard', lines);
    await says('guard');
    child.kill('SIGKILL');
    await until('the one on the list is gone', 2_000, () => strangers[2]?.signalCode === 'SIGKILL');
    expect(strangers.map(({ pid }) => isAlive(pid ?? 0))).toEqual([true, true, false]);
  });

  /** A guard of this very process, and a process it is told about that is none of its business later. */
  const guardAndStranger = () => {
    const stranger = spawn('sleep', ['30'], { stdio: 'ignore', detached: true });
    const guard = new OrphanGuard();
    const reports: string[] = [];
    guard.addRun('run', (message) => reports.push(message));
    guard.addGroup(stranger.pid ?? 0);
    onTestFinished(() => {
      stranger.kill('SIGKILL');
      guard.removeRun('run');
      guard.removeGroup(stranger.pid ?? 0);
      guard.rest();
    });
    return { stranger, guard, reports, pid: guard.pid ?? 0 };
  };

  test('F76 that is sent home ends nothing, whatever it was told last', async () => {
    const { stranger, guard, pid } = guardAndStranger();
    guard.removeRun('run');
    guard.removeGroup(stranger.pid ?? 0);
    guard.rest();
    await until('the guard has ended', 2_000, () => !isAlive(pid));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  });

  test('F76 that does not read is killed before it can act on an old list, and replaced', async () => {
    const { stranger, guard, reports, pid } = guardAndStranger();
    process.kill(pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (let index = 0; index < 20_000 && reports.length === 0; index += 1) {
      guard.addGroup(100_000_000);
      guard.removeGroup(100_000_000);
    }
    expect(reports).toEqual(['orphanGuard does not read its input and was replaced']);
    await until('the first guard has ended', 2_000, () => !isAlive(pid));
    expect(guard.pid).not.toBe(pid);
    expect(isAlive(guard.pid ?? 0)).toBe(true);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  });

  test('that is killed itself is replaced, and the host is told', async () => {
    const started = host('guarded', ['guarded', 'waits', fixture('family.sh')]);
    await started.says('ready');
    // One that dies as soon as it starts is not started over and over.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const [guard = 0] = guardsOf(started.child.pid);
    process.kill(guard, 'SIGKILL');
    await started.says('orphanGuard ended with SIGKILL and was replaced');
    started.child.kill('SIGKILL');
    await gone(started);
  });

  test('spares what a hook may leave behind, once the hook is over', async () => {
    const started = host('guarded', ['guarded', 'leaves', fixture('background.sh')]);
    await started.says('verdict');
    started.child.kill('SIGKILL');
    await started.ended;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(started.alive()).toHaveLength(1);
  });

  test('is gone after dispose, and does not keep a host that does not dispose', async () => {
    const disposes = host('guarded', ['guarded', 'disposes', fixture('answers.sh')]);
    await disposes.says('disposed');
    await until('the guard has ended', 2_000, () => guardsOf(disposes.child.pid).length === 0);
    disposes.child.kill();

    const ends = host('guarded', ['guarded', 'ends', fixture('answers.sh')]);
    await ends.says('verdict');
    const guards = guardsOf(ends.child.pid);
    expect(guards).toHaveLength(1);
    const { exitCode, ms } = await ends.ended;
    expect(exitCode).toBe(0);
    // The guard waits five seconds for more to do, the host does not.
    expect(ms).toBeLessThan(4_000);
    await until('the guard has ended', 2_000, () => !guards.some(isAlive));
  });
});
