import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { RUN_MARKER } from '../../../src/runners/environment.ts';
import { MarkerSweep } from '../../../src/runners/process/marker-sweep.ts';
import { sleep } from '../../support/engine.ts';
import { until } from '../../support/processes.ts';

/** A process as it is while it becomes another program: its environment is empty, and then it has the marker of its run. */
const becoming = (runId: string) => {
  const child = spawn('env', [
    '-i',
    '/bin/sh',
    '-c',
    `read line; exec /usr/bin/env ${RUN_MARKER}=${runId} /bin/sleep 300`,
  ]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, pid: child.pid ?? 0 };
};

const sweepOf = (runId: string, pid: number) => {
  const gone: string[] = [];
  const sweep = new MarkerSweep({
    graceMs: 100,
    isEnding: () => false,
    onGone: (run) => gone.push(run),
    onQuiet: () => undefined,
  });
  sweep.watch({ runId, pid, startedAt: performance.now() });
  sweep.hurry();
  return { sweep, gone };
};

const isEmpty = (pid: number) => () => readFileSync(`/proc/${pid}/environ`).length === 0;

test.runIf(process.platform === 'linux')(
  'R1354 a process that is becoming another program when its run is swept is found by a later look, and ended',
  async () => {
    const runId = `becoming-${process.pid}-${performance.now()}`;
    const { child, pid } = becoming(runId);
    await until('its environment is empty', 5_000, isEmpty(pid));
    const { sweep, gone } = sweepOf(runId, pid - 1);
    await sleep(30);
    expect([sweep.isQuiet, gone]).toEqual([false, []]);
    const exited = once(child, 'exit');
    child.stdin.write('\n');
    expect(await exited).toEqual([null, 'SIGTERM']);
    await until('the sweep is quiet', 5_000, () => sweep.isQuiet);
    expect(gone).toEqual([runId]);
  },
);

test.runIf(process.platform === 'linux')(
  'R1354 a process that has no environment for good keeps no run from being over',
  async () => {
    const runId = `empty-${process.pid}-${performance.now()}`;
    const { child, pid } = becoming(runId);
    await until('its environment is empty', 5_000, isEmpty(pid));
    const { sweep, gone } = sweepOf(runId, pid - 1);
    await until('the sweep is quiet', 5_000, () => sweep.isQuiet);
    expect([gone, child.exitCode, child.signalCode]).toEqual([[runId], null, null]);
  },
);
