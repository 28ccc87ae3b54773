/** The payload and the arguments of a tool call, and what runs it. */
import { createId } from '../bus/internal.ts';
import type { DefaultHookOutput, HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import { isRecord, onOneLine, withChanges } from '../kit/index.ts';
import { sameJson } from '../models/index.ts';
import type {
  CallToPark,
  ConfirmQuestion,
  HookConfig,
  HookExecutionResult,
  ParkedCall,
  ParkedDecision,
} from '../protocol/index.ts';
import type { Host } from './fire.ts';
import { jsonCopy, plainCopyOf, plainJson } from './plain-json.ts';
import type { ToolResult } from './tool-result.ts';
import type { EventVerdict } from './verdict.ts';

export type Args = Record<string, unknown>;

export interface ToolContext {
  /** Which MCP server the tool belongs to. */
  readonly mcpContext?: Args | undefined;
  /** The tool that was asked for first, when this call continues another. */
  readonly originalName?: string | undefined;
  /** By which the agent and its model know this call. */
  readonly id?: string | undefined;
  /** More of the call, by the names of its payload, for hooks that look at it. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A model may call a tool without any arguments, and a host may hand over something that is no object of them; the hooks
 * of the tool are asked all the same.
 */
const shownArgs = (args: unknown): Args => {
  const plain = plainJson(args ?? {});
  return isRecord(plain) ? plain : { input: plain };
};

/** The arguments of a call, kept from the moment at which its hooks were shown them. */
export interface KeptInput {
  /** What the tool runs with: an own copy of plain JSON, else the arguments of the call themselves. */
  readonly input: Args;
  /** The same as hooks were shown it. */
  readonly shown: Args;
}

/** Code of the agent that changes its arguments while hooks are asked cannot change the call that they judge. */
export const keepInput = (input: Args): KeptInput => {
  const own = jsonCopy(input)?.copy;
  return isRecord(own) ? { input: own, shown: own } : { input, shown: plainCopyOf(shownArgs(input)) };
};

/** Whether the tool would get arguments that its hooks did not judge. */
export const isOutdated = ({ input, shown }: KeptInput): boolean =>
  input !== shown && !sameJson(shownArgs(input), shownArgs(shown));

/** A tool call under its wire names. */
export const toolPayload = (
  tool_name: string,
  input: Args,
  { mcpContext, originalName, id, more }: ToolContext,
  callId?: string,
): PayloadOf<'BeforeTool'> => {
  const payload: PayloadOf<'BeforeTool'> = { ...more, tool_name, tool_input: shownArgs(input) };
  if (mcpContext !== undefined) payload.mcp_context = shownArgs(mcpContext);
  if (originalName !== undefined) payload.original_request_name = originalName;
  if (id !== undefined) payload.tool_use_id = id;
  if (callId !== undefined) payload.call_id = callId;
  return payload;
};

/** The id of one call: the one by which the agent knows it, else one that is made for the first hook that is asked. */
export const callIdFor = (given: string | undefined): (() => string) => {
  let id = given;
  return () => {
    id ??= createId();
    return id;
  };
};

/** The arguments a tool is to be called with: those of the call, changed one by one. */
export const effectiveInputOf = (
  input: Args,
  output: OutputOf<'BeforeTool' | 'PermissionRequest'> | undefined,
): Args => {
  const changes = output?.getModifiedToolInput();
  return changes === undefined ? input : withChanges(input, changes);
};

/** A person is shown a copy of the call, so that what was approved is what runs. */
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
  const keys = new Set([...Object.keys(original), ...Object.keys(effective)]);
  const changed = [...keys].filter((key) => !sameJson(original[key], effective[key]));
  if (changed.length === 0) return undefined;
  const names = onOneLine(changed.join(', '));
  const shown = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES)} …` : names;
  return `A hook changed the arguments of this tool call before it ran: ${shown}`;
};

/** The moments that a call of a tool may come to. */
export type ToolMoment = 'BeforeTool' | 'PermissionRequest' | 'AfterTool' | 'AfterToolFailure';

/** What hooks said about one moment. */
export interface SaidOf<E extends HookEventName> {
  readonly output: OutputOf<E> | undefined;
  /** What each hook said to the model, in configured order. */
  readonly messages: readonly string[];
  /** How each hook ended, in configured order. */
  readonly results: readonly HookExecutionResult[];
  /** Under which id it was shown on the bus. */
  readonly correlationId?: string | undefined;
}

/** The same, with its question already answered if a person could be asked. */
export interface Heard<E extends HookEventName> extends SaidOf<E> {
  readonly decision: EventVerdict;
}

/** Written out: a member added to a spread takes a hundred times as long. */
export const withDecision = <E extends HookEventName>(
  { output, messages, results }: SaidOf<E>,
  decision: EventVerdict,
): Heard<E> => ({ output, messages, results, decision });

/** On whose behalf a tool is called: how its hooks are asked, who answers questions, and what lets the tool run. */
export interface ToolCaller {
  readonly host: Host;
  readonly signal: AbortSignal | undefined;
  /** Nothing at all when there are no hooks to be asked; at once where that is known, and no payload is made then. */
  readonly hear: <E extends ToolMoment>(
    event: E,
    toolName: string,
    payload: () => PayloadOf<E>,
  ) => Promise<SaidOf<E> | undefined> | undefined;
  /** What an answer comes to, with its question put to a person. */
  readonly decide: (
    output: DefaultHookOutput | undefined,
    about: () => Omit<ConfirmQuestion, 'reason'>,
    toPark?: (reason: string) => CallToPark,
  ) => Promise<EventVerdict>;
  /** Asked right before the tool starts; where no hook had to be asked, with no opinion. */
  readonly mayRun: (decision: EventVerdict) => boolean;
  /** In which form tools give their results. */
  readonly form: ResultForm;
  /** Reports what a hook did wrong that was found after it had answered. */
  readonly fault: (hook: HookConfig | undefined, message: string) => void;
  /** How a tool is called that a hook wants next; left out, the host does that itself. */
  readonly tail?: TailPolicy | undefined;
}

/** In which form a host deals in results of tools. */
export interface ResultForm {
  /** What a tool gave as a result that has room for words of hooks; `undefined` if its form has none. */
  readonly asResult: (returned: unknown) => ToolResult | undefined;
  /** The result in the form of what the tool gave. */
  readonly inForm: (returned: unknown, result: ToolResult) => unknown;
}

/** Calls that hooks want after one another, each in place of the result before it. */
export interface TailPolicy {
  /** `undefined` in an agent that does not run tools on behalf of hooks. */
  readonly run: ((name: string, args: Args) => unknown) | undefined;
  readonly maxCalls: number;
}

/** How many calls may follow one another, unless the host says otherwise. */
export const MAX_TAIL_CALLS = 3;

/** A parked call, and what a person decided about it. */
export interface ResumedCall extends ParkedDecision {
  readonly call: ParkedCall;
}

export interface ToolCallOf<Output> {
  readonly name: string;
  readonly input: Args;
  readonly context: ToolContext;
  /** The same for all hooks of this call. */
  readonly callId: () => string;
  readonly run: (effectiveInput: Args) => Output | Promise<Output>;
  /** There when this call was parked, and a person has decided. */
  readonly resumed?: ResumedCall | undefined;
  /** Why arguments are not what the tool takes; `undefined` if they are. Asked about arguments that hooks changed. */
  readonly whyNotInput?: WhyNot | undefined;
  /** The same of the result that hooks put in place of the tool's. */
  readonly whyNotOutput?: WhyNot | undefined;
}

/** Why a value does not fit; `undefined` if it does. */
export type WhyNot = (value: unknown) => string | undefined | Promise<string | undefined>;
