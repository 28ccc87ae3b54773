import type { TriggerConfig } from '../config.ts';
import type { OutputOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { describeThrown } from '../kit/index.ts';
import { aroundTool } from './around-tool.ts';
import { type AskOptions, attempt, decideOrGoOn, fireEvent, type Host, hostOf } from './fire.ts';
import { type Args, rewriteNote, type ToolCaller, type ToolContext, toolPayload } from './tool-call.ts';
import {
  type AfterToolAnswer,
  applyAfterTool,
  cancelledResult,
  type HookMarks,
  readToolResult,
  refusalOf,
  systemText,
  type ToolResult,
  tell,
  textsOf,
  toolResponseOf,
  withQuestionOf,
  withStopOf,
} from './tool-result.ts';
import { isAgainst, noOpinion } from './verdict.ts';

export interface ToolHookOptions extends FireOptions, ToolContext {}

const fireBefore = (host: Host, name: string, input: Args, options: ToolHookOptions) =>
  fireEvent(host, 'BeforeTool', () => toolPayload(name, input, options), options);

const fireAfter = (host: Host, name: string, input: Args, returned: unknown, options: ToolHookOptions) =>
  fireEvent(
    host,
    'AfterTool',
    () => ({ ...toolPayload(name, input, options), tool_response: toolResponseOf(readToolResult(returned)) }),
    options,
  );

/** Asks the hooks about a tool call. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireBeforeToolHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  options: ToolHookOptions = {},
): Promise<OutputOf<'BeforeTool'> | undefined> =>
  (await fireBefore(hostOf(config), toolName, toolInput, options))?.output;

/** Tells the hooks what a tool call gave. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireAfterToolHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  toolResult: ToolResult,
  options: ToolHookOptions = {},
): Promise<OutputOf<'AfterTool'> | undefined> =>
  (await fireAfter(hostOf(config), toolName, toolInput, toolResult, options))?.output;

/** Asks the hooks in place of a person whether a tool may run. Nothing to say, hooks off or a failing engine: `undefined`. */
export const firePermissionRequestHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  { reason, ...options }: ToolHookOptions & { readonly reason?: string | undefined } = {},
): Promise<OutputOf<'PermissionRequest'> | undefined> => {
  const payload = () => ({ ...toolPayload(toolName, toolInput, options), ...(reason === undefined ? {} : { reason }) });
  return (await fireEvent(hostOf(config), 'PermissionRequest', payload, options))?.output;
};

/** Tells the hooks that a tool failed, and with what. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireAfterToolFailureHook = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  error: unknown,
  options: ToolHookOptions = {},
): Promise<OutputOf<'AfterToolFailure'> | undefined> => {
  const payload = () => ({ ...toolPayload(toolName, toolInput, options), error: describeThrown(error) });
  return (await fireEvent(hostOf(config), 'AfterToolFailure', payload, options))?.output;
};

export interface ExecuteToolOptions<Result extends ToolResult = ToolResult> extends ToolHookOptions, AskOptions {
  /** Runs another tool when an AfterTool hook asks for it; its result takes the place of the first. */
  readonly runTool?: ((name: string, args: Args) => Result | Promise<Result>) | undefined;
  /** How many calls may follow one another that way; 3 by default. */
  readonly maxTailCalls?: number | undefined;
}

/**
 * What comes of a tool call with hooks around it: the tool's own result, or what a hook put in its place, which has none
 * of the members that only the tool knows. Content stays content; where a hook adds to it, text or text parts.
 */
export type HookedToolResult<Result extends ToolResult> = ToolResult &
  HookMarks &
  Partial<Omit<Result, keyof ToolResult>> & { llmContent?: Result['llmContent'] | string };

const MAX_TAIL_CALLS = 3;

/**
 * Runs one tool call with its hooks around it. Hooks can keep it from running, change its input, add to its result or
 * take the result away; what they decide comes back as a result, never as an exception. With hooks off, or nothing said,
 * the result is the very object the tool gave. What `executeFn` throws reaches the caller unchanged, and AfterToolFailure
 * fires in place of AfterTool. Where hooks ask for a person, PermissionRequest hooks may answer first. A call that `signal` cancels while hooks are asked does not start.
 */
export function executeToolWithHooks<Result extends ToolResult>(
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  executeFn: (effectiveInput: Args) => Result | Promise<Result>,
  options?: ExecuteToolOptions<Result>,
): Promise<HookedToolResult<Result>>;
export async function executeToolWithHooks(
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  executeFn: (effectiveInput: Args) => ToolResult | Promise<ToolResult>,
  options: ExecuteToolOptions = {},
): Promise<ToolResult> {
  const host = hostOf(config);
  const course = await aroundTool(callerFor(host, options), {
    name: toolName,
    input: toolInput,
    context: options,
    run: executeFn,
  });
  const { before, ran, input, original } = course;
  if (ran === undefined) {
    const refusal = refusalOf(before?.decision ?? noOpinion) ?? cancelledResult();
    return withQuestionOf(tell(refusal, textsOf(before?.output)), before?.decision);
  }
  const { returned, after } = ran;
  if (before === undefined) return returned;

  const result = readToolResult(returned);
  const note = rewriteNote(original, input);
  const told = [...(note === undefined ? [] : [systemText(note)]), ...textsOf(before.output)];
  const apply = (change: () => ToolResult): ToolResult => {
    const applied = attempt(host, 'What hooks said', result, change);
    return applied === result ? returned : applied;
  };
  const decisions = [before.decision, after?.decision] as const;
  if (after?.output === undefined) return apply(() => withQuestionOf(tell(result, told), ...decisions));

  const { output, messages, decision } = after;
  const answer: AfterToolAnswer = { output, messages, decision };
  const applied = apply(() => withQuestionOf(applyAfterTool(result, answer, told), ...decisions));
  const tail = isAgainst(decision) ? undefined : output.getTailToolCallRequest();
  if (tail === undefined) return applied;
  return runTail(host, { toolName, tail, applied: readToolResult(applied), answer, told }, options);
}

const callerFor = (host: Host, options: ExecuteToolOptions): ToolCaller => ({
  host,
  signal: options.signal,
  hear: (eventName, payload) => fireEvent(host, eventName, payload, options),
  decide: (output, about) => decideOrGoOn(host, { output }, about, options),
  mayRun: (decision) => !isAgainst(decision),
  shown: (returned) => toolResponseOf(readToolResult(returned)),
});

interface TailCall {
  readonly toolName: string;
  readonly tail: { readonly name: string; readonly args: Args };
  /** The result that stands if the tail call comes to nothing. */
  readonly applied: ToolResult;
  readonly answer: AfterToolAnswer;
  readonly told: readonly string[];
}

/**
 * A hook asked for another tool: its result takes the place of the first, with what hooks said about both. When the call
 * comes to nothing, the first result stands and says so.
 */
const runTail = async (
  { config, warn }: Host,
  { toolName, tail, applied, answer, told }: TailCall,
  options: ExecuteToolOptions,
): Promise<ToolResult> => {
  const { runTool, maxTailCalls = MAX_TAIL_CALLS } = options;
  const { name, args } = tail;
  const stand = (what: string): ToolResult => {
    const message = `A hook asked for the tool ${name}, which ${what}`;
    warn(message);
    return tell(applied, [systemText(message)]);
  };
  if (runTool === undefined) return stand('was not run: this agent does not run tools on behalf of hooks');
  if (!(maxTailCalls > 0)) return stand('was not run: too many tools have followed one another');

  let hasStarted = false;
  const run = (input: Args): ToolResult | Promise<ToolResult> => {
    hasStarted = true;
    return runTool(name, input);
  };
  const originalName = options.originalName ?? toolName;
  const further = { ...options, mcpContext: undefined, originalName, maxTailCalls: maxTailCalls - 1 };
  try {
    const result = await executeToolWithHooks(config, name, args, run, further);
    if (hasStarted) return applyAfterTool(readToolResult(result), answer, told);
    return withStopOf(result, stand(`was not run: ${result.error?.message}`));
  } catch (error) {
    return stand(`failed: ${describeThrown(error)}`);
  }
};
