import { describe, expect, test } from 'vitest';
import {
  executeToolWithHooks,
  fireBeforeModelHook,
  fireBeforeToolHook,
  type HookDefinition,
  type TriggerConfig,
} from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { configWith, hook, listening, moment, recording, tool } from './support.ts';

type Context = { signal: AbortSignal };

/** Never answers, and keeps the signals it was given. */
const hanging = (extra?: Parameters<typeof hook>[1]) => {
  const signals: AbortSignal[] = [];
  const started = moment();
  const definition = hook((_input: never, { signal }: Context) => {
    signals.push(signal);
    started.comes();
    return new Promise(() => {});
  }, extra);
  return { signals, started: started.came, definition };
};

const withBefore = (...definitions: HookDefinition[]) => configWith({ BeforeTool: definitions });

describe('a signal', () => {
  test('reaches the hooks', async () => {
    const controller = new AbortController();
    const { signals, started, definition } = hanging();
    const fired = fireBeforeToolHook(withBefore(definition), 'shell', {}, { signal: controller.signal });
    await started;
    expect(signals[0]?.aborted).toBe(false);
    controller.abort();
    expect(await fired).toBeUndefined();
    expect(signals[0]?.aborted).toBe(true);
  });

  test('that was aborted before keeps hooks from being asked', async () => {
    const { seen, definition } = recording({ decision: 'deny' });
    const output = await fireBeforeToolHook(withBefore(definition), 'shell', {}, { signal: AbortSignal.abort() });
    expect(output).toBeUndefined();
    expect(seen).toEqual([]);
  });

  test('that was aborted before does not wait for hooks to load either', async () => {
    const config: TriggerConfig = { getSessionId: () => '', getHooks: () => new Promise(() => {}) };
    expect(await fireBeforeToolHook(config, 'shell', {}, { signal: AbortSignal.abort() })).toBeUndefined();
  });

  test('is left alone afterwards: thousands of calls may share one', async () => {
    const { signal } = new AbortController();
    const config = withBefore(hook({ decision: 'allow' }));
    for (let count = 0; count < 50; count += 1) await executeToolWithHooks(config, 'shell', {}, () => ({}), { signal });
  });

  test('does not take the loading of hooks away from others', async () => {
    const loading = moment();
    const config: TriggerConfig = {
      getSessionId: () => '',
      getHooks: async () => {
        await loading.came;
        return { BeforeTool: [hook({ decision: 'deny' })] };
      },
    };
    const controller = new AbortController();
    const impatient = fireBeforeToolHook(config, 'shell', {}, { signal: controller.signal });
    const patient = fireBeforeToolHook(config, 'shell', {});
    controller.abort();
    expect(await impatient).toBeUndefined();
    loading.comes();
    expect((await patient)?.decision).toBe('deny');
  });
});

describe('a tool call that is cancelled', () => {
  test('while hooks are asked does not start', async () => {
    const controller = new AbortController();
    const { started, definition } = hanging();
    const { calls, run } = tool({ llmContent: 'written' });
    const called = executeToolWithHooks(withBefore(definition), 'write_file', {}, run, { signal: controller.signal });
    await started;
    controller.abort();
    const result = await called;
    expect(calls).toEqual([]);
    expect(result).toEqual({
      llmContent: 'Tool call cancelled before it started',
      returnDisplay: 'Tool call cancelled before it started',
      error: { message: 'Tool call cancelled before it started', type: 'cancelled' },
    });
  });

  test('while hooks load does not start either', async () => {
    const controller = new AbortController();
    const config: TriggerConfig = { getSessionId: () => '', getHooks: () => new Promise(() => {}) };
    const { calls, run } = tool({});
    const called = executeToolWithHooks(config, 'write_file', {}, run, { signal: controller.signal });
    controller.abort();
    expect((await called).error?.type).toBe('cancelled');
    expect(calls).toEqual([]);
  });

  test('keeps the block a hook had given already', async () => {
    const controller = new AbortController();
    const { started, definition } = hanging();
    const config = withBefore(hook({ decision: 'deny', reason: 'no' }), definition);
    const called = executeToolWithHooks(config, 'shell', {}, () => ({}), { signal: controller.signal });
    await started;
    controller.abort();
    expect((await called).llmContent).toBe('Tool call blocked by hook: no');
  });

  test('after the tool has run keeps its result', async () => {
    const controller = new AbortController();
    const { started, definition } = hanging();
    const result = { llmContent: 'written' };
    const config = configWith({ AfterTool: [definition] });
    const called = executeToolWithHooks(config, 'write_file', {}, () => result, { signal: controller.signal });
    await started;
    controller.abort();
    expect(await called).toBe(result);
  });

  test('with hooks off is the business of the tool', async () => {
    const { calls, run } = tool({ llmContent: 'done' });
    const config = configWith({}, { enableHooks: false });
    await executeToolWithHooks(config, 'shell', {}, run, { signal: AbortSignal.abort() });
    expect(calls).toHaveLength(1);
  });
});

describe('a deadline', () => {
  test('ends the hooks, and the agent goes on without them', async () => {
    const { signals, definition } = hanging();
    const { calls, run } = tool({ llmContent: 'done' });
    const result = await executeToolWithHooks(withBefore(definition), 'shell', {}, run, { timeoutMs: 20 });
    expect(result).toEqual({ llmContent: 'done' });
    expect(calls).toHaveLength(1);
    expect(signals[0]?.aborted).toBe(true);
  });

  test('counts what had been answered in time', async () => {
    const config = withBefore(hook({ decision: 'deny', reason: 'no' }), hanging().definition);
    const output = await fireBeforeToolHook(config, 'shell', {}, { timeoutMs: 20 });
    expect(output?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
  });

  test.each<[string, HookDefinition, { timeoutMs?: number }]>([
    ['the deadline of the call', hanging({ onFault: 'deny' }).definition, { timeoutMs: 20 }],
    ['the timeout of the hook', hanging({ onFault: 'deny', timeout: 20 }).definition, {}],
  ])('closes the door of a guard: %s', async (_which, definition, options) => {
    const result = await executeToolWithHooks(withBefore(definition), 'shell', {}, () => ({}), options);
    expect(result.error?.type).toBe('hook_blocked');
  });

  test('holds for loading the hooks too', async () => {
    const config: TriggerConfig = { getSessionId: () => '', getHooks: () => new Promise(() => {}) };
    const startedAt = performance.now();
    expect(await fireBeforeModelHook(config, { model: 'm', contents: 'hi' }, { timeoutMs: 20 })).toEqual({
      blocked: false,
    });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test('that has passed already asks nobody and waits for nobody', async () => {
    const config = withBefore(hanging().definition);
    expect(await fireBeforeToolHook(config, 'shell', {}, { timeoutMs: -5 })).toBeUndefined();
  });

  test.each([Number.NaN, '20', null])('of %o is none, and is told to the log', async (timeoutMs) => {
    const { warnings, logger } = listening();
    const config = configWith({ BeforeTool: [hook({ decision: 'deny' })] }, { deps: { logger } });
    const output = await fireBeforeToolHook(config, 'shell', {}, { timeoutMs: untyped<number>(timeoutMs) });
    expect(output?.decision).toBe('deny');
    expect(warnings).toEqual([expect.stringContaining('timeoutMs must be a number')]);
  });
});
