/** Fires the event of a test with the configured hooks, and returns the outcome. */
import type { Config } from '../../config.ts';
import { isRecord, textOf, withChanges } from '../../kit/index.ts';
import type { HookExecutionResponse, HookOutput, HookRow, Verdict } from '../../protocol/index.ts';
import type { EventVerdict } from '../../triggers/index.ts';
import type { Context } from '../context.ts';
import { findVerdict } from '../rendering/verdict-text.ts';
import { type FireEventOptions, fireEvent } from '../sources/fire-event.ts';
import { UsageError } from '../usage-error.ts';
import type { HookTest } from './read-tests.ts';

export interface TestOutcome {
  readonly subject?: string | undefined;
  readonly verdict: Verdict;
  readonly reason?: string | undefined;
  readonly context?: string | undefined;
  readonly message?: string | undefined;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly output: HookOutput;
  readonly rows: readonly HookRow[];
  readonly error?: string | undefined;
}

/** An `allow` that was derived from plain text is no verdict of the hook. */
export const findRowVerdict = ({ eventName, output, fields = {} }: HookRow): EventVerdict => {
  if (output === undefined) return { verdict: 'none' };
  const { decision, ...others } = output;
  return findVerdict(eventName, fields.decision === undefined ? others : { ...others, decision });
};

const findChangedInput = (payload: object, output: HookOutput): Record<string, unknown> | undefined => {
  const before: unknown = Reflect.get(payload, 'tool_input');
  if (!isRecord(before)) return undefined;
  const changes = output.hookSpecificOutput?.tool_input;
  return isRecord(changes) ? withChanges(before, changes) : before;
};

/** A missing response is an error, because the test would otherwise see the verdict `none`. */
const findError = (response: HookExecutionResponse | undefined): string | undefined => {
  if (response === undefined) return 'no answer came';
  return response.error === undefined ? undefined : `${response.error.code}: ${response.error.message}`;
};

export const fireTest = async (
  config: Config,
  { event, payload, only }: HookTest,
  { timeoutMs, deps, signal }: Pick<FireEventOptions, 'timeoutMs' | 'deps'> & Pick<Context, 'signal'>,
): Promise<TestOutcome> => {
  try {
    const { response, trace, subject } = await fireEvent(config, event, payload, { only, timeoutMs, deps }, { signal });
    const output = response?.output ?? {};
    const { verdict, reason } = findVerdict(event, output);
    return {
      subject,
      verdict,
      reason,
      context: textOf(output.hookSpecificOutput?.additionalContext),
      message: textOf(output.systemMessage),
      input: findChangedInput(payload, output),
      output,
      rows: trace?.rows ?? [],
      error: findError(response),
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { verdict: 'none', output: {}, rows: [], error: error.message };
  }
};
