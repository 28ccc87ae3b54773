import { catalogue, type HookEventName, type HookInput } from '../../events/index.ts';
import type { HookExecutionResult } from '../../protocol/index.ts';

/**
 * What the next hook of a sequence reads after this one: what the merge will apply. Plain text and what a hook said before it
 * failed are not passed on; the change of an answer is, also where its verdict cannot be read.
 */
export const inputAfter = <E extends HookEventName>(
  eventName: E,
  input: HookInput<E>,
  result: HookExecutionResult,
): HookInput<E> => {
  // A planner of the host's may name an event that nobody knows; its hooks have run all the same.
  const feed = catalogue[eventName]?.feed;
  const { success, outputFormat, output } = result;
  return feed === undefined || !success || outputFormat !== 'json' || output === undefined
    ? input
    : feed(input, output);
};
