import type { HookExecutionPlan } from '../planner/planner.ts';
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../protocol/settings.ts';
import type { RunnerLimits } from '../runners/limits.ts';

type TimeLimits = Pick<RunnerLimits, 'concurrency' | 'killGraceMs' | 'drainMs'>;

/**
 * The longest a plan can take when nobody says otherwise: the hooks' own timeouts, one after another or in as many
 * rounds as the limiter needs, and the time to end the last of them.
 */
export const planDeadlineMs = (
  { hookConfigs, sequential }: Pick<HookExecutionPlan, 'hookConfigs' | 'sequential'>,
  limits: TimeLimits,
): number => {
  const timeouts = hookConfigs.map((hook) => hook.timeout ?? DEFAULT_TIMEOUT_MS);
  const rounds = Math.ceil(timeouts.length / limits.concurrency);
  const running = sequential
    ? timeouts.reduce((sum, timeout) => sum + timeout, 0)
    : timeouts.reduce((longest, timeout) => Math.max(longest, timeout), 0) * rounds;
  return Math.min(MAX_TIMEOUT_MS, running + limits.killGraceMs + limits.drainMs);
};
