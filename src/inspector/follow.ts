import type { Subscription } from 'rxjs';
import type { Bus } from '../bus/index.ts';
import type { HookMessage } from '../protocol/index.ts';
import type { SessionEntry } from '../sessions/index.ts';
import { encode, parseEntry, Redactor, snapshot } from '../sessions/index.ts';

/** Messages that wait to be taken in. One more than that is dropped, and told. */
const MAX_WAITING = 10_000;
/** How long that may hold up a turn of the event loop. */
const SLICE_MS = 4;

export interface Follower {
  entry(entry: SessionEntry): void;
  /** Messages that could not be shown. */
  dropped(count: number): void;
}

/**
 * What a bus delivers, as it would stand in a session file: plain data, secrets taken out, nothing larger than a line may
 * be. Publishers wait for nothing: a message is noted, and read in a later turn.
 */
export const followBus = (bus: Bus, follower: Follower): (() => void) => {
  const redactor = new Redactor(undefined);
  const origin = performance.now();
  let waiting: { readonly at: number; readonly message: HookMessage }[] = [];
  let dropped = 0;
  let isScheduled = false;
  let isOver = false;

  const take = (at: number, message: HookMessage): void => {
    const encoded = encode(Math.round(at * 1_000) / 1_000, message, redactor);
    const parsed = encoded.ok ? parseEntry(encoded.line.trimEnd(), 0) : undefined;
    if (parsed?.ok === true) follower.entry(parsed.entry);
    else dropped += 1;
  };
  const drain = (): void => {
    const until = performance.now() + SLICE_MS;
    let taken = 0;
    for (const { at, message } of waiting) {
      taken += 1;
      take(at, message);
      if (performance.now() > until) break;
    }
    waiting = waiting.slice(taken);
    if (dropped > 0) follower.dropped(dropped);
    dropped = 0;
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      if (isOver) return;
      drain();
      if (waiting.length > 0) schedule();
    });
  };
  const subscription: Subscription = bus.stream().subscribe((message) => {
    if (waiting.length >= MAX_WAITING) dropped += 1;
    else waiting.push({ at: performance.now() - origin, message: snapshot(message) });
    schedule();
  });
  return () => {
    isOver = true;
    subscription.unsubscribe();
  };
};
