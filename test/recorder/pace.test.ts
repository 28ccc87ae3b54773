import { map, type Observable } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, test } from 'vitest';
import { type HookMessage, MessageBus, MessageBusType } from '../../src/bus/index.ts';
import { createHooks } from '../../src/index.ts';
import { type Pace, pacedMessages, replay, type SessionEntry, sessionOf } from '../../src/sessions/index.ts';
import { untyped } from '../support/untyped.ts';
import { createSampleNote, createSampleRequest, exchanges } from './support.ts';

const inVirtualTime = (run: Parameters<TestScheduler['run']>[0]): void => {
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(run);
};

const entry = (name: string, at: number): SessionEntry => ({ at, line: at, message: createSampleNote(name) });

const names = (stream: Observable<SessionEntry>): Observable<string> =>
  stream.pipe(map(({ message }) => (message.type === MessageBusType.HOOK_SYSTEM_MESSAGE ? message.message : '?')));

const [a, b] = [entry('a', 1), entry('b', 3)];

describe('pacedMessages', () => {
  test.each<[string, Pace, string]>([
    ['instant: all at once', 'instant', '(abc|)'],
    ['recorded: at their offsets, of which the first is waited for, too', 'recorded', '--a---(bc|)'],
    ['twice as fast', 2, '-a-(bc|)'],
    ['at half the speed', 0.5, '----a-------(bc|)'],
  ])('%s', (_what, pace, marbles) => {
    const entries = [entry('a', 2), entry('b', 6), entry('c', 6)];
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(names(pacedMessages(entries, pace))).toBe(marbles);
      const all = cold('(abc|)', { a: entry('a', 2), b: entry('b', 6), c: entry('c', 6) });
      expectObservable(names(pacedMessages(all, pace))).toBe(marbles);
    });
  });

  test('an iterable is asked for an entry when the one before has gone out', () => {
    inVirtualTime(({ expectObservable, flush }) => {
      const asked: string[] = [];
      const entries = {
        *[Symbol.iterator]() {
          for (const one of [entry('a', 0), entry('b', 10)]) {
            asked.push(`${one.at}`);
            yield one;
          }
          asked.push('end');
        },
      };
      expectObservable(names(pacedMessages(entries, 'recorded'))).toBe('a 9ms (b|)');
      expectObservable(names(pacedMessages(entries, 'recorded')), '5ms !').toBe('a');
      flush();
      expect(asked).toEqual(['0', '10', '0', '10', 'end']);
    });
  });

  test('entries that come late go out at once, and the next is on time again', () => {
    inVirtualTime(({ cold, expectObservable }) => {
      const values = { a: entry('a', 1), b: entry('b', 2), c: entry('c', 8) };
      const late = cold('-----(ab)(c|)', values);
      expectObservable(names(pacedMessages(late, 'recorded'))).toBe('-----(ab)(c|)');
      const early = cold('(abc|)', values);
      expectObservable(names(pacedMessages(early, 'recorded'))).toBe('-ab-----(c|)');
    });
  });

  test('an empty session ends at once, a failing one fails where it fails', () => {
    inVirtualTime(({ cold, expectObservable }) => {
      expectObservable(pacedMessages([], 'recorded')).toBe('|');
      expectObservable(names(pacedMessages(cold<SessionEntry>('-#'), 'recorded'))).toBe('-#');
    });
  });

  test('unsubscribing stops the clock and ends the iterator', () => {
    inVirtualTime(({ expectObservable, flush }) => {
      let ended = 0;
      const entries = {
        *[Symbol.iterator]() {
          try {
            yield* [a, entry('z', 1_000)];
          } finally {
            ended += 1;
          }
        },
      };
      expectObservable(names(pacedMessages(entries, 'recorded')), '10ms !').toBe('-a');
      flush();
      expect(ended).toBe(1);
    });
  });

  test('takes the time of the scheduler it is given', () => {
    const scheduler = new TestScheduler(() => {});
    const seen: [string, number][] = [];
    names(pacedMessages([entry('a', 60_000), entry('b', 120_000)], 'recorded', scheduler)).subscribe((name) => {
      seen.push([name, scheduler.now()]);
    });
    scheduler.maxFrames = 200_000;
    scheduler.flush();
    expect(seen).toEqual([
      ['a', 60_000],
      ['b', 120_000],
    ]);
  });

  test('a function is waited for, one entry after the other', async () => {
    const log: string[] = [];
    const step = async ({ at }: SessionEntry) => {
      log.push(`asked for ${at}`);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await new Promise<void>((resolve) => {
      names(pacedMessages([a, b], step)).subscribe({ next: (name) => log.push(name), complete: resolve });
    });
    expect(log).toEqual(['asked for 1', 'a', 'asked for 3', 'b']);
  });

  test('a function that fails, and an iterator that fails, end the stream with the error', async () => {
    const failing = {
      // biome-ignore lint/correctness/useYield: it fails before it has anything to give
      *[Symbol.iterator](): Generator<SessionEntry> {
        throw new Error('torn');
      },
    };
    const errorOf = (stream: Observable<unknown>) => new Promise((resolve) => stream.subscribe({ error: resolve }));
    expect(await errorOf(pacedMessages([a], () => Promise.reject(new Error('no'))))).toEqual(new Error('no'));
    expect(await errorOf(pacedMessages(failing, 'instant'))).toEqual(new Error('torn'));
  });

  test('a long session in memory needs no deep stack', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => entry('n', index));
    let count = 0;
    pacedMessages(many, 'instant').subscribe(() => {
      count += 1;
    });
    expect(count).toBe(200_000);
  });

  test.each([0, -1, Number.NaN, 'fast', null])('%s is no pace', (pace) => {
    expect(() => pacedMessages([], untyped(pace))).toThrow(/pace: expected "instant", "recorded", a factor over 0/);
  });
});

describe('replay in virtual time', () => {
  test('observers see the messages when they were recorded, an hour in no time', () => {
    const hour = 3_600_000;
    inVirtualTime(({ expectObservable }) => {
      const bus = new MessageBus();
      const types = bus.stream().pipe(map(({ type }) => (type === MessageBusType.HOOK_EXECUTION_REQUEST ? 'q' : 'r')));
      expectObservable(types).toBe('2ms q 2ms r 3599994ms q');
      void replay(sessionOf(exchanges(2, 5, hour)), bus, { pace: 'recorded' });
    });
  });

  test('a factor makes it faster, a filter leaves the times as they are', () => {
    inVirtualTime(({ expectObservable }) => {
      const bus = new MessageBus();
      expectObservable(bus.stream().pipe(map(({ correlationId }) => correlationId.slice(-1)))).toBe('--0 19ms 0');
      const noise = { at: 100, message: { ...createSampleRequest('x'), eventName: 'SessionEnd' } };
      const session = sessionOf([...exchanges(20, 220), noise]);
      void replay(session, bus, { pace: 10, events: ['BeforeTool'] });
    });
  });

  test('a scheduler can be given instead', async () => {
    const scheduler = new TestScheduler(() => {});
    scheduler.maxFrames = Number.POSITIVE_INFINITY;
    const bus = new MessageBus();
    const seen: number[] = [];
    bus.stream().subscribe(() => seen.push(scheduler.now()));
    const report = replay(sessionOf(exchanges(1_000, 90_000)), bus, { pace: 'recorded', scheduler });
    scheduler.flush();
    expect(seen).toEqual([1_000, 90_000]);
    expect(await report).toMatchObject({ published: 2, problems: [] });
  });
});

describe('the stream of a bus whose requests are answered at once', () => {
  const letters: Partial<Record<HookMessage['type'], string>> = {
    [MessageBusType.HOOK_EXECUTION_REQUEST]: 'q',
    [MessageBusType.HOOK_EXECUTION_TRACE]: 't',
    [MessageBusType.HOOK_EXECUTION_RESPONSE]: 'r',
  };

  test('has request, trace and response of each in the frame of its request', async () => {
    const { bus } = await createHooks({ hooks: { BeforeTool: [{ matcher: 'other', hooks: [{ command: 'never' }] }] } });
    inVirtualTime(({ cold, expectObservable }) => {
      const traffic$ = bus.stream().pipe(map(({ type }) => letters[type]));
      cold('-a----b|').subscribe((id) => bus.publish(createSampleRequest(id)));
      expectObservable(traffic$).toBe('-(qtr)(qtr)');
    });
  });

  test('interleaves nothing when a listener asks for more while it hears of a request', async () => {
    const { bus } = await createHooks();
    bus.subscribe(MessageBusType.HOOK_EXECUTION_REQUEST, ({ correlationId }) => {
      if (correlationId === 'a') bus.publish(createSampleRequest('b'));
    });
    inVirtualTime(({ cold, expectObservable }) => {
      const ids$ = bus.stream(MessageBusType.HOOK_EXECUTION_RESPONSE).pipe(map(({ correlationId }) => correlationId));
      cold('--a|').subscribe((id) => bus.publish(createSampleRequest(id)));
      expectObservable(ids$).toBe('--(ab)');
    });
  });
});
