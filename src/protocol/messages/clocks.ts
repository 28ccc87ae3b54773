import { DEFAULT_TIMEOUT_MS as HOOK_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../settings/settings.ts';

/*
 * The four clocks of a request. Each is a little more patient than the one before, so that whoever knows most answers first.
 *
 *   published        a hook starts               its timeout     the deadline   + 25 ms            + 1 s
 *   ────┼──────────────────┼──────────────────────────┼────────────────┼───────────┼──────────────────┼────▶
 *       ├─ 1 · the deadline, of all hooks together ───┼───────────────▶│           │                  │
 *       │                  ├─ 2 · a hook's timeout ──▶│                │           │                  │
 *       │                  │                          ├─ kill grace, drain ──▶     │                  │
 *       │                  │                          │                ├─ 3 ──────▶│                  │
 *       ├─ 4 · the requester's timer ─────────────────┼────────────────┼───────────┼─────────────────▶│
 *
 * 1  `timeoutMs` of the request, waiting for a place included; else the longest the plan can take (handlers/lifetime.ts).
 * 2  `timeout` of the hook, from its own start; what comes after it is the end of its processes (runners).
 * 3  How long hooks may take to notice that 1, a cancel or a dispose struck, before the answer goes out without them
 *    (handlers/event-handler.ts).
 * 4  For a handler that says nothing at all (bus/request-hooks.ts); ten minutes where the request has no deadline.
 */

/** Clock 3. */
export const ABORT_PATIENCE_MS = 25;

/** Clock 4: by how much it is longer than the deadline. */
export const REQUESTER_GRACE_MS = 1_000;

/** Clock 4 without a deadline. */
const LONGEST_WAIT_MS = 600_000;

interface TimeLimits {
  readonly concurrency: number;
  readonly killGraceMs: number;
  readonly drainMs: number;
}

/**
 * The default deadline: the hooks' own timeouts, one after another or in as many rounds as the limiter needs, and the
 * time to end the last of them.
 */
export const planDeadlineMs = (
  timeouts: readonly (number | undefined)[],
  sequential: boolean,
  { concurrency, killGraceMs, drainMs }: TimeLimits,
): number => {
  const all = timeouts.map((timeout) => timeout ?? HOOK_TIMEOUT_MS);
  const running = sequential
    ? all.reduce((sum, timeout) => sum + timeout, 0)
    : all.reduce((longest, timeout) => Math.max(longest, timeout), 0) * Math.ceil(all.length / concurrency);
  return Math.min(MAX_TIMEOUT_MS, running + killGraceMs + drainMs);
};

/** Clock 4. */
export const requesterTimeoutMs = (timeoutMs: number | undefined): number =>
  timeoutMs === undefined ? LONGEST_WAIT_MS : timeoutMs + REQUESTER_GRACE_MS;
