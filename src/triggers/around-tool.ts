import type { HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import { isRecord, onOneLine } from '../kit/index.ts';
import type { ConfirmQuestion } from '../protocol/index.ts';
import { sameJson } from '../translator/index.ts';
import { plainCopyOf, plainJson } from './plain-json.ts';
import type { Decision } from './verdict.ts';

export type Args = Record<string, unknown>;

export interface ToolContext {
  /** Which MCP server the tool belongs to. */
  readonly mcpContext?: Args | undefined;
  /** The tool that was asked for first, when this call continues another. */
  readonly originalName?: string | undefined;
  /** By which the agent and its model know this call. */
  readonly id?: string | undefined;
}

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
  { mcpContext, originalName, id }: ToolContext,
): PayloadOf<'BeforeTool'> => {
  const payload: PayloadOf<'BeforeTool'> = { tool_name, tool_input: shownArgs(input) };
  if (mcpContext !== undefined) payload.mcp_context = shownArgs(mcpContext);
  if (originalName !== undefined) payload.original_request_name = originalName;
  if (id !== undefined) payload.tool_use_id = id;
  return payload;
};

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

const MAX_NAMES = 500;

/**
 * What the model is told when hooks changed its call: which parameters, not their values, which may be what the hooks
 * hide. Nothing when every parameter is as the model wrote it.
 */
export const rewriteNote = (original: Args, effective: Args): string | undefined => {
  if (original === effective) return undefined;
  const changed = Object.keys(effective).filter((key) => !sameJson(original[key], effective[key]));
  if (changed.length === 0) return undefined;
  const names = onOneLine(changed.join(', '));
  const shown = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES)} …` : names;
  return `A hook changed the arguments of this tool call before it ran: ${shown}`;
};

type ToolEvent = 'BeforeTool' | 'AfterTool';

/** What hooks said about one moment of a call, a question of theirs already put to whoever could answer it. */
export interface Heard<E extends HookEventName> {
  readonly output: OutputOf<E> | undefined;
  /** What each hook said to the model, in configured order. */
  readonly messages: readonly string[];
  readonly decision: Decision;
}

/** On whose behalf a tool is called: how its hooks are asked, and what lets it run. */
export interface ToolCaller<BeforeSaid extends Heard<'BeforeTool'>, AfterSaid extends Heard<'AfterTool'>> {
  readonly signal: AbortSignal | undefined;
  /** Nothing at all when there are no hooks to be asked. */
  readonly before: (
    payload: () => PayloadOf<'BeforeTool'>,
    about: (output: OutputOf<'BeforeTool'> | undefined) => Omit<ConfirmQuestion, 'reason'>,
  ) => Promise<BeforeSaid | undefined>;
  readonly after: (
    payload: () => PayloadOf<'AfterTool'>,
    about: () => Omit<ConfirmQuestion, 'reason'>,
  ) => Promise<AfterSaid | undefined>;
  readonly mayRun: (decision: Decision) => boolean;
  /** What a tool gave, as AfterTool hooks see it. */
  readonly shown: (returned: unknown) => unknown;
}

export interface ToolCallOf<Output> {
  readonly name: string;
  readonly input: Args;
  readonly context: ToolContext;
  readonly run: (effectiveInput: Args) => Output | Promise<Output>;
}

/** How far a call came, and what hooks said on the way. */
export interface CourseOfCall<Output, BeforeSaid, AfterSaid> {
  /** What the tool was called with, or would have been. */
  readonly input: Args;
  readonly before: BeforeSaid | undefined;
  /** There when the tool ran. */
  readonly ran?: { readonly returned: Output; readonly after: AfterSaid | undefined };
}

/**
 * One tool call with its hooks around it: asked before, told after. What is made of that for the agent and its model is
 * the callers' business. What `run` throws passes through, and AfterTool then does not fire. A call that was cancelled
 * while hooks were asked does not start.
 */
export const aroundTool = async <Output, BeforeSaid extends Heard<'BeforeTool'>, AfterSaid extends Heard<'AfterTool'>>(
  caller: ToolCaller<BeforeSaid, AfterSaid>,
  { name, input: original, context, run }: ToolCallOf<Output>,
): Promise<CourseOfCall<Output, BeforeSaid, AfterSaid>> => {
  const question = (eventName: ToolEvent, input: Args) => ({ eventName, ...aboutTool(name, input) });
  const before = await caller.before(
    () => toolPayload(name, original, context),
    (output) => question('BeforeTool', effectiveInputOf(original, output)),
  );
  const input = effectiveInputOf(original, before?.output);
  if (before !== undefined && (!caller.mayRun(before.decision) || caller.signal?.aborted === true)) {
    return { input, before };
  }
  const returned = await run(input);
  const after = await caller.after(
    () => ({ ...toolPayload(name, input, context), tool_response: caller.shown(returned) }),
    () => question('AfterTool', input),
  );
  return { input, before, ran: { returned, after } };
};
