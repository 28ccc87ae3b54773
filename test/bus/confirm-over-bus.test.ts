import { describe, expect, test } from 'vitest';
import { confirmOverBus, type HookwrightError, MessageBus, type MessageOf } from '../../src/bus/index.ts';
import { atMost } from '../support/processes.ts';
import { ANSWER, QUESTION, untyped, waitForRejections } from './messages.ts';

const question = {
  eventName: 'BeforeTool',
  reason: 'it deletes files',
  toolName: 'shell',
  toolInput: { command: 'rm' },
};

const answering = (...answers: readonly unknown[]): MessageBus => {
  const bus = new MessageBus();
  bus.subscribe(QUESTION, ({ correlationId }) => {
    for (const approved of answers) bus.publish(untyped({ type: ANSWER, correlationId, approved }));
  });
  return bus;
};

describe('a question', () => {
  test('is put to whoever listens, with the time until which an answer counts', async () => {
    const bus = answering(true);
    const asked: MessageOf<typeof QUESTION>[] = [];
    bus.subscribe(QUESTION, (message) => asked.push(message));
    const before = Date.now();
    await confirmOverBus(bus, { timeoutMs: 5_000 })(question);
    expect(asked).toMatchObject([question]);
    const expiresAt = Date.parse(asked[0]?.expiresAt ?? '');
    expect(expiresAt).toBeGreaterThanOrEqual(before + 5_000);
    expect(expiresAt).toBeLessThan(before + 6_000);
  });

  test('about no tool has no tool in it', async () => {
    const bus = answering(true);
    const asked: object[] = [];
    bus.subscribe(QUESTION, (message) => asked.push(message));
    await confirmOverBus(bus)({ eventName: 'BeforeAgent', reason: 'sure?' });
    expect(Object.keys(asked[0] ?? {})).toEqual(['type', 'correlationId', 'eventName', 'reason', 'expiresAt']);
  });

  test.each([true, false])('answered %s is that', async (approved) => {
    await expect(confirmOverBus(answering(approved))(question)).resolves.toBe(approved);
  });

  test('answered twice counts the first answer; the second is a duplicate', async () => {
    const bus = answering(false, true);
    const errors: HookwrightError[] = [];
    bus.on('error', (error) => errors.push(error));
    await expect(confirmOverBus(bus)(question)).resolves.toBe(false);
    expect(errors.map(({ code }) => code)).toEqual(['duplicate_response']);
    expect(bus.stats().duplicateResponses).toBe(1);
  });

  test('answered with something that is no yes or no waits for one that is', async () => {
    const bus = answering('yes', 1, undefined, true);
    const errors: HookwrightError[] = [];
    bus.on('error', (error) => errors.push(error));
    await expect(confirmOverBus(bus)(question)).resolves.toBe(true);
    expect(errors.map(({ code }) => code)).toEqual(['invalid_message', 'invalid_message', 'invalid_message']);
  });
});

describe('without an answer', () => {
  test.each([
    ['deny', false],
    ['allow', true],
  ] as const)('nobody listening means %s at once', async (fallback, approved) => {
    const bus = new MessageBus();
    bus.subscribe(ANSWER, () => {});
    const why: unknown[] = [];
    const onUnanswered = (reason: string): void => void why.push(reason);
    await expect(confirmOverBus(bus, { fallback })(question, { onUnanswered })).resolves.toBe(approved);
    expect(why).toEqual(['no-listener']);
  });

  test('R1219 what forwards all messages counts as a listener', async () => {
    const bus = new MessageBus();
    bus.stream().subscribe((message) => {
      const { type, correlationId } = message;
      if (type === QUESTION) bus.publish({ type: ANSWER, correlationId, approved: true });
    });
    await expect(confirmOverBus(bus, { timeoutMs: 5_000 })(question)).resolves.toBe(true);
  });

  test.each([
    ['deny', false],
    ['allow', true],
  ] as const)('in time it means %s, and an answer afterwards changes nothing', async (fallback, approved) => {
    const bus = new MessageBus();
    const ids: string[] = [];
    bus.subscribe(QUESTION, ({ correlationId }) => ids.push(correlationId));
    const startedAt = performance.now();
    const why: unknown[] = [];
    const onUnanswered = (reason: string): void => void why.push(reason);
    await expect(confirmOverBus(bus, { timeoutMs: 50, fallback })(question, { onUnanswered })).resolves.toBe(approved);
    expect(why).toEqual(['timeout']);
    const waited = performance.now() - startedAt;
    expect(waited).toBeGreaterThan(45);
    expect(waited).toBeLessThan(atMost(500));
    bus.publish({ type: ANSWER, correlationId: ids[0] ?? '', approved: !approved });
    expect(bus.stats()).toMatchObject({ pending: 0, ignoredResponses: 1 });
  });

  test('because the caller gave up it means no, whatever the fallback', async () => {
    const bus = new MessageBus();
    bus.subscribe(QUESTION, () => {});
    const controller = new AbortController();
    const confirm = confirmOverBus(bus, { fallback: 'allow' });
    const pending = confirm(question, { signal: controller.signal });
    controller.abort();
    await expect(pending).resolves.toBe(false);
    await expect(confirm(question, { signal: controller.signal })).resolves.toBe(false);
    await waitForRejections();
    expect(bus.stats().pending).toBe(0);
  });

  test('because no question could be put it means no, whatever the fallback', async () => {
    const bus = new MessageBus({ idGenerator: () => '' });
    bus.subscribe(QUESTION, () => {});
    await expect(confirmOverBus(bus, { fallback: 'allow' })(question)).resolves.toBe(false);
  });
});

test('wrong options are refused when the callback is made, not when it is needed', () => {
  const bus = new MessageBus();
  expect(() => confirmOverBus(bus, { timeoutMs: 0 })).toThrow(/timeoutMs: expected milliseconds over 0/);
  expect(() => confirmOverBus(bus, { fallback: untyped('yes') })).toThrow(
    /fallback: expected "allow", "deny" or "park"/,
  );
  expect(() => confirmOverBus(bus, untyped({ timeoutMS: 100 }))).toThrow(
    'confirmOverBus does not take "timeoutMS"; did you mean "timeoutMs"?',
  );
  expect(() => confirmOverBus(bus, untyped({ patience: 1 }))).toThrow('it takes timeoutMs, fallback');
  expect(confirmOverBus(bus, { timeoutMs: Number.POSITIVE_INFINITY })).toBeTypeOf('function');
});
