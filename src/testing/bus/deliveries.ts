/** Tests of deliveries and their order, which every bus must pass. */
import { getEventListeners } from 'node:events';
import {
  type BusSuite,
  castUntyped,
  collectErrors,
  collectNotes,
  createSampleRequest,
  NOTE,
  publishNotes,
  REQUEST,
  RESPONSE,
  waitForRejections,
} from './suite.ts';

export const describeDeliveries = ({
  name,
  createBus,
  inline,
  knowsListeners,
  remote,
  soon,
  describe,
  expect,
  test,
}: BusSuite): void => {
  describe(`${name}: publish and subscribe`, () => {
    test('a message reaches every listener of its type and no other', async () => {
      const bus = await createBus();
      const [first, second] = [collectNotes(bus), collectNotes(bus)];
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

    test('a message without listeners is no error', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      publishNotes(bus, 'one');
      await waitForRejections();
      expect(errors).toEqual([]);
    });

    test.runIf(inline)('a message has been delivered when publish returns', async () => {
      const bus = await createBus();
      const notes = collectNotes(bus);
      publishNotes(bus, 'one');
      expect(notes).toEqual(['one']);
    });

    test('F37 all listeners see one order, also of what a listener publishes', async () => {
      const bus = await createBus();
      bus.subscribe(NOTE, ({ message }) => {
        if (message.length < 3) publishNotes(bus, `${message}a`, `${message}b`);
      });
      const [first, second] = [collectNotes(bus), collectNotes(bus)];
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
      await waitForRejections();
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
      if (remote) {
        publishNotes(bus, 'one');
        await soon(() => expect(bus.listenerCount('*')).toBe(1));
        publishNotes(bus, 'two');
      } else {
        publishNotes(bus, 'one', 'two');
      }
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

    test('who serves is heard of, and who watches beside it; where that cannot be known, both count as there', async () => {
      const bus = await createBus();
      expect([bus.isHeard(REQUEST), bus.isWatched(REQUEST)]).toEqual([!knowsListeners, !knowsListeners]);
      const stop = bus.serve(REQUEST, () => {});
      expect([bus.isHeard(REQUEST), bus.isWatched(REQUEST)]).toEqual([true, !knowsListeners]);
      expect(bus.listenerCount(REQUEST)).toBe(1);
      const everything = bus.stream().subscribe();
      expect(bus.isWatched(REQUEST)).toBe(true);
      everything.unsubscribe();
      stop();
      expect(bus.listenerCount(REQUEST)).toBe(0);
      expect([bus.isHeard(REQUEST), bus.isWatched(REQUEST)]).toEqual([!knowsListeners, !knowsListeners]);
    });

    test('who serves a type gets each of its messages once, and one of several gets it', async () => {
      const bus = await createBus();
      const served: string[] = [];
      bus.serve(REQUEST, ({ correlationId }) => served.push(`one ${correlationId}`));
      bus.serve(REQUEST, ({ correlationId }) => served.push(`two ${correlationId}`));
      bus.publish(createSampleRequest('a'));
      bus.publish(createSampleRequest('b'));
      await soon(() => expect(served).toHaveLength(2));
      expect(served.map((entry) => entry.slice(-1))).toEqual(['a', 'b']);
    });

    test('what a listener writes into a message, nobody else reads', async () => {
      const bus = await createBus();
      const [served, seen]: [unknown[], unknown[]] = [[], []];
      const meddle = (message: object): void => {
        Reflect.set(message, 'eventName', 'changed');
        Reflect.set(castUntyped<{ payload: object }>(message).payload, 'tool_name', 'changed');
      };
      bus.subscribe(REQUEST, meddle);
      bus.stream().subscribe(meddle);
      bus.subscribe(REQUEST, (message) => seen.push(message));
      bus.serve(REQUEST, (message) => served.push(message));
      const message = createSampleRequest('a');
      bus.publish(message);
      await soon(() => expect([served, seen]).toEqual([[createSampleRequest('a')], [createSampleRequest('a')]]));
      expect(message).toEqual(createSampleRequest('a'));
    });

    test('removeAllListeners ends every subscription and completes every stream', async () => {
      const bus = await createBus();
      const errors = collectErrors(bus);
      const notes = collectNotes(bus);
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
      bus.publish(castUntyped(null));
      await waitForRejections();
      expect([notes, errors]).toEqual([[], []]);
    });

    test('ids are fresh each time', async () => {
      const bus = await createBus();
      expect(new Set(Array.from({ length: 1_000 }, () => bus.createCorrelationId())).size).toBe(1_000);
    });
  });
};
