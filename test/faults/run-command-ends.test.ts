import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandBench, D, fixture, G, T } from '../support/commands.ts';
import { wordsOf } from '../support/notices.ts';
import { atMost, processesWithMarker, until } from '../support/processes.ts';
import { keepStartHelper, lanes } from '../support/start-lanes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isLinux = process.platform === 'linux';

keepStartHelper();

// They wait most of the time, so they wait together; what is left behind is looked at when all are over.
describe.skipIf(process.platform === 'win32').each(lanes)('commands started by $lane', ({ start }) => {
  let bench: CommandBench;
  let directory: string;

  beforeAll(() => {
    directory = temporaryFolder();
    bench = new CommandBench({ start });
  });

  afterAll(async () => {
    await bench.close();
    rmSync(directory, { recursive: true });
  });

  describe('time', () => {
    test.concurrent('F01 a hook that runs past its timeout is answered for at once and gone soon after', async () => {
      const { result, ms, runId } = await bench.run({ command: 'sleep 30', timeout: T });
      expect(result).toMatchObject({ success: false, code: 'timeout', stdout: '', stderr: '' });
      expect(result).not.toHaveProperty('exitCode');
      expect(result).not.toHaveProperty('output');
      expect(result.error?.message).toBe('Hook "sleep 30": no answer within 500 ms');
      expect(ms).toBeGreaterThanOrEqual(T - 5);
      expect(ms).toBeLessThanOrEqual(atMost(T + 100));
      await until('the hook is gone', atMost(T + G + 250 - ms), () => processesWithMarker(runId).length === 0);
    });

    test.concurrent('F01 what was printed before the timeout is kept, and is no answer', async () => {
      const { result } = await bench.run({ command: `echo '{"decision":"allow"}'; sleep 30`, timeout: T });
      expect(result).toMatchObject({ code: 'timeout', stdout: '{"decision":"allow"}\n' });
      expect(result.output).toBeUndefined();
    });

    test.concurrent.each([
      ['ignores SIGTERM', 'ignores-term.sh'],
      ['stops itself', 'stops-itself.sh'],
    ])('F02 a hook that %s is killed after the grace period', async (_what, name) => {
      const { result, ms, runId } = await bench.runFixture(name, [], { timeout: T });
      expect(result.code).toBe('timeout');
      expect(ms).toBeLessThanOrEqual(atMost(T + 100));
      if (isLinux) expect(processesWithMarker(runId).length).toBeGreaterThan(0);
      const goneAfter = await until('the hook is gone', atMost(G + 250), () => processesWithMarker(runId).length === 0);
      if (isLinux) expect(goneAfter).toBeGreaterThanOrEqual(G - 50);
    });

    test.concurrent('F02 a hook is asked once to end and has the grace period to tidy up', async () => {
      const note = join(directory, 'note');
      await bench.runFixture('tidies-up.mjs', [note], { timeout: 3 * T });
      await bench.processes.idle(G + 250);
      expect(readFileSync(note, 'utf8')).toBe('tidy');
    });

    test.concurrent('F04 the whole process tree is gone after a timeout', async () => {
      const { result, ms, runId } = await bench.runFixture('family.sh', [], { timeout: T });
      expect(result.code).toBe('timeout');
      expect(ms).toBeLessThanOrEqual(atMost(T + 100));
      await until('the family is gone', atMost(G + 250), () => processesWithMarker(runId).length === 0);
    });

    test.concurrent('F05 a member that ignores SIGTERM is killed although the leader went at once', async () => {
      const { result, runId } = await bench.runFixture('leader-dies.sh', [], { timeout: T });
      expect(result.code).toBe('timeout');
      if (isLinux) {
        await until('the leader is gone', atMost(150), () => processesWithMarker(runId).length <= 2);
        expect(processesWithMarker(runId).length).toBeGreaterThan(0);
      }
      await until('the member is gone', atMost(G + 250), () => processesWithMarker(runId).length === 0);
    });

    test.runIf(isLinux).concurrent.each([
      ['a session of its own, the hook running on', 'escapes.sh', 'timeout'],
      ['a session of its own, the hook ending', 'escapes-and-exits.sh', undefined],
      ['a job of its own', 'job-control.sh', undefined],
    ])('F06 a process that left for %s is found by its marker and ended', async (_where, name, code) => {
      const { result, ms, runId } = await bench.runFixture(name, [], { timeout: T });
      expect(result.code).toBe(code);
      expect(ms).toBeLessThanOrEqual(atMost(T + 100));
      await until(
        'the escaped process is gone',
        atMost(T + G + 250 - ms),
        () => processesWithMarker(runId).length === 0,
      );
    });

    test.runIf(isLinux).concurrent('F06 an escaped process that ignores SIGTERM is killed', async () => {
      const line = `(setsid ${fixture('ignores-term.sh')} >/dev/null 2>&1 &); sleep 0.2`;
      const { runId } = await bench.run({ command: line });
      expect(processesWithMarker(runId).length).toBeGreaterThan(0);
      await until('the escaped process is gone', atMost(100 + G + 250), () => processesWithMarker(runId).length === 0);
    });

    test.concurrent.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
      'F16 a timeout of %d does not end the hook at once',
      async (timeout) => {
        const { result } = await bench.run({ command: "sleep 0.1; echo '{}'", timeout });
        expect(result).toMatchObject({ success: true, output: {} });
      },
    );
  });

  describe('the background', () => {
    test.concurrent('F02 a whole answer in front of a held pipe is hardly waited for, anything else for all of the drain time', async () => {
      const limits = { drainMs: 2_000, stdoutBytes: 1_024, stderrBytes: 1_024 };
      const said = (printed: string) =>
        bench.run({ command: `printf '%s' '${printed}'; sleep 30 & exit 0` }, { limits });
      const [whole, text, half] = await Promise.all(
        ['{"decision":"deny"}', 'hello', '{"decision":"allow"} {"decision":"de'].map(said),
      );
      expect(whole?.result).toMatchObject({ success: true, output: { decision: 'deny' } });
      expect(whole?.ms).toBeLessThan(1_500);
      expect(text?.ms).toBeGreaterThanOrEqual(1_995);
      expect(half?.ms).toBeGreaterThanOrEqual(1_995);
    });

    test.concurrent('F03 a block is not lost to a grandchild that holds stdout', async () => {
      const { result, ms } = await bench.runFixture('holds-pipe.sh');
      expect(result).toMatchObject({ success: false, exitCode: 2, output: { decision: 'block' } });
      expect(result).not.toHaveProperty('code');
      expect(wordsOf(result.warnings)).toContain('held-pipe');
      expect(ms).toBeGreaterThanOrEqual(D - 5);
      expect(ms).toBeLessThanOrEqual(atMost(D + 100));
    });

    test.concurrent('a background process that holds nothing is ended too, and not waited for', async () => {
      const { result, ms, runId } = await bench.runFixture('background.sh');
      expect(result).toMatchObject({ success: true, output: { decision: 'allow' } });
      expect(result).not.toHaveProperty('warnings');
      expect(ms).toBeLessThan(atMost(100 + D));
      await until('the background is gone', atMost(G + 250), () => processesWithMarker(runId).length === 0);
    });

    test.runIf(isLinux).concurrent('leaveBackground leaves it alone', async () => {
      const { result, runId } = await bench.runFixture('background.sh', [], { leaveBackground: true });
      expect(result.success).toBe(true);
      await bench.processes.idle(G + 250);
      await new Promise((resolve) => setTimeout(resolve, G + 250));
      const [left = 0, ...more] = processesWithMarker(runId);
      expect(more).toEqual([]);
      process.kill(left, 'SIGKILL');
    });

    test.concurrent('leaveBackground does not protect a hook that ran out of time', async () => {
      const { result, runId } = await bench.runFixture('family.sh', [], { leaveBackground: true, timeout: T });
      expect(result.code).toBe('timeout');
      await until('the family is gone', atMost(G + 250), () => processesWithMarker(runId).length === 0);
    });
  });
});
