/** Types of a tool call and its caller, and helpers for its arguments and payload. */
import { createId } from '../bus/internal.ts';
import type { DefaultHookOutput, HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import { isRecord, toOneLine, withChanges } from '../kit/index.ts';
import { isSameJson } from '../models/index.ts';
import type { CallToPark, ConfirmQuestion, HookConfig, ParkedCall, ParkedDecision } from '../protocol/index.ts';
import type { EventAnswers, Host } from './fire-event.ts';
import { copyJson, toPlainArguments } from './plain-json.ts';
import type { ToolResult } from './tool-result.ts';
import type { EventVerdict } from './verdict.ts';

export type Args = Record<string, unknown>;

export interface ToolContext {
  readonly mcpContext?: Args | undefined;
  /** The tool that the model called, if a hook requested this call to replace its result. */
  readonly originalName?: string | undefined;
  readonly id?: string | undefined;
  /** Further fields of the input that hooks read. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

const toPlainArgs = (args: unknown): Args => {
  const plain = toPlainArguments(args ?? {});
  return isRecord(plain) ? plain : { input: plain };
};

export interface CopiedToolInput {
  readonly input: Args;
  readonly shown: Args;
}

/** The agent's code must not change the arguments while hooks judge them. */
export const copyToolInput = (input: Args): CopiedToolInput => {
  const own = copyJson(input)?.copy;
  return isRecord(own) ? { input: own, shown: own } : { input, shown: toPlainArgs(own ?? input) };
};

/** Arguments that cannot be copied may change while hooks judge them. */
export const isInputChangedByTool = ({ input, shown }: CopiedToolInput): boolean =>
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

/** The person gets a copy, so that the tool gets the approved arguments. */
export const toQuestionFields = (
  toolName: string,
  toolInput: Args,
): Pick<ConfirmQuestion, 'toolName' | 'toolInput'> => ({ toolName, toolInput: copyToolInput(toolInput).shown });

const MAX_SHOWN_NAMES_LENGTH = 500;

/** Tells the model which arguments hooks changed, without values, because hooks may hide secrets. */
export const describeRewrittenInput = (original: Args, effective: Args): string | undefined => {
  if (original === effective) return undefined;
  const keys = new Set([...Object.keys(original), ...Object.keys(effective)]);
  const changed = [...keys].filter((key) => !isSameJson(original[key], effective[key]));
  if (changed.length === 0) return undefined;
  const names = toOneLine(changed.join(', '));
  const shown = names.length > MAX_SHOWN_NAMES_LENGTH ? `${names.slice(0, MAX_SHOWN_NAMES_LENGTH)} …` : names;
  return `A hook changed the arguments of this tool call before it ran: ${shown}`;
};

export type ToolEventName = 'BeforeTool' | 'PermissionRequest' | 'AfterTool' | 'AfterToolFailure';

export interface DecidedAnswers<E extends HookEventName> extends EventAnswers<E> {
  readonly decision: EventVerdict;
}

/** Lists the members, because adding a member to a spread object takes a hundred times as long. */
export const withDecision = <E extends HookEventName>(
  { output, messages, results }: EventAnswers<E>,
  decision: EventVerdict,
): DecidedAnswers<E> => ({ output, messages, results, decision });

export interface ToolCaller {
  readonly host: Host;
  readonly signal: AbortSignal | undefined;
  /** `undefined` if no hook would run; the payload is then not built. */
  readonly fire: <E extends ToolEventName>(
    event: E,
    toolName: string,
    payload: () => PayloadOf<E>,
  ) => Promise<EventAnswers<E> | undefined> | undefined;
  readonly decide: (
    output: DefaultHookOutput | undefined,
    about: () => Omit<ConfirmQuestion, 'reason'>,
    toPark?: (reason: string) => CallToPark,
  ) => Promise<EventVerdict>;
  readonly mayRun: (decision: EventVerdict) => boolean;
  readonly form: ResultConverter;
  /** Reports a mistake that shows after the hook answered. */
  readonly fault: (hook: HookConfig | undefined, message: string) => void;
  readonly tail?: TailPolicy | undefined;
}

export interface ResultConverter {
  /** `undefined` if no texts can be added to the output. */
  readonly asResult: (returned: unknown) => ToolResult | undefined;
  readonly inForm: (returned: unknown, result: ToolResult) => unknown;
}

/** Tools that AfterTool hooks request: each replaces the result before it. */
export interface TailPolicy {
  /** `undefined` if the agent does not run tools for hooks. */
  readonly run: ((name: string, args: Args) => unknown) | undefined;
  readonly maxCalls: number;
}

export const DEFAULT_MAX_TAIL_CALLS = 3;

export interface ResumedCall extends ParkedDecision {
  readonly call: ParkedCall;
}

export interface ToolCallOf<Output> {
  readonly name: string;
  readonly input: Args;
  readonly context: ToolContext;
  readonly callId: () => string;
  readonly run: (effectiveInput: Args) => Output | Promise<Output>;
  readonly resumed?: ResumedCall | undefined;
  readonly whyNotInput?: ExplainRejection | undefined;
  readonly whyNotOutput?: ExplainRejection | undefined;
}

export type ExplainRejection = (value: unknown) => string | undefined | Promise<string | undefined>;
