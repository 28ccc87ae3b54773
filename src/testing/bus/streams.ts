import { map } from 'rxjs';
import { aRequest, NOTE, REQUEST } from './messages.ts';
import { type BusSuite, publishNotes } from './suite.ts';

/** Streams of messages. */
export const describeStreams = ({ name, createBus, soon, describe, expect, test }: BusSuite): void => {
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

    test('what waits for the end of a stream gets it from removeAllListeners', async () => {
      const bus = await createBus();
      const notes: string[] = [];
      const collected: string[][] = [];
      bus
        .stream(NOTE)
        .pipe(map(({ message }) => message))
        .subscribe({ next: (note) => notes.push(note), complete: () => collected.push(notes) });
      publishNotes(bus, 'one', 'two');
      await soon(() => expect(notes).toEqual(['one', 'two']));
      expect(collected).toEqual([]);
      bus.removeAllListeners();
      expect(collected).toEqual([['one', 'two']]);
    });
  });
};
