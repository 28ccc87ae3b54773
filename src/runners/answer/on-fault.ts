import { type HookExecutionResult, type HookOutput, hookKey, isBlocking } from '../../protocol/index.ts';

const denied = (output: HookOutput, reason: string): HookOutput => ({ ...output, decision: 'deny', reason });

/** Marked, because an `ask` that stands for a fault denies where nobody can be asked. */
const asked = (output: HookOutput, reason: string): HookOutput => ({
  ...output,
  decision: 'ask',
  reason: output.decision === 'ask' ? (output.reason ?? reason) : reason,
  hookSpecificOutput: { ...output.hookSpecificOutput, onFault: true },
});

/**
 * Gives a fault the meaning its hook asked for. Without a wish a fault means nothing and the agent goes on. A block that
 * the hook managed to give is never weakened.
 */
export const applyOnFault = (result: HookExecutionResult): HookExecutionResult => {
  const { hookConfig, code, error, output = {} } = result;
  const policy = hookConfig.onFault ?? 'allow';
  if (code === undefined || policy === 'allow' || isBlocking(output.decision)) return result;
  const consequence = policy === 'deny' ? 'denies' : 'asks';
  const what = error === undefined ? `Hook "${hookKey(hookConfig)}" gave an answer that cannot be read` : error.message;
  const reason = `${what} (fault "${code}"; onFault: "${policy}" ${consequence})`;
  return { ...result, output: policy === 'deny' ? denied(output, reason) : asked(output, reason) };
};
