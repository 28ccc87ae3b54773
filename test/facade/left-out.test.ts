import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CreateHooksOptions,
  createHooks,
  type HookDeps,
  type HookEventName,
  type HookOutput,
  type Hooks,
  MessageBus,
  MessageBusType,
} from '../../src/index.ts';
import { anOutput } from '../support/arbitraries.ts';
import { keepLines } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const request = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'ho' }] } }] };

/** A payload of each event, and what its matchers are compared with. */
const events = {
  BeforeTool: (tool_name: string) => ({ tool_name, tool_input: {} }),
  AfterTool: (tool_name: string) => ({ tool_name, tool_input: {}, tool_response: {} }),
  AfterToolFailure: (tool_name: string) => ({ tool_name, tool_input: {}, error: 'no' }),
  PermissionRequest: (tool_name: string) => ({ tool_name, tool_input: {} }),
  BeforeModel: () => ({ llm_request: request }),
  BeforeToolSelection: () => ({ llm_request: request }),
  AfterModel: () => ({ llm_request: request, llm_response: response }),
  BeforeAgent: () => ({ prompt: 'hi' }),
  Notification: () => ({ notification_type: 'ToolPermission', message: 'm', details: {} }),
} as const satisfies Partial<Record<HookEventName, unknown>>;

type Event = keyof typeof events;
const names: readonly Event[] = untyped(Object.keys(events));
const anEvent = fc.constantFrom(...names);
const aTool = fc.constantFrom('ls', 'rm', 'lsof');

const someHooks = fc.array(
  fc.record({
    event: anEvent,
    matcher: fc.constantFrom(undefined, '', '*', 'ls', '^ls$', 'rm|cat', '['),
    disabled: fc.boolean(),
  }),
  { maxLength: 3 },
);

const seldom = fc.integer({ min: 0, max: 5 }).map((at) => at === 0);

/** Who could hear of an event, by the way it is told. Mostly nobody. */
const anAudience = fc.record({
  watched: fc.option(fc.constantFrom('*' as const, ...Object.values(MessageBusType)), { nil: undefined, freq: 1 }),
  logger: fc.constantFrom('none', 'warns', 'none', 'debugs'),
  traced: seldom,
  measured: fc.boolean(),
  called: fc.boolean(),
});

type Audience = typeof anAudience extends fc.Arbitrary<infer T> ? T : never;
type HooksGiven = typeof someHooks extends fc.Arbitrary<infer T> ? T : never;

/** An engine with an audience, and how much that has heard. */
const engineFor = async (given: HooksGiven, { watched, logger, traced, measured, called }: Audience) => {
  let heard = 0;
  const hear = (): void => {
    heard += 1;
  };
  const bus = new MessageBus();
  const deps: HookDeps = {
    ...(logger === 'none' ? {} : { logger: logger === 'warns' ? { warn: hear } : { warn: hear, debug: hear } }),
    ...(traced ? { onTrace: hear } : {}),
    ...(measured ? { telemetry: hear } : {}),
    ...(called ? { events: { onHookStart: hear, onHookEnd: hear, onSystemMessage: hear, onFeedback: hear } } : {}),
  };
  const options: CreateHooksOptions = { bus, deps };
  const hooks = await createHooks(options);
  for (const [index, { event, matcher, disabled }] of given.entries()) {
    const name = `hook-${index}`;
    hooks.on(event, hear, { name, matcher });
    if (disabled) hooks.system.setHookEnabled(name, false);
  }
  if (watched === '*') bus.stream().subscribe(hear);
  else if (watched !== undefined) bus.subscribe(watched, hear);
  heard = 0;
  return { hooks, heard: () => heard };
};

const isEmpty = async (hooks: Hooks, event: Event, tool: string): Promise<boolean> => {
  const fired = await hooks.system.getEventHandler().fireDetailed(event, untyped(events[event](tool)));
  const { success, finalOutput, allOutputs, errors } = fired.result;
  const said = fired.results.length + allOutputs.length + errors.length;
  return fired.error === undefined && success && finalOutput === undefined && said === 0;
};

const subjectOf = (event: Event, tool: string) => ('tool_name' in events[event](tool) ? { toolName: tool } : undefined);

test('R924 an event comes to nothing exactly when firing it gives the empty result and nobody hears of it', async () => {
  const seen = { nothing: 0, something: 0 };
  await fc.assert(
    fc.asyncProperty(
      someHooks,
      anAudience,
      anEvent,
      aTool,
      fc.boolean(),
      async (given, audience, event, tool, ended) => {
        const { hooks, heard } = await engineFor(given, audience);
        if (ended) await hooks.close();
        const before = heard();
        const isNothing = hooks.system.isNoop(event, subjectOf(event, tool));
        seen[isNothing ? 'nothing' : 'something'] += 1;
        expect(heard()).toBe(before);
        const empty = await isEmpty(hooks, event, tool);
        expect(isNothing).toBe(empty && heard() === before);
        await hooks.close();
      },
    ),
    { numRuns: 400 },
  );
  expect(seen.nothing).toBeGreaterThan(20);
  expect(seen.something).toBeGreaterThan(20);
});

test('R924 without a subject an event comes to nothing only when it does for every subject', async () => {
  await fc.assert(
    fc.asyncProperty(someHooks, anEvent, aTool, async (given, event, tool) => {
      const { hooks } = await engineFor(given, {
        watched: undefined,
        logger: 'none',
        traced: false,
        measured: false,
        called: false,
      });
      if (hooks.system.isNoop(event)) expect(await isEmpty(hooks, event, tool)).toBe(true);
      await hooks.close();
    }),
    { numRuns: 300 },
  );
});

test('R924 it is never known before the hooks are loaded', async () => {
  const { system } = await createHooks();
  expect(system.isNoop('BeforeTool')).toBe(true);
  await system.dispose();
  expect(system.isNoop('BeforeTool')).toBe(false);
});

/** What a caller does, and when it leaves. */
const someCalls: readonly [string, (hooks: Hooks, signal?: AbortSignal) => Promise<unknown>][] = [
  ['beforeTool', (hooks, signal) => hooks.beforeTool({ tool: 'ls', input: { path: '.' }, signal })],
  ['afterTool', (hooks, signal) => hooks.afterTool({ tool: 'ls', input: {}, output: { llmContent: 'a b' }, signal })],
  ['afterTool, a text', (hooks, signal) => hooks.afterTool({ tool: 'ls', input: {}, output: 'a b', signal })],
  ['afterTool, no JSON', (hooks, signal) => hooks.afterTool({ tool: 'ls', input: {}, output: new Map(), signal })],
  ['permissionRequest', (hooks, signal) => hooks.permissionRequest({ tool: 'ls', input: {}, reason: 'why', signal })],
  ['afterToolFailure', (hooks, signal) => hooks.afterToolFailure({ tool: 'ls', input: {}, error: 'no', signal })],
  ['beforeAgent', (hooks, signal) => hooks.beforeAgent({ prompt: 'hi', signal })],
  ['afterAgent', (hooks, signal) => hooks.afterAgent({ prompt: 'hi', response: 'ho', signal })],
  ['beforeModel', (hooks, signal) => hooks.beforeModel({ request, signal })],
  ['afterModel', (hooks, signal) => hooks.afterModel({ request, response, signal })],
  ['beforeToolSelection', (hooks, signal) => hooks.beforeToolSelection({ request, signal })],
  ['sessionStart', (hooks, signal) => hooks.sessionStart({ source: 'startup', signal })],
  ['sessionEnd', (hooks, signal) => hooks.sessionEnd({ reason: 'exit', signal })],
  ['preCompress', (hooks, signal) => hooks.preCompress({ trigger: 'manual', signal })],
  ['subagentStart', (hooks, signal) => hooks.subagentStart({ agentType: 'helper', signal })],
  ['subagentStop', (hooks, signal) => hooks.subagentStop({ agentType: 'helper', response: 'done', signal })],
  ['notify', (hooks, signal) => hooks.notify({ type: 'ToolPermission', message: 'm', signal })],
  ['beforeTool, called wrongly', (hooks) => hooks.beforeTool(untyped({ tool: '', input: {} }))],
  ['afterModel, called wrongly', (hooks) => hooks.afterModel({ request, response: untyped<object>('no response') })],
  ['notify, called wrongly', (hooks) => hooks.notify(untyped({ type: 'ToolPermission' }))],
  ['callTool, called wrongly', (hooks) => hooks.callTool('ls', {}, untyped('no function'))],
];

const leavings = ['not at all', 'before', 'in the turn of the call'] as const;

const whileItRuns = 'while it runs';

/** One call in all its particulars, a promise that hangs included. */
const courseOf = async (
  call: (hooks: Hooks, signal: AbortSignal | undefined, leave: () => void) => Promise<unknown>,
  leaving: (typeof leavings)[number] | typeof whileItRuns,
  { watched, closes }: { watched: boolean; closes: boolean },
) => {
  const { logger, warn } = keepLines();
  const hooks = await createHooks({ deps: { logger: { warn: logger.warn } } });
  // Whoever watches has events fired; nobody has them left out.
  if (watched) hooks.bus.subscribe(MessageBusType.HOOK_EXECUTION_TRACE, () => {});
  const leaves = new AbortController();
  if (leaving === 'before') leaves.abort(new Error('left'));
  const leave = (): void => {
    if (leaving === whileItRuns) leaves.abort(new Error('left'));
  };
  const settled = call(hooks, leaving === 'not at all' ? undefined : leaves.signal, leave).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: String(error) }),
  );
  if (leaving === 'in the turn of the call') leaves.abort(new Error('left'));
  const closing = closes ? hooks.close() : undefined;
  const course = await settled;
  await closing;
  await hooks.close();
  return { course, warn };
};

describe('R924 that an event is left out changes no answer', () => {
  test.each(leavings)('of a call whose caller leaves %s', async (leaving) => {
    for (const [name, call] of someCalls) {
      for (const closes of [false, true]) {
        const [asked, left] = [
          await courseOf(call, leaving, { watched: true, closes }),
          await courseOf(call, leaving, { watched: false, closes }),
        ];
        expect({ name, closes, ...left }).toEqual({ name, closes, ...asked });
      }
    }
  });

  test.each([...leavings, whileItRuns] as const)('of a tool whose caller leaves %s', async (leaving) => {
    for (const fails of [false, true]) {
      for (const closes of [false, true]) {
        const ran: unknown[] = [];
        const call = (hooks: Hooks, signal: AbortSignal | undefined, leave: () => void) =>
          hooks.callTool(
            'ls',
            { path: '.' },
            async (input, { signal: own }) => {
              ran.push(input, own.aborted);
              leave();
              await undefined;
              if (fails) throw new Error('no such path');
              return { llmContent: 'a b' };
            },
            { signal, id: 'call-1' },
          );
        const asked = await courseOf(call, leaving, { watched: true, closes });
        const ranAsked = ran.splice(0);
        const left = await courseOf(call, leaving, { watched: false, closes });
        const hasLeft = closes || leaving === 'before' || leaving === 'in the turn of the call';
        expect(ran).toEqual(hasLeft ? [] : [{ path: '.' }, false]);
        expect({ fails, closes, ran, ...left }).toEqual({ fails, closes, ran: ranAsked, ...asked });
      }
    }
  });
});

/** What comes of a tool call with these hooks around it; where somebody watches, none of its events is left out. */
const calledWith = async (
  given: readonly { event: Event; output: HookOutput }[],
  returned: unknown,
  watched: boolean,
) => {
  const { logger, warn } = keepLines();
  const hooks = await createHooks({
    deps: { logger: { warn: logger.warn }, confirm: ({ reason }) => reason !== 'red' },
  });
  for (const { event, output } of given)
    hooks.on(event, () => untyped<undefined>(structuredClone(output)), { name: 'one' });
  if (watched) hooks.bus.subscribe(MessageBusType.HOOK_EXECUTION_TRACE, () => {});
  const ran: unknown[] = [];
  const called = await hooks.callTool('ls', { path: '.' }, (input) => {
    ran.push(input);
    return returned;
  });
  // What had no room in an output rides on the next request.
  const { request: next } = await hooks.beforeModel({ request });
  await hooks.close();
  return { called, ran, next, warn };
};

test('R924 that one moment of a call is left out changes nothing about what hooks say at the others', async () => {
  const toolMoments = fc.constantFrom<Event[]>('AfterTool', 'BeforeTool', 'AfterTool', 'PermissionRequest');
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ event: toolMoments, output: anOutput }), { maxLength: 2 }),
      fc.constantFrom<unknown[]>('a b', { llmContent: 'a b', metadata: { at: 1 } }, { files: ['a'] }, undefined),
      async (given, returned) => {
        const [asked, left] = [await calledWith(given, returned, true), await calledWith(given, returned, false)];
        expect(left).toEqual(asked);
      },
    ),
    { numRuns: 120 },
  );
});

test('R924 hooks and watchers that come while a tool runs are asked and told about its result', async () => {
  const hooks = await createHooks();
  const told: string[] = [];
  const called = await hooks.callTool('ls', {}, () => {
    hooks.on('AfterTool', () => ({ decision: 'deny', reason: 'too late' }));
    hooks.bus.subscribe(MessageBusType.HOOK_EXECUTION_REQUEST, ({ eventName }) => told.push(eventName));
    return 'a b';
  });
  expect(called.withheld).toEqual({ reason: 'too late' });
  expect(told).toEqual(['AfterTool']);
  await hooks.close();
});

test('R924 a hook that comes while a failing tool runs is told that it failed', async () => {
  const hooks = await createHooks();
  const told: unknown[] = [];
  const failing = hooks.callTool('ls', {}, () => {
    hooks.on('AfterToolFailure', ({ error }) => void told.push(error));
    throw new Error('no such path');
  });
  await expect(failing).rejects.toThrow('no such path');
  expect(told).toEqual(['no such path']);
  await hooks.close();
});

test('R924 what waits for the next request rides on it although no hook is asked about that', async () => {
  const hooks = await createHooks();
  const remove = hooks.on('Notification', () => ({ systemMessage: 'Mind the gap.' }));
  await hooks.notify({ type: 'ToolPermission', message: 'm' });
  remove();
  expect(hooks.system.isNoop('BeforeModel')).toBe(true);
  const { request: told } = await hooks.beforeModel({ request });
  expect(JSON.stringify(told)).toContain('Mind the gap.');
  const { request: plain } = await hooks.beforeModel({ request });
  expect(plain).toBe(request);
  await hooks.close();
});
