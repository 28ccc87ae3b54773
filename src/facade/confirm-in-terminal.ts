import { invalidArgument } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import type { ConfirmContext, ConfirmQuestion } from '../protocol/index.ts';
import { expectKnown } from './arguments.ts';

export interface ConfirmInTerminalOptions {
  /** How long the user has for an answer; 60,000 by default. Without one in time, nothing is approved. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A `confirm` for hosts in a terminal: it writes the question to stderr and reads the answer from stdin. `y` or `yes` approves,
 * anything else does not, nor does what was typed before the question. Without a terminal at both, and in a pipeline (`CI`), it
 * refuses at once. Several questions are put one after the other.
 */
export const confirmInTerminal = (
  options: ConfirmInTerminalOptions = {},
): ((question: ConfirmQuestion, context?: ConfirmContext) => Promise<boolean>) => {
  expectKnown('confirmInTerminal', options, ['timeoutMs']);
  const { timeoutMs = 60_000 } = options;
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0)) {
    throw invalidArgument(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
  }
  return async (question, context) =>
    (await import('./terminal-question.ts')).askInTerminal(question, timeoutMs, context);
};
