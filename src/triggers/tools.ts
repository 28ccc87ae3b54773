import type { TriggerConfig } from '../config.ts';
import type { OutputOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { describeThrown } from '../kit/index.ts';
import { aroundTool } from './around-tool.ts';
import { hasRun, type OutputForm, outputOf } from './call-output.ts';
import { type AskOptions, decideOrGoOn, fireEvent, type Host, hostOf } from './fire.ts';
import { type Args, MAX_TAIL_CALLS, type ToolCaller, type ToolContext, toolPayload } from './tool-call.ts';
import {
  cancelledResult,
  type HookMarks,
  readToolResult,
  refusalOf,
  type ToolResult,
  tell,
  textsOf,
  toolResponseOf,
  withQuestionOf,
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
  const { before } = course;
  if (!hasRun(course)) {
    const refusal = refusalOf(before?.decision ?? noOpinion) ?? cancelledResult();
    return withQuestionOf(tell(refusal, textsOf(before?.output)), before?.decision);
  }
  if (before === undefined) return course.ran.returned;
  const { returned } = course.ran;
  const { output } = outputOf({ host, ...resultForm }, course);
  return output === returned ? returned : readToolResult(output);
}

const resultForm: Omit<OutputForm, 'host'> = {
  asResult: readToolResult,
  inForm: (_returned, result) => result,
  marked: (result, { before, ran }) => withQuestionOf(result, before?.decision, ran?.after?.decision),
};

const callerFor = (host: Host, options: ExecuteToolOptions): ToolCaller => ({
  host,
  signal: options.signal,
  hear: (eventName, _toolName, payload) => fireEvent(host, eventName, payload, options),
  decide: (output, about) => decideOrGoOn(host, { output }, about, options),
  mayRun: (decision) => !isAgainst(decision),
  form: resultForm,
  fault: (_hook, message) => host.warn(message),
  tail: { run: options.runTool, maxCalls: options.maxTailCalls ?? MAX_TAIL_CALLS },
});
