import type { HookOutput } from '../../protocol/index.ts';
import type { Said } from '../answers/answer.ts';

/** One of our outputs as a translated answer. */
export const saidIn = (output: HookOutput): Said => {
  const { additionalContext, tool_input: toolInput, ...specific } = output.hookSpecificOutput ?? {};
  const { decision } = output;
  return {
    decision: decision === 'block' ? 'deny' : decision === 'approve' ? 'allow' : decision,
    reason: output.reason,
    stop: output.continue === false ? { reason: output.stopReason ?? '' } : undefined,
    context: additionalContext,
    message: output.systemMessage,
    suppressOutput: output.suppressOutput,
    toolInput,
    specific: Object.keys(specific).length === 0 ? undefined : specific,
  };
};
