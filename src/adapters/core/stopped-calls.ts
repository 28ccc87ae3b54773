/** What adapters do when hooks stop an agent or refuse something, and when a tool fails. */
import { HookwrightError } from '../../errors.ts';
import type { HookEventName } from '../../events/index.ts';
import type { CalledTool, Hooks, HookVerdict } from '../../facade/index.ts';
import { Newest } from './wrapping.ts';

const stopped = new WeakMap<Hooks, Newest<string>>();

/** If a hook ended the agent's work with this tool call, remembers it: the model must not be called again. */
export const keepStopped = (hooks: Hooks, id: string | undefined, end: CalledTool['stopped']): void => {
  if (end === undefined || id === undefined) return;
  const calls = stopped.get(hooks) ?? new Newest<string>();
  stopped.set(hooks, calls);
  calls.keep(id, end.reason);
};

/** Ids are unique in a conversation only, so a new call of the same id clears the old one. */
export const forgetStopped = (hooks: Hooks, id: string | undefined): void => {
  if (id !== undefined) stopped.get(hooks)?.take(id);
};

/** Why the work ended, if one of these calls ended it. Returned once. */
export const takeStopped = (hooks: Hooks, ids: () => Iterable<string>): string | undefined => {
  const calls = stopped.get(hooks);
  if (calls === undefined) return undefined;
  for (const id of ids()) {
    const reason = calls.take(id);
    if (reason !== undefined) return reason;
  }
  return undefined;
};

/** The text that the agent's user reads. */
export const stoppedText = (reason: string): string => `Execution stopped by hook: ${reason}`;

/** A refusal for which an SDK has no words: it reports it like any error. */
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

/** A tool that failed and gave an output, which the SDK gets; AfterToolFailure hooks run. */
export class ToolFailure extends Error {
  readonly output: unknown;

  constructor(message: string, output: unknown) {
    super(message);
    this.output = output;
  }
}

/** The call, or the failure whose output the SDK gets. */
export const orFailure = async <Called>(call: Promise<Called>): Promise<Called | ToolFailure> => {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
};
