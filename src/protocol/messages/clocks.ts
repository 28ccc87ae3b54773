// The four timeouts of a request, and how they relate.
import { DEFAULT_TIMEOUT_MS as HOOK_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../settings/settings.ts';

/*
 * Each timeout is a little longer than the one before, so that the most precise answer comes first.
 *
 *   published        a hook starts               its timeout     the deadline   + 25 ms            + 1 s
 *   ────┼──────────────────┼──────────────────────────┼────────────────┼───────────┼──────────────────┼────▶
 *       ├─ 1 · the deadline, of all hooks together ───┼───────────────▶│           │                  │
 *       │                  ├─ 2 · a hook's timeout ──▶│                │           │                  │
 *       │                  │                          ├─ kill grace, drain ──▶     │                  │
 *       │                  │                          │                ├─ 3 ──────▶│                  │
 *       ├─ 4 · the requester's timer ─────────────────┼────────────────┼───────────┼─────────────────▶│
 *
 * 1  `timeoutMs` of the request, including the wait for a process slot; without it, the longest time the plan can
 *    take (handlers/lifetime.ts).
 * 2  `timeout` of the hook, from its own start; then its processes are ended (runners).
 * 3  How long hooks may react to 1, a cancel or a dispose, before the answer is sent without them
 *    (handlers/event-handler.ts).
 * 4  For a handler that never answers (bus/request-hooks.ts); ten minutes if the request has no deadline.
 */

export const ABORT_GRACE_MS = 25;

export const REQUESTER_GRACE_MS = 1_000;

const DEFAULT_REQUESTER_TIMEOUT_MS = 600_000;

interface TimeLimits {
  readonly concurrency: number;
  readonly killGraceMs: number;
  readonly drainMs: number;
}

/**
 * The sum of all timeouts in a sequence, or one timeout per round of `concurrency` hooks, plus the time to end the last
 * process.
 */
export const computePlanDeadlineMs = (
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

export const getRequesterTimeoutMs = (timeoutMs: number | undefined): number =>
  timeoutMs === undefined ? DEFAULT_REQUESTER_TIMEOUT_MS : timeoutMs + REQUESTER_GRACE_MS;
