/** Adds the matchers to the types of vitest's `expect(traffic)`. */
import type { EventNameLike } from '../capture-traffic.ts';
import type { BlockedExpectation, RunExpectation, SkippedExpectation } from './matchers.ts';

export interface HookMatchers {
  toHaveBlocked(eventName: EventNameLike, expected?: BlockedExpectation): void;
  toHaveRun(hookName: string, expected?: RunExpectation): void;
  toHaveSkipped(hookName: string, expected?: SkippedExpectation): void;
}

// biome-ignore lint/suspicious/noTsIgnore: it is an error only where vitest is not installed; see the text
/** @ts-ignore A project with another test runner has no such module, and still type-checks. */
declare module 'vitest' {
  interface Matchers<T> extends HookMatchers {}
}
