import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createKillTreeCommand, sendSignal } from '../../../src/runners/process/kill-processes.ts';
import { STARTS_GROUP, startDirectly } from '../../../src/runners/process/start-process.ts';

test('Windows: the tree is ended by taskkill, by its absolute path', () => {
  expect(createKillTreeCommand(42, { SystemRoot: 'D:\\Win' })).toEqual({
    file: 'D:\\Win\\System32\\taskkill.exe',
    args: ['/PID', '42', '/T', '/F'],
  });
  expect(createKillTreeCommand(42, {}).file).toBe('C:\\Windows\\System32\\taskkill.exe');
});

describe.runIf(STARTS_GROUP)('a signal to a hook reaches what the hook has started', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)('%s', async (signal) => {
    const args = ['-c', 'sleep 10 & echo started; wait'];
    const limits = { drainMs: 100, stdoutBytes: 1_000, stderrBytes: 1_000 };
    const request = { file: '/bin/sh', args, cwd: process.cwd(), env: {}, stdin: '', timeoutMs: 20_000, limits };
    const started = startDirectly(request);
    if (!('child' in started)) throw new Error('it was not started');
    const { child } = started;
    const { pid, stdout } = child;
    if (pid === undefined || stdout === null) throw new Error('it has no output');
    await once(stdout, 'data');
    const exited = new Promise((resolve) => child.once('exit', (_code, endedBy) => resolve(endedBy)));
    // The sleep holds the output open for as long as it lives.
    const closed = once(stdout, 'close');
    const startedAt = performance.now();
    expect(sendSignal({ child, pid, hasExited: false }, signal)).toBe('sent');
    expect(await exited).toBe(signal);
    await closed;
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });
});
