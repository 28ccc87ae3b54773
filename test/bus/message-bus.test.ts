import { createRequire } from 'node:module';
import { firstValueFrom, Subject } from 'rxjs';
import { finalize, map, mergeMap, share, take } from 'rxjs/operators';
import { describe, expect, test, vi } from 'vitest';
import { type HookMessage, type HookwrightError, MessageBus } from '../../src/bus/index.ts';
import { describeBus } from '../../src/testing/index.ts';
import {
  ANSWER,
  activeTimers,
  createSampleNote,
  createSampleRequest,
  createSampleResponse,
  NOTE,
  REQUEST,
  RESPONSE,
  respondImmediately,
  untyped,
  waitForRejections,
} from './messages.ts';

describeBus('MessageBus', () => new MessageBus(), { inline: true });

/** Stands for every transport that delivers later: the suite must not depend on `publish` having delivered. */
class LaterBus extends MessageBus {
  override publish(message: HookMessage): void {
    setImmediate(() => super.publish(message));
  }
}
describeBus('a bus that delivers later', () => new LaterBus(), { inline: false });

const collectErrors = (bus: MessageBus): HookwrightError[] => {
  const errors: HookwrightError[] = [];
  bus.on('error', (error) => errors.push(error));
  return errors;
};

describe('ids', () => {
  test('are nanoids unless the host makes its own', () => {
    expect(new MessageBus().createCorrelationId()).toMatch(/^[\w-]{21}$/);
    expect(new MessageBus({ idGenerator: () => 'mine' }).createCorrelationId()).toBe('mine');
  });

  test('are all different', () => {
    const bus = new MessageBus();
    const ids = Array.from({ length: 2_000 }, () => bus.createCorrelationId());
    expect(new Set(ids).size).toBe(2_000);
    expect(ids.filter((id) => !/^[\w-]{21}$/.test(id))).toEqual([]);
  });

  test.each(['', 'x'.repeat(257)])('a generator that returns %j is told so', (id) => {
    const bus = new MessageBus({ idGenerator: () => id });
    expect(() => bus.createCorrelationId()).toThrow(/idGenerator returned/);
  });
});

describe('wrong use by untyped callers is an error at once, with the way out', () => {
  const bus = new MessageBus();

  test('an unknown type names the nearest known one', () => {
    const type = untyped<typeof NOTE>('HOOK_STARTED');
    expect(() => bus.subscribe(type, () => {})).toThrow(/did you mean "hook-started"/);
    expect(() => bus.stream(type)).toThrow(/did you mean "hook-started"/);
    expect(bus.listenerCount(type)).toBe(0);
  });

  test('a listener that is no function, an event that is not error, a response type that is none', async () => {
    expect(() => bus.subscribe(NOTE, untyped(undefined))).toThrow(/expected a listener, got nothing/);
    expect(() => bus.on(untyped<'error'>('warning'), () => {})).toThrow(/the only event is "error"/);
    const request = bus.request(createSampleRequest('a'), untyped<typeof RESPONSE>(undefined));
    await expect(request).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('order', () => {
  test('F37 a chain of 100,000 messages, each published by a listener of the one before, ends without overflow', () => {
    const bus = new MessageBus();
    let heard = 0;
    bus.subscribe(NOTE, ({ message }) => {
      heard += 1;
      if (heard < 100_000) bus.publish(createSampleNote(message));
    });
    bus.publish(createSampleNote('on and on'));
    expect(heard).toBe(100_000);
  });

  test('F37 a listener that publishes a request for every request it hears is stopped at 16', () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    const heard: string[] = [];
    const answers: unknown[] = [];
    bus.subscribe(RESPONSE, (response) => answers.push(response));
    bus.subscribe(REQUEST, ({ correlationId }) => {
      heard.push(correlationId);
      bus.publish(createSampleRequest(`${heard.length + 1}`));
    });
    bus.publish(createSampleRequest('1'));
    expect(heard).toHaveLength(16);
    expect(answers).toMatchObject([
      { correlationId: '17', eventName: 'BeforeTool', success: false, error: { code: 'internal_error' } },
    ]);
    expect(errors).toMatchObject([{ code: 'internal_error', details: { correlationId: '17' } }]);
    bus.publish(createSampleRequest('again'));
    expect(heard).toHaveLength(32);
  });

  test('F37 a request that its handler answers for itself is not answered by the bus as well', () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    let heard = 0;
    const answers: unknown[] = [];
    bus.subscribe(RESPONSE, (response) => answers.push(response));
    bus.subscribe(REQUEST, () => {
      heard += 1;
      bus.publish({ ...createSampleRequest(`${heard}`), handledBy: 'handler 1' });
    });
    bus.publish(createSampleRequest('0'));
    expect([heard, answers, errors.length]).toEqual([16, [], 1]);
  });

  test('requests that follow one another do not nest: each was published on the answer to the one before', () => {
    const bus = new MessageBus();
    respondImmediately(bus);
    let answered = 0;
    bus.subscribe(RESPONSE, ({ success }) => {
      if (!success) return;
      answered += 1;
      if (answered < 1_000) bus.publish(createSampleRequest(`${answered}`));
    });
    bus.publish(createSampleRequest('first'));
    expect(answered).toBe(1_000);
  });

  test('an error is reported before the messages that were published meanwhile are delivered', () => {
    const bus = new MessageBus();
    const order: string[] = [];
    bus.on('error', () => order.push('error'));
    bus.subscribe(NOTE, ({ message }) => {
      order.push(message);
      if (message !== 'one') return;
      bus.publish(createSampleNote('two'));
      throw new Error('boom');
    });
    bus.publish(createSampleNote('one'));
    expect(order).toEqual(['one', 'error', 'two']);
  });

  test('what an error listener publishes is delivered, also when the error came from a rejection', async () => {
    const bus = new MessageBus();
    bus.on('error', ({ code }) => bus.publish(createSampleNote(code)));
    const notes: string[] = [];
    bus.subscribe(NOTE, ({ message }) => notes.push(message));
    bus.subscribe(REQUEST, () => Promise.reject(new Error('boom')));
    bus.publish(createSampleRequest('a'));
    await vi.waitFor(() => expect(notes).toEqual(['listener_failed']));
  });

  test('an error listener is not told again either when what it sets off fails later', async () => {
    const bus = new MessageBus();
    const codes: string[] = [];
    bus.on('error', ({ code }) => {
      codes.push(code);
      bus.publish(createSampleNote('the bus reported an error'));
    });
    bus.subscribe(NOTE, () => Promise.reject(new Error('boom')));
    bus.publish(createSampleNote('one'));
    await waitForRejections();
    expect(codes).toEqual(['listener_failed']);
    expect(bus.stats()).toMatchObject({ failedListeners: 2, unreportedErrors: 1 });
  });

  test('a stack overflow, wherever it strikes, leaves a bus that works and loses nothing that was published after', () => {
    const bus = new MessageBus();
    const notes: string[] = [];
    bus.subscribe(NOTE, ({ message }) => notes.push(message));
    bus.subscribe(REQUEST, () => {
      bus.publish(createSampleNote('nested'));
      bus.publish(createSampleNote('nested too'));
    });
    const deeper = (): void => {
      bus.publish(createSampleRequest('deep'));
      deeper();
    };
    const below = (frames: number): void => (frames === 0 ? deeper() : below(frames - 1));
    for (let frames = 0; frames < 50; frames += 1) {
      expect(() => below(frames)).toThrow(RangeError);
      bus.publish(createSampleNote(`after ${frames}`));
      expect(notes.at(-1)).toBe(`after ${frames}`);
    }
  });
});

describe('streams', () => {
  test('F30 what is derived by operators of another copy of RxJS is guarded as well', async () => {
    const require = createRequire(import.meta.url);
    const isRxjs = (file: string): boolean => file.includes('/node_modules/rxjs/');
    const forget = (): void => {
      for (const file of Object.keys(require.cache).filter(isRxjs)) delete require.cache[file];
    };
    const loaded = Object.fromEntries(Object.entries(require.cache).filter(([file]) => isRxjs(file)));
    forget();
    const foreign: typeof import('rxjs') = require('rxjs');
    // Whoever asks for RxJS after this test gets what all others have.
    forget();
    Object.assign(require.cache, loaded);
    const bus = new MessageBus();
    expect(bus.stream()).not.toBeInstanceOf(foreign.Observable);

    const errors = collectErrors(bus);
    const upper: string[] = [];
    const words$ = bus.stream(NOTE).pipe(
      foreign.map(({ message }) => message),
      foreign.filter((message) => message !== 'skip'),
      foreign.mergeMap((message) => foreign.of(message.toUpperCase())),
    );
    words$.subscribe((word) => {
      upper.push(word);
      throw new Error('boom');
    });
    for (const note of ['one', 'skip', 'two']) bus.publish(createSampleNote(note));
    await waitForRejections();
    expect(upper).toEqual(['ONE', 'TWO']);
    expect(errors.map(({ code }) => code)).toEqual(['listener_failed', 'listener_failed']);
  });

  test('F30 the guard reaches through share, inner streams and finalizers', async () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    const shared$ = bus.stream(NOTE).pipe(
      map(({ message }) => message),
      share(),
    );
    const heard: string[] = [];
    shared$.subscribe(() => {
      throw new Error('first');
    });
    shared$.pipe(mergeMap(() => Promise.reject(new Error('second')))).subscribe();
    shared$
      .pipe(
        finalize(() => {
          throw new Error('third');
        }),
        take(1),
      )
      .subscribe();
    shared$.subscribe((message) => heard.push(message));
    bus.publish(createSampleNote('one'));
    bus.publish(createSampleNote('two'));
    await waitForRejections();
    expect(heard).toEqual(['one', 'two']);
    expect(errors.map(({ cause }) => String(cause))).toEqual(expect.arrayContaining(['Error: first', 'Error: second']));
  });

  test('F30 observers given as an object keep their this, and what complete or error throws is reported', async () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    class Collector {
      readonly notes: string[] = [];
      next(message: HookMessage): void {
        this.notes.push(message.type);
      }
      complete(): void {
        this.notes.push('end');
        throw new Error('at the end');
      }
    }
    const collector = new Collector();
    bus.stream().subscribe(collector);
    const failing = map((): never => {
      throw new Error('boom');
    });
    bus
      .stream()
      .pipe(failing)
      .subscribe({
        error: () => {
          throw new Error('while handling');
        },
      });
    bus.publish(createSampleNote('one'));
    expect(errors.map(({ cause }) => String(cause))).toEqual(['Error: while handling']);
    const heard: HookwrightError[] = [];
    bus.on('error', (error) => heard.push(error));
    bus.removeAllListeners();
    await waitForRejections();
    expect(collector.notes).toEqual([NOTE, 'end']);
  });

  test('F30 an observer that rejects is an error event', async () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    bus.stream().subscribe(() => Promise.reject(new Error('boom')));
    bus.publish(createSampleNote('one'));
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'listener_failed', details: { type: '*' } }]));
  });

  test('promises and subjects can be fed from a stream', async () => {
    const bus = new MessageBus();
    const first = firstValueFrom(bus.stream(NOTE));
    const subject = new Subject<HookMessage>();
    const seen: HookMessage[] = [];
    subject.subscribe((message) => seen.push(message));
    bus.stream().subscribe(subject);
    const each = bus.stream(NOTE).forEach(() => {
      throw new Error('mine to handle');
    });
    bus.publish(createSampleNote('one'));
    await expect(first).resolves.toMatchObject({ message: 'one' });
    await expect(each).rejects.toThrow('mine to handle');
    expect(seen).toHaveLength(1);
  });
});

describe('nothing is left behind', () => {
  test('F34 100,000 requests one after the other leave no listener, no timer and nothing pending', async () => {
    const bus = new MessageBus();
    respondImmediately(bus);
    const timers = activeTimers();
    for (let index = 0; index < 100_000; index += 1) await bus.request(createSampleRequest(`${index}`), RESPONSE);
    expect(bus.stats().pending).toBe(0);
    expect(bus.listenerCount(RESPONSE)).toBe(0);
    expect(activeTimers()).toBe(timers);
  });

  test('a request that is answered later leaves no timer either', async () => {
    const bus = new MessageBus();
    const timers = activeTimers();
    const requests = ['a', 'b'].map((id) => bus.request(createSampleRequest(id), RESPONSE));
    await undefined;
    expect(activeTimers()).toBeGreaterThan(timers);
    for (const id of ['a', 'b']) bus.publish(createSampleResponse(id));
    await Promise.all(requests);
    expect(activeTimers()).toBe(timers);
  });

  test('F34 5,000 requests nobody answers leave nothing after their deadline', async () => {
    const bus = new MessageBus();
    const timers = activeTimers();
    const requests = Array.from({ length: 5_000 }, (_, index) =>
      bus.request(createSampleRequest(`${index}`), RESPONSE, 20),
    );
    expect(bus.stats().pending).toBe(5_000);
    expect(bus.listenerCount(RESPONSE)).toBe(0);
    const settled = await Promise.allSettled(requests);
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true);
    expect(bus.stats().pending).toBe(0);
    expect(activeTimers()).toBeLessThanOrEqual(timers);
  });

  test('what a bus remembers of settled ids is bounded', async () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    respondImmediately(bus);
    for (let index = 0; index < 5_000; index += 1) await bus.request(createSampleRequest(`${index}`), RESPONSE);
    bus.publish(createSampleResponse('4999'));
    bus.publish(createSampleResponse(`${5_000 - 1_024}`));
    expect(errors.map(({ code }) => code)).toEqual(['duplicate_response', 'duplicate_response']);
    bus.publish(createSampleResponse('0'));
    expect(errors).toHaveLength(2);
  });

  test('a request that waits while thousands of others are answered has its answer, and is then answered', async () => {
    const bus = new MessageBus();
    const errors = collectErrors(bus);
    const waits = bus.request(createSampleRequest('waits'), RESPONSE);
    const stop = respondImmediately(bus);
    for (let index = 0; index < 2_500; index += 1) await bus.request(createSampleRequest(`${index}`), RESPONSE);
    stop();
    expect(bus.stats().pending).toBe(1);
    bus.publish(createSampleResponse('waits'));
    expect(await waits).toMatchObject({ correlationId: 'waits' });
    bus.publish(createSampleResponse('waits'));
    expect([bus.stats().pending, errors.map(({ code }) => code)]).toEqual([0, ['duplicate_response']]);
  });

  test('stats count what the bus ignored or refused', async () => {
    const bus = new MessageBus();
    bus.subscribe(NOTE, () => {
      throw new Error('boom');
    });
    bus.publish(createSampleNote('one'));
    bus.publish(untyped(null));
    bus.publish(createSampleResponse('never asked'));
    const request = bus.request(createSampleRequest('a'), ANSWER);
    bus.publish({ type: ANSWER, correlationId: 'a', approved: true });
    bus.publish({ type: ANSWER, correlationId: 'a', approved: false });
    await request;
    expect(bus.stats()).toEqual({
      pending: 0,
      ignoredResponses: 1,
      duplicateResponses: 1,
      invalidMessages: 1,
      failedListeners: 1,
      unreportedErrors: 3,
    });
  });
});
