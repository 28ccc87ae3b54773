/** Reads tool results, and builds those that hooks changed or refused. */
import type { DefaultHookOutput, OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { copyOf } from '../models/index.ts';
import { plainError, plainJson } from './plain-json.ts';
import { type Asked, blocksOrParks, type EventVerdict } from './verdict.ts';

/** The result of a tool. Hosts have richer types; only these members are read. */
export interface ToolResult {
  /** For the model: a text, a part, or a list of both. */
  llmContent?: unknown;
  /** For the user. */
  returnDisplay?: unknown;
  metadata?: Record<string, unknown> | undefined;
  /** The result as data, as tools of MCP servers return it. */
  structuredContent?: unknown;
  error?: { message: string; type?: string | undefined } | undefined;
  /** The result goes to the model but is not shown. */
  suppressDisplay?: boolean | undefined;
}

/** Marks a hook's text for the model, so it differs from words of a tool or a user. */
export const systemText = (message: string): string => `[System] ${message}`;

/** Members that hooks add to a result. */
export interface HookMarks {
  /** Present if a hook ended the agent's work: do not call the model again. */
  stopped?: { readonly reason: string };
  /** Present if a hook asked for confirmation and no answer came. */
  asked?: Asked;
}

/** A blank text adds nothing. */
export const isNotBlank = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

/** A hook's texts for the model besides its verdict. */
export const modelTextsOf = (output: DefaultHookOutput | undefined): readonly string[] => {
  if (output === undefined) return [];
  const context = output.getAdditionalContext();
  const { systemMessage } = output;
  return [...(isNotBlank(context) ? [context] : []), ...(isNotBlank(systemMessage) ? [systemText(systemMessage)] : [])];
};

/** Appends a text after a blank line to content of any form. */
const appendText = (content: unknown, text: string): unknown => {
  if (content === undefined || content === null || content === '') return text;
  if (typeof content !== 'object') return `${String(content)}\n\n${text}`;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const asText = parts.every((part) => typeof part === 'string');
  return [...parts, asText ? `\n\n${text}` : { text: `\n\n${text}` }];
};

/** A copy with changed members that keeps the host's class and all other members. */
const changed = <Result extends ToolResult>(result: Result, changes: ToolResult & HookMarks): Result & HookMarks =>
  Object.assign(copyOf(result), changes);

/** Adds texts for the model after the tool's own; without texts returns the result itself. */
export const appendTextsToResult = (result: ToolResult, texts: readonly string[]): ToolResult =>
  texts.length === 0 ? result : changed(result, { llmContent: texts.reduce(appendText, result.llmContent) });

/** A tool may return something other than a result object; hooks always see one. */
export const readToolResult = (returned: unknown): ToolResult =>
  isRecord(returned) ? returned : { llmContent: returned };

/** The text of a result for the model; other values as JSON; `undefined` without a result. */
export const textOfResult = (result: unknown): string | undefined => {
  if (!isRecord(result)) return undefined;
  const { llmContent = result } = result;
  return typeof llmContent === 'string' ? llmContent : JSON.stringify(llmContent);
};

/** The documented members that AfterTool hooks see; the last three only if present. */
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

/** Replaces the members that hooks saw; keeps the host's class and all other members. */
export const withResponse = (result: ToolResult, response: Readonly<Record<string, unknown>>): ToolResult => {
  const copy = copyOf(result);
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

/** The result of a call that the caller cancelled while its hooks ran. */
export const cancelledResult = (): ToolResult => refusalResult('cancelled', 'Tool call cancelled before it started');

/**
 * The result in place of a refused call, with both reasons if hooks block and stop; `undefined` if it is not refused.
 */
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

/** A stop of a follow-up call also applies to this result. */
export const withStopOf = ({ stopped }: HookMarks, result: ToolResult): ToolResult =>
  stopped === undefined ? result : stoppedBy(result, stopped.reason);

/** Keeps an unanswered `ask` visible in the result. */
export const withQuestionOf = (result: ToolResult, ...decisions: readonly (EventVerdict | undefined)[]): ToolResult => {
  const asked = decisions.find((decision) => decision?.asked?.answered === false)?.asked;
  return asked === undefined ? result : changed(result, { asked });
};

/** The answer of AfterTool hooks to a result. */
export interface AfterToolAnswer {
  readonly output: OutputOf<'AfterTool'>;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

/** Applies AfterTool hooks to a result. `earlier` texts come first. Returns the result itself if nothing changes. */
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
