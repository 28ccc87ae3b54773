/** The result of a tool: read, changed and refused. */
import type { DefaultHookOutput, OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { copyOf } from '../models/index.ts';
import { plainError, plainJson } from './plain-json.ts';
import { type Asked, type EventVerdict, isAgainst } from './verdict.ts';

/** What a tool gives back. Hosts have richer types of their own; only these members are looked at. */
export interface ToolResult {
  /** For the model: a text, a part, or a list of both. */
  llmContent?: unknown;
  /** For the user. */
  returnDisplay?: unknown;
  metadata?: Record<string, unknown> | undefined;
  /** The same as data, as tools of MCP servers give it. */
  structuredContent?: unknown;
  error?: { message: string; type?: string | undefined } | undefined;
  /** The result goes to the model but is not shown. */
  suppressDisplay?: boolean | undefined;
}

/** The text of a hook for the model, told apart from the words of a tool or a user. */
export const systemText = (message: string): string => `[System] ${message}`;

/** What hooks do to a result beside what stands in it. */
export interface HookMarks {
  /** There when a hook ended the work of the agent: do not ask the model again. */
  stopped?: { readonly reason: string };
  /** There when a hook wanted a person to be asked, and no answer came. */
  asked?: Asked;
}

/** A text without a word in it says nothing, and adds nothing. */
export const saysSomething = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

/** What a hook tells the model beside its verdict, ready to be appended. */
export const textsOf = (output: DefaultHookOutput | undefined): readonly string[] => {
  if (output === undefined) return [];
  const context = output.getAdditionalContext();
  const { systemMessage } = output;
  return [
    ...(saysSomething(context) ? [context] : []),
    ...(saysSomething(systemMessage) ? [systemText(systemMessage)] : []),
  ];
};

/** Appends a text after a blank line, whatever form the content has. */
const appendText = (content: unknown, text: string): unknown => {
  if (content === undefined || content === null || content === '') return text;
  if (typeof content !== 'object') return `${String(content)}\n\n${text}`;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const asText = parts.every((part) => typeof part === 'string');
  return [...parts, asText ? `\n\n${text}` : { text: `\n\n${text}` }];
};

/** A result with members that differ; the host's class and everything else of it stay. */
const changed = <Result extends ToolResult>(result: Result, changes: ToolResult & HookMarks): Result & HookMarks =>
  Object.assign(copyOf(result), changes);

/** A result with texts for the model after the tool's own words; without texts the result itself. */
export const tell = (result: ToolResult, texts: readonly string[]): ToolResult =>
  texts.length === 0 ? result : changed(result, { llmContent: texts.reduce(appendText, result.llmContent) });

/** A tool of the host may return less than a result object. Hooks always see one. */
export const readToolResult = (returned: unknown): ToolResult =>
  isRecord(returned) ? returned : { llmContent: returned };

/** What the model reads of a result whose form is a text; `undefined` for no result. What is no text is written as JSON. */
export const textOfResult = (result: unknown): string | undefined => {
  if (!isRecord(result)) return undefined;
  const { llmContent = result } = result;
  return typeof llmContent === 'string' ? llmContent : JSON.stringify(llmContent);
};

/** What AfterTool hooks see of a result: the five documented members, the last three only where they are. */
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

/** A result with what hooks put in place of the members that they saw; the host's class and everything else of it stay. */
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

/** The result of a call after which the agent is to stop. */
const stoppedBy = (result: ToolResult & HookMarks, reason: string): ToolResult & HookMarks =>
  changed(result, { metadata: { ...result.metadata, stopExecution: true }, stopped: { reason } });

/** The result of a call that the caller itself ended while hooks were being asked. */
export const cancelledResult = (): ToolResult => refusalResult('cancelled', 'Tool call cancelled before it started');

/**
 * What the model and the user get in place of a result, or nothing when the decision is not against it. When hooks both
 * block and stop, both reasons are there.
 */
export const refusalOf = (decision: EventVerdict, note = ''): ToolResult | undefined => {
  if (!isAgainst(decision)) return undefined;
  const { verdict, reason, stopReason, refused, asked } = decision;
  if (asked?.parked !== undefined) return refusalResult('hook_parked', `Tool call not run: ${reason}`);
  const blocked = verdict === 'deny' ? [`Tool call blocked by hook: ${reason}${note}`] : [];
  const stopped = stopReason === undefined ? [] : [`Execution stopped by hook: ${stopReason}`];
  const type = verdict === 'stop' ? 'hook_stopped' : refused === true ? 'hook_refused' : 'hook_blocked';
  const result = refusalResult(type, [...blocked, ...stopped].join('\n\n'));
  return stopReason === undefined ? result : stoppedBy(result, stopReason);
};

/** A stop that another call met holds for this result too. */
export const withStopOf = ({ stopped }: HookMarks, result: ToolResult): ToolResult =>
  stopped === undefined ? result : stoppedBy(result, stopped.reason);

/** An unanswered question stays visible in the result. */
export const withQuestionOf = (result: ToolResult, ...decisions: readonly (EventVerdict | undefined)[]): ToolResult => {
  const asked = decisions.find((decision) => decision?.asked?.answered === false)?.asked;
  return asked === undefined ? result : changed(result, { asked });
};

/** What AfterTool hooks made of a tool's result. */
export interface AfterToolAnswer {
  readonly output: OutputOf<'AfterTool'>;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

/**
 * A result as the model, the user and the host get it. `earlier` are texts that were told before this answer and come
 * before its own. A result that nothing changes is handed back itself.
 */
export const applyAfterTool = (
  result: ToolResult,
  { output, messages, decision }: AfterToolAnswer,
  earlier: readonly string[] = [],
): ToolResult => {
  const withheld = refusalOf(decision, '\n\nThe tool has run; its result is withheld.');
  const told = tell(withheld ?? result, [...earlier, ...textsOf(output)]);
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
