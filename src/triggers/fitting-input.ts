import { BeforeToolHookOutput } from '../events/index.ts';
import { type HookExecutionResult, hookKey } from '../protocol/index.ts';
import type { BeforeCall } from './before-tool.ts';
import { aboutTool, rewriteNote, type ToolCaller, type ToolCallOf } from './tool-call.ts';
import { isAgainst } from './verdict.ts';

const changesInput = ({ output }: HookExecutionResult): boolean => output?.hookSpecificOutput?.tool_input !== undefined;

/**
 * Arguments that hooks changed are checked before the tool gets them. What does not fit is a fault of the hook that wrote them
 * last: it obeys its `onFault`, and the tool keeps its own arguments.
 */
export const withFittingInput = async (
  caller: ToolCaller,
  { name, whyNotInput }: Omit<ToolCallOf<unknown>, 'run'>,
  asked: BeforeCall,
): Promise<BeforeCall> => {
  const { input, original, before, permission } = asked;
  if (whyNotInput === undefined || before === undefined || isAgainst(before.decision)) return asked;
  if (rewriteNote(original, input) === undefined) return asked;
  const why = await whyNotInput(input);
  // A schema that transforms does not take what it gave: it says nothing about arguments that are transformed already.
  if (why === undefined || (await whyNotInput(original)) !== undefined) return asked;
  const hook = [...before.results, ...(permission?.results ?? [])].findLast(changesInput)?.hookConfig;
  const who = hook === undefined ? 'A hook' : `Hook ${hookKey(hook)}`;
  const reason = `${who} changed the arguments of ${name} to what the tool does not take: ${why}`;
  caller.fault(hook, reason);
  const kept = { ...asked, input: original, shown: original };
  if (hook?.onFault === undefined || hook.onFault === 'allow') return kept;
  const output = new BeforeToolHookOutput({ decision: hook.onFault, reason, hookSpecificOutput: { onFault: true } });
  const decision = await caller.decide(output, () => ({ eventName: 'BeforeTool', ...aboutTool(name, original) }));
  return { ...kept, before: { ...before, decision } };
};
