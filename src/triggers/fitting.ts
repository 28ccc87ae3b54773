import { AfterToolHookOutput, BeforeToolHookOutput } from '../events/index.ts';
import { type ConfirmQuestion, type HookConfig, type HookExecutionResult, hookKey } from '../protocol/index.ts';
import type { BeforeCall } from './before-tool.ts';
import { updatedOutputOf } from './call-output.ts';
import { aboutTool, type Heard, rewriteNote, type ToolCaller, type ToolCallOf } from './tool-call.ts';
import { isAgainst } from './verdict.ts';

const whoOf = (hook: HookConfig | undefined): string => (hook === undefined ? 'A hook' : `Hook ${hookKey(hook)}`);

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
  const reason = `${whoOf(hook)} changed the arguments of ${name} to what the tool does not take: ${why}`;
  caller.fault(hook, reason);
  const kept = { ...asked, input: original, shown: original };
  if (hook?.onFault === undefined || hook.onFault === 'allow') return kept;
  const output = new BeforeToolHookOutput({ decision: hook.onFault, reason, hookSpecificOutput: { onFault: true } });
  const decision = await caller.decide(output, () => ({ eventName: 'BeforeTool', ...aboutTool(name, original) }));
  return { ...kept, before: { ...before, decision } };
};

const changesOutput = ({ output }: HookExecutionResult): boolean =>
  output?.hookSpecificOutput?.updatedOutput !== undefined;

interface AnsweredCall {
  readonly returned: unknown;
  readonly heard: Heard<'AfterTool'>;
  readonly about: () => Omit<ConfirmQuestion, 'reason'>;
}

/** The same for a result that hooks put in place of the tool's: one that does not fit leaves the tool's own standing. */
export const withFittingOutput = async (
  caller: ToolCaller,
  { name, whyNotOutput }: Omit<ToolCallOf<unknown>, 'run'>,
  { returned, heard, about }: AnsweredCall,
): Promise<Heard<'AfterTool'>> => {
  const { output, results, decision } = heard;
  if (whyNotOutput === undefined || output?.getUpdatedOutput() === undefined || isAgainst(decision)) return heard;
  const why = await whyNotOutput(updatedOutputOf(caller.form, returned, output));
  if (why === undefined || (await whyNotOutput(returned)) !== undefined) return heard;
  const hook = results.findLast(changesOutput)?.hookConfig;
  const reason = `${whoOf(hook)} changed the result of ${name} to what the tool does not give: ${why}`;
  caller.fault(hook, reason);
  const { updatedOutput: _updated, ...hookSpecificOutput } = output.hookSpecificOutput ?? {};
  const kept = { ...heard, output: new AfterToolHookOutput({ ...output, hookSpecificOutput }) };
  if (hook?.onFault === undefined || hook.onFault === 'allow') return kept;
  const fault = new AfterToolHookOutput({ decision: hook.onFault, reason, hookSpecificOutput: { onFault: true } });
  return { ...kept, decision: await caller.decide(fault, about) };
};
