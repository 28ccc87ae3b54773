import { catalogue, type HookEventName, type HookInput } from '../../events/index.ts';
import { type HookExecutionResult, saidIn } from '../../protocol/index.ts';

/** What the next hook of a sequence reads after this one: plain text and what a fault left behind are not passed on. */
export const inputAfter = <E extends HookEventName>(
  eventName: E,
  input: HookInput<E>,
  result: HookExecutionResult,
): HookInput<E> => {
  // A planner of the host's may name an event that nobody knows; its hooks have run all the same.
  const feed = catalogue[eventName]?.feed;
  if (feed === undefined || !result.success) return input;
  const said = saidIn(result);
  return said === undefined || said.isPlain ? input : feed(input, said.output);
};
