/** `confirmInTerminal`: a ready-made `deps.confirm` for agents in a terminal. */
import { createInvalidArgument } from '../errors.ts';
import { describeValue, expectKnown, isPositiveNumber } from '../kit/index.ts';
import type { ConfirmContext, ConfirmQuestion } from '../protocol/index.ts';

export interface ConfirmInTerminalOptions {
  /** Milliseconds to wait for an answer. Default: 60,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A `confirm` for hosts in a terminal: only `y` or `yes`, typed after the question, approves. Refuses at once without a
 * terminal or in a CI pipeline.
 */
export const confirmInTerminal = (
  options: ConfirmInTerminalOptions = {},
): ((question: ConfirmQuestion, context?: ConfirmContext) => Promise<boolean>) => {
  expectKnown('confirmInTerminal', options, ['timeoutMs']);
  const { timeoutMs = 60_000 } = options;
  if (!isPositiveNumber(timeoutMs)) {
    throw createInvalidArgument(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
  return async (question, context) =>
    (await import('./terminal-question.ts')).askInTerminal(question, timeoutMs, context);
};
