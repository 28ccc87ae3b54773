/** Reads tool results, and builds those that hooks changed or refused. */
import type { DefaultHookOutput, OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { copyWithPrototype } from '../models/index.ts';
import { plainError, plainJson } from './plain-json.ts';
import { type Asked, blocksOrParks, type EventVerdict } from './verdict.ts';

/** The result of a tool. Hosts may have more members, which stay unchanged. */
export interface ToolResult {
  /** For the model: a text, a part, or a list of both. */
  llmContent?: unknown;
  /** For the user. */
  returnDisplay?: unknown;
  metadata?: Record<string, unknown> | undefined;
  /** The result as data, as tools of MCP servers return it. */
  structuredContent?: unknown;
  error?: { message: string; type?: string | undefined } | undefined;
  /** The result goes to the model, but must not be shown to the user. */
  suppressDisplay?: boolean | undefined;
}

/** The mark lets the model tell a hook's text from words of a tool or a user. */
export const systemText = (message: string): string => `[System] ${message}`;

/** Members that the engine adds to a tool's result if hooks decided something. */
export interface HookMarks {
  /** A hook ended the agent's work. Do not call the model again. */
  stopped?: { readonly reason: string };
  asked?: Asked;
}

export const isNotBlank = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

export const modelTextsOf = (output: DefaultHookOutput | undefined): readonly string[] => {
  if (output === undefined) return [];
  const context = output.getAdditionalContext();
  const { systemMessage } = output;
  return [...(isNotBlank(context) ? [context] : []), ...(isNotBlank(systemMessage) ? [systemText(systemMessage)] : [])];
};

const appendText = (content: unknown, text: string): unknown => {
  if (content === undefined || content === null || content === '') return text;
  if (typeof content !== 'object') return `${String(content)}\n\n${text}`;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const asText = parts.every((part) => typeof part === 'string');
  return [...parts, asText ? `\n\n${text}` : { text: `\n\n${text}` }];
};

const changed = <Result extends ToolResult>(result: Result, changes: ToolResult & HookMarks): Result & HookMarks =>
  Object.assign(copyWithPrototype(result), changes);

export const appendTextsToResult = (result: ToolResult, texts: readonly string[]): ToolResult =>
  texts.length === 0 ? result : changed(result, { llmContent: texts.reduce(appendText, result.llmContent) });

export const readToolResult = (returned: unknown): ToolResult =>
  isRecord(returned) ? returned : { llmContent: returned };

export const textOfResult = (result: unknown): string | undefined => {
  if (!isRecord(result)) return undefined;
  const { llmContent = result } = result;
  return typeof llmContent === 'string' ? llmContent : JSON.stringify(llmContent);
};

/** Hooks see only these documented members of a result. */
export const toolResponseOf = ({
  llmContent,
  returnDisplay,
  metadata,
  structuredContent,
  error,
}: ToolResult): Record<string, unknown> => {
  const problem: unknown = error;
  return {
    llmContent: plainJson(llmContent),
    returnDisplay: plainJson(returnDisplay),
    ...(metadata == null ? {} : { metadata: plainJson(metadata) }),
    ...(structuredContent == null ? {} : { structuredContent: plainJson(structuredContent) }),
    ...(problem == null ? {} : { error: plainJson(isRecord(problem) ? plainError(problem) : { message: problem }) }),
  };
};

/** Replaces the members that hooks saw, and keeps the class of the host's object and all other members. */
export const withResponse = (result: ToolResult, response: Readonly<Record<string, unknown>>): ToolResult => {
  const copy = copyWithPrototype(result);
  for (const member of ['llmContent', 'returnDisplay', 'metadata', 'structuredContent', 'error'] as const)
    delete copy[member];
  return Object.assign(copy, response);
};

type Refusal = 'hook_blocked' | 'hook_stopped' | 'hook_refused' | 'hook_parked';

const refusalResult = (type: Refusal | 'cancelled', text: string): ToolResult => ({
  llmContent: text,
  returnDisplay: text,
  error: { message: text, type },
});

const stoppedBy = (result: ToolResult & HookMarks, reason: string): ToolResult & HookMarks =>
  changed(result, { metadata: { ...result.metadata, stopExecution: true }, stopped: { reason } });

export const cancelledResult = (): ToolResult => refusalResult('cancelled', 'Tool call cancelled before it started');

/** Returns a result with the reasons of the refusal; `undefined` if hooks do not refuse. */
export const refusalOf = (decision: EventVerdict, note = ''): ToolResult | undefined => {
  if (!blocksOrParks(decision)) return undefined;
  const { verdict, reason, stopReason, refused, asked } = decision;
  if (asked?.parked !== undefined) return refusalResult('hook_parked', `Tool call not run: ${reason}`);
  const blocked = verdict === 'deny' ? [`Tool call blocked by hook: ${reason}${note}`] : [];
  const stopped = stopReason === undefined ? [] : [`Execution stopped by hook: ${stopReason}`];
  const type = verdict === 'stop' ? 'hook_stopped' : refused === true ? 'hook_refused' : 'hook_blocked';
  const result = refusalResult(type, [...blocked, ...stopped].join('\n\n'));
  return stopReason === undefined ? result : stoppedBy(result, stopReason);
};

/** If a hook of a requested tool stops the agent, the result of the whole call says so. */
export const withStopOf = ({ stopped }: HookMarks, result: ToolResult): ToolResult =>
  stopped === undefined ? result : stoppedBy(result, stopped.reason);

export const withQuestionOf = (result: ToolResult, ...decisions: readonly (EventVerdict | undefined)[]): ToolResult => {
  const asked = decisions.find((decision) => decision?.asked?.answered === false)?.asked;
  return asked === undefined ? result : changed(result, { asked });
};

export interface AfterToolAnswer {
  readonly output: OutputOf<'AfterTool'>;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

/** Puts `earlier` texts first. Returns the result itself if nothing changes. */
export const applyAfterTool = (
  result: ToolResult,
  { output, messages, decision }: AfterToolAnswer,
  earlier: readonly string[] = [],
): ToolResult => {
  const withheld = refusalOf(decision, '\n\nThe tool has run; its result is withheld.');
  const told = appendTextsToResult(withheld ?? result, [...earlier, ...modelTextsOf(output)]);
  const { hookMessages, hookData } = told.metadata ?? {};
  const metadata = {
    ...(messages.length === 0
      ? {}
      : { hookMessages: [...messages, ...(Array.isArray(hookMessages) ? hookMessages : [])] }),
    ...(output.hookSpecificOutput === undefined
      ? {}
      : { hookData: { ...output.hookSpecificOutput, ...(isRecord(hookData) ? hookData : {}) } }),
  };
  const changes: ToolResult = {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata: { ...told.metadata, ...metadata } }),
    ...(output.suppressOutput === true ? { suppressDisplay: true } : {}),
  };
  return Object.keys(changes).length === 0 ? told : changed(told, changes);
};
