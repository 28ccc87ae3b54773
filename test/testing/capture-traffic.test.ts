import { expect, test } from 'vitest';
import { createHooks, MessageBus, requestHooks } from '../../src/index.ts';
import { captureTraffic, fixtureHook } from '../../src/testing/index.ts';
import { untyped } from '../support/untyped.ts';

const guard = fixtureHook.answers({ decision: 'deny', reason: 'not here' }, { name: 'guard' });

const engine = async () => {
  const bus = new MessageBus();
  const traffic = captureTraffic(bus);
  const hooks = await createHooks({ bus, hooks: { BeforeTool: [{ matcher: 'shell', hooks: [guard] }] } });
  return { bus, traffic, hooks };
};

test('requests over the bus and direct calls are both captured, with their responses and traces', async () => {
  const { bus, traffic, hooks } = await engine();
  await requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
  await hooks.beforeTool({ tool: 'read_file', input: {} });
  expect(traffic.requests.map(({ payload, handledBy }) => [payload?.tool_name, typeof handledBy])).toEqual([
    ['shell', 'undefined'],
    ['read_file', 'string'],
  ]);
  expect(traffic.responses.map(({ correlationId }) => correlationId)).toEqual(
    traffic.requests.map(({ correlationId }) => correlationId),
  );
  expect(traffic.traces.map(({ subject, mode }) => [subject, mode])).toEqual([
    ['shell', 'parallel'],
    ['read_file', 'none'],
  ]);
});

test('it is iterable in the order of delivery, and what was handed out does not change', async () => {
  const { traffic, hooks } = await engine();
  await hooks.beforeTool({ tool: 'shell', input: {} });
  const { messages } = traffic;
  const types = [
    ...['hook-execution-request', 'hook-started', 'hook-finished'],
    ...['hook-execution-trace', 'hook-execution-response'],
  ];
  expect([...traffic].map(({ type }) => type)).toEqual(types);
  await hooks.beforeTool({ tool: 'shell', input: {} });
  expect(messages.map(({ type }) => type)).toEqual(types);
  expect(traffic.messages).toHaveLength(10);
});

test('rows are those of all traces, or of one event', async () => {
  const { traffic, hooks } = await engine();
  hooks.on('SessionStart', () => undefined, { name: 'greeter' });
  await hooks.sessionStart({ source: 'startup' });
  await hooks.beforeTool({ tool: 'shell', input: {} });
  await hooks.beforeTool({ tool: 'read_file', input: {} });
  expect(traffic.rows().map(({ name }) => name)).toEqual(['greeter', 'guard', 'guard']);
  expect(traffic.rows('BeforeTool')).toMatchObject([
    { name: 'guard', planned: 'run', outcome: 'answered' },
    { name: 'guard', planned: 'skip', reason: 'matcher-mismatch' },
  ]);
  expect(traffic.rows('AfterTool')).toEqual([]);
});

test('the part of one event has all that belongs to it, cancellations included, and grows', async () => {
  const { bus, traffic, hooks } = await engine();
  hooks.on('SessionEnd', () => new Promise<never>(() => {}), { name: 'slow' });
  const part = traffic.of('SessionEnd');
  expect([...part]).toEqual([]);
  const controller = new AbortController();
  const asked = requestHooks(bus, 'SessionEnd', { reason: 'exit' }, { signal: controller.signal });
  await requestHooks(bus, 'BeforeTool', { tool_name: 'shell', tool_input: {} });
  controller.abort();
  await asked;
  const types = new Set(part.messages.map(({ type }) => type));
  expect(types).toContain('hook-execution-cancel');
  expect(part.requests.map(({ eventName }) => eventName)).toEqual(['SessionEnd']);
  expect(part.responses.map(({ error }) => error?.code)).toEqual(['cancelled']);
  expect(part.rows().map(({ name }) => name)).toEqual(['slow']);
  await hooks.close();
});

test('clear forgets, stop captures no more and leaves nothing on the bus', async () => {
  const { bus, traffic, hooks } = await engine();
  await hooks.beforeTool({ tool: 'shell', input: {} });
  traffic.clear();
  expect(traffic.messages).toEqual([]);
  await hooks.beforeTool({ tool: 'read_file', input: {} });
  traffic.stop();
  traffic.stop();
  expect(bus.listenerCount('*')).toBe(0);
  await hooks.beforeTool({ tool: 'shell', input: {} });
  expect(traffic.rows().map(({ planned }) => planned)).toEqual(['skip']);
});

test('what is no bus is refused, and an engine that has one is pointed at it', async () => {
  const hooks = await createHooks();
  expect(() => captureTraffic(untyped(hooks))).toThrow('needs a bus, got an object; it has a bus: pass that');
  expect(() => captureTraffic(untyped(undefined))).toThrow('captureTraffic needs a bus, got nothing');
});
