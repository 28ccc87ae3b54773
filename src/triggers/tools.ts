import type { TriggerConfig } from '../config.ts';
import type { OutputOf } from '../events/catalogue.ts';
import type { DefaultHookOutput } from '../events/outputs.ts';
import type { FireOptions } from '../handlers/hook-event-handler.ts';
import type { Confirm } from '../protocol/confirm.ts';
import { describeThrown } from '../protocol/json.ts';
import { depsOf, fireEvent, warn } from './fire.ts';
import { appendText, systemText, type ToolResult, toolResponseOf } from './tool-result.ts';

type Args = Record<string, unknown>;

export interface ToolHookOptions extends FireOptions {
  /** Which MCP server the tool belongs to. */
  readonly mcpContext?: Args | undefined;
  /** The tool that was asked for first, when this call continues another. */
  readonly originalName?: string | undefined;
}

const toolPayload = (tool_name: string, tool_input: Args, { mcpContext, originalName }: ToolHookOptions) => ({
  tool_name,
  tool_input,
  ...(mcpContext === undefined ? {} : { mcp_context: mcpContext }),
  ...(originalName === undefined ? {} : { original_request_name: originalName }),
});

/** Asks the hooks about a tool call. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireBeforeToolHook = (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  options: ToolHookOptions = {},
): Promise<OutputOf<'BeforeTool'> | undefined> =>
  fireEvent(config, 'BeforeTool', toolPayload(toolName, toolInput, options), options);

/** Tells the hooks what a tool call gave. */
export const fireAfterToolHook = (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  toolResult: ToolResult,
  options: ToolHookOptions = {},
): Promise<OutputOf<'AfterTool'> | undefined> => {
  const payload = { ...toolPayload(toolName, toolInput, options), tool_response: toolResponseOf(toolResult) };
  return fireEvent(config, 'AfterTool', payload, options);
};

export interface ExecuteToolOptions extends ToolHookOptions {
  /** Asked when a hook says `ask`. Without one, and without one in the deps, `ask` lets the call through. */
  readonly confirm?: Confirm | undefined;
  /** Runs another tool when an AfterTool hook asks for it. */
  readonly runTool?: ((name: string, args: Args) => Promise<ToolResult> | ToolResult) | undefined;
  /** How many calls may follow one another that way; 3 by default. */
  readonly maxTailCalls?: number | undefined;
}

const MAX_TAIL_CALLS = 3;

/** What a call that never ran, or whose result was taken away, tells the model. */
const refusal = (type: 'hook_blocked' | 'hook_stopped' | 'hook_refused', text: string): ToolResult => ({
  llmContent: text,
  returnDisplay: text,
  error: { message: text, type },
  ...(type === 'hook_stopped' ? { metadata: { stopExecution: true } } : {}),
});

const blockedText = (reason: string): string => `Tool call blocked by hook: ${reason}`;
const stoppedText = (reason: string): string => `Execution stopped by hook: ${reason}`;

const withSystemMessage = (result: ToolResult, output: DefaultHookOutput | undefined): ToolResult =>
  output?.systemMessage === undefined
    ? result
    : { ...result, llmContent: appendText(result.llmContent, systemText(output.systemMessage)) };

/** Puts `ask` to whoever can answer it. A fault that asks and finds nobody is a no; a hook that asks is then ignored. */
const isApproved = async (
  config: TriggerConfig,
  question: Parameters<Confirm>[0],
  output: DefaultHookOutput,
  { confirm = depsOf(config).confirm, signal }: ExecuteToolOptions,
): Promise<boolean> => {
  if (confirm === undefined) return output.hookSpecificOutput?.onFault !== true;
  try {
    return (await confirm(question, { signal })) === true;
  } catch (error) {
    warn(config, `The confirmation of ${question.toolName} failed and counts as refused: ${describeThrown(error)}`);
    return false;
  }
};

/** What stands in the way of the call, if anything does. A block speaks before a stop, and a stop before a question. */
const obstacle = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  output: OutputOf<'BeforeTool'>,
  options: ExecuteToolOptions,
): Promise<ToolResult | undefined> => {
  const { blocked, reason } = output.getBlockingError();
  if (blocked) return refusal('hook_blocked', blockedText(reason));
  if (output.shouldStopExecution()) return refusal('hook_stopped', stoppedText(output.getEffectiveReason()));
  if (!output.isAskDecision()) return undefined;
  const asked = output.getEffectiveReason();
  const question = { eventName: 'BeforeTool', reason: asked, toolName, toolInput };
  if (await isApproved(config, question, output, options)) return undefined;
  return refusal('hook_refused', blockedText(`not approved (${asked})`));
};

/**
 * Runs one tool call with its hooks around it. Hooks can keep it from running, change its input, add to its result or
 * take the result away; what they decide comes back as a result, never as an exception. What `executeFn` throws reaches
 * the caller unchanged, and AfterTool then does not fire.
 */
export const executeToolWithHooks = async (
  config: TriggerConfig,
  toolName: string,
  toolInput: Args,
  executeFn: (effectiveInput: Args) => Promise<ToolResult> | ToolResult,
  options: ExecuteToolOptions = {},
): Promise<ToolResult> => {
  const before = await fireBeforeToolHook(config, toolName, toolInput, options);
  const changes = before?.getModifiedToolInput();
  const effectiveInput = changes === undefined ? toolInput : { ...toolInput, ...changes };
  if (before !== undefined) {
    const stopped = await obstacle(config, toolName, effectiveInput, before, options);
    if (stopped !== undefined) return withSystemMessage(stopped, before);
  }
  const result = await executeFn(effectiveInput);
  const after = await fireAfterToolHook(config, toolName, effectiveInput, result, options);
  const told = withContext(withSystemMessage(result, before), before);
  if (after === undefined) return told;
  const applied = applyAfterTool(told, after);
  const tail = applied.error === result.error ? after.getTailToolCallRequest() : undefined;
  return tail === undefined ? applied : runTail(config, toolName, tail, applied, options);
};

const withContext = (result: ToolResult, output: DefaultHookOutput | undefined): ToolResult => {
  const context = output?.getAdditionalContext();
  return context === undefined ? result : { ...result, llmContent: appendText(result.llmContent, context) };
};

/** A tool's result with what AfterTool hooks said about it. */
export const applyAfterTool = (result: ToolResult, output: OutputOf<'AfterTool'>): ToolResult => {
  const { blocked, reason } = output.getBlockingError();
  if (blocked) return withSystemMessage(refusal('hook_blocked', `Tool result blocked by hook: ${reason}`), output);
  if (output.shouldStopExecution()) {
    return withSystemMessage(refusal('hook_stopped', stoppedText(output.getEffectiveReason())), output);
  }
  const told = withSystemMessage(withContext(result, output), output);
  const metadata = {
    ...(output.systemMessage === undefined ? {} : { hookMessages: [output.systemMessage] }),
    ...(output.hookSpecificOutput === undefined ? {} : { hookData: output.hookSpecificOutput }),
  };
  return {
    ...told,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata: { ...told.metadata, ...metadata } }),
    ...(output.suppressOutput === true ? { suppressDisplay: true } : {}),
  };
};

/** A hook asked for another tool: its result takes the place of the first. What cannot be done is said, not dropped. */
const runTail = (
  config: TriggerConfig,
  toolName: string,
  tail: { name: string; args: Args },
  result: ToolResult,
  options: ExecuteToolOptions,
): ToolResult | Promise<ToolResult> => {
  const { runTool, maxTailCalls = MAX_TAIL_CALLS } = options;
  const notRun = (why: string): ToolResult => {
    const message = `A hook asked for the tool ${tail.name}, which was not run: ${why}`;
    warn(config, message);
    return { ...result, llmContent: appendText(result.llmContent, systemText(message)) };
  };
  if (runTool === undefined) return notRun('this agent does not run tools on behalf of hooks');
  if (maxTailCalls <= 0) return notRun('too many tools have followed one another');
  return executeToolWithHooks(config, tail.name, tail.args, (args) => runTool(tail.name, args), {
    ...options,
    mcpContext: undefined,
    originalName: options.originalName ?? toolName,
    maxTailCalls: maxTailCalls - 1,
  });
};
