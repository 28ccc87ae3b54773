import { describe, expect, test } from 'vitest';
import { HookwrightError } from '../../../src/errors.ts';
import type { HookConfig } from '../../../src/protocol/index.ts';
import type { ExecutionRequest, Executor } from '../../../src/runners/index.ts';
import { HookRunner } from '../../../src/runners/index.ts';
import { CommandBench } from '../../support/commands.ts';
import { hostWith } from '../../support/host.ts';
import { untyped } from '../../support/untyped.ts';

const bench = new CommandBench();

const run = (executor: Executor, hook: HookConfig = {}, signal?: AbortSignal) =>
  bench.run({ command: 'check', name: 'guard', ...hook }, { executor, signal });

/** Far below the timeout of these hooks, 60 s, and above what a busy machine adds. */
const AT_ONCE_MS = 5_000;

/** Foreign code is not bound by our types. */
const foreign = (executor: (request: ExecutionRequest) => unknown): Executor =>
  // @ts-expect-error an executor must answer with a result
  executor;

const fine = { exitCode: 0, stdout: '{"decision":"deny"}', stderr: '' };

test('it is asked for what is to be run, and its answer is read like that of a process of ours', async () => {
  let asked: ExecutionRequest | undefined;
  const { result, runId } = await run(
    async (request) => {
      asked = request;
      return fine;
    },
    { command: 'check --fast', cwd: '/work', env: { A: '1' }, timeout: 400 },
  );
  expect(result).toMatchObject({ success: true, output: { decision: 'deny' }, outputFormat: 'json', exitCode: 0 });
  expect(asked).toMatchObject({
    file: 'check',
    args: ['--fast'],
    cwd: '/work',
    env: { A: '1', HOOKWRIGHT_RUN: runId },
    stdin: '{"tool_name":"Bash"}',
    timeoutMs: 400,
    limits: { stdoutBytes: 1_048_576, stderrBytes: 262_144 },
  });
  expect(bench.processes.running).toBe(0);
});

test('a line is read anew when the hook or its place changes, whatever an executor did to what it was told', async () => {
  const asked: string[] = [];
  const executor = foreign(async ({ args }) => {
    asked.push(args.join(' '));
    // Types are all that forbids it.
    if (Array.isArray(args)) args.splice(0);
    return fine;
  });
  let project = '/one';
  const runner = new HookRunner(hostWith({ getWorkingDir: () => project }), { executor });
  const hook: HookConfig = { type: 'command', name: 'guard', command: 'check $HOOKWRIGHT_PROJECT_DIR' };
  const check = async () => runner.executeHook(hook, 'BeforeTool', untyped({ tool_name: 'Bash', tool_input: {} }));
  await check();
  await check();
  project = '/two';
  await check();
  Object.assign(hook, { command: 'check --all' });
  await check();
  expect(asked).toEqual(['/one', '/one', '/two', '--all']);
});

test('bytes are read as well as text', async () => {
  const { result } = await run(async () => ({ ...fine, exitCode: 2, stdout: '', stderr: Buffer.from('é') }));
  expect(result).toMatchObject({ success: false, exitCode: 2, output: { decision: 'block', reason: 'é' } });
});

test.each([
  ['timedOut', 'timeout'],
  ['tooLarge', 'output-too-large'],
])('what it says about limits counts (%s)', async (key, code) => {
  const { result } = await run(foreign(() => ({ exitCode: null, stdout: 'x', stderr: '', [key]: true })));
  expect(result).toMatchObject({ success: false, code, stdout: 'x' });
});

test('what it could not start is a failed start', async () => {
  const { result } = await run(async () => ({ error: new Error('no sandbox') }));
  expect(result).toMatchObject({ success: false, code: 'spawn-failed' });
  expect(result.error?.message).toBe('Hook "guard": no sandbox');
});

describe('F38 an executor that misbehaves is a fault of the hook and nothing more', () => {
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const throwing = {
    get exitCode(): number {
      throw new Error('looked at');
    },
  };

  test.each<[string, (request: ExecutionRequest) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('on purpose');
      },
    ],
    [
      'throws undefined',
      () => {
        throw undefined;
      },
    ],
    ['rejects', () => Promise.reject(new Error('on purpose'))],
    ['rejects with null', () => Promise.reject(null)],
    ['rejects with something that cannot be looked at', () => Promise.reject(revoked())],
    ['answers nothing', () => undefined],
    ['answers null', async () => null],
    ['answers text', async () => 'done'],
    ['answers without an exit code', async () => ({ stdout: '', stderr: '' })],
    ['answers with an exit code of the wrong kind', async () => ({ ...fine, exitCode: '0' })],
    ['answers with a broken exit code', async () => ({ ...fine, exitCode: Number.NaN })],
    ['answers with output of the wrong kind', async () => ({ ...fine, stdout: 7 })],
    ['answers with something that throws', async () => throwing],
    ['answers with something that cannot be looked at', () => revoked()],
  ])('%s', async (_what, executor) => {
    const { result, ms } = await run(foreign(executor));
    expect(result).toMatchObject({ success: false, code: 'threw', error: expect.any(HookwrightError) });
    expect(result).not.toHaveProperty('output');
    expect(ms).toBeLessThan(AT_ONCE_MS);
  });

  test('never answers: the hook times out by our own clock', async () => {
    const { result, ms } = await run(() => new Promise(() => undefined), { timeout: 200 });
    expect(result).toMatchObject({ success: false, code: 'timeout' });
    expect(ms).toBeGreaterThanOrEqual(195);
    expect(ms).toBeLessThan(AT_ONCE_MS);
  });

  test('answers or rejects too late: nobody hears it', async () => {
    for (const isAnswer of [true, false]) {
      let settle = (): void => undefined;
      const late = (): Promise<typeof fine> =>
        new Promise((resolve, reject) => {
          settle = () => (isAnswer ? resolve(fine) : reject(new Error('late')));
        });
      const { result } = await run(late, { timeout: 20 });
      expect(result.code).toBe('timeout');
      settle();
      // A rejection that nothing handles would fail the test file here.
      await new Promise(setImmediate);
    }
  });

  test('prints more than it may: too large, and no answer', async () => {
    const { result } = await run(async () => ({ ...fine, stdout: `{"a":"${'é'.repeat(600_000)}"}` }));
    expect(result).toMatchObject({ success: false, code: 'output-too-large', stdout: '' });
  });
});

describe('F74 aborts', () => {
  test('aborted before, it is not asked', async () => {
    let isAsked = false;
    const executor: Executor = async () => {
      isAsked = true;
      return fine;
    };
    const { result } = await run(executor, {}, AbortSignal.abort());
    expect(result.code).toBe('cancelled');
    expect(isAsked).toBe(false);
  });

  test.each([
    ['cancelled', new Error('stop')],
    ['deadline', new HookwrightError('deadline_exceeded', 'too late')],
  ])('aborted meanwhile, the answer is %s at once, whether the executor listens or not', async (code, reason) => {
    const controller = new AbortController();
    const running = run(() => new Promise(() => undefined), {}, controller.signal);
    controller.abort(reason);
    const { result, ms } = await running;
    expect(result).toMatchObject({ success: false, code });
    expect(ms).toBeLessThan(AT_ONCE_MS);
  });
});
