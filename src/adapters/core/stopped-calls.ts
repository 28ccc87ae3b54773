import { HookwrightError } from '../../errors.ts';
import type { HookEventName } from '../../events/index.ts';
import type { Hooks, HookVerdict } from '../../facade/index.ts';
import { Newest } from './wrapping.ts';

const stopped = new WeakMap<Hooks, Newest<string>>();

/** Remembers that a hook ended the work of the agent with this tool call: its model is not to be asked again. */
export const keepStopped = (hooks: Hooks, id: string, reason: string): void => {
  const calls = stopped.get(hooks) ?? new Newest<string>();
  stopped.set(hooks, calls);
  calls.keep(id, reason);
};

/** A call of the same id begins: ids are unique in a conversation only. */
export const forgetStopped = (hooks: Hooks, id: string): void => void stopped.get(hooks)?.take(id);

/** Why the work ended, if one of these calls ended it. Returned once: an agent that goes on after that was informed. */
export const takeStopped = (hooks: Hooks, ids: () => Iterable<string>): string | undefined => {
  const calls = stopped.get(hooks);
  if (calls === undefined) return undefined;
  for (const id of ids()) {
    const reason = calls.take(id);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

/** What the agent's user reads then. */
export const stoppedText = (reason: string): string => `Execution stopped by hook: ${reason}`;

/** What an SDK is told when hooks keep something from happening that it has no words for: it reports it as any error. */
export const refused = (eventName: HookEventName, what: string, reason: string): HookwrightError =>
  new HookwrightError('blocked', `${what} blocked by hook: ${reason}`, { details: { eventName, reason } });

/** @throws HookwrightError `blocked` when hooks are against it. */
export const expectAllowed = (
  eventName: HookEventName,
  what: string,
  { verdict, reason, stopReason }: HookVerdict,
): void => {
  if (verdict !== 'deny' && verdict !== 'stop') return;
  throw refused(eventName, what, reason ?? stopReason ?? 'no reason given');
};

/**
 * A tool that failed although it gave an output, as SDKs tell their models about errors. AfterToolFailure hooks are told of it,
 * and the output is what the SDK gets.
 */
export class ToolFailure extends Error {
  readonly output: unknown;

  constructor(message: string, output: unknown) {
    super(message);
    this.output = output;
  }
}

/** What a call came to, or the failure whose output the SDK gets. */
export const orFailure = async <Called>(call: Promise<Called>): Promise<Called | ToolFailure> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
};
