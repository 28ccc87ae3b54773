/** Limits how much text the hooks of an event may send to the model. */
import { limitToBytes } from '../kit/index.ts';
import {
  getStrictness,
  type HookExecutionResult,
  type HookOutput,
  type Notice,
  notice,
  withWarnings,
} from '../protocol/index.ts';

const countBytes = (text: string): number => new TextEncoder().encode(text).length;

export class TextBudget {
  readonly #limit: number;
  #left: number;
  #dropped = 0;

  constructor(limit: number, taken: readonly string[] = []) {
    this.#limit = limit;
    this.#left = Math.max(0, limit - taken.reduce((sum, text) => sum + countBytes(text), 0));
  }

  droppedSince(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  take(text: string): string {
    const bytes = countBytes(text);
    if (bytes <= this.#left) {
      this.#left -= bytes;
      return text;
    }
    const kept = limitToBytes(text, this.#left);
    const dropped = bytes - countBytes(kept);
    this.#left = 0;
    this.#dropped += dropped;
    return `${kept}… (cut: ${dropped} more bytes, beyond the ${this.#limit} that hooks may say to the model at once)`;
  }
}

export const createCutNotice = (dropped: number, limit: number): Notice =>
  notice('model-text-cut', `${dropped} bytes of what it says to the model were cut`, {
    fix: 'say less, or raise limits.modelTextBytes',
    detail: { dropped, limit },
  });

/**
 * The model reads the reason of a denial or an `ask` instead of the tool's result. It never reads the reason of an
 * `allow`.
 */
const isReasonForModel = ({ decision }: HookOutput): boolean => getStrictness(decision) > getStrictness('allow');

/** Counts the characters of the texts, which is faster than counting bytes and enough for a first check. */
const countCharacters = (output: HookOutput): number => {
  const { systemMessage = '', reason = '', stopReason = '', hookSpecificOutput } = output;
  const context = hookSpecificOutput?.additionalContext;
  const why = (isReasonForModel(output) ? reason.length : 0) + stopReason.length;
  return why + systemMessage.length + (typeof context === 'string' ? context.length : 0);
};

const cutReasons = (output: HookOutput, room: TextBudget): HookOutput => {
  const { reason, stopReason } = output;
  return {
    ...output,
    ...(reason !== undefined && isReasonForModel(output) ? { reason: room.take(reason) } : {}),
    ...(stopReason === undefined ? {} : { stopReason: room.take(stopReason) }),
  };
};

const cutMessages = (output: HookOutput, room: TextBudget): HookOutput => {
  const { systemMessage, hookSpecificOutput } = output;
  const context = hookSpecificOutput?.additionalContext;
  return {
    ...output,
    ...(systemMessage === undefined ? {} : { systemMessage: room.take(systemMessage) }),
    ...(typeof context === 'string'
      ? { hookSpecificOutput: { ...hookSpecificOutput, additionalContext: room.take(context) } }
      : {}),
  };
};

const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Cuts texts to the limit in total. Reasons of denials come first, then the texts of the hooks in configured order. A
 * cut text ends with a note for the model; the user sees a warning.
 */
export const limitModelText = (
  results: readonly HookExecutionResult[],
  limit: number,
): readonly HookExecutionResult[] => {
  let size = 0;
  for (const { output } of results) if (output !== undefined) size += countCharacters(output);
  if (size * MAX_BYTES_PER_CHARACTER <= limit) return results;
  const room = new TextBudget(limit);
  const dropped = results.map(() => 0);
  const cutEach = (how: typeof cutMessages) => (result: HookExecutionResult, index: number) => {
    if (result.output === undefined || countCharacters(result.output) === 0) return result;
    const output = how(result.output, room);
    const lost = room.droppedSince();
    dropped[index] = (dropped[index] ?? 0) + lost;
    return lost === 0 ? result : { ...result, output };
  };
  return results
    .map(cutEach(cutReasons))
    .map(cutEach(cutMessages))
    .map((result, index) => {
      const lost = dropped[index] ?? 0;
      return lost === 0 ? result : withWarnings(result, [createCutNotice(lost, limit)]);
    });
};
