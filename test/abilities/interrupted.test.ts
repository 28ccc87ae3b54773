import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ToolRunner } from '../../src/abilities/index.ts';
import { loadAbilities } from '../../src/abilities/index.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { repositoryWith, toolsWith } from './support.ts';

const SLOW = 'handler: {kind: script, command: ./bin/slow.sh}\n';
const script = (seconds: string) => `#!/bin/sh\necho $$ >> pids\nsleep ${seconds}\necho ended >> log\n`;

const isGone = (pid: number): boolean => {
  try {
    // A process that has ended and was not waited for yet has no command line.
    return readFileSync(`/proc/${pid}/cmdline`).length === 0;
  } catch {
    return true;
  }
};

// Processes of a run are found by what Linux tells about them.
describe.skipIf(process.platform !== 'linux')('a task whose runner was killed in the midst', () => {
  let host = '';
  beforeAll(async () => {
    host = await buildHost('slow-task');
  }, 30_000);

  const pids = (root: string): number[] =>
    existsSync(join(root, 'pids')) ? readFileSync(join(root, 'pids'), 'utf8').trim().split('\n').map(Number) : [];

  /** The task, its tools, and the script that goes on although nobody waits for it. */
  const killed = async (seconds: string): Promise<{ root: string; tools: ToolRunner; key: string; pid: number }> => {
    const root = repositoryWith({ '.system/abilities/slow.yaml': `id: slow\n${SLOW}`, 'bin/slow.sh': script(seconds) });
    const { registry: abilities } = await loadAbilities(root, { trustedFolder: true });
    const tools = toolsWith({ root, abilities });
    const { task_key: key } = untyped<{ task_key: string }>(await tools.createTask('slow'));
    const { child, ended } = startHost(host, [root, key]);
    await until('the script runs', 10_000, () => pids(root).length === 1);
    child.kill('SIGKILL');
    await ended;
    const pid = pids(root)[0] ?? 0;
    expect(isGone(pid)).toBe(false);
    return { root, tools, key, pid };
  };

  test('is not run beside what still lives of it, and says what that is', { timeout: 30_000 }, async () => {
    const { root, tools, key, pid } = await killed('20');
    expect(await tools.runTask(key)).toMatchObject({ executed: false, code: 'task-interrupted' });
    expect(await tools.runTask(key, { interrupted: true })).toMatchObject({
      executed: false,
      code: 'task-running',
      reason: expect.stringMatching(new RegExp(`still run: process(es)? .*\\b${pid}\\b.*; end it or wait for it`)),
    });
    expect(pids(root)).toHaveLength(1);
    expect((await tools.tasks.list()).tasks).toMatchObject([{ state: 'interrupted' }]);
    process.kill(pid, 'SIGKILL');
  });

  test('ends what lives of it, or waits for it, when asked', { timeout: 60_000 }, async () => {
    const ended = await killed('3');
    const again = await ended.tools.runTask(ended.key, { interrupted: true, stillRunning: 'end' });
    expect(again).toMatchObject({ executed: true, status: 'success' });
    expect(isGone(ended.pid)).toBe(true);
    // The first one did not come to its end.
    expect(readFileSync(join(ended.root, 'log'), 'utf8')).toBe('ended\n');
    const waited = await killed('2');
    expect(await waited.tools.runTask(waited.key, { interrupted: true, stillRunning: 'wait' })).toMatchObject({
      executed: true,
      status: 'success',
    });
    expect(readFileSync(join(waited.root, 'log'), 'utf8')).toBe('ended\nended\n');
  });
});
