import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHost, startHost } from '../support/hosts.ts';
import { atMost } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const compiler = process.env.CC ?? 'cc';
const hasCompiler = process.platform === 'linux' && spawnSync(compiler, ['--version']).status === 0;

let file: string;
let directory: string;

beforeAll(async () => {
  file = await buildHost('clock');
  directory = temporaryFolder('clock');
});

afterAll(() => {
  rmSync(file);
  rmSync(directory, { recursive: true });
});

interface Report {
  readonly jumpedMs: number;
  readonly results: Readonly<Record<string, { readonly ms: number; readonly outcome: string }>>;
}

const reportOf = (stdout: string): Report => JSON.parse(stdout.slice(stdout.indexOf('{')));

const outcomes = {
  'a command that hangs': 'timeout',
  'a command that answers': 'deny',
  'a function that hangs': 'timeout',
  'a request with a deadline': 'deadline_exceeded',
};

const outcomesOf = ({ results }: Report): Record<string, string> =>
  Object.fromEntries(Object.entries(results).map(([what, { outcome }]) => [what, outcome]));

describe.skipIf(!hasCompiler)(`F75 the clock jumps${hasCompiler ? '' : ' (needs Linux and a C compiler)'}`, () => {
  test.each([
    ['an hour ahead', 3_600],
    ['an hour back', -3_600],
  ])('%s: every timeout and every deadline is as long as it would have been', async (_way, seconds) => {
    const library = join(directory, 'clock-jump.so');
    const jumpFile = join(directory, `jump ${seconds}`);
    const source = join(import.meta.dirname, '../fixtures/clock-jump.c');
    execFileSync(compiler, ['-shared', '-fPIC', '-o', library, source, '-ldl']);
    const prefix = ['env', `LD_PRELOAD=${library}`, `JUMP=${seconds}`, `JUMP_FILE=${jumpFile}`];
    const { stdout } = await startHost(file, [], prefix).ended;
    const report = reportOf(stdout);
    expect(Math.round(report.jumpedMs / 1_000)).toBe(seconds);
    expect(outcomesOf(report)).toEqual(outcomes);
    for (const [what, { ms }] of Object.entries(report.results)) {
      expect(ms, what).toBeGreaterThanOrEqual(what === 'a command that answers' ? 690 : 1_495);
      expect(ms, what).toBeLessThanOrEqual(atMost(1_700));
    }
  });
});

test.skipIf(process.platform === 'win32')(
  'F75 a host that was stopped past the timeout of a hook hears the answer that came in time',
  async () => {
    const { child, says, ended } = startHost(file, []);
    await says('ready');
    // Until the hooks have been started.
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    child.kill('SIGCONT');
    const { stdout } = await ended;
    expect(outcomesOf(reportOf(stdout))).toEqual(outcomes);
  },
);
