import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FaultCode, HookConfig, HookSystemDeps, Lane } from '../../src/index.ts';
import { runHttp } from '../../src/runners/lanes/http/http-lane.ts';
import { fixture, G } from '../support/commands.ts';
import { answersJson, type Endpoint, endpoint, rawEndpoint } from '../support/endpoints.ts';
import { engineOnBus, fn, requestFor, sleep } from '../support/engine.ts';
import { loopDelayDuring, loopLimit } from '../support/loop-delay.ts';
import {
  atMost,
  expectNothingLeft,
  type Holdings,
  holdings,
  processesWith,
  until,
  watchTroubles,
} from '../support/processes.ts';

const limits = { killGraceMs: G };
const host = { getWorkingDir: () => tmpdir() };
const T = 500;

interface Fault {
  readonly title: string;
  /** Made for each run, where a server has to be there for it. */
  readonly hook: HookConfig | (() => Promise<HookConfig>);
  readonly code: FaultCode;
  readonly deps?: HookSystemDeps;
  /** How often the request is made before; what comes of that does not count. */
  readonly after?: number;
  readonly matcher?: string;
  readonly toolName?: string;
  readonly toolInput?: Record<string, unknown>;
  /** Ends the request early: after so many milliseconds by its deadline, or by a cancellation. */
  readonly deadlineMs?: number;
  readonly cancelAfterMs?: number;
}

const command = (line: string, more: HookConfig = {}): HookConfig => ({ command: line, timeout: T, ...more });

const worker = (...args: string[]): HookConfig => ({
  type: 'worker',
  command: 'node',
  args: [join(import.meta.dirname, '../fixtures/workers/odd.mjs'), ...args],
  timeout: 2 * T,
});

const asking = async (server: Promise<Endpoint>, timeout = T): Promise<HookConfig> => ({
  type: 'http',
  url: (await server).url,
  timeout,
});

/** The exchange of HTTP hooks where every name leads to one address. */
const httpWith = (address: string): Lane => ({
  run: async ({ hook, eventName, input, answered, faulted }) => {
    const resolve: Parameters<typeof runHttp>[3]['resolve'] = (_name, callback) =>
      callback(null, [{ address, family: 4 }]);
    const limits = { stdoutBytes: 1_048_576 };
    const { code, error, output } = await runHttp(hook, eventName, input, { limits, environment: {}, resolve });
    return code === undefined ? answered(output) : faulted(code, error?.message ?? '');
  },
});

const faults: readonly Fault[] = [
  { title: 'F01 a hook past its timeout', hook: command('sleep 30'), code: 'timeout' },
  { title: 'F02 a hook that ignores SIGTERM', hook: command(fixture('ignores-term.mjs')), code: 'timeout' },
  { title: 'F02 a hook that stops itself', hook: command(fixture('stops-itself.sh')), code: 'timeout' },
  { title: 'F04 a family of processes', hook: command(fixture('family.sh')), code: 'timeout' },
  { title: 'F05 a leader that dies before its group', hook: command(fixture('leader-dies.sh')), code: 'timeout' },
  { title: 'F06 a process that leaves the group', hook: command(fixture('escapes.sh')), code: 'timeout' },
  {
    title: 'F07 ten megabytes of input that nobody reads',
    hook: command('exec sleep 30'),
    toolInput: { content: 'x'.repeat(10 << 20) },
    code: 'timeout',
  },
  { title: 'F09 a program that is not there', hook: command('./no-such-hook.sh'), code: 'spawn-failed' },
  {
    title: 'F09 a working directory that is not there',
    hook: command('true', { cwd: '/no/such' }),
    code: 'spawn-failed',
  },
  {
    title: 'F10 a flood',
    hook: command(`${fixture('flood.mjs')} 1 500`, { timeout: 10_000 }),
    code: 'output-too-large',
  },
  {
    title: 'F11 an environment too big',
    hook: command('true', { env: { BIG: 'x'.repeat(200_000) } }),
    code: 'spawn-failed',
  },
  {
    title: 'F10 a flood of words about it',
    hook: command(`${fixture('flood.mjs')} 2 500`, { timeout: 10_000 }),
    code: 'output-too-large',
  },
  { title: 'F15 a hook that kills itself', hook: command(fixture('kills-itself.sh')), code: 'killed-by-signal' },
  { title: 'R112 another exit code', hook: command(`${fixture('exits.sh')} 3`), code: 'exit-code' },
  {
    title: 'F19 a function that throws',
    hook: fn('guard', () => {
      throw new Error('broken');
    }),
    code: 'threw',
  },
  {
    title: 'F20 a function that never settles',
    hook: { ...fn('guard', () => new Promise(() => {})), timeout: T },
    code: 'timeout',
  },
  {
    title: 'F24 an answer that is cut off',
    hook: command(fixture('cuts-off.mjs'), { timeout: 10_000 }),
    code: 'malformed-output',
  },
  {
    title: 'F26 a line of fifty megabytes',
    hook: command(`${fixture('prints.mjs')} "'x'.repeat(5e7)"`, { timeout: 10_000 }),
    code: 'output-too-large',
  },
  {
    title: 'F27 an answer nested too deep',
    hook: command(`${fixture('prints.mjs')} "'{\\"a\\":'.repeat(1e5)"`, { timeout: 10_000 }),
    code: 'malformed-output',
  },
  {
    title: 'F38 an executor that throws',
    hook: command('check'),
    deps: {
      executor: () => {
        throw new Error('no sandbox');
      },
    },
    code: 'threw',
  },
  {
    title: 'F38 an executor that never settles',
    hook: command('check'),
    deps: { executor: () => new Promise(() => undefined) },
    code: 'timeout',
  },
  {
    title: 'F41 a matcher that runs out of time',
    hook: command('true'),
    matcher: '(a+)+$',
    toolName: `${'a'.repeat(40)}!`,
    code: 'matcher-timeout',
  },
  {
    title: 'design §5 a hook that needs a function and has none',
    hook: { type: 'plugin' },
    code: 'not-supported',
  },
  { title: 'F47 a worker that crashes', hook: worker('dies at start'), code: 'worker-crashed' },
  { title: 'F48 a worker that hangs', hook: worker('never reads'), code: 'timeout' },
  { title: 'F50 a worker that floods', hook: worker(), toolInput: { do: 'flood' }, code: 'output-too-large' },
  { title: 'F19 a worker whose hook throws', hook: worker(), toolInput: { do: 'error' }, code: 'threw' },
  {
    title: 'F49 a worker that answers with a text',
    hook: worker(),
    toolInput: { do: 'text' },
    code: 'malformed-output',
  },
  {
    title: 'F51 a worker that starts for longer than it may take',
    hook: { ...worker('starts slowly'), timeout: T },
    code: 'timeout',
  },
  {
    title: 'F51 a worker that crashed five times',
    hook: { type: 'worker', command: 'sh', args: ['-c', 'exit 1'], timeout: 9_000 },
    after: 5,
    code: 'worker-unavailable',
  },
  {
    title: 'F09 a worker that is not there',
    hook: { type: 'worker', command: './no-such-worker' },
    code: 'spawn-failed',
  },
  {
    title: 'F53 a redirect',
    hook: () => asking(endpoint((answer) => answer.writeHead(307, { location: '/' }).end())),
    code: 'http-error',
  },
  {
    title: 'F54 an address out of bounds',
    hook: { type: 'http', url: 'http://169.254.169.254/' },
    code: 'blocked-address',
  },
  {
    title: 'F54 this machine by another spelling',
    hook: { type: 'http', url: 'http://127.1/' },
    code: 'blocked-address',
  },
  {
    title: 'F55 a name that leads inward',
    hook: { type: 'http', url: 'http://hooks.example.com/' },
    deps: { lanes: { http: httpWith('127.0.0.1') } },
    code: 'blocked-address',
  },
  { title: 'F56 an endpoint that hangs', hook: () => asking(rawEndpoint(() => undefined)), code: 'timeout' },
  {
    title: 'F56 an endpoint that hangs up',
    hook: () => asking(rawEndpoint((socket) => socket.end())),
    code: 'http-error',
  },
  {
    title: 'F57 an endpoint that sends too much',
    hook: () => asking(endpoint((answer) => answer.end(Buffer.alloc(2 << 20, 120)))),
    code: 'output-too-large',
  },
  {
    title: 'F57 an endpoint whose little unfolds to too much',
    hook: () =>
      asking(
        endpoint((answer) =>
          answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50 << 20, 120))),
        ),
        10_000,
      ),
    code: 'output-too-large',
  },
  {
    title: 'F58 a status of 500 that allows',
    hook: () => asking(answersJson({ decision: 'allow' }, 500)),
    code: 'http-error',
  },
  {
    title: 'F58 JSON of an endpoint that is cut off',
    hook: () => asking(endpoint((answer) => answer.end('{"decision":'))),
    code: 'malformed-output',
  },
  { title: 'F59 nobody who listens', hook: { type: 'http', url: 'http://127.0.0.1:1/' }, code: 'http-error' },
  {
    title: 'F74 a request to a worker that is cancelled',
    hook: { ...worker('never reads'), timeout: 30_000 },
    cancelAfterMs: 100,
    code: 'cancelled',
  },
  {
    title: 'F78 a deadline shorter than the endpoint takes',
    hook: () =>
      asking(
        rawEndpoint(() => undefined),
        30_000,
      ),
    deadlineMs: 300,
    code: 'deadline',
  },
  {
    title: 'F74 a cancelled request',
    hook: command('sleep 30', { timeout: 30_000 }),
    cancelAfterMs: 100,
    code: 'cancelled',
  },
  {
    title: 'F78 a deadline shorter than the hook',
    hook: command('sleep 30', { timeout: 30_000 }),
    deadlineMs: 300,
    code: 'deadline',
  },
];

let before: Holdings;
let marker: string;
let count = 0;

beforeEach(async () => {
  watchTroubles();
  count += 1;
  marker = `${process.pid}-${count}`;
  await sleep(0);
  before = holdings();
});

afterEach(async () => {
  const entry = `HOOKWRIGHT_MATRIX=${marker}`;
  await until('no process of the hook is alive', 3_000, () => processesWith(entry).length === 0);
  await expectNothingLeft({ before, runIds: [], withinMs: 3_000 });
});

/** When there is an answer at the earliest: what ends by a clock does not end before its time. */
const earliestOf = ({ code, deadlineMs, cancelAfterMs }: Fault, { timeout = 0 }: HookConfig): number =>
  deadlineMs ?? cancelAfterMs ?? (code === 'timeout' ? timeout : 0);

/** And how much later at the latest: the start of an interpreter, and of a worker, is in it. */
const LATE_MS = 1_000;

/** One fault under one `onFault`, in an engine of its own. */
const check = async (fault: Fault, hook: HookConfig, onFault: 'allow' | 'deny'): Promise<void> => {
  const { code, deps, after = 0, matcher, toolName = 'write_file', toolInput = {}, deadlineMs, cancelAfterMs } = fault;
  const env = { ...hook.env, HOOKWRIGHT_MATRIX: marker };
  const definition = {
    ...(matcher === undefined ? {} : { matcher }),
    hooks: [{ name: 'guard', ...hook, onFault, env }],
  };
  const { ask, answerTo, responses, traces, errors, bus, system } = engineOnBus({
    hooks: { BeforeTool: [definition] },
    deps: { limits, ...deps },
    host,
  });
  await system.initialize();
  const firing = { payload: { tool_name: toolName, tool_input: toolInput } };
  const ids = [...Array.from({ length: after }, (_, index) => `before ${index}`), 'one'];
  for (const id of ids.slice(0, -1)) {
    ask({ ...requestFor(id), ...firing });
    await answerTo(id, 9_000);
  }
  const startedAt = performance.now();
  ask({
    ...requestFor('one'),
    ...firing,
    ...(deadlineMs === undefined ? {} : { timeoutMs: deadlineMs }),
  });
  if (cancelAfterMs !== undefined) {
    await sleep(cancelAfterMs);
    bus.publish({ type: 'hook-execution-cancel', correlationId: 'one' });
  }
  const { output, result } = await answerTo('one', 9_000);
  const ms = performance.now() - startedAt;
  const earliest = earliestOf(fault, hook);
  expect(ms).toBeGreaterThanOrEqual(earliest - 5);
  expect(ms).toBeLessThanOrEqual(earliest + atMost(LATE_MS));
  expect(traces.at(-1)?.rows).toMatchObject([{ planned: 'run', outcome: 'faulted', code }]);
  const decision = onFault === 'deny' ? 'deny' : undefined;
  expect(output?.decision).toBe(decision);
  expect(result.success).toBe(code === 'malformed-output');
  await system.dispose();
  expect(responses.map(({ correlationId }) => correlationId)).toEqual(ids);
  expect(errors).toEqual([]);
};

describe.skipIf(process.platform === 'win32')('a fault, over the bus', () => {
  test.each(faults)('$title is $code in time, and its verdict is what onFault says', async (fault) => {
    const hook = typeof fault.hook === 'function' ? await fault.hook() : fault.hook;
    before = holdings();
    await Promise.all((['allow', 'deny'] as const).map((onFault) => check(fault, hook, onFault)));
  });

  test('F13 P7 a thousand hooks on one event all run, never more at once than the limit, and the loop is not held', async () => {
    const hooks = Array.from({ length: 1_000 }, (_, index) =>
      command('true', { name: `hook-${index}`, timeout: 20_000 }),
    );
    const { ask, answerTo, traces, bus, system } = engineOnBus({
      hooks: { BeforeTool: [{ hooks }] },
      deps: { limits },
      host,
    });
    await system.initialize();
    let running = 0;
    let most = 0;
    bus.subscribe('hook-started', () => {
      running += 1;
      most = Math.max(most, running);
    });
    bus.subscribe('hook-finished', () => {
      running -= 1;
    });
    let success = false;
    const delay = await loopDelayDuring(async () => {
      ask(requestFor('many'));
      ({ success } = (await answerTo('many', 55_000)).result);
    });
    expect(delay).toBeLessThan(loopLimit(60));
    expect(success).toBe(true);
    expect(traces[0]?.rows.filter(({ outcome }) => outcome === 'silent')).toHaveLength(1_000);
    expect(most).toBeLessThanOrEqual(Math.min(16, 4 * availableParallelism()));
    expect(running).toBe(0);
    await system.dispose();
  }, 60_000);
});

/** Promises that do not behave; each is answered for once. */
const promises: Record<string, () => unknown> = {
  'settles twice': () => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about
    then: (resolve: (answer: unknown) => void) => {
      resolve({ decision: 'allow', reason: 'first' });
      resolve({ decision: 'deny', reason: 'second' });
    },
  }),
  'resolves after its time': () => sleep(150).then(() => ({ decision: 'deny' })),
  'rejects after its time': () => sleep(150).then(() => Promise.reject(new Error('too late'))),
};

test.each(Object.entries(promises))('F20 a function that %s gives one result', async (what, run) => {
  const hook: HookConfig = { ...fn('odd', run), timeout: 50 };
  const { ask, answerTo, responses, traces, system } = engineOnBus({ hooks: { BeforeTool: [{ hooks: [hook] }] } });
  await system.initialize();
  ask(requestFor('one'));
  const { output } = await answerTo('one');
  await sleep(200);
  expect(responses).toHaveLength(1);
  const isLate = what.includes('after');
  expect(output?.decision).toBe(isLate ? undefined : 'allow');
  expect(traces[0]?.rows[0]?.code).toBe(isLate ? 'timeout' : undefined);
  await system.dispose();
});
