import { describe, expect, test } from 'vitest';
import {
  AfterModelHookOutput,
  BeforeModelHookOutput,
  BeforeToolHookOutput,
  BeforeToolSelectionHookOutput,
  Config,
  createHookOutput,
  DefaultHookOutput,
  HookAggregator,
  type HookCall,
  HookEventHandler,
  HookEventName,
  type HookExecutionTrace,
  HookPlanner,
  HookRegistry,
  HookRunner,
  HookwrightError,
} from '../../src/index.ts';
import { all, answering, engineOf, keepingLogger, payloads } from './engine.ts';

const events = Object.values(HookEventName);
const blocks = { name: 'guard', command: 'echo not here >&2; exit 2' };
const fails = { name: 'fails', command: 'exit 3' };

describe('the result of an event', () => {
  test.each([{ BeforeTool: [] }, { BeforeTool: [{ matcher: 'write', hooks: [answering('a')] }] }, {}])(
    'R193 R229 C51 for which nothing runs is the empty one: %j',
    async (hooks) => {
      const { handler } = await engineOf(hooks);
      const result = await handler.fireBeforeToolEvent('read_file', {});
      expect(result).toStrictEqual({
        success: true,
        finalOutput: undefined,
        allOutputs: [],
        errors: [],
        totalDuration: 0,
      });
    },
  );

  test('R180 R181 R231 is what the aggregator makes of all results', async () => {
    const { handler } = await engineOf({ BeforeTool: all(answering('a', { reason: 'one' }), answering('b')) });
    const result = await handler.fireBeforeToolEvent('read_file', {});
    expect(Object.keys(result)).toEqual(['success', 'finalOutput', 'allOutputs', 'errors', 'totalDuration']);
    expect(result).toMatchObject({ success: true, allOutputs: [{ reason: 'one' }], errors: [] });
    expect(result.totalDuration).toBeGreaterThan(0);
  });

  test('R111 R182 R184 C03 C37 that is blocked on purpose is no success, has the block and no error', async () => {
    const { handler } = await engineOf({ BeforeTool: all(blocks) });
    const result = await handler.fireBeforeToolEvent('read_file', {});
    expect(result).toMatchObject({
      success: false,
      errors: [],
      finalOutput: { decision: 'block', reason: 'not here' },
    });
  });

  test('R112 R182 R185 C37 with a failed hook is no success, and has its error', async () => {
    const { handler } = await engineOf({ BeforeTool: all(fails) });
    const result = await handler.fireBeforeToolEvent('read_file', {});
    expect(result).toMatchObject({ success: false, finalOutput: undefined });
    expect(result.errors.map((error) => [HookwrightError.is(error), error.message])).toEqual([
      [true, 'Hook "fails": exited with code 3'],
    ]);
  });

  test.each(events)(
    'R157 R173 R174 R192 R195 of %s is of its class, and what hooks said can be read',
    async (event) => {
      const answer = { systemMessage: 'look', suppressOutput: true, decision: 'deny', reason: 'no' };
      const { handler } = await engineOf({ [event]: all(answering('a', answer)) });
      const { finalOutput } = await handler.fire(event, payloads[event]);
      expect(finalOutput).toBeInstanceOf(createHookOutput(event).constructor);
      expect(finalOutput).toMatchObject({ systemMessage: 'look', suppressOutput: true });
      expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'no' });
    },
  );

  test('R120 of hooks that answer with nothing or an empty object is no opinion', async () => {
    const traces: HookExecutionTrace[] = [];
    const { handler } = await engineOf(
      { BeforeTool: all(answering('nothing'), answering('empty', {}), { name: 'prints', command: 'echo {}' }) },
      { deps: { onTrace: (trace) => traces.push(trace) } },
    );
    const { success, finalOutput } = await handler.fireBeforeToolEvent('read_file', {});
    expect({ success, decision: finalOutput?.decision }).toEqual({ success: true, decision: undefined });
    expect(traces[0]?.rows.map(({ outcome }) => outcome)).toEqual(['silent', 'silent', 'silent']);
  });

  test('R189 R191 C57 has the later of two values for one field, and the trace says who overrode whom', async () => {
    const traces: HookExecutionTrace[] = [];
    const setting = (temperature: number) => ({ hookSpecificOutput: { llm_request: { config: { temperature } } } });
    const { handler } = await engineOf(
      {
        BeforeModel: all(answering('first', setting(0)), answering('second', setting(1))),
        SessionEnd: all(answering('first', { systemMessage: 'one' }), answering('second', { systemMessage: 'two' })),
      },
      { deps: { onTrace: (trace) => traces.push(trace) } },
    );
    const { finalOutput } = await handler.fireBeforeModelEvent(payloads.BeforeModel.llm_request);
    expect(finalOutput?.hookSpecificOutput?.llm_request).toEqual({ config: { temperature: 1 } });
    expect(traces[0]?.rows.map(({ fields }) => fields)).toEqual([
      { 'hookSpecificOutput.llm_request.config.temperature': { fate: 'overridden', by: 'project/BeforeModel/second' } },
      { 'hookSpecificOutput.llm_request.config.temperature': { fate: 'applied' } },
    ]);
    expect((await handler.fireSessionEndEvent('exit')).finalOutput?.systemMessage).toBe('two');
  });

  test('R158 classes with questions of their own exist for tools, models and the selection of tools', () => {
    for (const [eventName, kind] of [
      ['BeforeTool', BeforeToolHookOutput],
      ['BeforeModel', BeforeModelHookOutput],
      ['AfterModel', AfterModelHookOutput],
      ['BeforeToolSelection', BeforeToolSelectionHookOutput],
    ] as const) {
      expect(kind).not.toBe(DefaultHookOutput);
      expect(createHookOutput(eventName)).toBeInstanceOf(kind);
    }
  });
});

describe('the handler', () => {
  test('R220 C13 is made of a configuration, a planner, a runner and an aggregator', async () => {
    const config = new Config({ enableHooks: true, hooks: { BeforeAgent: all(answering('a', { decision: 'deny' })) } });
    const registry = new HookRegistry(config);
    await registry.initialize();
    const handler = new HookEventHandler(
      config,
      new HookPlanner(registry),
      new HookRunner(config),
      new HookAggregator(),
    );
    expect((await handler.fireBeforeAgentEvent('hi')).finalOutput).toMatchObject({ decision: 'deny' });
  });

  test('R221 R224 R225 R226 C15 has a fire method for each of the eleven events', async () => {
    expect(events).toHaveLength(11);
    const { handler } = await engineOf(
      Object.fromEntries(events.map((event) => [event, all(answering('a', { reason: event }))])),
    );
    const { llm_request, llm_response } = payloads.AfterModel;
    const results = [
      await handler.fireBeforeToolEvent('read_file', {}),
      await handler.fireAfterToolEvent('read_file', {}, { llmContent: 'text' }),
      await handler.fireBeforeAgentEvent('hi'),
      await handler.fireAfterAgentEvent('hi', 'hello'),
      await handler.fireBeforeModelEvent(llm_request),
      await handler.fireAfterModelEvent(llm_request, llm_response),
      await handler.fireBeforeToolSelectionEvent(llm_request),
      await handler.fireSessionStartEvent('startup'),
      await handler.fireSessionEndEvent('exit'),
      await handler.firePreCompressEvent('auto'),
      await handler.fireNotificationEvent('ToolPermission', 'may I?', {}),
    ];
    expect(results.map(({ finalOutput }) => finalOutput?.reason)).toEqual(events);
  });

  test('R222 R223 R227 C16 gives the aggregated result of tool events, whose name decides what matches', async () => {
    const definition = { matcher: 'read', hooks: [answering('a', { decision: 'allow' })] };
    const { handler } = await engineOf({ BeforeTool: [definition], AfterTool: [definition] });
    for (const [name, count] of [['read_file', 1] as const, ['write_file', 0] as const]) {
      expect((await handler.fireBeforeToolEvent(name, {})).allOutputs).toHaveLength(count);
      expect((await handler.fireAfterToolEvent(name, {}, { llmContent: '' })).allOutputs).toHaveLength(count);
    }
  });

  test('R232 R233 R321 R322 C04 warns of a fault of the engine, and gives a failed result without an answer', async () => {
    const { logger, lines } = keepingLogger();
    class Unlucky extends Config {
      override getSessionId(): string {
        throw new Error('no session');
      }
    }
    const config = new Unlucky({
      enableHooks: true,
      hooks: { BeforeAgent: all(answering('a')) },
      deps: { logger },
    });
    const system = config.getHookSystem();
    await system?.initialize();
    const result = await system?.getEventHandler().fireBeforeAgentEvent('hi');
    expect(result).toMatchObject({ success: false, finalOutput: undefined, allOutputs: [] });
    expect(result?.errors).toMatchObject([{ code: 'internal_error', message: 'no session' }]);
    expect(lines.filter((line) => line.startsWith('warn: '))).toEqual([expect.stringContaining('no session')]);
  });
});

describe('what is told', () => {
  test('R330 R331 R332 one debug line for each event, with the tool, the hooks, the time and the health', async () => {
    const { logger, lines } = keepingLogger();
    const changed = { hookSpecificOutput: { llm_request: { model: 'other' } } };
    const { handler } = await engineOf(
      {
        BeforeTool: [{ matcher: 'write_file', hooks: [answering('a'), answering('b')] }],
        BeforeModel: all(answering('c', changed)),
        BeforeAgent: all(fails),
      },
      { deps: { logger } },
    );
    await handler.fireBeforeToolEvent('write_file', {});
    await handler.fireBeforeModelEvent(payloads.BeforeModel.llm_request);
    await handler.fireBeforeToolEvent('read_file', {});
    await handler.fireBeforeAgentEvent('hi');
    expect(lines.filter((line) => line.startsWith('debug: '))).toEqual([
      expect.stringMatching(/^debug: BeforeTool fired for 'write_file': 2 hooks, \d+ms, success$/),
      expect.stringMatching(/^debug: BeforeModel fired: 1 hook, \d+ms, success \(modified request\)$/),
      "debug: BeforeTool fired for 'read_file': 0 hooks matched, skipped",
      expect.stringMatching(/^debug: BeforeAgent fired: 1 hook, \d+ms, failure$/),
    ]);
  });

  test('R334 R336 each hook is counted once, and a block on purpose is no fault', async () => {
    const calls: HookCall[] = [];
    const { handler } = await engineOf(
      { BeforeTool: all(blocks, fails, answering('silent')) },
      { deps: { telemetry: (call) => calls.push(call) } },
    );
    await handler.fireBeforeToolEvent('read_file', {});
    const told = calls.map(({ hookName, outcome, code, exitCode }) => ({ hookName, outcome, code, exitCode }));
    expect(told.sort((a, b) => a.hookName.localeCompare(b.hookName))).toEqual([
      { hookName: 'fails', outcome: 'faulted', code: 'exit-code', exitCode: 3 },
      { hookName: 'guard', outcome: 'answered', code: undefined, exitCode: 2 },
      { hookName: 'silent', outcome: 'silent', code: undefined, exitCode: undefined },
    ]);
  });

  test('C31 the same failure is told once, however many chunks of one request hooks are shown', async () => {
    const told: string[] = [];
    const { handler } = await engineOf(
      { AfterModel: all(fails) },
      { deps: { events: { onFeedback: ({ message }) => told.push(message) } } },
    );
    const { llm_request, llm_response } = payloads.AfterModel;
    for (const _chunk of [1, 2, 3]) await handler.fireAfterModelEvent(llm_request, llm_response);
    expect(told).toEqual(['AfterModel: a hook failed: "fails" (exit-code)']);
    await handler.fireAfterModelEvent({ ...llm_request }, llm_response);
    expect(told).toHaveLength(2);
  });
});
