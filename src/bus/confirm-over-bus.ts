import { HookwrightError, invalidArgument } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import {
  type ConfirmContext,
  type ConfirmQuestion,
  MessageBusType,
  type MessageOf,
  type Unanswered,
} from '../protocol/index.ts';
import type { Bus } from './bus.ts';
import { MAX_TIMER_MS } from './pending-requests.ts';

export interface ConfirmOverBusOptions {
  /** 60,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** The answer when there is no listener, or none answers in time; `deny` by default. */
  readonly fallback?: 'allow' | 'deny' | undefined;
}

type Answer = MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>;

const isUsable = (answer: Answer): boolean => typeof answer.approved === 'boolean';

const checkOptions = (timeoutMs: unknown, fallback: unknown): void => {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) {
    const found = describeValue(timeoutMs);
    throw invalidArgument(`timeoutMs: expected milliseconds over 0, got ${found}`);
  }
  if (fallback !== 'allow' && fallback !== 'deny') {
    const found = describeValue(fallback);
    throw invalidArgument(`fallback: expected "allow" or "deny", got ${found}`);
  }
};

/**
 * Puts the question to the listeners of `HOOK_CONFIRMATION_REQUEST`; the first answer counts. What forwards all messages, such
 * as `stream()` or `tap()`, counts as a listener: a person may be behind it. An abort, and anything that goes wrong on the way,
 * is a no whatever the fallback.
 */
export const confirmOverBus = (
  bus: Bus,
  options: ConfirmOverBusOptions = {},
): ((question: ConfirmQuestion, context?: ConfirmContext) => Promise<boolean>) => {
  const { timeoutMs = 60_000, fallback = 'deny' } = options;
  checkOptions(timeoutMs, fallback);
  const unanswered = fallback === 'allow';
  const waitMs = Math.min(timeoutMs, MAX_TIMER_MS);

  return async ({ eventName, reason, toolName, toolInput }, { signal, onUnanswered } = {}) => {
    const without = (why: Unanswered): boolean => {
      onUnanswered?.(why);
      return unanswered;
    };
    try {
      if (signal?.aborted) return false;
      const type = MessageBusType.HOOK_CONFIRMATION_REQUEST;
      if (!bus.isHeard(type) && !bus.isWatched(type)) return without('no-listener');
      const answer = await bus.request(
        {
          type,
          correlationId: bus.createCorrelationId(),
          eventName,
          reason,
          ...(toolName === undefined ? {} : { toolName }),
          ...(toolInput === undefined ? {} : { toolInput }),
          expiresAt: new Date(Date.now() + waitMs).toISOString(),
        },
        MessageBusType.HOOK_CONFIRMATION_RESPONSE,
        { timeoutMs: waitMs, signal, accepts: isUsable },
      );
      return answer.approved;
    } catch (thrown) {
      return HookwrightError.is(thrown) && thrown.code === 'deadline_exceeded' && without('timeout');
    }
  };
};
