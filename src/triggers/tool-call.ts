/** Types of a tool call and its caller, and helpers for its arguments and payload. */
import { createId } from '../bus/internal.ts';
import type { DefaultHookOutput, HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import { isRecord, toOneLine, withChanges } from '../kit/index.ts';
import { isSameJson } from '../models/index.ts';
import type {
  CallToPark,
  ConfirmQuestion,
  HookConfig,
  HookExecutionResult,
  ParkedCall,
  ParkedDecision,
} from '../protocol/index.ts';
import type { Host } from './fire-event.ts';
import { copyJson, copyPlainMembers, toPlainJson } from './plain-json.ts';
import type { ToolResult } from './tool-result.ts';
import type { EventVerdict } from './verdict.ts';

export type Args = Record<string, unknown>;

export interface ToolContext {
  /** Describes the tool's MCP server. */
  readonly mcpContext?: Args | undefined;
  /** The tool that was requested first, if this call follows another one. */
  readonly originalName?: string | undefined;
  /** The id of this call in the agent and its model. */
  readonly id?: string | undefined;
  /** Additional payload fields, which hooks read as part of their input. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

/** Hooks must run even if a model omits the arguments, or a host passes something else than an object. */
const toPlainArgs = (args: unknown): Args => {
  const plain = toPlainJson(args ?? {});
  return isRecord(plain) ? plain : { input: plain };
};

export interface CopiedInput {
  /** A copy of plain JSON, or the original object if it cannot be copied. */
  readonly input: Args;
  readonly shown: Args;
}

/** Copies the arguments, so that the agent's code cannot change the call while hooks judge it. */
export const copyToolInput = (input: Args): CopiedInput => {
  const own = copyJson(input)?.copy;
  return isRecord(own) ? { input: own, shown: own } : { input, shown: copyPlainMembers(toPlainArgs(input)) };
};

/** Arguments that cannot be copied may change while hooks judge them. */
export const isInputChangedByTool = ({ input, shown }: CopiedInput): boolean =>
  input !== shown && !isSameJson(toPlainArgs(input), toPlainArgs(shown));

export const toToolPayload = (
  tool_name: string,
  input: Args,
  { mcpContext, originalName, id, more }: ToolContext,
  callId?: string,
): PayloadOf<'BeforeTool'> => {
  const payload: PayloadOf<'BeforeTool'> = { ...more, tool_name, tool_input: toPlainArgs(input) };
  if (mcpContext !== undefined) payload.mcp_context = toPlainArgs(mcpContext);
  if (originalName !== undefined) payload.original_request_name = originalName;
  if (id !== undefined) payload.tool_use_id = id;
  if (callId !== undefined) payload.call_id = callId;
  return payload;
};

export const createCallIdOnce = (given: string | undefined): (() => string) => {
  let id = given;
  return () => {
    id ??= createId();
    return id;
  };
};

export const applyInputChanges = (
  input: Args,
  output: OutputOf<'BeforeTool' | 'PermissionRequest'> | undefined,
): Args => {
  const changes = output?.getModifiedToolInput();
  return changes === undefined ? input : withChanges(input, changes);
};

/** The person gets a copy, so that the approved arguments are the ones that the tool gets. */
export const toQuestionFields = (
  toolName: string,
  toolInput: Args,
): Pick<ConfirmQuestion, 'toolName' | 'toolInput'> => ({
  toolName,
  toolInput: copyPlainMembers(toPlainArgs(toolInput)),
});

const MAX_NAMES = 500;

/** Tells the model which arguments hooks changed. Values are left out, because hooks may hide secrets. */
export const describeRewrittenInput = (original: Args, effective: Args): string | undefined => {
  if (original === effective) return undefined;
  const keys = new Set([...Object.keys(original), ...Object.keys(effective)]);
  const changed = [...keys].filter((key) => !isSameJson(original[key], effective[key]));
  if (changed.length === 0) return undefined;
  const names = toOneLine(changed.join(', '));
  const shown = names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES)} …` : names;
  return `A hook changed the arguments of this tool call before it ran: ${shown}`;
};

export type ToolEventName = 'BeforeTool' | 'PermissionRequest' | 'AfterTool' | 'AfterToolFailure';

export interface EventAnswers<E extends HookEventName> {
  readonly output: OutputOf<E> | undefined;
  readonly messages: readonly string[];
  readonly results: readonly HookExecutionResult[];
  readonly correlationId?: string | undefined;
}

export interface DecidedAnswers<E extends HookEventName> extends EventAnswers<E> {
  readonly decision: EventVerdict;
}

/** Adding a member to a spread object takes a hundred times as long. */
export const withDecision = <E extends HookEventName>(
  { output, messages, results }: EventAnswers<E>,
  decision: EventVerdict,
): DecidedAnswers<E> => ({ output, messages, results, decision });

export interface ToolCaller {
  readonly host: Host;
  readonly signal: AbortSignal | undefined;
  /** Returns `undefined` if no hook would run. The payload is then not built. */
  readonly hear: <E extends ToolEventName>(
    event: E,
    toolName: string,
    payload: () => PayloadOf<E>,
  ) => Promise<EventAnswers<E> | undefined> | undefined;
  readonly decide: (
    output: DefaultHookOutput | undefined,
    about: () => Omit<ConfirmQuestion, 'reason'>,
    toPark?: (reason: string) => CallToPark,
  ) => Promise<EventVerdict>;
  /** Called right before the tool starts. Without hooks, the decision has no opinion. */
  readonly mayRun: (decision: EventVerdict) => boolean;
  readonly form: ResultForm;
  /** Reports a hook's mistake that shows only after the hook answered. */
  readonly fault: (hook: HookConfig | undefined, message: string) => void;
  /** How tools that hooks request are run. If absent, the host runs them. */
  readonly tail?: TailPolicy | undefined;
}

export interface ResultForm {
  /** The output as a result to which texts can be added; `undefined` if the output has no such form. */
  readonly asResult: (returned: unknown) => ToolResult | undefined;
  /** Converts a result back to the form of the tool's output. */
  readonly inForm: (returned: unknown, result: ToolResult) => unknown;
}

/** How tools run that AfterTool hooks request, each to replace the result before it. */
export interface TailPolicy {
  /** `undefined` if the agent does not run tools for hooks. */
  readonly run: ((name: string, args: Args) => unknown) | undefined;
  readonly maxCalls: number;
}

export const MAX_TAIL_CALLS = 3;

export interface ResumedCall extends ParkedDecision {
  readonly call: ParkedCall;
}

export interface ToolCallOf<Output> {
  readonly name: string;
  readonly input: Args;
  readonly context: ToolContext;
  /** Gives all hooks of this call one id. */
  readonly callId: () => string;
  readonly run: (effectiveInput: Args) => Output | Promise<Output>;
  readonly resumed?: ResumedCall | undefined;
  readonly whyNotInput?: ExplainRejection | undefined;
  readonly whyNotOutput?: ExplainRejection | undefined;
}

/** Returns why a value is invalid; `undefined` if it is valid. */
export type ExplainRejection = (value: unknown) => string | undefined | Promise<string | undefined>;
