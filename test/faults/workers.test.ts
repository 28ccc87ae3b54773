import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { HookConfig, HookExecutionResult, HookSystemDeps } from '../../src/index.ts';
import { HookRunner } from '../../src/runners/index.ts';
import { G } from '../support/commands.ts';
import { sleep } from '../support/engine.ts';
import { hostWith } from '../support/host.ts';
import {
  atMost,
  expectNothingLeft,
  type Holdings,
  holdings,
  isAlive,
  until,
  watchTroubles,
} from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';

const T = 2_000;
const workers = join(import.meta.dirname, '../fixtures/workers');
const odd = (...args: string[]): HookConfig => ({
  type: 'worker',
  name: 'odd',
  command: 'node',
  args: [join(workers, 'odd.mjs'), ...args],
  timeout: T,
});

let before: Holdings;
let bench: Bench;

/** The hooks of one engine, asked one by one. */
class Bench {
  readonly runner: HookRunner;

  constructor(limits: HookSystemDeps['limits'] = {}) {
    this.runner = new HookRunner(hostWith({ getWorkingDir: () => tmpdir() }), {
      limits: { killGraceMs: G, concurrency: 100, ...limits },
    });
  }

  ask(hook: HookConfig, wish: object = {}, signal?: AbortSignal): Promise<HookExecutionResult> {
    const input = { tool_name: 'Bash', tool_input: wish };
    return this.runner.executeHook(hook, 'BeforeTool', untyped(input), signal);
  }

  async pid(hook: HookConfig): Promise<number> {
    return Number((await this.ask(hook)).output?.reason);
  }

  /** Nothing is left when an engine was disposed of. */
  async close(): Promise<void> {
    const startedAt = performance.now();
    await this.runner.dispose();
    expect(performance.now() - startedAt).toBeLessThan(G + atMost(300));
    await expectNothingLeft({ before, runIds: [], withinMs: 1_000 });
  }
}

beforeEach(() => {
  watchTroubles();
  before = holdings();
  bench = new Bench();
});

const timed = async <Result>(run: Promise<Result>): Promise<{ result: Result; ms: number }> => {
  const startedAt = performance.now();
  const result = await run;
  return { result, ms: performance.now() - startedAt };
};

describe.skipIf(process.platform === 'win32')('a worker', () => {
  test('R774 answers one request after another, and many at once, from one process', async () => {
    const pids = new Set([await bench.pid(odd()), await bench.pid(odd())]);
    const many = await Promise.all(Array.from({ length: 100 }, () => bench.pid(odd())));
    for (const pid of many) pids.add(pid);
    expect(pids.size).toBe(1);
    const [pid = 0] = pids;
    expect(isAlive(pid)).toBe(true);
    await bench.close();
    expect(isAlive(pid)).toBe(false);
  });

  test('R775 may be a script that exports a function', async () => {
    for (const command of [`node ${join(workers, 'exports.mjs')}`, join(workers, 'exports.mjs')]) {
      const result = await bench.ask({ type: 'worker', command, timeout: T });
      expect(result).toMatchObject({ success: true, output: { decision: 'deny' }, outputFormat: 'json' });
      expect(result.output?.reason).toMatch(/^Bash by \d+$/);
    }
    await bench.close();
  });

  const readsTypes = Reflect.get(process.features, 'typescript') === 'strip';

  describe.skipIf(!readsTypes)(readsTypes ? 'in TypeScript' : '(skipped: this Node cannot run TypeScript)', () => {
    test('R775 may be a script in TypeScript', async () => {
      for (const command of [`node ${join(workers, 'exports.ts')}`, join(workers, 'exports.ts')]) {
        const { output } = await bench.ask({ type: 'worker', command, timeout: T });
        expect(output).toEqual({ decision: 'deny', reason: 'Bash in TypeScript' });
      }
      await bench.close();
    });
  });

  test('an error is a fault, no output no opinion, and anything but an object malformed', async () => {
    expect(await bench.ask(odd(), { do: 'error' })).toMatchObject({ success: false, code: 'threw' });
    const nothing = await bench.ask(odd(), { do: 'nothing' });
    expect(nothing).toMatchObject({ success: true });
    expect(nothing.output).toBeUndefined();
    expect((await bench.ask(odd(), { do: 'text' })).code).toBe('malformed-output');
    await bench.close();
  });

  test('F47 crashes in the middle of a request, or of ten: each is told once, and none is sent again', async () => {
    await bench.pid(odd());
    const { result, ms } = await timed(bench.ask(odd(), { do: 'crash with words' }));
    expect(result.code).toBe('worker-crashed');
    expect(result.error?.message).toContain('exit code 1): no memory for this');
    expect(ms).toBeLessThan(atMost(200));
    const hanging = Array.from({ length: 9 }, () => bench.ask(odd(), { do: 'hang' }));
    const all = await Promise.all([...hanging, bench.ask(odd(), { do: 'crash on itself' })]);
    expect(all.map(({ code }) => code)).toEqual(Array.from({ length: 10 }, () => 'worker-crashed'));
    await bench.close();
  });

  test('F47 is started again after a pause that grows', async () => {
    const first = await bench.pid(odd());
    expect((await bench.ask(odd(), { do: 'crash' })).code).toBe('worker-crashed');
    const { result: second, ms } = await timed(bench.pid(odd()));
    expect(second).not.toBe(first);
    expect(ms).toBeGreaterThanOrEqual(95);
    await bench.close();
  });

  test('F48 hangs: out of time, and replaced', async () => {
    const first = await bench.pid(odd());
    const { result, ms } = await timed(bench.ask({ ...odd(), timeout: 300 }, { do: 'hang' }));
    expect(result.code).toBe('timeout');
    expect(ms).toBeGreaterThanOrEqual(295);
    expect(ms).toBeLessThan(300 + atMost(100));
    await until('the hanging process is gone', G + 500, () => !isAlive(first));
    expect(await bench.pid(odd())).not.toBe(first);
    await bench.close();
  });

  test('F48 hangs on one request while others are on their way: those are answered', async () => {
    const short = { ...odd(), timeout: 1_000 };
    await bench.pid(odd());
    const hanging = bench.ask(short, { do: 'hang' });
    await sleep(600);
    const late = bench.ask(short, { do: 'late', ms: 600 });
    expect((await hanging).code).toBe('timeout');
    expect((await late).code).toBeUndefined();
    await bench.close();
  });

  test('F48 answers late: dropped by its id', async () => {
    await bench.pid(odd());
    const controller = new AbortController();
    const late = bench.ask(odd(), { do: 'late', ms: 200 }, controller.signal);
    setTimeout(() => controller.abort(), 50);
    const { result, ms } = await timed(late);
    expect(result.code).toBe('cancelled');
    expect(ms).toBeLessThan(50 + atMost(50));
    await sleep(250);
    expect((await bench.ask(odd())).warnings).toBeUndefined();
    await bench.close();
  });

  test('F48 never reads: what waits for it is bounded', async () => {
    const hook = { ...odd('never reads'), timeout: 800 };
    const wish = { content: 'x'.repeat(1 << 20) };
    const { rss } = process.memoryUsage();
    const results = await Promise.all(Array.from({ length: 40 }, () => bench.ask(hook, wish)));
    const codes = results.map(({ code }) => code);
    expect(codes.filter((code) => code === 'overloaded').length).toBeGreaterThanOrEqual(30);
    expect(codes.filter((code) => code === 'timeout').length).toBeGreaterThanOrEqual(7);
    expect(process.memoryUsage().rss - rss).toBeLessThan(200 << 20);
    await bench.close();
  });

  test('F49 writes what is no answer: it is said, and nothing else happens', async () => {
    const result = await bench.ask(odd(), { do: 'noise' });
    expect(result).toMatchObject({ success: true, output: { reason: 'a\rb\u2028c' } });
    expect(result.output?.decision).toBeUndefined();
    // A greeting, an answer without an id, and an answer to no request.
    expect(result.warnings?.map(({ code }) => code)).toEqual(['noise', 'noise', 'noise']);
    expect((await bench.ask(odd(), { do: 'twice' })).output?.reason).toBe('first');
    expect((await bench.ask(odd())).output?.reason).toMatch(/^\d+$/);
    await bench.close();
  });

  test("F49 answers the request before: whoever waits is not told another's answer", async () => {
    await bench.pid(odd());
    const result = await bench.ask({ ...odd(), timeout: 300 }, { do: 'someone' });
    expect(result.code).toBe('timeout');
    await bench.close();
  });

  test('F22 F49 writes byte by byte: no character is torn', async () => {
    expect((await bench.ask(odd(), { do: 'pieces' })).output?.reason).toBe('é€😀');
    await bench.close();
  });

  test('F27 F49 nests too deep: no answer, and it stays alive', async () => {
    const first = await bench.pid(odd());
    expect((await bench.ask({ ...odd(), timeout: 300 }, { do: 'deep' })).code).toBe('timeout');
    expect(first).toBeGreaterThan(0);
    await bench.close();
  });

  test('F50 writes a line without an end: ended', async () => {
    const first = await bench.pid(odd());
    const { rss } = process.memoryUsage();
    const { result, ms } = await timed(bench.ask(odd(), { do: 'flood' }));
    expect(result.code).toBe('output-too-large');
    expect(ms).toBeLessThan(atMost(500));
    expect(process.memoryUsage().rss - rss).toBeLessThan(32 << 20);
    await until('the flood is gone', G + 500, () => !isAlive(first));
    await bench.close();
  });

  test('F51 starts slowly: that counts', async () => {
    const hook = odd('starts slowly');
    const { result, ms } = await timed(bench.ask({ ...hook, timeout: 300 }));
    expect(result.code).toBe('timeout');
    expect(ms).toBeLessThan(300 + atMost(100));
    expect((await bench.ask(hook)).code).toBeUndefined();
    await bench.close();
  });

  test('F51 prints a banner first: it is said, and it works', async () => {
    const { output, warnings } = await bench.ask(odd('banner'));
    expect(output?.reason).toMatch(/^\d+$/);
    expect(warnings).toMatchObject([{ code: 'noise', message: expect.stringContaining('Welcome') }]);
    await bench.close();
  });

  test('F51 dies at start: after five times it is left alone for a while', async () => {
    const hook = { ...odd('dies at start'), timeout: 5_000 };
    const codes = [];
    for (let round = 0; round < 5; round += 1) codes.push((await bench.ask(hook)).code);
    expect(codes).toEqual(Array.from({ length: 5 }, () => 'worker-crashed'));
    const { result, ms } = await timed(bench.ask(hook));
    expect(result.code).toBe('worker-unavailable');
    expect(ms).toBeLessThan(atMost(50));
    await bench.close();
  }, 20_000);

  test('F09 F51 cannot be started at all', async () => {
    const { code, error } = await bench.ask({ type: 'worker', command: './no-such-worker', timeout: T });
    expect(code).toBe('spawn-failed');
    expect(error?.message).toContain('no-such-worker');
    await bench.close();
  });

  test('F52 has served long enough: replaced between requests, and none is lost', async () => {
    bench = new Bench({ workerRequests: 10 });
    const results = [];
    for (let round = 0; round < 35; round += 1) results.push(await bench.ask(odd()));
    expect(results.every(({ code }) => code === undefined)).toBe(true);
    expect(new Set(results.map(({ output }) => output?.reason)).size).toBe(4);
    const many = await Promise.all(Array.from({ length: 50 }, () => bench.ask(odd())));
    expect(many.every(({ code }) => code === undefined)).toBe(true);
    await bench.close();
  });

  test.runIf(process.platform === 'linux')('F52 grows: replaced, and no request is lost', async () => {
    bench = new Bench({ workerRssBytes: 200 << 20 });
    const results = [];
    for (let round = 0; round < 12; round += 1) {
      results.push(await bench.ask(odd(), { do: 'grow' }));
      await sleep(100);
    }
    expect(results.every(({ code }) => code === undefined)).toBe(true);
    expect(new Set(results.map(({ output }) => output?.reason)).size).toBeGreaterThan(1);
    await bench.close();
  });

  test('deps.executor runs processes elsewhere, so no worker is started here', async () => {
    const runner = new HookRunner(hostWith(), { executor: () => Promise.reject(new Error('not asked')) });
    const result = await runner.executeHook(odd(), 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: {} }));
    expect(result.code).toBe('not-supported');
    await runner.dispose();
  });
});
