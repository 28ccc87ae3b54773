/** Types of the matchers on vitest's `expect(traffic)`. */
import type { EventNameLike } from '../capture-traffic.ts';
import type { BlockedExpectation, RunExpectation, SkippedExpectation } from './matchers.ts';

export interface HookMatchers {
  /** Hooks denied an event or stopped the agent. */
  toHaveBlocked(eventName: EventNameLike, expected?: BlockedExpectation): void;
  /** A hook ran. */
  toHaveRun(hookName: string, expected?: RunExpectation): void;
  /** A hook was skipped at least once. */
  toHaveSkipped(hookName: string, expected?: SkippedExpectation): void;
}

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where vitest is not installed; see the text
/** @ts-ignore A project with another test runner has no such module, and still type-checks. */
declare module 'vitest' {
  interface Matchers<T> extends HookMatchers {}
}
