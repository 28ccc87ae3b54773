import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';
import type {
  AggregatedHookResult,
  HookConfig,
  HookEventHandler,
  HookEventName,
  HooksByEvent,
} from '../../src/index.ts';
import { deepFreeze } from '../models/support.ts';
import {
  answers,
  engineOf,
  fn,
  groupOf,
  hangs,
  type Input,
  inSequence,
  llmRequest,
  llmResponse,
  payloads,
  sleep,
} from '../support/engine.ts';
import { keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';
import { empty, readingEngine } from './fire-support.ts';

describe('R221 C15 a fire method for each event', () => {
  const { BeforeModel, AfterModel, BeforeToolSelection, ...plain } = payloads;
  const stable = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const stableResponse = { text: 'hello', candidates: [{ content: { role: 'model', parts: ['hello'] } }] };

  test.each<[eventName: HookEventName, fire: (handler: HookEventHandler) => Promise<unknown>, fields: object]>([
    ['BeforeTool', (handler) => handler.fireBeforeToolEvent('ls', { all: true }), plain.BeforeTool],
    [
      'BeforeTool',
      (handler) => handler.fireBeforeToolEvent('ls', { all: true }, { server: 's' }, 'list'),
      { ...plain.BeforeTool, mcp_context: { server: 's' }, original_request_name: 'list' },
    ],
    [
      'AfterTool',
      (handler) => handler.fireAfterToolEvent('ls', { all: true }, { llmContent: 'a b c' }),
      plain.AfterTool,
    ],
    [
      'AfterTool',
      (handler) => handler.fireAfterToolEvent('ls', { all: true }, 'text', { server: 's' }, 'list'),
      { ...plain.AfterTool, tool_response: 'text', mcp_context: { server: 's' }, original_request_name: 'list' },
    ],
    ['BeforeAgent', (handler) => handler.fireBeforeAgentEvent('hi'), plain.BeforeAgent],
    ['BeforeAgent', (handler) => handler.fireBeforeAgentEvent({ prompt: 'hi' }), plain.BeforeAgent],
    [
      'AfterAgent',
      (handler) => handler.fireAfterAgentEvent('hi', 'hello'),
      { ...plain.AfterAgent, stop_hook_active: false },
    ],
    [
      'AfterAgent',
      (handler) => handler.fireAfterAgentEvent('hi', 'hello', true),
      { ...plain.AfterAgent, stop_hook_active: true },
    ],
    [
      'AfterAgent',
      (handler) => handler.fireAfterAgentEvent({ prompt: 'hi', prompt_response: 'hello', stop_hook_active: true }),
      { ...plain.AfterAgent, stop_hook_active: true },
    ],
    ['BeforeModel', (handler) => handler.fireBeforeModelEvent(llmRequest), { llm_request: stable }],
    [
      'AfterModel',
      (handler) => handler.fireAfterModelEvent(llmRequest, llmResponse),
      { llm_request: stable, llm_response: stableResponse },
    ],
    ['BeforeToolSelection', (handler) => handler.fireBeforeToolSelectionEvent(llmRequest), { llm_request: stable }],
    ['SessionStart', (handler) => handler.fireSessionStartEvent('startup'), { source: 'startup', trigger: 'startup' }],
    [
      'SessionStart',
      (handler) => handler.fireSessionStartEvent({ source: 'clear' }),
      { source: 'clear', trigger: 'clear' },
    ],
    ['SessionEnd', (handler) => handler.fireSessionEndEvent('logout'), { reason: 'logout' }],
    ['SessionEnd', (handler) => handler.fireSessionEndEvent({ reason: 'other' }), { reason: 'other' }],
    ['PreCompress', (handler) => handler.firePreCompressEvent('manual'), { trigger: 'manual' }],
    ['PreCompress', (handler) => handler.firePreCompressEvent({ trigger: 'auto' }), { trigger: 'auto' }],
    [
      'Notification',
      (handler) => handler.fireNotificationEvent('ToolPermission', 'may I?', { tool: 'rm' }),
      { ...plain.Notification, details: { tool: 'rm' } },
    ],
    ['Notification', (handler) => handler.fireNotificationEvent('ToolPermission', 'may I?'), plain.Notification],
    [
      'PermissionRequest',
      (handler) => handler.firePermissionRequestEvent('ls', { all: true }),
      plain.PermissionRequest,
    ],
    [
      'PermissionRequest',
      (handler) => handler.firePermissionRequestEvent('ls', { all: true }, 'it lists', { server: 's' }),
      { ...plain.PermissionRequest, reason: 'it lists', mcp_context: { server: 's' } },
    ],
    [
      'AfterToolFailure',
      (handler) => handler.fireAfterToolFailureEvent('ls', { all: true }, 'no such file'),
      plain.AfterToolFailure,
    ],
    ['SubagentStart', (handler) => handler.fireSubagentStartEvent('reviewer'), plain.SubagentStart],
    [
      'SubagentStart',
      (handler) => handler.fireSubagentStartEvent({ agent_type: 'reviewer', prompt: 'look at it' }),
      { ...plain.SubagentStart, prompt: 'look at it' },
    ],
    [
      'SubagentStop',
      (handler) => handler.fireSubagentStopEvent('reviewer', 'done', true),
      { ...plain.SubagentStop, response: 'done', stop_hook_active: true },
    ],
    [
      'SubagentStop',
      (handler) => handler.fireSubagentStopEvent({ agent_type: 'reviewer' }),
      { ...plain.SubagentStop, stop_hook_active: false },
    ],
  ])('R130 to R143 %s adds its fields to the base fields (%#)', async (eventName, fire, fields) => {
    const { handler, inputs } = await readingEngine();
    await fire(handler);
    const base = { session_id: 'session-1', transcript_path: '', cwd: '/project', hook_event_name: eventName };
    // What a turn ends with is counted.
    const counted = 'stop_hook_active' in fields ? { stop_count: fields.stop_hook_active === true ? 1 : 0 } : {};
    const all = { ...fields, ...counted };
    expect(inputs).toEqual([{ ...base, timestamp: expect.any(String), ...all }]);
    expect(Object.keys(inputs[0] ?? {}).sort()).toEqual(
      [...Object.keys(base), 'timestamp', ...Object.keys(all)].sort(),
    );
  });

  test.each(hookEventNames)('%s resolves to the empty result when nothing is to be run', async (eventName) => {
    const handler = (await engineOf()).getEventHandler();
    const result = await handler.fire(eventName, untyped(payloads[eventName]));
    expect(result).toStrictEqual(empty);
    expect(Object.keys(result)).toEqual(Object.keys(empty));
    expect(await handler.fire(eventName, untyped(payloads[eventName]))).not.toBe(result);
  });
});

describe('base fields', () => {
  const fireOnce = async (host: object): Promise<Input> => {
    const { handler, inputs } = await readingEngine(host);
    await handler.fireBeforeAgentEvent('hi');
    return inputs[0] ?? {};
  };

  test.each<[title: string, host: object, field: string, value: unknown]>([
    ['R131 the session of the config', { getSessionId: () => 'abc' }, 'session_id', 'abc'],
    ['C07 a transcript path when there is one', { getTranscriptPath: () => '/t.json' }, 'transcript_path', '/t.json'],
    ['R135 an empty one when there is none', { getTranscriptPath: () => undefined }, 'transcript_path', ''],
    ['R132 the working directory', { getWorkingDir: () => '/work' }, 'cwd', '/work'],
    [
      'C09 the target directory under its older name',
      { getWorkingDir: undefined, getTargetDir: () => '/t' },
      'cwd',
      '/t',
    ],
    ['C09 the working directory before the target', { getTargetDir: () => '/t' }, 'cwd', '/project'],
    ['C09 else the directory of the process', { getWorkingDir: undefined }, 'cwd', process.cwd()],
  ])('%s', async (_title, host, field, value) => {
    expect((await fireOnce(host))[field]).toBe(value);
  });

  test('R133 have the time of the call, from the clock of the host', async () => {
    let now = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    const inputs: Input[] = [];
    const reader = fn('reader', (input) => {
      inputs.push(input);
    });
    const system = await engineOf({ hooks: { BeforeAgent: groupOf(reader) }, deps: { clock: { now: () => now } } });
    await system.getEventHandler().fireBeforeAgentEvent('hi');
    now += 1_000;
    await system.getEventHandler().fireBeforeAgentEvent('hi');
    expect(inputs.map((input) => input.timestamp)).toEqual(['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:06.678Z']);
    const real = await fireOnce({});
    expect(Math.abs(Date.parse(String(real.timestamp)) - Date.now())).toBeLessThan(1_000);
  });

  test('R145 are the engine’s: a payload that brings its own does not replace them', async () => {
    const { handler, inputs } = await readingEngine();
    const payload = { prompt: 'hi', session_id: 'forged', cwd: '/', timestamp: 'x', hook_event_name: 'y', mine: 1 };
    await handler.fire('BeforeAgent', payload);
    expect(inputs[0]).toMatchObject({
      session_id: 'session-1',
      cwd: '/project',
      hook_event_name: 'BeforeAgent',
      mine: 1,
    });
    expect(inputs[0]?.timestamp).not.toBe('x');
  });
});

describe('R236 F21 what a hook does to its input stays with that hook', () => {
  test.each(['parallel', 'sequential'] as const)('in a %s plan', async (mode) => {
    const seen: unknown[] = [];
    const vandal = (name: string): HookConfig =>
      fn(name, (input) => {
        seen.push(structuredClone(input.tool_input));
        untyped<{ tool_input: { args: string[] } }>(input).tool_input.args[0] = name;
        Reflect.deleteProperty(input, 'session_id');
      });
    const hooks = { BeforeTool: (mode === 'parallel' ? groupOf : inSequence)(vandal('a'), vandal('b')) };
    const payload = deepFreeze({ args: ['x', { deep: true }] });
    const handler = (await engineOf({ hooks })).getEventHandler();
    const result = await handler.fireBeforeToolEvent('ls', payload);
    expect(result).toMatchObject({ success: true, errors: [] });
    expect(seen).toEqual([payload, payload]);
  });
});

describe('what hooks answer', () => {
  test('R231 is merged into one result, in configured order', async () => {
    const hooks = {
      BeforeTool: groupOf(
        answers('a', { decision: 'allow', reason: 'fine', systemMessage: 'one' }),
        answers('b', undefined),
        answers('c', { decision: 'deny', reason: 'no', systemMessage: 'two' }),
        fn('d', async () => ({ hookSpecificOutput: { tool_input: { all: false } } })),
      ),
    };
    const result = await (await engineOf({ hooks })).getEventHandler().fireBeforeToolEvent('ls', {});
    expect(result.success).toBe(true);
    expect(result.allOutputs).toHaveLength(3);
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    expect(result.finalOutput?.systemMessage).toBe('one\ntwo');
    expect(result.finalOutput?.getModifiedToolInput()).toEqual({ all: false });
  });

  test('R126 R230 in sequence changes what the next hook reads, and only there', async () => {
    const seen: unknown[] = [];
    const step = (name: string, tool_input: object): HookConfig =>
      fn(name, async (input) => {
        seen.push(input.tool_input);
        await sleep(1);
        return { hookSpecificOutput: { tool_input } };
      });
    const steps = [step('a', { x: 1 }), step('b', { y: 2 }), step('c', {})];
    const one = await engineOf({ hooks: { BeforeTool: inSequence(...steps) } });
    const { finalOutput } = await one.getEventHandler().fireBeforeToolEvent('ls', { x: 0, z: 0 });
    expect(seen).toEqual([
      { x: 0, z: 0 },
      { x: 1, z: 0 },
      { x: 1, y: 2, z: 0 },
      // The first is asked once more: it saw another call than the one that will be made.
      { x: 1, y: 2, z: 0 },
    ]);
    expect(finalOutput?.getModifiedToolInput()).toEqual({ x: 1, y: 2 });
    seen.length = 0;
    const two = await engineOf({ hooks: { BeforeTool: groupOf(...steps) } });
    await two.getEventHandler().fireBeforeToolEvent('ls', { x: 0 });
    expect(seen.slice(0, 3)).toEqual([{ x: 0 }, { x: 0 }, { x: 0 }]);
  });

  test('P9 comes out the same whatever finishes first', async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(delays, async (waits) => {
        const hooks = waits.map((wait, index) =>
          fn(`h${index}`, async () => {
            if (wait > 0) await sleep(wait);
            return {
              systemMessage: `m${index}`,
              decision: index % 2 === 0 ? 'deny' : 'allow',
              reason: `r${index}`,
              hookSpecificOutput: { tool_input: { last: index } },
            };
          }),
        );
        const system = await engineOf({ hooks: { BeforeTool: groupOf(...hooks) } });
        const { result, results } = await system
          .getEventHandler()
          .fireDetailed('BeforeTool', { tool_name: 'x', tool_input: {} });
        expect(results.map((each) => each.hookConfig.name)).toEqual(waits.map((_wait, index) => `h${index}`));
        expect(result.finalOutput?.systemMessage).toBe(waits.map((_wait, index) => `m${index}`).join('\n'));
        expect(result.finalOutput?.getModifiedToolInput()).toEqual({ last: waits.length - 1 });
        expect(result.finalOutput?.reason).toBe(
          waits.flatMap((_wait, index) => (index % 2 === 0 ? [`r${index}`] : [])).join('\n'),
        );
      }),
      { numRuns: 25 },
    );
  });

  test('is detailed hook by hook for whoever asks', async () => {
    const boom = fn('boom', () => {
      throw new Error('boom');
    });
    const system = await engineOf({ hooks: { BeforeTool: groupOf(answers('a', { decision: 'allow' }), boom) } });
    const payload = { tool_name: 'ls', tool_input: {} };
    const { result, results, error } = await system.getEventHandler().fireDetailed('BeforeTool', payload);
    expect(error).toBeUndefined();
    expect(results).toMatchObject([
      { success: true, output: { decision: 'allow' } },
      { success: false, code: 'threw', error: { code: 'hook_failed' } },
    ]);
    expect(result.errors).toEqual([results[1]?.error]);
    expect(result.finalOutput?.decision).toBe('allow');
  });
});

describe('a deadline and a signal of a direct call', () => {
  test('F78 at the deadline what had finished is returned, and the block among it counts', async () => {
    let stopped = 0;
    const hooks = {
      BeforeTool: groupOf(
        answers('blocks', { decision: 'block', reason: 'no' }),
        hangs('hangs', () => {
          stopped += 1;
        }),
        answers('allows', { decision: 'allow' }),
      ),
    };
    const system = await engineOf({ hooks });
    const startedAt = performance.now();
    const payload = { tool_name: 'ls', tool_input: {} };
    const { result, results, error } = await system
      .getEventHandler()
      .fireDetailed('BeforeTool', payload, { timeoutMs: 60 });
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThanOrEqual(58);
    expect(error).toMatchObject({ code: 'deadline_exceeded', details: { timeoutMs: 60 } });
    expect(results.map((each) => each.code)).toEqual([undefined, 'deadline', undefined]);
    expect(result.success).toBe(false);
    expect(result.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    expect(stopped).toBe(1);
  });

  test('the error of the request comes before those of its hooks', async () => {
    const system = await engineOf({ hooks: { BeforeTool: groupOf(hangs('a')) } });
    const { errors } = await system
      .getEventHandler()
      .fire('BeforeTool', { tool_name: 'ls', tool_input: {} }, { timeoutMs: 20 });
    expect(errors).toMatchObject([
      { code: 'deadline_exceeded' },
      { code: 'hook_failed', details: { fault: 'deadline' } },
    ]);
  });

  test('F74 a signal that aborted before runs nothing; one that aborts later ends what runs', async () => {
    let runs = 0;
    const hook = fn('counts', () => {
      runs += 1;
      return new Promise(() => {});
    });
    const handler = (await engineOf({ hooks: { BeforeTool: groupOf(hook) } })).getEventHandler();
    const payload = { tool_name: 'ls', tool_input: {} };
    const early = await handler.fire('BeforeTool', payload, { signal: AbortSignal.abort('why') });
    expect(early).toMatchObject({ success: false, errors: [{ code: 'cancelled', cause: 'why' }] });
    expect(runs).toBe(0);
    const controller = new AbortController();
    const firing = handler.fire('BeforeTool', payload, { signal: controller.signal });
    await sleep(5);
    controller.abort();
    const late = await firing;
    expect(late).toMatchObject({
      success: false,
      errors: [{ code: 'cancelled' }, { details: { fault: 'cancelled' } }],
    });
    expect(runs).toBe(1);
  });

  test('one signal for a thousand calls carries no listener afterwards, and Node never warns', async () => {
    const system = await engineOf({ hooks: { BeforeTool: groupOf(fn('a', async () => ({}))) } });
    const { signal } = new AbortController();
    const payload = { tool_name: 'ls', tool_input: {} };
    const all = Array.from({ length: 1_000 }, () => system.getEventHandler().fire('BeforeTool', payload, { signal }));
    const results = await Promise.all(all);
    expect(results.every((result) => result.success)).toBe(true);
  });

  test('many hooks at once without a signal do not make Node warn', async () => {
    const slow = Array.from({ length: 40 }, (_, index) => fn(`h${index}`, () => sleep(2)));
    const system = await engineOf({ hooks: { BeforeTool: groupOf(...slow) }, deps: { limits: { concurrency: 40 } } });
    expect(await system.getEventHandler().fireBeforeToolEvent('ls', {})).toMatchObject({ success: true });
  });
});

describe('F37 a hook that fires its own event', () => {
  test.each(['parallel', 'sequential'] as const)('is stopped at depth 16, in a %s plan', async (mode) => {
    const depths: AggregatedHookResult[] = [];
    let handler: HookEventHandler | undefined;
    const recursive = fn('recursive', async () => {
      const result = await handler?.fireBeforeAgentEvent('again');
      if (result !== undefined) depths.push(result);
    });
    const hooks = { BeforeAgent: mode === 'parallel' ? groupOf(recursive) : inSequence(recursive) };
    handler = (await engineOf({ hooks })).getEventHandler();
    expect(await handler.fireBeforeAgentEvent('start')).toMatchObject({ success: true, errors: [] });
    expect(depths).toHaveLength(16);
    const [deepest, ...others] = depths;
    expect(deepest?.errors).toMatchObject([
      { code: 'internal_error', message: expect.stringContaining('16 levels deep') },
    ]);
    expect(others.every((result) => result.success)).toBe(true);
    expect(await handler.fireBeforeAgentEvent('and again')).toMatchObject({ success: true });
  });

  test('ten at once do not take each other’s places', async () => {
    let handler: HookEventHandler | undefined;
    let runs = 0;
    const recursive = Array.from({ length: 3 }, (_, index) =>
      fn(`r${index}`, async (input) => {
        runs += 1;
        const left = Number(input.prompt);
        if (left > 0) await handler?.fireBeforeAgentEvent(String(left - 1));
      }),
    );
    handler = (await engineOf({ hooks: { BeforeAgent: groupOf(...recursive) } })).getEventHandler();
    await Promise.all(Array.from({ length: 10 }, () => handler?.fireBeforeAgentEvent('2')));
    expect(runs).toBe(10 * (3 + 9 + 27));
  });
});

describe('R330 R331 R332 one debug line per event', () => {
  const fireWith = async (
    hooks: HooksByEvent,
    fire: (handler: HookEventHandler) => Promise<unknown>,
  ): Promise<string[]> => {
    const { logger, debug } = keepLines();
    const system = await engineOf({ hooks, deps: { logger } });
    await fire(system.getEventHandler());
    return debug.filter((line) => line.startsWith('[hookwright:handler]')).map((line) => line.replace(/\d+ms/, 'Nms'));
  };
  const silent = answers('s', undefined);
  const boom = fn('boom', () => Promise.reject(new Error('boom')));
  const changes = answers('m', { hookSpecificOutput: { llm_request: { model: 'n' } } });
  const blocks = answers('b', { decision: 'deny' });

  test.each<[title: string, hooks: HooksByEvent, fire: (handler: HookEventHandler) => Promise<unknown>, line: string]>([
    [
      'two hooks',
      { BeforeTool: groupOf(silent, answers('t', {})) },
      (h) => h.fireBeforeToolEvent('write_file', {}),
      "[hookwright:handler] BeforeTool fired for 'write_file': 2 hooks, Nms, success",
    ],
    [
      'one hook',
      { BeforeModel: groupOf(silent) },
      (h) => h.fireBeforeModelEvent(llmRequest),
      '[hookwright:handler] BeforeModel fired: 1 hook, Nms, success',
    ],
    [
      'a modified request',
      { BeforeModel: groupOf(changes) },
      (h) => h.fireBeforeModelEvent(llmRequest),
      '[hookwright:handler] BeforeModel fired: 1 hook, Nms, success (modified request)',
    ],
    [
      'a failure',
      { AfterTool: groupOf(boom) },
      (h) => h.fireAfterToolEvent('ls', {}, 'x'),
      "[hookwright:handler] AfterTool fired for 'ls': 1 hook, Nms, failure",
    ],
    [
      'R336 a block on purpose is none',
      { BeforeTool: groupOf(blocks) },
      (h) => h.fireBeforeToolEvent('rm', {}),
      "[hookwright:handler] BeforeTool fired for 'rm': 1 hook, Nms, success",
    ],
    [
      'nothing',
      {},
      (h) => h.fireBeforeToolEvent('read_file', {}),
      "[hookwright:handler] BeforeTool fired for 'read_file': 0 hooks matched, skipped",
    ],
    [
      'nothing, without a subject',
      {},
      (h) => h.fireBeforeModelEvent(llmRequest),
      '[hookwright:handler] BeforeModel fired: 0 hooks matched, skipped',
    ],
    [
      'a session',
      { SessionStart: groupOf(silent) },
      (h) => h.fireSessionStartEvent('resume'),
      "[hookwright:handler] SessionStart fired for 'resume': 1 hook, Nms, success",
    ],
  ])('%s', async (_title, hooks, fire, line) => {
    expect(await fireWith(hooks, fire)).toEqual([line]);
  });
});
