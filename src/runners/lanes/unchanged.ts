import { type HookConfig, type HookExecutionResult, originOf } from '../../protocol/index.ts';
import { faultResult } from '../answer/faults.ts';

/** Runs an approved hook only while what it runs is what was approved. */
export const whileUnchanged = (
  hook: HookConfig,
  eventName: string,
  run: () => Promise<HookExecutionResult>,
): Promise<HookExecutionResult> => {
  const changed = originOf(hook)?.changed?.();
  if (changed === undefined) return run();
  const refuse = (message: string): HookExecutionResult =>
    faultResult(hook, eventName, { code: 'changed-since-trusted', message });
  return Promise.resolve(changed).then((message) => (message === undefined ? run() : refuse(message)));
};
