import type { Hooks } from '../../facade/index.ts';
import { Newest } from './newest.ts';

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
