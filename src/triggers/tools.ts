import type { TriggerConfig } from '../config.ts';
import type { OutputOf, PayloadOf } from '../events/catalogue.ts';
import type { FireOptions } from '../handlers/hook-event-handler.ts';
import { describeThrown, isRecord } from '../kit/index.ts';
import type { ConfirmQuestion } from '../protocol/confirm.ts';
import { type AskOptions, attempt, decide, fireEvent, type Host, hostOf } from './fire.ts';
import { plainCopyOf, plainJson } from './plain-json.ts';
import {
  type AfterToolAnswer,
  applyAfterTool,
  cancelledResult,
  readToolResult,
  refusalOf,
  systemText,
  type ToolResult,
  tell,
  textsOf,
  toolResponseOf,
  withStopOf,
} from './tool-result.ts';
import { isAgainst } from './verdict.ts';

type Args = Record<string, unknown>;

interface ToolContext {
  /** Which MCP server the tool belongs to. */
  readonly mcpContext?: Args | undefined;
  /** The tool that was asked for first, when this call continues another. */
  readonly originalName?: string | undefined;
}

export interface ToolHookOptions extends FireOptions, ToolContext {}

/**
 * A model may call a tool without any arguments, and a host may hand over something that is no object of them; the hooks
 * of the tool are asked all the same.
 */
const shownArgs = (args: unknown): Args => {
  const plain = plainJson(args ?? {});
  return isRecord(plain) ? plain : { input: plain };
};

/** A tool call under its wire names. */
export const toolPayload = (
  tool_name: string,
  input: Args,
  { mcpContext, originalName }: ToolContext,
): PayloadOf<'BeforeTool'> => {
  const payload: PayloadOf<'BeforeTool'> = { tool_name, tool_input: shownArgs(input) };
  if (mcpContext !== undefined) payload.mcp_context = shownArgs(mcpContext);
  if (originalName !== undefined) payload.original_request_name = originalName;
  return payload;
};

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

/** The arguments a tool is to be called with: those of the call, changed one by one. */
export const effectiveInputOf = (input: Args, output: OutputOf<'BeforeTool'> | undefined): Args => {
  const changes = output?.getModifiedToolInput();
  return changes === undefined ? input : { ...input, ...changes };
};

/** What a person is shown of a call is a copy, so that nobody can approve one thing and have another done. */
export const aboutTool = (toolName: string, toolInput: Args): Pick<ConfirmQuestion, 'toolName' | 'toolInput'> => ({
  toolName,
  toolInput: plainCopyOf(shownArgs(toolInput)),
});

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
  Partial<Omit<Result, keyof ToolResult>> & { llmContent?: Result['llmContent'] | string };

const MAX_TAIL_CALLS = 3;

/**
 * Runs one tool call with its hooks around it. Hooks can keep it from running, change its input, add to its result or
 * take the result away; what they decide comes back as a result, never as an exception. With hooks off, or nothing said,
 * the result is the very object the tool gave. What `executeFn` throws reaches the caller unchanged, and AfterTool then
 * does not fire. A call that `signal` cancels while hooks are asked does not start.
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
  const before = await fireBefore(host, toolName, toolInput, options);
  if (before === undefined) return executeFn(toolInput);

  const input = effectiveInputOf(toolInput, before.output);
  const told = textsOf(before.output);
  const about = (eventName: string) => () => ({ eventName, ...aboutTool(toolName, input) });
  const refusal = refusalOf(await decide(host, before, about('BeforeTool'), options));
  if (refusal !== undefined) return tell(refusal, told);
  if (options.signal?.aborted === true) return tell(cancelledResult(), told);

  const returned = await executeFn(input);
  const result = readToolResult(returned);
  const after = await fireAfter(host, toolName, input, returned, options);
  const apply = (change: () => ToolResult): ToolResult => attempt(host, 'What hooks said', result, change);
  if (after?.output === undefined) return told.length === 0 ? returned : apply(() => tell(result, told));

  const decision = await decide(host, after, about('AfterTool'), options);
  const answer: AfterToolAnswer = { output: after.output, messages: after.messages, decision };
  const applied = apply(() => applyAfterTool(result, answer, told));
  const tail = isAgainst(decision) ? undefined : after.output.getTailToolCallRequest();
  if (tail !== undefined) return runTail(host, { toolName, tail, applied, answer, told }, options);
  return applied === result ? returned : applied;
}

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
