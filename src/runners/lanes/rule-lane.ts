/** Runs rules: hooks that answer with the verdict in their entry, and start nothing. */
import { type HookConfig, hookKey } from '../../protocol/index.ts';
import type { EngineLane } from './call.ts';
import { readAnswer } from './read-answer.ts';

export const ruleLane: EngineLane = {
  run: ({ eventName }, hook) => readAnswer(hook, eventName, { decision: hook.verdict, reason: reasonOf(hook) }, 0),
};

const reasonOf = (hook: HookConfig): string => hook.reason ?? `refused by the rule ${hookKey(hook)}`;
