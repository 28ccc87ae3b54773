import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runHooks } from '../../src/abilities/index.ts';
import { MessageBus } from '../../src/bus/index.ts';
import { AbilityEventHandler } from '../../src/handlers/index.ts';
import { HookSystem } from '../../src/hook-system.ts';
import type { AbilityPlanner } from '../../src/planner/index.ts';
import { type AbilityEventRequest, type HookMessage, MessageBusType } from '../../src/protocol/index.ts';
import { HookRunner } from '../../src/runners/index.ts';
import { readSession, record, replay } from '../../src/sessions/index.ts';
import { answers, caller, declaration, load, loadTrusted } from '../abilities/hooks-support.ts';
import { repositoryWith } from '../abilities/support.ts';
import { hostWith } from '../support/host.ts';
import { untyped } from '../support/untyped.ts';

const { ABILITY_EVENT_REQUEST, ABILITY_EVENT_RESPONSE, HOOK_EXECUTION_CANCEL } = MessageBusType;

const call = { ability_id: 'edit_file', caller };
const denial = { hook_signals: [{ kind: 'ability_guard', code: 'ABILITY_DENIED', payload: { reason: 'no' } }] };
const guard = { 'a.yaml': declaration({ id: 'guard', command: answers(denial) }) };
const slow = { 'a.yaml': declaration({ id: 'slow', command: 'sleep 20' }) };

const request = (correlationId: string, more: object = {}): AbilityEventRequest => ({
  type: ABILITY_EVENT_REQUEST,
  correlationId,
  eventType: 'PreAbilityCall',
  context: call,
  ...more,
});

const listen = (bus: MessageBus): HookMessage[] => {
  const messages: HookMessage[] = [];
  bus.stream().subscribe((message) => messages.push(message));
  return messages;
};

const ask = (bus: MessageBus, message: AbilityEventRequest) => bus.request(message, ABILITY_EVENT_RESPONSE, 20_000);

describe('requests on a bus', () => {
  test('C46 a request is answered once with the merged result, and the hook is told about', async () => {
    const bus = new MessageBus();
    await loadTrusted(guard, { bus });
    const messages = listen(bus);
    const response = await ask(bus, request('one'));
    expect(response).toMatchObject({
      eventType: 'PreAbilityCall',
      success: true,
      result: { success: true, hook_signals: [{ hook_id: 'guard', code: 'ABILITY_DENIED' }] },
    });
    expect(messages.map(({ type }) => type)).toEqual([
      'ability-event-request',
      'hook-started',
      'hook-finished',
      'hook-execution-trace',
      'ability-event-response',
    ]);
    expect(new Set(messages.map(({ correlationId }) => correlationId))).toEqual(new Set(['one']));
  });

  test('an event for which nothing runs is answered before publish returns', async () => {
    const bus = new MessageBus();
    await loadTrusted({}, { bus });
    const messages = listen(bus);
    bus.publish(request('one'));
    expect(messages.at(-1)).toMatchObject({ type: ABILITY_EVENT_RESPONSE, success: true, result: { hooks: [] } });
  });

  test.each([
    ['unsupported_event', { eventType: 'PreAbilityCal' }, 'did you mean "PreAbilityCall"?'],
    ['validation_failure', { context: { ability_id: 'x' } }, 'context.caller'],
    ['invalid_request', { context: 'none' }, 'context: an object'],
    ['invalid_request', { timeoutMs: 0 }, 'timeoutMs: a number of milliseconds over 0'],
    ['invalid_request', { eventType: undefined }, 'eventType'],
  ])('F31 a bad request is answered at once with %s: %j', async (code, more, message) => {
    const bus = new MessageBus();
    await loadTrusted(guard, { bus });
    const response = await ask(bus, request('one', more));
    expect(response).toMatchObject({ success: false, error: { code }, result: { success: false, hook_signals: [] } });
    expect(response.error?.message).toContain(message);
  });

  test('F32 a duplicate of a live id is refused, and the first is answered all the same', async () => {
    const bus = new MessageBus();
    await loadTrusted(guard, { bus });
    const messages = listen(bus);
    const first = ask(bus, request('one'));
    bus.publish(request('one'));
    expect(await first).toMatchObject({ success: true, result: { hook_signals: [{}] } });
    const answered = messages.filter(({ type }) => type === ABILITY_EVENT_RESPONSE);
    expect(answered).toMatchObject([{ error: { code: 'duplicate_request' } }, { success: true }]);
  });

  test('a request is cancelled by its id, and misses its deadline, with what had finished', async () => {
    const bus = new MessageBus();
    await loadTrusted(slow, { bus });
    const cancelled = ask(bus, request('one'));
    setTimeout(() => bus.publish({ type: HOOK_EXECUTION_CANCEL, correlationId: 'one' }), 50);
    expect(await cancelled).toMatchObject({
      success: false,
      error: { code: 'cancelled' },
      result: { hooks: [{ code: 'cancelled' }] },
    });
    const late = await ask(bus, request('two', { timeoutMs: 200 }));
    expect(late).toMatchObject({
      success: false,
      error: { code: 'deadline_exceeded' },
      result: { hooks: [{ code: 'deadline' }] },
    });
  });

  test('F72 what is in flight at dispose is answered as disposed, and so is what comes later', async () => {
    const bus = new MessageBus();
    const hookSet = await loadTrusted(slow, { bus });
    const running = ask(bus, request('one'));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await hookSet.dispose();
    expect(await running).toMatchObject({ success: false, error: { code: 'disposed' } });
    expect(await ask(bus, request('two'))).toMatchObject({ error: { code: 'disposed' } });
  });

  test('F37 a listener that asks about every request it hears is stopped, and each is answered', async () => {
    const bus = new MessageBus();
    await loadTrusted({}, { bus });
    let asked = 0;
    bus.subscribe(ABILITY_EVENT_REQUEST, () => {
      asked += 1;
      bus.publish(request(`nested-${asked}`));
    });
    const messages = listen(bus);
    bus.publish(request('first'));
    const answered = messages.filter(({ type }) => type === ABILITY_EVENT_RESPONSE);
    expect(asked).toBe(16);
    expect(answered).toHaveLength(17);
    expect(answered.at(-1)).toMatchObject({
      success: false,
      error: { code: 'internal_error' },
      result: { hook_signals: [] },
    });
  });

  test('C45 a hook in the background is not cut off with its event, even by a runner that never settles', async () => {
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'awaited', event: 'PromptSubmit' }),
      'b.yaml': declaration({ id: 'beside', event: 'PromptSubmit', blocking: false }),
    });
    const context = { session_id: 's', user_raw_input: 'hi' };
    const runner = new HookRunner(hostWith());
    runner.runParallel = () => new Promise(() => undefined);
    const planner = untyped<AbilityPlanner>({ plan: () => hookSet.plan('PromptSubmit', context) });
    const handler = new AbilityEventHandler({
      planner,
      runner,
      backgroundRunner: new HookRunner(hostWith()),
    });
    const { hooks, error } = await handler.fire('PromptSubmit', context, { timeoutMs: 20 });
    expect(error?.code).toBe('deadline_exceeded');
    expect(hooks).toMatchObject([
      { hook_id: 'awaited', code: 'deadline' },
      { hook_id: 'beside', outcome: 'background' },
    ]);
  });

  test('blockingOnly leaves out the others', async () => {
    const bus = new MessageBus();
    await loadTrusted({ 'a.yaml': declaration({ id: 'a', blocking: false }) }, { bus });
    expect(await ask(bus, request('one', { blockingOnly: true }))).toMatchObject({ result: { hooks: [] } });
    expect(await ask(bus, request('two'))).toMatchObject({ result: { hooks: [{ outcome: 'background' }] } });
  });
});

describe('direct calls', () => {
  test('they are told on a bus somebody listens to, as requests that have their handler', async () => {
    const bus = new MessageBus();
    const hookSet = await loadTrusted(guard, { bus });
    const messages = listen(bus);
    await runHooks(hookSet, 'PreAbilityCall', call);
    const [asked, ...others] = messages;
    expect(asked).toMatchObject({ type: ABILITY_EVENT_REQUEST, context: call, handledBy: hookSet.handler.id });
    expect(others.at(-1)).toMatchObject({ type: ABILITY_EVENT_RESPONSE, handledBy: hookSet.handler.id });
    expect(messages.filter(({ type }) => type === ABILITY_EVENT_RESPONSE)).toHaveLength(1);
  });

  test('F35 two hook sets cannot answer on one bus: the second is refused, and what to do is said', async () => {
    const bus = new MessageBus();
    const first = await loadTrusted(guard, { bus });
    await expect(loadTrusted(guard, { bus })).rejects.toMatchObject({
      code: 'handler_exists',
      message: expect.stringContaining('a bus of its own, or dispose of the other first'),
    });
    await first.dispose();
    const second = await loadTrusted(guard, { bus });
    expect(await ask(bus, request('one'))).toMatchObject({ success: true, result: { hook_signals: [{}] } });
    await second.dispose();
  });

  test('C46 the two hook systems share a bus, and neither hears the requests of the other', async () => {
    const bus = new MessageBus();
    const hookSet = await loadTrusted(guard, { bus });
    const system = new HookSystem(hostWith({}), bus);
    await system.initialize();
    expect(await ask(bus, request('one'))).toMatchObject({ success: true, result: { hook_signals: [{}] } });
    const payload = { tool_name: 'x', tool_input: {} };
    const tool = await bus.request(
      { type: MessageBusType.HOOK_EXECUTION_REQUEST, correlationId: 'two', eventName: 'BeforeTool', payload },
      MessageBusType.HOOK_EXECUTION_RESPONSE,
    );
    expect(tool).toMatchObject({ success: true, eventName: 'BeforeTool' });
    await Promise.all([system.dispose(), hookSet.dispose()]);
  });

  test('an event a hook has never heard of is answered by neither with silence', async () => {
    const bus = new MessageBus();
    await loadTrusted(guard, { bus });
    const answer = await ask(bus, untyped(request('one', { eventType: 'BeforeTool' })));
    expect(answer).toMatchObject({ success: false, error: { code: 'unsupported_event' } });
  });
});

describe('record and replay', () => {
  test('a recorded session is driven at the hooks of today, and what differs is named', async () => {
    const root = repositoryWith();
    const file = join(root, 'session.jsonl');
    const bus = new MessageBus();
    const hookSet = await loadTrusted(guard, { bus });
    const recording = record(bus, { file });
    await runHooks(hookSet, 'PreAbilityCall', call);
    await ask(bus, request('again'));
    await recording.close();

    const same = await replay(readSession(file), bus, { mode: 'drive' });
    expect(same.pairs.map(({ eventName, subject, same: isSame }) => [eventName, subject, isSame])).toEqual([
      ['PreAbilityCall', 'edit_file', true],
      ['PreAbilityCall', 'edit_file', true],
    ]);

    const today = new MessageBus();
    await loadTrusted({}, { bus: today });
    const changed = await replay(readSession(file), today, { mode: 'drive' });
    expect(changed.pairs.map(({ same: isSame, differences }) => [isSame, differences])).toEqual([
      [false, ['result.hook_signals[0]', 'result.hooks[0]']],
      [false, ['result.hook_signals[0]', 'result.hooks[0]']],
    ]);
  });

  test('on a bus where nobody handles them, recorded requests are told as unanswered at once', async () => {
    const root = repositoryWith();
    const file = join(root, 'session.jsonl');
    const bus = new MessageBus();
    const hookSet = await load(root, { bus });
    const recording = record(bus, { file });
    await runHooks(hookSet, 'PreAbilityCall', call);
    await recording.close();
    const hooksOnly = new MessageBus();
    const system = new HookSystem(hostWith({}), hooksOnly);
    const { pairs, problems } = await replay(readSession(file), hooksOnly, { mode: 'drive' });
    expect(pairs).toMatchObject([{ same: false, replayed: { error: { code: 'no_handler' } } }]);
    expect(problems).toMatchObject([{ code: 'no-response' }]);
    await system.dispose();
  });
});
