// What adapters do when hooks stop the agent or deny a call, and when a tool fails.
import { HookwrightError } from '../../errors.ts';
import type { HookEventName } from '../../events/index.ts';
import type { CalledTool, Hooks, HookVerdict } from '../../facade/index.ts';
import { NewestEntries } from './wrapping.ts';

const stopped = new WeakMap<Hooks, NewestEntries<string>>();

/** Remembers that a hook stopped the agent at this tool call: the model must not be called again. */
export const rememberStoppedCall = (hooks: Hooks, id: string | undefined, end: CalledTool['stopped']): void => {
  if (end === undefined || id === undefined) return;
  const calls = stopped.get(hooks) ?? new NewestEntries<string>();
  stopped.set(hooks, calls);
  calls.keep(id, end.reason);
};

/** Ids are unique within a conversation only, so a new call with the same id clears the old one. */
export const forgetStoppedCall = (hooks: Hooks, id: string | undefined): void => {
  if (id !== undefined) stopped.get(hooks)?.take(id);
};

/** The reason for which one of these calls stopped the agent. Returned once. */
export const takeStopReason = (hooks: Hooks, ids: () => Iterable<string>): string | undefined => {
  const calls = stopped.get(hooks);
  if (calls === undefined) return undefined;
  for (const id of ids()) {
    const reason = calls.take(id);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

/** Text for the user of the agent. */
export const stoppedText = (reason: string): string => `Execution stopped by hook: ${reason}`;

/** The error for a denial that the SDK cannot express otherwise. */
export const blockedError = (eventName: HookEventName, what: string, reason: string): HookwrightError =>
  new HookwrightError('blocked', `${what} blocked by hook: ${reason}`, { details: { eventName, reason } });

/** @throws HookwrightError `blocked` if hooks deny or stop. */
export const expectAllowed = (
  eventName: HookEventName,
  what: string,
  { verdict, reason, stopReason }: HookVerdict,
): void => {
  if (verdict !== 'deny' && verdict !== 'stop') return;
  throw blockedError(eventName, what, reason ?? stopReason ?? 'no reason given');
};

/** Error of a tool that failed and returned an output. The SDK gets the output, and AfterToolFailure hooks run. */
export class ToolFailure extends Error {
  readonly output: unknown;

  constructor(message: string, output: unknown) {
    super(message);
    this.output = output;
  }
}

/** The result of a call, or its `ToolFailure`. */
export const resultOrFailure = async <Called>(call: Promise<Called>): Promise<Called | ToolFailure> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
};
