import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HookExecutionTrace } from '../../src/index.ts';
import { StartHelper } from '../../src/runners/process/helper/start-helper.ts';
import { CommandBench, fixture } from '../support/commands.ts';
import { engineOf } from '../support/engine.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { atMost, childrenOf, isAlive, processesWithMarker, until } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isLinux = process.platform === 'linux';
const standStill = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const ready = async (helper: StartHelper): Promise<number> => {
  await until('the helper is ready', 10_000, () => helper.isReady);
  return helper.pid ?? 0;
};

describe.runIf(isLinux)('R830 a helper that starts the processes of a large host', () => {
  const told: string[] = [];
  let helper: StartHelper;
  let bench: CommandBench;

  beforeEach(async () => {
    told.length = 0;
    helper = new StartHelper();
    helper.join(told, (message) => told.push(message));
    await ready(helper);
    bench = new CommandBench({ start: (request) => helper.start(request) });
  });

  afterEach(async () => {
    await bench.close();
    helper.leave(told);
  });

  test('hands over a process of its own, with its pipes', async () => {
    const { result } = await bench.run({ command: 'echo "$PPID"; cat' });
    expect(result.stdout).toBe(`${helper.pid}\n{"tool_name":"Bash"}`);
  });

  test('that is killed: what runs is ended and known to be, what was asked for is started directly, and it is said', async () => {
    const running = bench.run({ command: 'sleep 30', timeout: 10_000 });
    await until('it runs', 2_000, () => bench.processes.running > 0);
    process.kill(helper.pid ?? 0, 'SIGKILL');
    const asked = bench.run({ command: 'echo "$PPID"', timeout: 10_000 });
    const [{ result, runId }, { result: direct }] = await Promise.all([running, asked]);
    expect(result).toMatchObject({ success: false, code: 'killed-by-signal', signal: 'SIGKILL' });
    expect(processesWithMarker(runId)).toEqual([]);
    expect(direct).toMatchObject({ success: true, stdout: `${process.pid}\n` });
    expect(helper.isReady).toBe(false);
    expect(told).toEqual([
      'the start helper ended with SIGKILL; 1 of the hooks it had started were ended with it; the host starts hooks itself, which blocks its event loop for a moment each time',
    ]);
  });

  test('that is killed takes no block with it that was printed already', async () => {
    const running = bench.run({ command: `echo '{"decision":"deny"}'; sleep 30`, timeout: 10_000 });
    await until('it runs', 2_000, () => bench.processes.running > 0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    process.kill(helper.pid ?? 0, 'SIGKILL');
    expect((await running).result).toMatchObject({ output: { decision: 'deny' } });
  });

  test('R1355 that ends leaves nothing of a run that was cancelled before the host had heard of its start', async () => {
    const runId = `unheard-${process.pid}-${performance.now()}`;
    const controller = new AbortController();
    const env = { PATH: process.env.PATH ?? '', HOOKWRIGHT_RUN: runId };
    const request = { file: fixture('escapes.sh'), args: [], cwd: tmpdir(), env, stdin: '', timeoutMs: 30_000 };
    const limits = { stdoutBytes: 1_000, stderrBytes: 1_000 };
    const started = helper.start({ ...request, limits, signal: controller.signal });
    // The host is busy: it hears nothing while the process is started, leaves its group and is ended.
    standStill(500);
    expect(processesWithMarker(runId)).toHaveLength(3);
    controller.abort();
    standStill(500);
    expect(processesWithMarker(runId)).toHaveLength(1);
    helper.leave(told);
    expect(await started).toHaveProperty('failure');
    await until('nothing of it is left', atMost(500), () => processesWithMarker(runId).length === 0);
  });

  test('that is stopped is given up within a second, and nothing is started twice', async () => {
    process.kill(helper.pid ?? 0, 'SIGSTOP');
    const { result, ms } = await bench.run({ command: 'echo "$PPID"', timeout: 10_000 });
    expect(result).toMatchObject({ success: true, stdout: `${process.pid}\n` });
    expect(ms).toBeGreaterThanOrEqual(900);
    expect(ms).toBeLessThanOrEqual(atMost(1_300));
    expect(told).toEqual([expect.stringContaining('did not respond for 1000 ms')]);
  });

  test('that is stopped does not keep whoever cancels waiting, and takes nothing of the time a hook has', async () => {
    process.kill(helper.pid ?? 0, 'SIGSTOP');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const [late, cancelled] = await Promise.all([
      bench.run({ command: 'sleep 0.1; echo done', timeout: 500 }),
      bench.run({ command: 'sleep 30', timeout: 10_000 }, { signal: controller.signal }),
    ]);
    expect(late.result).toMatchObject({ success: true, stdout: 'done\n' });
    expect(late.ms).toBeGreaterThanOrEqual(1_000);
    expect(cancelled.result.code).toBe('cancelled');
    expect(cancelled.ms).toBeLessThanOrEqual(atMost(150));
    await until('it was given up', 2_000, () => !helper.isReady);
  });

  test('ends with the last who wanted it, and what it still ran with it', async () => {
    const pid = helper.pid ?? 0;
    const other = {};
    helper.join(other, () => undefined);
    helper.leave(told);
    expect(helper.isReady).toBe(true);
    const running = bench.run({ command: fixture('ignores-term.sh'), timeout: 10_000 });
    await until('it runs', 2_000, () => bench.processes.running > 0);
    helper.leave(other);
    expect((await running).result.code).toBe('killed-by-signal');
    await until('the helper is gone', atMost(500), () => !isAlive(pid));
    expect(told).toEqual([]);
  });
});

describe.runIf(isLinux)('R831 an engine', () => {
  const host = { getWorkingDir: () => tmpdir() };
  const askPpid = { name: 'ppid', command: `printf '{"systemMessage":"%s"}' "$PPID"; true` };

  test('in a host that is large has its third command started by a helper, which ends with it', async () => {
    const system = await engineOf({
      hooks: { BeforeTool: [{ hooks: [askPpid] }] },
      deps: { limits: { largeHostBytes: 1 } },
      host,
    });
    const ask = async () => (await system.getEventHandler().fireBeforeToolEvent('x', {})).finalOutput?.systemMessage;
    const own = String(process.pid);
    expect(await ask()).toBe(own);
    expect(await ask()).toBe(own);
    let helper = own;
    for (const until = performance.now() + 10_000; helper === own && performance.now() < until; ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      helper = (await ask()) ?? '';
    }
    expect(childrenOf(process.pid, '--eval')).toContain(Number(helper));
    await system.dispose();
    await until('the helper is gone', atMost(500), () => !isAlive(helper));
  });

  test('in a small host starts its commands itself', async () => {
    const limits = { largeHostBytes: Number.MAX_SAFE_INTEGER };
    const system = await engineOf({ hooks: { BeforeTool: [{ hooks: [askPpid] }] }, deps: { limits }, host });
    for (let count = 0; count < 6; count += 1) {
      const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('x', {});
      expect(finalOutput?.systemMessage).toBe(String(process.pid));
    }
  });

  test('has what waits for its event started by the helper, too', async () => {
    const traces: HookExecutionTrace[] = [];
    const system = await engineOf({
      hooks: { BeforeTool: [{ hooks: [{ name: 'warm', command: `read -r line; ${askPpid.command}`, warm: true }] }] },
      deps: { limits: { largeHostBytes: 1 }, onTrace: (trace) => traces.push(trace) },
      host,
    });
    const own = String(process.pid);
    const answers: (string | undefined)[] = [];
    const isServed = () => traces.at(-1)?.rows[0]?.warm === 'hit' && answers.at(-1) !== own;
    for (const until = performance.now() + 10_000; !isServed() && performance.now() < until; ) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      answers.push((await system.getEventHandler().fireBeforeToolEvent('x', {})).finalOutput?.systemMessage);
    }
    expect(traces.at(-1)?.rows).toMatchObject([{ outcome: 'answered', warm: 'hit' }]);
    expect(answers.at(-1)).not.toBe(own);
  });
});

describe.runIf(isLinux)('R832 the helper when its host ends', () => {
  const files = new Map<string, string>();

  beforeAll(async () => {
    for (const name of ['ends', 'once', 'no-descriptors']) files.set(name, await buildHost(name));
  });

  afterAll(() => {
    for (const file of files.values()) rmSync(file);
  });

  const hooks = ['family.sh', 'ignores-term.sh', 'escapes.sh'].map(fixture);
  const host = (name: string, args: readonly string[], prefix: readonly string[] = []) =>
    startHost(files.get(name) ?? '', args, [...prefix, 'env', 'LANE=helper']);
  const helperIn = (stdout: string): string => /^helper (\d+)$/m.exec(stdout)?.[1] ?? '';

  test.concurrent.each([
    ['by process.exit', 'exit', undefined],
    ['by an uncaught error', 'throw', undefined],
    ['by SIGINT', 'wait', 'SIGINT'],
    ['by SIGTERM', 'wait', 'SIGTERM'],
  ] as const)('F70 %s: neither it nor a hook is left', async (_way, how, signal) => {
    const { child, says, ended } = host('ends', [how, ...hooks]);
    if (signal !== undefined) {
      await says('ready');
      child.kill(signal);
    }
    const { stdout } = await ended;
    const helper = helperIn(stdout);
    expect(helper).not.toBe('');
    const alive = (): number[] => [1, 2, 3].flatMap((count) => processesWithMarker(`${child.pid}-${count}`));
    await until('no orphan is left', atMost(1_000), () => alive().length === 0 && !isAlive(helper));
  });

  test.concurrent('F71 by SIGKILL: the helper ends what it started, and itself', async () => {
    const { child, says, ended } = host('ends', ['wait', ...hooks]);
    await says('ready');
    expect(processesWithMarker(`${child.pid}-1`).length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    const helper = helperIn((await ended).stdout);
    const alive = (): number[] => [1, 2, 3].flatMap((count) => processesWithMarker(`${child.pid}-${count}`));
    await until('no orphan is left', atMost(1_000), () => alive().length === 0 && !isAlive(helper));
  });

  test.concurrent('F77 it does not keep a host alive that has nothing else to do', async () => {
    const { ended } = host('once', ['sort']);
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(0);
    expect(stdout).toContain('"success":true');
    await until('the helper is gone', atMost(1_000), () => !isAlive(helperIn(stdout)));
  });

  test.concurrent('F14 without file descriptors the start fails, the host survives and goes on after relief', async () => {
    const { exitCode, stdout, stderr } = await host('no-descriptors', [], ['sh', '-c', 'ulimit -n 64; exec "$@"', 'sh'])
      .ended;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout.split('\n')[1] ?? '')).toEqual([
      { code: 'spawn-failed', success: false, error: expect.stringContaining('EMFILE') },
      { success: true },
    ]);
  });
});

test.runIf(isLinux)('R833 a helper that cannot be started is told of, and hooks are started directly', async () => {
  const told: string[] = [];
  const helper = new StartHelper('/no/such/node');
  helper.join(told, (message) => told.push(message));
  await until('it is told', 2_000, () => told.length > 0);
  expect(told).toEqual([
    expect.stringMatching(/^the start helper cannot be started: .*ENOENT; the host starts hooks itself/),
  ]);
  expect(helper.isReady).toBe(false);
  helper.leave(told);
});

test.runIf(isLinux)('R2092 an agent that is one executable is not started in place of Node', async () => {
  const folder = temporaryFolder('executable');
  const [agent, worker] = [join(folder, 'my-agent'), join(folder, 'worker.mjs')];
  copyFileSync(process.execPath, agent);
  chmodSync(agent, 0o755);
  writeFileSync(worker, 'export default () => ({ systemMessage: process.execPath });');
  const file = await buildHost('executable');
  // The agent takes the place of the `node` that hosts are started with.
  const { stdout, stderr } = await startHost(file, [worker], ['sh', '-c', 'shift; exec "$0" "$@"', agent]).ended;
  rmSync(file);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ own: 'my-agent', starter: 'node', worker: expect.stringMatching(/\/node$/) });
});
