import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { explainWhyNotRunAgain } from '../../../src/abilities/tools/still-running.ts';
import { createPsSearch, findProcessesOfRun } from '../../../src/runners/process/processes-of-run.ts';

/** A process as one that a run left behind. */
const leftBehind = (runId: string): number => {
  const child = spawn('sleep', ['20'], { env: { ...process.env, HOOKWRIGHT_RUN: runId }, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
};

/** What `ps` of Linux is told to show the same; that of macOS has another letter for it. */
const asOnMacOS = createPsSearch(['axeww', '-o', 'pid=,command=']);

describe.skipIf(process.platform !== 'linux')('R804 what a killed run left behind', () => {
  test('is found by /proc and by ps alike, and nothing of another run is', async () => {
    const runId = randomUUID();
    const pids = [leftBehind(runId), leftBehind(runId)].sort((a, b) => a - b);
    leftBehind(`${runId}1`);
    await expect
      .poll(() => findProcessesOfRun(runId), { timeout: 5_000 })
      .toEqual({ pids: expect.objectContaining({ length: 2 }) });
    for (const found of [await findProcessesOfRun(runId), await asOnMacOS(runId)]) {
      expect('pids' in found && [...found.pids].sort((a, b) => a - b)).toEqual(pids);
    }
  });

  test('keeps its task from running again where ps has to find it, until it was ended', async () => {
    const runId = randomUUID();
    const pid = leftBehind(runId);
    const warnings: string[] = [];
    const again = { signal: undefined, warn: (message: string) => void warnings.push(message), find: asOnMacOS };
    await expect
      .poll(() => explainWhyNotRunAgain('t1', runId, { ...again, policy: 'refuse' }), { timeout: 5_000 })
      .toBeDefined();
    expect(await explainWhyNotRunAgain('t1', runId, { ...again, policy: 'refuse' })).toBe(
      `t1 was interrupted, and processes that it started still run: process ${pid}; end it or wait for it (--still-running end, --still-running wait)`,
    );
    expect(await explainWhyNotRunAgain('t1', runId, { ...again, policy: 'end' })).toBeUndefined();
    expect(await asOnMacOS(runId)).toEqual({ pids: [] });
    expect(warnings).toEqual([]);
  });
});

test.each([
  ['a system that does not tell', (runId: string) => findProcessesOfRun(runId, 'win32'), 'win32 does not show'],
  ['a ps that is not there', createPsSearch([], '/no/such/ps'), '/no/such/ps could not be asked'],
])('R804 on %s a person who runs it again is warned, and nothing is promised', async (_what, find, words) => {
  const warnings: string[] = [];
  const again = { signal: undefined, warn: (message: string) => void warnings.push(message), find };
  expect(await explainWhyNotRunAgain('t1', 'r1', { ...again, policy: 'refuse' })).toBeUndefined();
  expect(warnings).toEqual([expect.stringContaining(`without a check whether its earlier run has ended: ${words}`)]);
  for (const policy of ['end', 'wait'] as const) {
    expect(await explainWhyNotRunAgain('t1', 'r1', { ...again, policy })).toMatch(
      /^processes of the earlier run of t1 cannot be found/,
    );
  }
});
