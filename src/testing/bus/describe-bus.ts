/** `describeBus`: defines the tests that every transport must pass. */
import { map } from 'rxjs';
import type { Bus } from '../../bus/index.ts';
import { expectVitest } from '../vitest.ts';
import { describeDeliveries } from './deliveries.ts';
import { describeFaults } from './describe-faults.ts';
import { describeRequests } from './describe-requests.ts';
import { type BusSuite, createSampleRequest, NOTE, publishNotes, REQUEST } from './suite.ts';

export interface BusFeatures {
  /** True if `publish` returns only after all deliveries. */
  readonly inline: boolean;
  /** True if the bus can tell that there are no listeners. Default: true. */
  readonly knowsListeners?: boolean;
  /** True if messages leave the process: a new listener then gets no message that was published earlier. */
  readonly remote?: boolean;
}

/**
 * Defines vitest tests for a transport. `createBus` is called for each test, and registers the cleanup of the bus with
 * vitest's `onTestFinished`.
 *
 * @throws HookwrightError outside vitest.
 */
export const describeBus = (
  name: string,
  createBus: () => Bus | Promise<Bus>,
  { inline, knowsListeners = true, remote = false }: BusFeatures,
): void => {
  const { describe, expect, test, vi } = expectVitest('describeBus');
  const soon = async (check: () => void): Promise<void> => {
    if (inline) check();
    else await vi.waitFor(check, { interval: 1 });
  };
  const suite: BusSuite = { name, createBus, inline, knowsListeners, remote, soon, describe, expect, test, vi };
  describeDeliveries(suite);
  describeFaults(suite);
  describeRequests(suite);
  describeStreams(suite);
};

const describeStreams = ({ name, createBus, soon, describe, expect, test }: BusSuite): void => {
  describe(`${name}: streams`, () => {
    test('a stream has the messages of its type, one without a type has all', async () => {
      const bus = await createBus();
      const [notes, all]: [string[], string[]] = [[], []];
      bus.stream(NOTE).subscribe(({ type }) => notes.push(type));
      bus.stream().subscribe(({ type }) => all.push(type));
      bus.publish(createSampleRequest('a'));
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
