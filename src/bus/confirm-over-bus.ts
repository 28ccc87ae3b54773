// Asks the user over the bus whether a tool call may run.
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { describeValue, expectKnown, MAX_TIMER_MS } from '../kit/index.ts';
import {
  type ConfirmContext,
  type ConfirmQuestion,
  MessageBusType,
  type MessageOf,
  type ParkAnswer,
  type Unanswered,
} from '../protocol/index.ts';
import type { Bus } from './bus.ts';

export interface ConfirmOverBusOptions {
  /** Milliseconds to wait for an answer. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * The answer used if there is no listener or none answers in time. Default: `deny`. `park` keeps the tool call so
   * that it can be decided later.
   */
  readonly fallback?: 'allow' | 'deny' | 'park' | undefined;
}

type ConfirmationResponse = MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>;

const hasDecision = (answer: ConfirmationResponse): boolean => typeof answer.approved === 'boolean';

const confirmOptionNames: readonly string[] = ['timeoutMs', 'fallback'] satisfies (keyof ConfirmOverBusOptions)[];

const checkConfirmOptions = (options: ConfirmOverBusOptions, timeoutMs: unknown, fallback: unknown): void => {
  expectKnown('confirmOverBus', options, confirmOptionNames);
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) {
    const found = describeValue(timeoutMs);
    throw createInvalidArgument(`timeoutMs: expected milliseconds over 0, got ${found}`);
  }
  if (fallback !== 'allow' && fallback !== 'deny' && fallback !== 'park') {
    const found = describeValue(fallback);
    throw createInvalidArgument(`fallback: expected "allow", "deny" or "park", got ${found}`);
  }
};

type ContextWithoutPark = ConfirmContext & { readonly park?: undefined };

export interface ConfirmOverBusCallback {
  (question: ConfirmQuestion, context?: ContextWithoutPark): Promise<boolean>;
  (question: ConfirmQuestion, context?: ConfirmContext): Promise<boolean | ParkAnswer>;
}

/**
 * Creates a `confirm` callback that publishes the question as `HOOK_CONFIRMATION_REQUEST` and returns the first answer.
 * A listener that forwards all messages, such as `stream()`, counts as a listener, because a person may be behind it.
 * An abort or an error counts as a denial, whatever the fallback is.
 */
export const confirmOverBus = (bus: Bus, options: ConfirmOverBusOptions = {}): ConfirmOverBusCallback => {
  const { timeoutMs = 60_000, fallback = 'deny' } = options;
  checkConfirmOptions(options, timeoutMs, fallback);
  const waitMs = Math.min(timeoutMs, MAX_TIMER_MS);

  async function confirm(question: ConfirmQuestion, context?: ContextWithoutPark): Promise<boolean>;
  async function confirm(question: ConfirmQuestion, context?: ConfirmContext): Promise<boolean | ParkAnswer>;
  async function confirm(
    { eventName, reason, toolName, toolInput }: ConfirmQuestion,
    { signal, onUnanswered, park }: ConfirmContext = {},
  ): Promise<boolean | ParkAnswer> {
    const parked = async (): Promise<boolean | ParkAnswer> => (await park?.()) ?? false;
    const without = (why: Unanswered): boolean | Promise<boolean | ParkAnswer> => {
      if (fallback === 'park' && park !== undefined) return parked();
      onUnanswered?.(why);
      return fallback === 'allow';
    };
    try {
      if (signal?.aborted) return false;
      const type = MessageBusType.HOOK_CONFIRMATION_REQUEST;
      if (!bus.isHeard(type) && !bus.isWatched(type)) return await without('no-listener');
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
        { timeoutMs: waitMs, signal, accepts: hasDecision },
      );
      return answer.approved || answer.park !== true ? answer.approved : await parked();
    } catch (thrown) {
      return HookwrightError.is(thrown) && thrown.code === 'deadline_exceeded' && without('timeout');
    }
  }
  return confirm;
};
