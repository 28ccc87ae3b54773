// Remembers tool calls that hooks stopped, and creates the errors for stopped, denied and failed calls.
import { HookwrightError } from '../../errors.ts';
import type { HookEventName } from '../../events/index.ts';
import type { CalledTool, Hooks, HookVerdict } from '../../facade/index.ts';
import { mayProceedFreely } from '../../protocol/index.ts';
import { createPerEngine, NewestEntries } from './wrapping.ts';

const getStopReasons = createPerEngine(() => new NewestEntries<string>());

export const rememberStoppedCall = (hooks: Hooks, id: string | undefined, end: CalledTool['stopped']): void => {
  if (end !== undefined && id !== undefined) getStopReasons(hooks).keep(id, end.reason);
};

/** Ids are unique within a conversation only, so a new call with the same id clears the old one. */
export const forgetStoppedCall = (hooks: Hooks, id: string | undefined): void => {
  if (id !== undefined) getStopReasons(hooks).take(id);
};

export const takeStopReason = (hooks: Hooks, ids: () => Iterable<string>): string | undefined => {
  const reasons = getStopReasons(hooks);
  if (reasons.isEmpty) return undefined;
  for (const id of ids()) {
    const reason = reasons.take(id);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

export const formatStop = (reason: string): string => `Execution stopped by hook: ${reason}`;

export const formatWithheld = (reason: string): string => `The tool has run; its result is withheld: ${reason}`;

export const createBlockedError = (eventName: HookEventName, what: string, reason: string): HookwrightError =>
  new HookwrightError('blocked', `${what} blocked by hook: ${reason}`, { details: { eventName, reason } });

/** Returns why the agent must not continue. `ask` is a refusal here, because SDKs prompt users only for tool calls. */
export const readRefusal = ({ verdict, reason, stopReason }: HookVerdict): string | undefined => {
  if (mayProceedFreely(verdict)) return undefined;
  const why = reason ?? stopReason ?? 'no reason given';
  return verdict === 'ask' ? `${why}, and no person can be asked` : why;
};

export const expectAllowed = (eventName: HookEventName, what: string, answer: HookVerdict): void => {
  const refusal = readRefusal(answer);
  if (refusal !== undefined) throw createBlockedError(eventName, what, refusal);
};

/** Error of a tool that failed and returned an output. The SDK gets the output, and AfterToolFailure hooks run. */
export class ToolFailure extends Error {
  readonly output: unknown;

  constructor(message: string, output: unknown) {
    super(message);
    this.output = output;
  }
}

export const awaitResultOrFailure = async <Called>(call: Promise<Called>): Promise<Called | ToolFailure> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
};
