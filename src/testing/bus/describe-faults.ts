/** Tests of failing listeners and invalid messages, which every bus must pass. */
import { map } from 'rxjs';
import { HookwrightError } from '../../errors.ts';
import {
  type BusSuite,
  castUntyped,
  collectErrors,
  collectNotes,
  createSampleNote,
  createThenable,
  createThrower,
  createThrowingGetter,
  malformedMessages,
  NOTE,
  publishNotes,
  REQUEST,
  waitForRejections,
} from './suite.ts';

export const describeFaults = ({ name, createBus, inline, soon, describe, expect, test, vi }: BusSuite): void => {
  describe(`${name}: faults`, () => {
    test('F29 a listener that throws neither starves the others nor reaches the publisher', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const first = collectNotes(bus);
      const cause = new Error('boom');
      bus.subscribe(NOTE, createThrower(cause));
      const third = collectNotes(bus);
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
        () => createThenable((_: unknown, reject: (error: Error) => void) => reject(new Error('boom'))),
      ],
      ['returns a thenable that throws', () => createThenable(createThrower(new Error('boom')))],
      ['returns a thenable that cannot be read', () => createThrowingGetter('then', {})],
      ['throws undefined', createThrower(undefined)],
      ['throws an object that cannot be read', createThrower(createThrowingGetter('message', {}))],
    ])('F30 a listener that %s is an error event and nothing else', async (_, listener) => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      bus.subscribe(NOTE, () => void 0);
      bus.subscribe(NOTE, listener);
      const after = collectNotes(bus);
      publishNotes(bus, 'one', 'two');
      await vi.waitFor(() => expect(errors).toHaveLength(2));
      expect(errors[0]).toMatchObject({ code: 'listener_failed', details: { type: NOTE } });
      expect(after).toEqual(['one', 'two']);
    });

    test('F30 a stream observer that throws stops neither its own stream nor another', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
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
      await waitForRejections();
      expect(errors.map(({ code }) => code)).toEqual(['listener_failed', 'listener_failed']);
    });

    test('F30 a pipe that fails with nobody to hear ends itself and nothing else', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
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
      await waitForRejections();
      expect(errors).toHaveLength(1);
      expect(errors[0]).toMatchObject({ code: 'listener_failed', details: { type: NOTE } });
    });

    test('a pipe that fails with an error handler tells the handler only', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const heard: unknown[] = [];
      const cause = new Error('boom');
      bus
        .stream(NOTE)
        .pipe(map(createThrower(cause)))
        .subscribe({ error: (error) => heard.push(error) });
      publishNotes(bus, 'one');
      await soon(() => expect(heard).toEqual([cause]));
      await waitForRejections();
      expect(errors).toEqual([]);
    });

    test('F30 an error listener that fails is ignored, and the others still hear', async () => {
      const bus = await createBus();
      bus.on('error', createThrower(new Error('worse')));
      bus.on('error', () => Promise.reject(new Error('worst')));
      const errors = collectErrors(bus);
      bus.subscribe(NOTE, createThrower(new Error('boom')));
      publishNotes(bus, 'one');
      await soon(() => expect(errors).toHaveLength(1));
      await waitForRejections();
      expect(errors).toHaveLength(1);
    });

    test.runIf(inline)('an error listener that sets off the error again is not told again', async () => {
      const bus = await createBus();
      const codes: string[] = [];
      bus.on('error', ({ code }) => {
        codes.push(code);
        bus.publish(createSampleNote('the bus reported an error'));
        bus.publish(castUntyped(null));
      });
      bus.subscribe(NOTE, createThrower(new Error('boom')));
      publishNotes(bus, 'one');
      expect(codes).toEqual(['listener_failed']);
    });

    test('an error without a listener for it is no crash', async () => {
      const bus = await createBus();
      bus.subscribe(NOTE, () => Promise.reject(new Error('boom')));
      bus.publish(castUntyped(null));
      publishNotes(bus, 'one');
      await waitForRejections();
    });

    test.each(malformedMessages)('F31 %s is an error event, never a throw', async (_, message) => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const streamed: unknown[] = [];
      bus.stream().subscribe((delivered) => streamed.push(delivered));
      bus.publish(castUntyped(message));
      await soon(() => expect(errors).toHaveLength(1));
      expect(errors[0]?.code).toBe('invalid_message');
      expect(HookwrightError.is(errors[0])).toBe(true);
      expect(errors[0]?.message.length).toBeLessThan(300);
      publishNotes(bus, 'one');
      await soon(() => expect(streamed).toHaveLength(1));
    });

    test('F31 a request with a readable id reaches its listeners whatever else is wrong with it', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const heard: unknown[] = [];
      bus.subscribe(REQUEST, (message) => heard.push(message));
      const request = { type: REQUEST, correlationId: 'a', eventName: 7, payload: null, timeoutMs: 'soon' };
      bus.publish(castUntyped(request));
      await soon(() => expect(heard).toEqual([request]));
      expect(errors).toEqual([]);
    });
  });
};
