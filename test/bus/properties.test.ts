import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageBus } from '../../src/bus/index.ts';
import {
  ANSWER,
  createSampleNote,
  createSampleRequest,
  createSampleResponse,
  NOTE,
  RESPONSE,
  waitForRejections,
} from './messages.ts';

const listeners = {
  healthy: () => {},
  throws: () => {
    throw new Error('boom');
  },
  rejects: () => Promise.reject(new Error('boom')),
  throwsNothing: () => {
    throw undefined;
  },
} as const;

const manner = fc.constantFrom('healthy', 'throws', 'rejects', 'throwsNothing');
const place = fc.constantFrom('listener', 'stream', 'stream of all');

test('P8 whatever some listeners do, every listener hears every message in order and no publisher notices', async () => {
  const roles = fc.array(fc.record({ manner, place }), { minLength: 1, maxLength: 12 });
  const notes = fc.array(fc.string(), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(roles, notes, async (cast, published) => {
      const bus = new MessageBus();
      let errors = 0;
      bus.on('error', () => {
        errors += 1;
        throw new Error('the error listener fails too');
      });
      const heard = cast.map(({ manner, place }) => {
        const notes: string[] = [];
        const listener = (note: string): unknown => {
          notes.push(note);
          return listeners[manner]();
        };
        if (place === 'listener') bus.subscribe(NOTE, ({ message }) => listener(message));
        else if (place === 'stream') bus.stream(NOTE).subscribe(({ message }) => listener(message));
        else bus.stream().subscribe((message) => message.type === NOTE && listener(message.message));
        return notes;
      });
      for (const note of published) bus.publish(createSampleNote(note));
      expect(heard).toEqual(cast.map(() => published));
      await waitForRejections();
      const bad = cast.filter(({ manner }) => manner !== 'healthy').length;
      expect(errors).toBe(bad * published.length);
    }),
    { numRuns: 100 },
  );
});

interface Tree {
  readonly children: readonly Tree[];
}

const tree: fc.Memo<Tree> = fc.memo((depth) =>
  fc.record({ children: depth === 1 ? fc.constant([]) : fc.array(tree(), { maxLength: 3 }) }),
);

describe('one order', () => {
  test('F37 however publishes nest, and wherever they come from, all listeners record one order', () => {
    const forest = fc.array(tree(4), { minLength: 1, maxLength: 4 });
    const readers = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(forest, readers, fc.nat(), (trees, count, seed) => {
        const bus = new MessageBus();
        const pending = new Map<string, readonly Tree[]>();
        let named = 0;
        const publish = ({ children }: Tree): void => {
          named += 1;
          pending.set(`${named}`, children);
          bus.publish(createSampleNote(`${named}`));
        };
        const records = Array.from({ length: count }, (_, reader) => {
          const record: string[] = [];
          bus.subscribe(NOTE, ({ message }) => {
            record.push(message);
            // One of the readers, another for every message, publishes what is nested in it.
            if ((seed + message.length) % count !== reader) return;
            const children = pending.get(message) ?? [];
            pending.delete(message);
            for (const child of children) publish(child);
          });
          return record;
        });
        for (const root of trees) publish(root);
        for (const record of records) expect(record).toEqual(records[0]);
        expect(records[0]).toHaveLength(named);
        expect(new Set(records[0]).size).toBe(named);
      }),
    );
  });
});

test('whatever answers arrive, in whatever order and however often, each request settles with the first of its own', async () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(ids, fc.array(fc.nat()), async (asked, picks) => {
      const bus = new MessageBus();
      const requests = asked.map((id) => bus.request(createSampleRequest(id), RESPONSE));
      const answers = [...picks.map((pick) => asked[pick % asked.length] ?? ''), ...asked];
      answers.forEach((id, index) => {
        bus.publish({ type: ANSWER, correlationId: id, approved: true });
        bus.publish({ ...createSampleResponse(id), eventName: `${index}` });
      });
      const responses = await Promise.all(requests);
      expect(responses.map(({ correlationId, eventName }) => [correlationId, eventName])).toEqual(
        asked.map((id) => [id, `${answers.indexOf(id)}`]),
      );
      const { pending, duplicateResponses } = bus.stats();
      expect([pending, duplicateResponses]).toEqual([0, picks.length]);
    }),
  );
});
