import { describe, expect, onTestFinished, test } from 'vitest';
import {
  Config,
  createHooks,
  HookSystem,
  type Lane,
  type Lanes,
  MessageBus,
  requestHooks,
} from '../../../src/index.ts';
import { engineOf, groupOf, sleep } from '../../support/engine.ts';
import { hostWith } from '../../support/host.ts';
import { revokedProxy, untyped } from '../../support/untyped.ts';

/** Answers with the hook's own arguments, as JSON. */
const answersItsArguments: Lane = {
  run: async ({ hook, answered }) => answered(JSON.parse(hook.args?.join('') ?? '{}')),
  inspect: ({ args }) => (args === undefined ? [{ code: 'other', message: 'it has nothing to say' }] : []),
};

const says = (answer: object, more: object = {}) => ({ type: 'echo', args: [JSON.stringify(answer)], ...more });

const fireWith = async (run: Lane['run'], more: object = {}, signal?: AbortSignal) => {
  const system = await engineOf({
    hooks: { BeforeTool: groupOf({ type: 'echo', name: 'odd', ...more }) },
    deps: { lanes: { echo: { run } } },
  });
  const startedAt = performance.now();
  const { result, results } = await system
    .getEventHandler()
    .fireDetailed('BeforeTool', { tool_name: 'ls', tool_input: {} }, { signal });
  return { result, run: results[0], took: performance.now() - startedAt };
};

describe('a lane that the host brings', () => {
  test('runs the hooks of its type, and its answers are merged with those of the others', async () => {
    const hooks = {
      BeforeTool: groupOf(says({ decision: 'deny', reason: 'no' }), {
        type: 'runtime',
        action: () => ({ decision: 'allow' }),
      }),
    };
    const system = await engineOf({ hooks, deps: { lanes: { echo: answersItsArguments } } });
    const { finalOutput, allOutputs } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    expect(allOutputs).toHaveLength(2);
    expect(system.getProblems()).toEqual([]);
  });

  test('serves createHooks, and requests on its bus', async () => {
    const hooks = await createHooks({
      hooks: { BeforeTool: groupOf(says({ decision: 'deny', reason: 'over the bus' })) },
      deps: { lanes: { echo: answersItsArguments } },
    });
    onTestFinished(() => hooks.close());
    expect(hooks.problems).toEqual([]);
    expect(await hooks.beforeTool({ tool: 'ls', input: {} })).toMatchObject({
      verdict: 'deny',
      reason: 'over the bus',
    });
    const { finalOutput } = await requestHooks(hooks.bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('makes its type valid in settings and for hooks added later; without it the type has a row that says what is wrong', async () => {
    const settings = { BeforeTool: groupOf(says({ decision: 'deny' }, { name: 'echoes' })) };
    const without = await engineOf({ hooks: settings });
    expect(without.getProblems()).toMatchObject([
      { path: 'hooks.BeforeTool[0].hooks[0].type', skipped: true, expected: expect.stringContaining('command') },
    ]);
    expect(await without.explain('BeforeTool')).toMatchObject([{ planned: 'skip', reason: 'invalid-config' }]);

    const system = await engineOf({ deps: { lanes: { echo: answersItsArguments } } });
    system.registerHook({ type: 'echo', name: 'mute' }, 'BeforeTool');
    expect(() => system.registerHook({ type: 'ecco' }, 'BeforeTool')).toThrow('did you mean "echo"?');
    expect(await system.explain('BeforeTool')).toMatchObject([
      { planned: 'run', warnings: [{ code: 'other', message: 'it has nothing to say' }] },
    ]);
  });

  test('can take the place of one of ours', async () => {
    const system = await engineOf({
      hooks: { BeforeTool: groupOf({ type: 'http', url: 'https://example.org/hook' }) },
      deps: {
        lanes: { http: { run: async ({ hook, answered }) => answered({ decision: 'deny', reason: hook.url }) } },
      },
    });
    const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('ls', {});
    expect(finalOutput?.reason).toBe('https://example.org/hook');
  });

  test('gives each hook a copy of its own, and the same as JSON', async () => {
    const inputs: unknown[] = [];
    const spoils: Lane = {
      run: ({ input, json, answered }) => {
        inputs.push(structuredClone(input), JSON.parse(json));
        Object.assign(input, { tool_name: 'spoilt' });
        return answered(undefined);
      },
    };
    const system = await engineOf({
      hooks: { BeforeTool: groupOf({ type: 'echo', name: 'a' }, { type: 'echo', name: 'b' }) },
      deps: { lanes: { echo: spoils } },
    });
    await system.getEventHandler().fireBeforeToolEvent('ls', { all: true });
    expect(inputs).toHaveLength(4);
    for (const input of inputs) expect(input).toMatchObject({ tool_name: 'ls', tool_input: { all: true } });
  });

  test.each<[string, Lane['run'], string]>([
    [
      'throws',
      () => {
        throw new Error('no luck');
      },
      'its lane threw: no luck',
    ],
    ['rejects', () => Promise.reject(new Error('no luck')), 'its lane threw: no luck'],
    ['rejects with nothing', () => Promise.reject(), 'its lane threw'],
    ['hands in nothing', untyped(async () => undefined), 'its lane handed in nothing'],
    ['hands in what it made itself', untyped(async () => ({ success: true })), 'its lane handed in an object'],
    [
      'hands in what throws when looked at',
      untyped(async () => ({ r: revokedProxy() })),
      'its lane handed in an object',
    ],
  ])('that %s is the fault threw, and onFault decides', async (_how, run, message) => {
    const allowed = await fireWith(run);
    expect(allowed.run).toMatchObject({ code: 'threw', success: false });
    expect(allowed.run?.error?.message).toContain(message);
    expect(allowed.result.finalOutput?.isBlockingDecision() ?? false).toBe(false);
    const denied = await fireWith(run, { onFault: 'deny' });
    expect(denied.result.finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('is told when the time of a hook is over, and answered for when it goes on', async () => {
    let reason: unknown;
    const stubborn: Lane['run'] = ({ signal }) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason;
      });
      return new Promise(() => {});
    };
    const { run, took } = await fireWith(stubborn, { timeout: 60 });
    expect(run).toMatchObject({ code: 'timeout' });
    expect(reason).toMatchObject({ name: 'TimeoutError' });
    expect(took).toBeGreaterThanOrEqual(55);
    expect(took).toBeLessThan(400);
  });

  test('that gives up when it is told to is a timeout, not a lane that threw', async () => {
    const obeys: Lane['run'] = ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    expect((await fireWith(obeys, { timeout: 20 })).run).toMatchObject({ code: 'timeout' });
    const cancel = AbortSignal.timeout(20);
    expect((await fireWith(obeys, {}, cancel)).run).toMatchObject({ code: 'cancelled' });
  });

  test('is heard with what it hands in as it is told to end', async () => {
    const last: Lane['run'] = ({ signal, answered }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve(answered({ decision: 'deny', reason: 'just in time' }))),
      );
    const { run } = await fireWith(last, { timeout: 20 });
    expect(run?.output).toEqual({ decision: 'deny', reason: 'just in time' });
    expect(run?.code).toBeUndefined();
  });

  test('may say what it printed and which code it ended with', async () => {
    const { run } = await fireWith(({ faulted }) =>
      faulted('exit-code', 'ended with 3', { exitCode: 3, stderr: 'oh' }),
    );
    expect(run).toMatchObject({ code: 'exit-code', exitCode: 3, stderr: 'oh', success: false });
  });

  test('shares the places of processes only when it says that it starts some', async () => {
    const atOnce = async (startsProcesses: boolean): Promise<number> => {
      let running = 0;
      let most = 0;
      const counts: Lane = {
        startsProcesses,
        run: async ({ answered }) => {
          running += 1;
          most = Math.max(most, running);
          await sleep(5);
          running -= 1;
          return answered(undefined);
        },
      };
      const names = ['a', 'b', 'c', 'd'];
      const system = await engineOf({
        hooks: { BeforeTool: groupOf(...names.map((name) => ({ type: 'echo', name }))) },
        deps: { lanes: { echo: counts }, limits: { concurrency: 2 } },
      });
      await system.getEventHandler().fireBeforeToolEvent('ls', {});
      return most;
    };
    expect(await atOnce(true)).toBe(2);
  });

  test('is waited for and ended with the engine, which no lane can hold up', async () => {
    const calls: string[] = [];
    const tidy: Lane = {
      ...answersItsArguments,
      idle: async () => {
        calls.push('idle');
      },
      dispose: () => {
        calls.push('dispose');
      },
    };
    const stuck: Lane = { ...answersItsArguments, idle: () => new Promise(() => {}) };
    const broken: Lane = {
      ...answersItsArguments,
      dispose: () => {
        throw new Error('it is broken already');
      },
    };
    const lanes: Lanes = { tidy, stuck, broken };
    const system = new HookSystem(hostWith(), new MessageBus(), { lanes, limits: { killGraceMs: 50 } });
    const startedAt = performance.now();
    await system.dispose();
    expect(calls).toEqual(['idle', 'dispose']);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test('that is none is refused where it was given', () => {
    const build = () => new Config({ enableHooks: true, deps: { lanes: untyped({ echo: { start: () => 1 } }) } });
    expect(() => build().getHookSystem()).toThrow('deps.lanes.echo must be an object whose run(call) runs one hook');
  });
});
