/** `confirmInTerminal`: asks the user on stderr and stdin. */
import { invalidArgument } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import type { ConfirmContext, ConfirmQuestion } from '../protocol/index.ts';
import { expectKnown } from './arguments.ts';

export interface ConfirmInTerminalOptions {
  /** Time for an answer in milliseconds. Default: 60,000. Without an answer in time nothing is approved. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A `confirm` for hosts in a terminal: writes the question to stderr and reads the answer from stdin. Only `y` or
 * `yes`, typed after the question, approves. Without a terminal at both, and in a pipeline (`CI`), it refuses
 * immediately. Several questions wait for each other.
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
