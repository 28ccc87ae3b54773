import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture, G } from '../support/commands.ts';
import { type HostEnd, hostFiles, startHost } from '../support/hosts.ts';
import { atMost, processesWithMarker, until } from '../support/processes.ts';

const isLinux = process.platform === 'linux';
const names = ['ends', 'once', 'no-descriptors', 'memory'] as const;
const fileOf = hostFiles(names);

const host = (name: (typeof names)[number], args: readonly string[], prefix?: readonly string[]) =>
  startHost(fileOf(name), args, prefix);

/** Three processes in a group, one that ignores SIGTERM, and one that left its group. */
const hooks = ['family.sh', 'ignores-term.sh', 'escapes.sh'].map(fixture);

const expectNoOrphans = async (pid: number | undefined): Promise<void> => {
  const runIds = hooks.map((_hook, index) => `${pid}-${index + 1}`);
  const alive = (): number[] => runIds.flatMap(processesWithMarker);
  await until('no orphan is left', atMost(100), () => alive().length === 0);
};

describe.skipIf(process.platform === 'win32')('F70 the host ends while hooks run', () => {
  const ways: readonly (readonly [string, string, NodeJS.Signals | undefined, Partial<HostEnd>])[] = [
    ['by process.exit', 'exit', undefined, { exitCode: 7, signal: null }],
    ['by an uncaught error', 'throw', undefined, { exitCode: 1, signal: null }],
    ['by an unhandled rejection', 'reject', undefined, { exitCode: 1, signal: null }],
    ['by SIGINT', 'wait', 'SIGINT', { exitCode: null, signal: 'SIGINT' }],
    ['by SIGTERM', 'wait', 'SIGTERM', { exitCode: null, signal: 'SIGTERM' }],
    ['by SIGHUP', 'wait', 'SIGHUP', { exitCode: null, signal: 'SIGHUP' }],
    ['by SIGQUIT', 'wait', 'SIGQUIT', { exitCode: null, signal: 'SIGQUIT' }],
    ['by its own listener for SIGINT', 'listens', 'SIGINT', { exitCode: 5, signal: null }],
    ['by a listener that waits to be the last', 'polite', 'SIGTERM', { exitCode: null, signal: 'SIGTERM' }],
  ];

  test.each(ways)('%s: no orphan, and its exit code or signal is its own', async (_way, how, signal, expected) => {
    const { child, says, ended } = host('ends', [how, ...hooks]);
    if (signal !== undefined) {
      await says('ready');
      if (isLinux) expect(processesWithMarker(`${child.pid}-1`)).toHaveLength(4);
      child.kill(signal);
    }
    expect(await ended).toMatchObject(expected);
    await expectNoOrphans(child.pid);
  });

  test('a host that only takes note of SIGINT goes on, its hooks do not', async () => {
    const { child, says, ended } = host('ends', ['notes', ...hooks]);
    await says('ready');
    child.kill('SIGINT');
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(0);
    expect(stdout.split('\n')).toEqual(expect.arrayContaining(['noted', 'answer killed-by-signal']));
    await expectNoOrphans(child.pid);
  });
});

const hasTerminal = spawnSync('python3', ['-c', 'import pty']).status === 0;
const terminalScript = join(import.meta.dirname, '../fixtures/terminal.py');

describe.skipIf(!hasTerminal)(`F70 in a terminal${hasTerminal ? '' : ' (needs python3 with its module pty)'}`, () => {
  test.each([
    ['Ctrl-C', 'ctrl-c', 'wait', 'signal 2'],
    ['Ctrl-C, for a host with a listener of its own', 'ctrl-c', 'listens', 'code 5'],
    ['the end of the terminal', 'hangup', 'wait', 'signal 1'],
  ])('%s ends the host as it would without us, and leaves no orphan', async (_what, end, how, expected) => {
    const { ended } = host('ends', [how, ...hooks], ['python3', terminalScript, end]);
    const { stdout } = await ended;
    const [, pid, outcome] = /^(\d+) (.*)$/m.exec(stdout) ?? [];
    expect(outcome).toBe(expected);
    await expectNoOrphans(Number(pid));
  });
});

describe.skipIf(process.platform === 'win32')('F77 the library alone', () => {
  test('keeps the host until the answer, and no longer', async () => {
    const { exitCode, stdout, ms } = await host('once', ['sleep 0.3']).ended;
    expect(exitCode).toBe(0);
    const { success, duration } = JSON.parse(stdout);
    expect(success).toBe(true);
    expect(ms).toBeGreaterThan(duration);
    const bare = await host('once', ['sort']).ended;
    expect(ms - duration).toBeLessThan(atMost(bare.ms + 200));
  });

  test('does not keep the host for a hook that is still dying, and leaves none behind', async () => {
    const bare = await host('once', ['sort']).ended;
    const { child, ended } = host('once', [fixture('ignores-term.sh'), '200']);
    const { exitCode, stdout, ms } = await ended;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ success: false, code: 'timeout' });
    expect(ms).toBeLessThan(atMost(bare.ms + 200 + G - 50));
    await expectNoOrphans(child.pid);
  });
});

const fewDescriptors = ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'];

test.skipIf(process.platform === 'win32')(
  'F14 without file descriptors hooks of all types fail in time, and the verdict is what onFault says',
  async () => {
    const { exitCode, stdout, stderr } = await host('no-descriptors', ['engines'], fewDescriptors).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const told: { ms: number }[] = JSON.parse(stdout);
    const expected = [
      ['command', 'spawn-failed'],
      ['warm command', 'spawn-failed'],
      ['worker', 'spawn-failed'],
      ['http', 'http-error'],
    ].flatMap(([kind, code]) => [
      { kind, onFault: 'allow', verdict: 'none', codes: [code] },
      { kind, onFault: 'deny', verdict: 'deny', codes: [code] },
    ]);
    expect(told).toMatchObject(expected);
    for (const { ms } of told) expect(ms).toBeLessThanOrEqual(atMost(50));
  },
);

describe.skipIf(process.platform === 'win32').each(['spawn', 'execa'])('started by %s', (lane) => {
  const withLane = ['env', `LANE=${lane}`];

  test('F14 without file descriptors the start fails, the host survives and goes on after relief', async () => {
    const { exitCode, stdout, stderr } = await host('no-descriptors', [], [...fewDescriptors, ...withLane]).ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual([
      { code: 'spawn-failed', success: false, error: expect.stringContaining('EMFILE') },
      { success: true },
    ]);
  });

  test.each([
    ['1', '500'],
    ['2', 'Infinity'],
  ])('F10 a flood on stream %s costs the host at most 8 MB', async (...args) => {
    const { stdout } = await host('memory', [fixture('flood.mjs'), ...args], withLane).ended;
    const { code, grown } = JSON.parse(stdout);
    expect(code).toBe('output-too-large');
    expect(grown).toBeLessThan(8 * 1_048_576);
  });
});
