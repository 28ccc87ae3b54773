import { getEventListeners } from 'node:events';
import { map, toArray } from 'rxjs/operators';
import { describe, expect, test, vi } from 'vitest';
import { type Bus, HookwrightError } from '../../src/bus/index.ts';
import {
  ANSWER,
  aNote,
  answerAtOnce,
  aRefusal,
  aRequest,
  aResponse,
  aTurn,
  NOTE,
  REQUEST,
  RESPONSE,
  untyped,
} from './messages.ts';

export interface BusFeatures {
  /** Everything has been delivered when `publish` returns. */
  readonly inline: boolean;
}

const getterThatThrows = (field: string, rest: object): object =>
  Object.defineProperty({ ...rest }, field, {
    enumerable: true,
    get: () => {
      throw new Error('do not look');
    },
  });

const aThenable = (then: unknown): object => Object.defineProperty({}, 'then', { value: then });

const malformed: readonly (readonly [title: string, message: unknown])[] = [
  ['null', null],
  ['nothing', undefined],
  ['a string', 'hook-started'],
  ['an array', [REQUEST]],
  ['a message without a type', { correlationId: 'a' }],
  ['a message of an unknown type', { type: 'HOOK_STARTED', correlationId: 'a' }],
  ['a type from a prototype', { type: '__proto__', correlationId: 'a' }],
  ['a request without an id', { type: REQUEST, eventName: 'BeforeTool', payload: {} }],
  ['an empty id', { type: REQUEST, correlationId: '' }],
  ['an id that is an object', { type: REQUEST, correlationId: {} }],
  ['an id of 257 characters', { type: REQUEST, correlationId: 'x'.repeat(257) }],
  ['an id of 1 MB', { type: REQUEST, correlationId: 'x'.repeat(2 ** 20) }],
  ['a type that throws when read', getterThatThrows('type', { correlationId: 'a' })],
  ['an id that throws when read', getterThatThrows('correlationId', { type: REQUEST })],
  ['an id that is a BigInt', { type: REQUEST, correlationId: 1n }],
];

/**
 * What a transport must do to be a `Bus`. `createBus` makes a bus of its own for every test; whatever has to be closed
 * afterwards it hands to vitest's `onTestFinished`.
 */
export const describeBus = (name: string, createBus: () => Bus | Promise<Bus>, { inline }: BusFeatures): void => {
  /** An inline bus owes it now; any other within a second. */
  const soon = async (check: () => void): Promise<void> => {
    if (inline) check();
    else await vi.waitFor(check, { interval: 1 });
  };

  const errorsOf = (bus: Bus): HookwrightError[] => {
    const errors: HookwrightError[] = [];
    bus.on('error', (error) => errors.push(error));
    return errors;
  };

  const notesOf = (bus: Bus): string[] => {
    const notes: string[] = [];
    bus.subscribe(NOTE, ({ message }) => notes.push(message));
    return notes;
  };

  const publishNotes = (bus: Bus, ...notes: string[]): void => {
    for (const note of notes) bus.publish(aNote(note));
  };

  describe(`${name}: publish and subscribe`, () => {
    test('a message reaches every listener of its type and no other', async () => {
      const bus = await createBus();
      const [first, second] = [notesOf(bus), notesOf(bus)];
      const others: unknown[] = [];
      bus.subscribe(RESPONSE, (message) => others.push(message));
      publishNotes(bus, 'one', 'two');
      await soon(() =>
        expect([first, second]).toEqual([
          ['one', 'two'],
          ['one', 'two'],
        ]),
      );
      expect(others).toEqual([]);
    });

    test('a message nobody listens to is no error', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      publishNotes(bus, 'one');
      await aTurn();
      expect(errors).toEqual([]);
    });

    test.runIf(inline)('a message has been delivered when publish returns', async () => {
      const bus = await createBus();
      const notes = notesOf(bus);
      publishNotes(bus, 'one');
      expect(notes).toEqual(['one']);
    });

    test('F37 all listeners see one order, also of what a listener publishes', async () => {
      const bus = await createBus();
      bus.subscribe(NOTE, ({ message }) => {
        if (message.length < 3) publishNotes(bus, `${message}a`, `${message}b`);
      });
      const [first, second] = [notesOf(bus), notesOf(bus)];
      const streamed: string[] = [];
      bus.stream(NOTE).subscribe(({ message }) => streamed.push(message));
      publishNotes(bus, 'x');
      const order = ['x', 'xa', 'xb', 'xaa', 'xab', 'xba', 'xbb'];
      await soon(() => expect([first, second, streamed]).toEqual([order, order, order]));
    });

    test('a listener that subscribed twice is called twice, and unsubscribe ends one of the two', async () => {
      const bus = await createBus();
      const notes: string[] = [];
      const listener = ({ message }: { message: string }) => notes.push(message);
      bus.subscribe(NOTE, listener);
      bus.subscribe(NOTE, listener);
      publishNotes(bus, 'one');
      await soon(() => expect(notes).toEqual(['one', 'one']));
      bus.unsubscribe(NOTE, listener);
      publishNotes(bus, 'two');
      await soon(() => expect(notes).toEqual(['one', 'one', 'two']));
      bus.unsubscribe(NOTE, listener);
      bus.unsubscribe(NOTE, listener);
      expect(bus.listenerCount(NOTE)).toBe(0);
    });

    test('what subscribe returns ends that one subscription, however often it is called', async () => {
      const bus = await createBus();
      const notes: string[] = [];
      const listener = ({ message }: { message: string }) => notes.push(message);
      const end = bus.subscribe(NOTE, listener);
      bus.subscribe(NOTE, listener);
      end();
      end();
      publishNotes(bus, 'one');
      await soon(() => expect(notes).toEqual(['one']));
      expect(bus.listenerCount(NOTE)).toBe(1);
    });

    test('an aborted signal ends the subscription, or keeps it from starting', async () => {
      const bus = await createBus();
      const controller = new AbortController();
      const notes: string[] = [];
      bus.subscribe(NOTE, ({ message }) => notes.push(message), { signal: controller.signal });
      publishNotes(bus, 'one');
      await soon(() => expect(notes).toEqual(['one']));
      controller.abort();
      expect(bus.listenerCount(NOTE)).toBe(0);
      bus.subscribe(NOTE, ({ message }) => notes.push(message), { signal: controller.signal })();
      expect(bus.listenerCount(NOTE)).toBe(0);
      publishNotes(bus, 'two');
      await aTurn();
      expect(notes).toEqual(['one']);
    });

    test('a subscription that ended leaves nothing on its signal', async () => {
      const bus = await createBus();
      const { signal } = new AbortController();
      const ends = Array.from({ length: 20 }, () => bus.subscribe(NOTE, () => {}, { signal }));
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      for (const end of ends) end();
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    });

    test('a listener that unsubscribed another during a delivery has silenced it at once', async () => {
      const bus = await createBus();
      const end = { now: () => {} };
      bus.subscribe(NOTE, () => end.now());
      const notes: string[] = [];
      end.now = bus.subscribe(NOTE, ({ message }) => notes.push(message));
      publishNotes(bus, 'one');
      await soon(() => expect(bus.listenerCount(NOTE)).toBe(1));
      expect(notes).toEqual([]);
    });

    test('who subscribes during a delivery hears the messages after it', async () => {
      const bus = await createBus();
      const [late, lateStream]: [string[], string[]] = [[], []];
      const end = bus.subscribe(NOTE, () => {
        end();
        bus.subscribe(NOTE, ({ message }) => late.push(message));
        bus.stream().subscribe(() => lateStream.push('heard'));
      });
      publishNotes(bus, 'one', 'two');
      await soon(() => expect([late, lateStream]).toEqual([['two'], ['heard']]));
    });

    test('listenerCount counts listeners and streams of a type, and with * the streams of all types', async () => {
      const bus = await createBus();
      bus.subscribe(NOTE, () => {});
      const streamed = bus.stream(NOTE).subscribe();
      const all = bus.stream().subscribe();
      expect([bus.listenerCount(NOTE), bus.listenerCount('*'), bus.listenerCount(REQUEST)]).toEqual([2, 1, 0]);
      streamed.unsubscribe();
      all.unsubscribe();
      expect([bus.listenerCount(NOTE), bus.listenerCount('*')]).toEqual([1, 0]);
    });

    test('removeAllListeners ends every subscription and completes every stream', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const notes = notesOf(bus);
      const { signal } = new AbortController();
      bus.subscribe(NOTE, () => {}, { signal });
      const ended: string[] = [];
      bus.stream(NOTE).subscribe({ complete: () => ended.push('typed') });
      bus.stream().subscribe({ complete: () => ended.push('all') });
      bus.removeAllListeners();
      expect(ended.sort()).toEqual(['all', 'typed']);
      expect([bus.listenerCount(NOTE), bus.listenerCount('*'), bus.listenerCount('error')]).toEqual([0, 0, 0]);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
      publishNotes(bus, 'one');
      bus.publish(untyped(null));
      await aTurn();
      expect([notes, errors]).toEqual([[], []]);
    });

    test('ids are fresh each time', async () => {
      const bus = await createBus();
      expect(new Set(Array.from({ length: 1_000 }, () => bus.createCorrelationId())).size).toBe(1_000);
    });
  });

  describe(`${name}: faults`, () => {
    test('F29 a listener that throws neither starves the others nor reaches the publisher', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const first = notesOf(bus);
      const cause = new Error('boom');
      bus.subscribe(NOTE, () => {
        throw cause;
      });
      const third = notesOf(bus);
      const streamed: unknown[] = [];
      bus.stream().subscribe((message) => streamed.push(message));
      publishNotes(bus, 'one');
      await soon(() => expect([first, third, streamed.length]).toEqual([['one'], ['one'], 1]));
      await soon(() => expect(errors).toHaveLength(1));
      expect(errors[0]).toMatchObject({ code: 'listener_failed', details: { type: NOTE }, cause });
      expect(errors[0]?.message).toContain('boom');
    });

    test.each([
      ['rejects', async () => Promise.reject(new Error('boom'))],
      [
        'returns a thenable that rejects',
        () => aThenable((_: unknown, reject: (error: Error) => void) => reject(new Error('boom'))),
      ],
      [
        'returns a thenable that throws',
        () =>
          aThenable(() => {
            throw new Error('boom');
          }),
      ],
      ['returns a thenable that cannot be read', () => getterThatThrows('then', {})],
      [
        'throws undefined',
        () => {
          throw undefined;
        },
      ],
      [
        'throws an object that cannot be read',
        () => {
          throw getterThatThrows('message', {});
        },
      ],
    ])('F30 a listener that %s is an error event and nothing else', async (_, listener) => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      bus.subscribe(NOTE, () => void 0);
      bus.subscribe(NOTE, listener);
      const after = notesOf(bus);
      publishNotes(bus, 'one', 'two');
      await vi.waitFor(() => expect(errors).toHaveLength(2));
      expect(errors[0]).toMatchObject({ code: 'listener_failed', details: { type: NOTE } });
      expect(after).toEqual(['one', 'two']);
    });

    test('F30 a stream observer that throws stops neither its own stream nor another', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const [own, other]: [string[], string[]] = [[], []];
      bus.stream(NOTE).subscribe(({ message }) => {
        own.push(message);
        throw new Error('boom');
      });
      bus.stream(NOTE).subscribe(({ message }) => other.push(message));
      publishNotes(bus, 'one', 'two');
      await soon(() =>
        expect([own, other]).toEqual([
          ['one', 'two'],
          ['one', 'two'],
        ]),
      );
      await aTurn();
      expect(errors.map(({ code }) => code)).toEqual(['listener_failed', 'listener_failed']);
    });

    test('F30 a pipe that fails with nobody to hear ends itself and nothing else', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const other: string[] = [];
      const broken = map(({ message }: { message: string }): string => {
        if (message === 'bad') throw new Error('boom');
        return message;
      });
      const own: string[] = [];
      bus
        .stream(NOTE)
        .pipe(broken)
        .subscribe((message) => own.push(message));
      bus.stream(NOTE).subscribe(({ message }) => other.push(message));
      publishNotes(bus, 'one', 'bad', 'two');
      await soon(() => expect([own, other]).toEqual([['one'], ['one', 'bad', 'two']]));
      await aTurn();
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatchObject({ code: 'listener_failed', details: { type: NOTE } });
    });

    test('a pipe that fails with an error handler tells the handler only', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const heard: unknown[] = [];
      const cause = new Error('boom');
      const broken = map((): string => {
        throw cause;
      });
      bus
        .stream(NOTE)
        .pipe(broken)
        .subscribe({ error: (error) => heard.push(error) });
      publishNotes(bus, 'one');
      await soon(() => expect(heard).toEqual([cause]));
      await aTurn();
      expect(errors).toEqual([]);
    });

    test('F30 an error listener that fails is ignored, and the others still hear', async () => {
      const bus = await createBus();
      bus.on('error', () => {
        throw new Error('worse');
      });
      bus.on('error', () => Promise.reject(new Error('worst')));
      const errors = errorsOf(bus);
      bus.subscribe(NOTE, () => {
        throw new Error('boom');
      });
      publishNotes(bus, 'one');
      await soon(() => expect(errors).toHaveLength(1));
      await aTurn();
      expect(errors).toHaveLength(1);
    });

    test.runIf(inline)('an error listener that sets off the error again is not told again', async () => {
      const bus = await createBus();
      const codes: string[] = [];
      bus.on('error', ({ code }) => {
        codes.push(code);
        bus.publish(aNote('the bus reported an error'));
        bus.publish(untyped(null));
      });
      bus.subscribe(NOTE, () => {
        throw new Error('boom');
      });
      publishNotes(bus, 'one');
      expect(codes).toEqual(['listener_failed']);
    });

    test('an error without a listener for it is no crash', async () => {
      const bus = await createBus();
      bus.subscribe(NOTE, () => Promise.reject(new Error('boom')));
      bus.publish(untyped(null));
      publishNotes(bus, 'one');
      await aTurn();
    });

    test.each(malformed)('F31 %s is an error event, never a throw', async (_, message) => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const streamed: unknown[] = [];
      bus.stream().subscribe((delivered) => streamed.push(delivered));
      bus.publish(untyped(message));
      await soon(() => expect(errors).toHaveLength(1));
      expect(errors[0]?.code).toBe('invalid_message');
      expect(HookwrightError.is(errors[0])).toBe(true);
      expect(errors[0]?.message.length).toBeLessThan(300);
      publishNotes(bus, 'one');
      await soon(() => expect(streamed).toHaveLength(1));
    });

    test('F31 a request with a readable id reaches its listeners whatever else is wrong with it', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const heard: unknown[] = [];
      bus.subscribe(REQUEST, (message) => heard.push(message));
      const request = { type: REQUEST, correlationId: 'a', eventName: 7, payload: null, timeoutMs: 'soon' };
      bus.publish(untyped(request));
      await soon(() => expect(heard).toEqual([request]));
      expect(errors).toEqual([]);
    });
  });

  describe(`${name}: requests`, () => {
    test('a request resolves with the response of its id', async () => {
      const bus = await createBus();
      answerAtOnce(bus);
      const responses = await Promise.all(['a', 'b'].map((id) => bus.request(aRequest(id), RESPONSE)));
      expect(responses).toMatchObject([aResponse('a'), aResponse('b')]);
      expect(bus.listenerCount(RESPONSE)).toBe(0);
    });

    test('F34 a request nobody answers rejects with deadline_exceeded on time, in both ways of saying when', async () => {
      const bus = await createBus();
      const startedAt = performance.now();
      const requests = [
        bus.request(aRequest('a'), RESPONSE, 50),
        bus.request(aRequest('b'), RESPONSE, { timeoutMs: 50 }),
      ];
      for (const request of requests) await expect(request).rejects.toMatchObject({ code: 'deadline_exceeded' });
      const waited = performance.now() - startedAt;
      expect(waited).toBeGreaterThan(45);
      expect(waited).toBeLessThan(500);
    });

    test('an answer that comes after the deadline is ignored', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      await expect(bus.request(aRequest('a'), RESPONSE, 1)).rejects.toMatchObject({ code: 'deadline_exceeded' });
      bus.publish(aResponse('a'));
      await aTurn();
      expect(errors).toEqual([]);
    });

    test('an abort rejects with cancelled and its reason; aborted before, nothing is published', async () => {
      const bus = await createBus();
      const published: string[] = [];
      bus.subscribe(REQUEST, ({ correlationId }) => published.push(correlationId));
      const controller = new AbortController();
      const requests = [
        bus.request(aRequest('a'), RESPONSE, 5_000, controller.signal),
        bus.request(aRequest('b'), RESPONSE, { signal: controller.signal }),
        bus.request(aRequest('c'), RESPONSE, undefined, controller.signal),
      ];
      await soon(() => expect(published).toEqual(['a', 'b', 'c']));
      controller.abort('enough');
      for (const request of requests) {
        await expect(request).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' });
      }
      const late = bus.request(aRequest('d'), RESPONSE, 5_000, controller.signal);
      await expect(late).rejects.toMatchObject({ code: 'cancelled' });
      await aTurn();
      expect(published).toEqual(['a', 'b', 'c']);
    });

    test('an abort by a listener of the request counts', async () => {
      const bus = await createBus();
      const controller = new AbortController();
      bus.subscribe(REQUEST, () => controller.abort());
      const request = bus.request(aRequest('a'), RESPONSE, 5_000, controller.signal);
      await expect(request).rejects.toMatchObject({ code: 'cancelled' });
    });

    test('F74 a signal that serves a thousand requests carries one listener, and none afterwards', async () => {
      const bus = await createBus();
      const { signal } = new AbortController();
      const ids = Array.from({ length: 1_000 }, (_, index) => `${index}`);
      const requests = ids.map((id) => bus.request(aRequest(id), RESPONSE, { signal }));
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      for (const id of ids) bus.publish(aResponse(id));
      await Promise.all(requests);
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    });

    test('F32 a request with an id that is pending here rejects and is not published', async () => {
      const bus = await createBus();
      const published: string[] = [];
      bus.subscribe(REQUEST, ({ correlationId }) => published.push(correlationId));
      const first = bus.request(aRequest('a'), RESPONSE);
      await expect(bus.request(aRequest('a'), RESPONSE)).rejects.toMatchObject({ code: 'duplicate_request' });
      bus.publish(aResponse('a'));
      await expect(first).resolves.toMatchObject({ correlationId: 'a' });
      await soon(() => expect(published).toEqual(['a']));
    });

    test('F32 the refusal of a stranger’s duplicate does not answer the request that was first', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const first = bus.request(aRequest('a'), RESPONSE);
      bus.publish(aRequest('a'));
      bus.publish(aRefusal('a', 'duplicate_request'));
      bus.publish(aResponse('a'));
      await expect(first).resolves.toMatchObject({ success: true });
      expect(errors).toEqual([]);
    });

    test.each(['unknown', '__proto__', 'constructor', 'hasOwnProperty'])(
      'F33 a response with the id %s is nobody’s and is ignored',
      async (id) => {
        const bus = await createBus();
        const errors = errorsOf(bus);
        const request = bus.request(aRequest('a'), RESPONSE);
        bus.publish(aResponse(id));
        bus.publish(aResponse('a'));
        await expect(request).resolves.toMatchObject({ correlationId: 'a' });
        expect(errors).toEqual([]);
      },
    );

    test.each(['__proto__', 'constructor', 'x'.repeat(256)])('an id such as %s can be asked for', async (id) => {
      const bus = await createBus();
      answerAtOnce(bus);
      await expect(bus.request(aRequest(id), RESPONSE)).resolves.toMatchObject({ correlationId: id });
    });

    test('F35 with two handlers on the bus a requester settles once and the second answer is an error event', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      answerAtOnce(bus);
      answerAtOnce(bus);
      const response = await bus.request(aRequest('a'), RESPONSE);
      expect(response).toMatchObject(aResponse('a'));
      await soon(() => expect(errors).toHaveLength(1));
      expect(errors[0]).toMatchObject({ code: 'duplicate_response', details: { type: RESPONSE, correlationId: 'a' } });
      expect(bus.listenerCount(RESPONSE)).toBe(0);
    });

    test('an id can be asked for again once it is settled', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      answerAtOnce(bus);
      await bus.request(aRequest('a'), RESPONSE);
      await bus.request(aRequest('a'), RESPONSE);
      expect(errors).toEqual([]);
    });

    test('a request can wait for any type, and messages of that type for other ids pass it by', async () => {
      const bus = await createBus();
      const request = bus.request(aRequest('note'), NOTE);
      bus.publish({ ...aNote('not mine'), correlationId: 'other' });
      publishNotes(bus, 'mine', 'and more');
      await expect(request).resolves.toMatchObject({ message: 'mine' });
    });

    test('a response the requester does not accept is an error event, and the next one counts', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const request = bus.request(aRequest('a'), ANSWER, { accepts: ({ approved }) => typeof approved === 'boolean' });
      bus.publish(untyped({ type: ANSWER, correlationId: 'a', approved: 'yes' }));
      bus.publish({ type: ANSWER, correlationId: 'a', approved: true });
      await expect(request).resolves.toMatchObject({ approved: true });
      expect(errors.map(({ code }) => code)).toEqual(['invalid_message']);
    });

    test.each([0, -1, Number.NaN])('a timeout of %s is refused and nothing is published', async (timeoutMs) => {
      const bus = await createBus();
      const published: string[] = [];
      bus.subscribe(REQUEST, ({ correlationId }) => published.push(correlationId));
      const request = bus.request(aRequest('a'), RESPONSE, timeoutMs);
      await expect(request).rejects.toMatchObject({ code: 'invalid_argument' });
      await aTurn();
      expect(published).toEqual([]);
    });

    test.each([2 ** 31, Number.POSITIVE_INFINITY])('a timeout of %s does not end at once', async (timeoutMs) => {
      const bus = await createBus();
      const request = bus.request(aRequest('a'), RESPONSE, timeoutMs);
      await aTurn();
      bus.publish(aResponse('a'));
      await expect(request).resolves.toMatchObject({ correlationId: 'a' });
    });

    test.each(malformed)('F31 a request that is %s rejects', async (_, message) => {
      const bus = await createBus();
      await expect(bus.request(untyped(message), RESPONSE)).rejects.toMatchObject({ code: 'invalid_message' });
    });

    test('10,000 requests in flight are each answered once, whatever the order of the answers', async () => {
      const bus = await createBus();
      const errors = errorsOf(bus);
      const ids = Array.from({ length: 10_000 }, (_, index) => `id ${index}`);
      const requests = ids.map((id) => bus.request(aRequest(id), RESPONSE));
      for (const id of [...ids].reverse()) bus.publish(aResponse(id));
      const responses = await Promise.all(requests);
      expect(responses.map(({ correlationId }) => correlationId)).toEqual(ids);
      expect(errors).toEqual([]);
      expect(bus.listenerCount(RESPONSE)).toBe(0);
    });

    test('removing all listeners leaves requests waiting', async () => {
      const bus = await createBus();
      const request = bus.request(aRequest('a'), RESPONSE);
      bus.removeAllListeners();
      bus.publish(aResponse('a'));
      await expect(request).resolves.toMatchObject({ correlationId: 'a' });
    });
  });

  describe(`${name}: streams`, () => {
    test('a stream has the messages of its type, one without a type has all', async () => {
      const bus = await createBus();
      const [notes, all]: [string[], string[]] = [[], []];
      bus.stream(NOTE).subscribe(({ type }) => notes.push(type));
      bus.stream().subscribe(({ type }) => all.push(type));
      bus.publish(aRequest('a'));
      publishNotes(bus, 'one');
      await soon(() => expect([notes, all]).toEqual([[NOTE], [REQUEST, NOTE]]));
    });

    test('a stream listens only while somebody is subscribed to it', async () => {
      const bus = await createBus();
      const stream = bus.stream(NOTE).pipe(map(({ message }) => message));
      expect(bus.listenerCount(NOTE)).toBe(0);
      const subscription = stream.subscribe();
      expect(bus.listenerCount(NOTE)).toBe(1);
      subscription.unsubscribe();
      expect(bus.listenerCount(NOTE)).toBe(0);
    });

    test('operators that wait for the end get it from removeAllListeners', async () => {
      const bus = await createBus();
      const notes = notesOf(bus);
      const collected: string[][] = [];
      bus
        .stream(NOTE)
        .pipe(
          map(({ message }) => message),
          toArray(),
        )
        .subscribe((all) => collected.push(all));
      publishNotes(bus, 'one', 'two');
      await soon(() => expect(notes).toEqual(['one', 'two']));
      bus.removeAllListeners();
      expect(collected).toEqual([['one', 'two']]);
    });
  });
};
