// Wraps function tools of the OpenAI Agents SDK with hooks.
import {
  type FunctionSpanData,
  getCurrentSpan,
  getCurrentTrace,
  NoopSpan,
  NoopTrace,
  type RunContext,
  type Tool,
  withTraceContext,
} from '@openai/agents';
import { confirmOf, isNoop } from '../../facade/index.ts';
import { type Members, parseJson } from '../../kit/index.ts';
import { copyWithPrototype, isSameJson } from '../../models/index.ts';
import type { Args } from '../../triggers/index.ts';
import { type AdapterToolCall, type RunTool, toArgs, toInput } from '../core/begun-calls.ts';
import { findSchemaMismatch } from '../core/json-schema.ts';
import {
  awaitResultOrFailure,
  forgetStoppedCall,
  formatWithheld,
  readRefusal,
  rememberStoppedCall,
  ToolFailure,
} from '../core/stopped-calls.ts';
import type { AgentCalls } from './agent-calls.ts';

export type FunctionTool<Context> = Extract<Tool<Context>, { type: 'function' }>;

/** Hooks get the text of invalid JSON; the tool itself reports the error. */
export const parseInput = (input: string): unknown => {
  const parsed = parseJson(input);
  return parsed.ok ? parsed.value : input;
};

export const parseArgs = (input: string): Args => toArgs(parseInput(input));

const serializeInput = (args: Args, given: Args, input: string): string =>
  isSameJson(args, given) ? input : JSON.stringify(toInput(args, parseInput(input)));

/** The SDK's text for a call that the user rejected. */
export const formatRefusal = (reason: string): string => `Tool execution was not approved. ${reason}`;

const isRealSpan = (span: ReturnType<typeof getCurrentSpan>): boolean => span !== null && !(span instanceof NoopSpan);

/** Used if tracing is off, to see the error that a tool reports to its model. */
class WatchingSpan extends NoopSpan<FunctionSpanData> {
  failure: string | undefined;

  override setError(error?: { readonly message?: string; readonly data?: Members }): void {
    this.failure = String(error?.data?.error ?? error?.message ?? 'the tool failed');
  }
}

const invokeOrFail = async (name: string, invoke: () => unknown): Promise<unknown> => {
  const span = getCurrentSpan();
  if (isRealSpan(span)) {
    const before = span?.error;
    const output = await invoke();
    const error = span?.error;
    if (error === before || error === null || error === undefined) return output;
    throw new ToolFailure(String(error.data?.error ?? error.message), output);
  }
  const watching = new WatchingSpan({ type: 'function', name, input: '', output: '' }, silentProcessor);
  const trace = getCurrentTrace() ?? new NoopTrace();
  const output = await withTraceContext({ trace, span: watching }, async () => invoke());
  if (watching.failure === undefined) return output;
  throw new ToolFailure(watching.failure, output);
};

const doNothing = (): Promise<void> => Promise.resolve();
const silentProcessor = {
  onTraceStart: doNothing,
  onTraceEnd: doNothing,
  onSpanStart: doNothing,
  onSpanEnd: doNothing,
  shutdown: doNothing,
  forceFlush: doNothing,
};

/** A tool that is an agent has a method `on`; nothing else distinguishes it. */
const isAgentTool = (tool: object): boolean => typeof Reflect.get(tool, 'on') === 'function';

const readPrompt = (args: Args): string => (typeof args.input === 'string' ? args.input : JSON.stringify(args));

export const createSchemaChecks = ({
  parameters,
  outputSchema,
}: Pick<FunctionTool<unknown>, 'parameters' | 'outputSchema'>): Pick<
  AdapterToolCall,
  'inputSchema' | 'outputSchema'
> => ({
  inputSchema: (args) => findSchemaMismatch(parameters, args),
  outputSchema: (output) => findSchemaMismatch(outputSchema, output, 'output'),
});

export const wrapFunctionTool = <Context>(calls: AgentCalls, tool: FunctionTool<Context>): FunctionTool<Context> => {
  const { hooks } = calls;
  const { name } = tool;
  const schemas = createSchemaChecks(tool);
  const callOf = (context: RunContext<Context>, input: Args, id: string | undefined): AdapterToolCall => ({
    name,
    input,
    id,
    ...schemas,
    approved: () => (id === undefined ? undefined : context.isToolApproved({ toolName: name, callId: id })),
  });

  const needsApproval: FunctionTool<Context>['needsApproval'] = async (context, input, callId) => {
    if (await tool.needsApproval(context, input, callId)) return true;
    const begun = callId === undefined ? undefined : calls.begun.get(callId);
    if (begun === undefined && (!calls.wouldAsk(name) || confirmOf(hooks) !== undefined)) return false;
    const call = begun ?? calls.begin({ name, input: toArgs(input), id: callId, ...schemas });
    const clearance = await call.clearance;
    if (clearance === 'ask' || callId === undefined) {
      if (callId !== undefined) calls.begun.take(callId);
      call.drop();
    } else if (begun === undefined) calls.begun.keep(callId, call);
    return clearance === 'ask';
  };

  const asAgent = async (
    args: Args,
    signal: AbortSignal | undefined,
    work: () => Promise<unknown>,
  ): Promise<unknown> => {
    const refusal = readRefusal(await hooks.subagentStart({ agentType: name, prompt: readPrompt(args), signal }));
    if (refusal !== undefined) throw new ToolFailure('the agent was not started', formatRefusal(refusal));
    let response: string | undefined;
    try {
      const output = await work();
      response = typeof output === 'string' ? output : JSON.stringify(output);
      return output;
    } finally {
      await hooks.subagentStop({ agentType: name, response }).catch(() => undefined);
    }
  };

  const invoke: FunctionTool<Context>['invoke'] = async (context, input, details) => {
    const id = details?.toolCall?.callId;
    const given = parseArgs(input);
    const signal = details?.signal;
    forgetStoppedCall(hooks, id);
    const run: RunTool = (args) => {
      const bare = async () => tool.invoke(context, serializeInput(args, given, input), details);
      const work = () => (isNoop(hooks, 'afterToolFailure', { toolName: name }) ? bare() : invokeOrFail(name, bare));
      return isAgentTool(tool) ? asAgent(args, signal, work) : work();
    };
    const called = await awaitResultOrFailure(calls.begun.finish(hooks, callOf(context, given, id), run, signal));
    if (called instanceof ToolFailure) return called.output;
    const { output, blocked, withheld, stopped } = called;
    rememberStoppedCall(hooks, id, stopped);
    if (blocked !== undefined) return formatRefusal(blocked.reason);
    return withheld === undefined ? output : formatWithheld(withheld.reason);
  };
  return Object.assign(copyWithPrototype(tool), { needsApproval, invoke });
};
