import type { RunContext, Tool } from '@openai/agents';
import type { Hooks } from '../../facade/index.ts';
import { isRecord } from '../../kit/index.ts';
import { copyOf } from '../../translator/index.ts';
import type { Args } from '../../triggers/index.ts';
import { forgetStopped, keepStopped } from '../core/stopped-calls.ts';
import { BegunCall, type BegunCalls, callAtOnce, type RunTool, type ToolCallOf } from '../core/tool-call.ts';

type FunctionTool<Context> = Extract<Tool<Context>, { type: 'function' }>;

const parsed = (input: string): unknown => {
  try {
    return JSON.parse(input);
  } catch {
    // The tool tells its model what is wrong with the arguments; hooks see the text.
    return input;
  }
};

const asArgs = (value: unknown): Args => (isRecord(value) ? value : { input: value });

/** What the model wrote stays as it wrote it where no hook changed anything. */
const inputFrom = (args: Args, given: Args, input: string): string =>
  args === given ? input : JSON.stringify(isRecord(parsed(input)) ? args : args.input);

const approvalOf = (context: RunContext<unknown>, toolName: string, callId: string | undefined): boolean | undefined =>
  callId === undefined ? undefined : context.isToolApproved({ toolName, callId });

const callOf = (context: RunContext<unknown>, { name, input, id }: Omit<ToolCallOf, 'approved'>): ToolCallOf => ({
  name,
  input,
  id,
  approved: () => approvalOf(context, name, id),
});

/** In the words with which the SDK tells its model that a person rejected a call. */
const refusal = (reason: string): string => `Tool execution was not approved. ${reason}`;

/** A function tool with hooks around it; the SDK's own approval where a hook asks. */
export const hookedTool = <Context>(hooks: Hooks, tool: Tool<Context>, begun: BegunCalls): Tool<Context> => {
  if (tool.type !== 'function') return tool;
  const { name } = tool;
  const needsApproval: FunctionTool<Context>['needsApproval'] = async (context, input, callId) => {
    if (await tool.needsApproval(context, input, callId)) return true;
    if (!hooks.system.wouldRun('BeforeTool', { toolName: name })) return false;
    const call = new BegunCall(hooks, { name, input: asArgs(input), id: callId });
    const said = await call.said;
    if (said === 'ask' || callId === undefined) call.drop();
    else begun.keep(callId, call);
    return said === 'ask';
  };
  const invoke: FunctionTool<Context>['invoke'] = async (context, input, details) => {
    const id = details?.toolCall?.callId;
    const given = asArgs(parsed(input));
    if (id !== undefined) forgetStopped(hooks, id);
    const run: RunTool = (args) => tool.invoke(context, inputFrom(args, given, input), details);
    const call = id === undefined ? undefined : begun.take(id);
    const called =
      call === undefined
        ? callAtOnce(hooks, callOf(context, { name, input: given, id }), run, details?.signal)
        : call.finish(run, details?.signal);
    const { output, blocked, withheld, stopped } = await called;
    if (stopped !== undefined && id !== undefined) keepStopped(hooks, id, stopped.reason);
    if (blocked !== undefined) return refusal(blocked.reason);
    return withheld === undefined ? output : `The tool has run; its result is withheld: ${withheld.reason}`;
  };
  return Object.assign(copyOf(tool), { needsApproval, invoke });
};
