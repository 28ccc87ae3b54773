import type { EventNameLike } from '../capture-traffic.ts';
import type { BlockedExpectation, RunExpectation, SkippedExpectation } from './matchers.ts';

/** What `expect(traffic)` can be asked. */
export interface HookMatchers {
  /** Hooks were against an event: they denied it, or ended the agent's work. */
  toHaveBlocked(eventName: EventNameLike, expected?: BlockedExpectation): void;
  /** A hook ran, whatever came of it. */
  toHaveRun(hookName: string, expected?: RunExpectation): void;
  /** A hook was left out at least once. */
  toHaveSkipped(hookName: string, expected?: SkippedExpectation): void;
}

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where vitest is not installed; see the text
/** @ts-ignore A project with another test runner has no such module, and still type-checks. */
declare module 'vitest' {
  interface Matchers<T> extends HookMatchers {}
}
