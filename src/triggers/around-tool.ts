import { describeThrown } from '../kit/index.ts';
import { askBefore, type BeforeCall, MAX_ROUNDS } from './before-tool.ts';
import { shownOutput } from './call-output.ts';
import type { CourseOfCall, TailCall } from './course.ts';
import { withFittingInput, withFittingOutput } from './fitting.ts';
import {
  type Args,
  aboutTool,
  type Heard,
  isOutdated,
  type ToolCaller,
  type ToolCallOf,
  toolPayload,
  withDecision,
} from './tool-call.ts';
import { cancelledResult, refusalOf } from './tool-result.ts';
import { decisionOf, noOpinion } from './verdict.ts';
import { keepForNextRequest } from './waiting.ts';

/** What runs a tool throws this for what is no failure of the tool, such as a graph that is interrupted in it. */
export class ToolInterrupted extends Error {
  constructor(cause: unknown) {
    super('the tool call was interrupted', { cause });
  }
}

const refused = (asked: BeforeCall): BeforeCall => ({
  ...asked,
  before: {
    ...(asked.before ?? { output: undefined, messages: [], results: [] }),
    decision: { verdict: 'deny', reason: 'The arguments of this tool call change while its hooks judge them.' },
  },
});

/** The hooks are told that a tool failed; nothing of what they say keeps its error from the caller. */
const tellFailure = async (
  { host, signal, hear }: ToolCaller,
  { name, context }: ToolCallOf<unknown>,
  input: Args,
  error: unknown,
): Promise<void> => {
  if (signal?.aborted === true) return;
  const payload = () => ({ ...toolPayload(name, input, context), error: describeThrown(error) });
  // The caller waits for an error that is there already: whatever fails now is not what is thrown.
  const said = await hear('AfterToolFailure', name, payload)?.catch(() => undefined);
  keepForNextRequest(host, said?.output?.getAdditionalContext());
  keepForNextRequest(host, said?.output?.systemMessage);
  const { stopReason } = decisionOf(said?.output);
  if (stopReason === undefined) return;
  host.warn(`A hook wants the agent to stop after ${name} failed (${stopReason}); the error of the tool is thrown`);
};

/** The call that an AfterTool hook wants next. One that comes to nothing leaves the first result standing. */
const followed = async (
  caller: ToolCaller,
  { name: first, context: { originalName = first, id } }: ToolCallOf<unknown>,
  after: Heard<'AfterTool'>,
): Promise<TailCall | undefined> => {
  const wanted = after.output?.getTailToolCallRequest();
  if (wanted === undefined || caller.tail === undefined) return undefined;
  if (!caller.mayRun(after.decision)) return undefined;
  const { run, maxCalls } = caller.tail;
  const { name, args } = wanted;
  if (run === undefined) {
    return { name, whyNot: 'was not run: this agent does not run tools on behalf of hooks' };
  }
  if (!(maxCalls > 0)) return { name, whyNot: 'was not run: too many tools have followed one another' };
  const further = { ...caller, tail: { run, maxCalls: maxCalls - 1 } };
  const call = { name, input: args, context: { originalName, id }, run: (input: Args) => run(name, input) };
  try {
    const course = await aroundTool(further, call);
    if (course.ran !== undefined) return { name, course };
    const { error } = refusalOf(course.before?.decision ?? noOpinion) ?? cancelledResult();
    return { name, course, whyNot: `was not run: ${error?.message}` };
  } catch (error) {
    if (error instanceof ToolInterrupted) throw error;
    return { name, whyNot: `failed: ${describeThrown(error)}` };
  }
};

/**
 * One tool call with its hooks around it: asked before, told after, or told that it failed. The tool gets the arguments that
 * hooks judged. What is made of that for the agent and its model is the callers' business. What `run` throws passes through,
 * and AfterTool then does not fire. A call that was cancelled while hooks were asked does not start.
 */
export const aroundTool = async <Output>(
  caller: ToolCaller,
  call: ToolCallOf<Output>,
): Promise<CourseOfCall<Output>> => {
  const { name, context, run } = call;
  // Waited for even where nobody is asked: who cancels in the turn of the call has cancelled it before it starts.
  let asked = await askBefore(caller, call);
  if (call.whyNotInput !== undefined && asked.before !== undefined) asked = await withFittingInput(caller, call, asked);
  const { original } = asked;
  const mayRun = () => caller.mayRun(asked.before?.decision ?? noOpinion);
  for (let round = 1; mayRun() && isOutdated(asked); round += 1) {
    asked = round < MAX_ROUNDS ? await askBefore(caller, { ...call, input: asked.input }) : refused(asked);
  }
  const { input, before, permission } = asked;
  if (!mayRun()) return { ...asked, original };
  if (before !== undefined && caller.signal?.aborted === true) return { ...asked, original };
  let returned: Output;
  try {
    returned = await run(input);
  } catch (error) {
    if (error instanceof ToolInterrupted) throw error;
    await tellFailure(caller, call, input, error);
    throw error;
  }
  const hearing = caller.hear('AfterTool', name, () => ({
    ...toolPayload(name, input, context),
    tool_response: shownOutput(caller.form, returned),
  }));
  const said = hearing === undefined ? undefined : await hearing;
  const about = () => ({ eventName: 'AfterTool', ...aboutTool(name, input) });
  const heard = said === undefined ? undefined : withDecision(said, await caller.decide(said.output, about));
  const after = heard === undefined ? undefined : await withFittingOutput(caller, call, { returned, heard, about });
  const tail = after === undefined ? undefined : await followed(caller, call, after);
  const ran = tail === undefined ? { returned, after } : { returned, after, tail };
  // Written out: a member added to a spread takes a hundred times as long.
  return permission === undefined ? { input, original, before, ran } : { input, original, before, permission, ran };
};
