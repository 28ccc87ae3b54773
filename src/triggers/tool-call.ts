/** Types of a tool call and its caller, and helpers for its arguments and payload. */
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
import type { Host } from './fire-event.ts';
import { jsonCopy, plainCopyOf, plainJson } from './plain-json.ts';
import type { ToolResult } from './tool-result.ts';
import type { EventVerdict } from './verdict.ts';

export type Args = Record<string, unknown>;

export interface ToolContext {
  /** The MCP server of the tool. */
  readonly mcpContext?: Args | undefined;
  /** The tool requested first, if this call follows another. */
  readonly originalName?: string | undefined;
  /** The id of this call for the agent and its model. */
  readonly id?: string | undefined;
  /** Further payload fields for hooks. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** A model may omit arguments and a host may pass something else: hooks run all the same. */
const shownArgs = (args: unknown): Args => {
  const plain = plainJson(args ?? {});
  return isRecord(plain) ? plain : { input: plain };
};

/** The arguments of a call at the moment its hooks saw them. */
export interface KeptInput {
  /** The arguments for the tool: a copy of plain JSON, otherwise the original. */
  readonly input: Args;
  /** The arguments that hooks saw. */
  readonly shown: Args;
}

/** Copies the arguments, so code of the agent cannot change the call while hooks judge it. */
export const copyToolInput = (input: Args): KeptInput => {
  const own = jsonCopy(input)?.copy;
  return isRecord(own) ? { input: own, shown: own } : { input, shown: plainCopyOf(shownArgs(input)) };
};

/** Whether the tool would get arguments that its hooks did not judge. */
export const isInputChangedByTool = ({ input, shown }: KeptInput): boolean =>
  input !== shown && !sameJson(shownArgs(input), shownArgs(shown));

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

/** The agent's id of a call, or one created for the first hook. */
export const callIdFor = (given: string | undefined): (() => string) => {
  let id = given;
  return () => {
    id ??= createId();
    return id;
  };
};

/** The arguments with each member that hooks changed. */
export const effectiveInputOf = (
  input: Args,
  output: OutputOf<'BeforeTool' | 'PermissionRequest'> | undefined,
): Args => {
  const changes = output?.getModifiedToolInput();
  return changes === undefined ? input : withChanges(input, changes);
};

/** A copy for the person, so that the approved call is the one that runs. */
export const toolQuestionFields = (
  toolName: string,
  toolInput: Args,
): Pick<ConfirmQuestion, 'toolName' | 'toolInput'> => ({
  toolName,
  toolInput: plainCopyOf(shownArgs(toolInput)),
});

const MAX_NAMES = 500;

/** Tells the model which parameters hooks changed, without values: hooks may hide these. */
export const rewrittenInputNote = (original: Args, effective: Args): string | undefined => {
  if (original === effective) return undefined;
  const keys = new Set([...Object.keys(original), ...Object.keys(effective)]);
  const changed = [...keys].filter((key) => !sameJson(original[key], effective[key]));
  if (changed.length === 0) return undefined;
  const names = onOneLine(changed.join(', '));
  const shown = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES)} …` : names;
  return `A hook changed the arguments of this tool call before it ran: ${shown}`;
};

export type ToolEventName = 'BeforeTool' | 'PermissionRequest' | 'AfterTool' | 'AfterToolFailure';

/** The answers of one event's hooks. */
export interface EventAnswers<E extends HookEventName> {
  readonly output: OutputOf<E> | undefined;
  /** Messages of hooks for the model, in configured order. */
  readonly messages: readonly string[];
  /** Results of runs in configured order. */
  readonly results: readonly HookExecutionResult[];
  /** The id of the event on the bus. */
  readonly correlationId?: string | undefined;
}

/** Answers with the decision after confirmation. */
export interface DecidedAnswers<E extends HookEventName> extends EventAnswers<E> {
  readonly decision: EventVerdict;
}

/** Without a spread: adding a member to one takes a hundred times as long. */
export const withDecision = <E extends HookEventName>(
  { output, messages, results }: EventAnswers<E>,
  decision: EventVerdict,
): DecidedAnswers<E> => ({ output, messages, results, decision });

/** How a caller fires events, confirms, and runs tools. */
export interface ToolCaller {
  readonly host: Host;
  readonly signal: AbortSignal | undefined;
  /** `undefined` without hooks; immediately if that is known, without creating the payload. */
  readonly hear: <E extends ToolEventName>(
    event: E,
    toolName: string,
    payload: () => PayloadOf<E>,
  ) => Promise<EventAnswers<E> | undefined> | undefined;
  /** The decision, after a person has answered its `ask`. */
  readonly decide: (
    output: DefaultHookOutput | undefined,
    about: () => Omit<ConfirmQuestion, 'reason'>,
    toPark?: (reason: string) => CallToPark,
  ) => Promise<EventVerdict>;
  /** Checked right before the tool starts; without hooks with no opinion. */
  readonly mayRun: (decision: EventVerdict) => boolean;
  /** The form of tool results. */
  readonly form: ResultForm;
  /** Reports a hook's mistake found after its answer. */
  readonly fault: (hook: HookConfig | undefined, message: string) => void;
  /** Runs follow-up calls of hooks. Without it the host runs them. */
  readonly tail?: TailPolicy | undefined;
}

/** Reads and writes tool results in a host's form. */
export interface ResultForm {
  /** The output as a result that can carry texts of hooks; `undefined` if its form cannot. */
  readonly asResult: (returned: unknown) => ToolResult | undefined;
  /** The result in the form of the tool's output. */
  readonly inForm: (returned: unknown, result: ToolResult) => unknown;
}

/** Follow-up calls that hooks want; each replaces the result before it. */
export interface TailPolicy {
  /** `undefined` if the agent does not run tools for hooks. */
  readonly run: ((name: string, args: Args) => unknown) | undefined;
  readonly maxCalls: number;
}

/** The default limit of follow-up calls. */
export const MAX_TAIL_CALLS = 3;

/** A parked call with a person's decision. */
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
  /** Present if this call was parked and a person has decided. */
  readonly resumed?: ResumedCall | undefined;
  /** Why arguments that hooks changed do not fit the tool. */
  readonly whyNotInput?: ExplainRejection | undefined;
  /** Why a result that hooks replaced does not fit the tool. */
  readonly whyNotOutput?: ExplainRejection | undefined;
}

/** Returns why a value does not fit; `undefined` if it does. */
export type ExplainRejection = (value: unknown) => string | undefined | Promise<string | undefined>;
