/** Reads results of tools, and builds those that hooks changed or refused. */
import type { DefaultHookOutput, OutputOf } from '../events/index.ts';
import { isRecord } from '../kit/index.ts';
import { copyWithPrototype } from '../models/index.ts';
import { toPlainError, toPlainJson } from './plain-json.ts';
import { type Asked, type EventVerdict, isBlockedOrParked } from './verdict.ts';

/** The result of a tool. Further members stay unchanged. */
export interface ToolResult {
  /** For the model: a text, a part, or a list of both. */
  llmContent?: unknown;
  /** For the user. */
  returnDisplay?: unknown;
  metadata?: Record<string, unknown> | undefined;
  /** The result as data, as tools of MCP servers return it. */
  structuredContent?: unknown;
  error?: { message: string; type?: string | undefined } | undefined;
  /** Show the result to the model, not to the user. */
  suppressDisplay?: boolean | undefined;
}

/** The prefix lets the model distinguish a hook's text from words of a tool or a user. */
export const formatSystemText = (message: string): string => `[System] ${message}`;

/** Added to a tool's result if hooks decided something. */
export interface HookMarks {
  /** A hook ended the agent's work. Do not call the model again. */
  stopped?: { readonly reason: string };
  asked?: Asked;
}

export const isNotBlank = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

export const listModelTexts = (output: DefaultHookOutput | undefined): readonly string[] => {
  if (output === undefined) return [];
  const context = output.getAdditionalContext();
  const { systemMessage } = output;
  return [
    ...(isNotBlank(context) ? [context] : []),
    ...(isNotBlank(systemMessage) ? [formatSystemText(systemMessage)] : []),
  ];
};

const appendText = (content: unknown, text: string): unknown => {
  if (content === undefined || content === null || content === '') return text;
  if (typeof content !== 'object') return `${String(content)}\n\n${text}`;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const asText = parts.every((part) => typeof part === 'string');
  return [...parts, asText ? `\n\n${text}` : { text: `\n\n${text}` }];
};

const copyWithMembers = <Result extends ToolResult>(
  result: Result,
  changes: ToolResult & HookMarks,
): Result & HookMarks => Object.assign(copyWithPrototype(result), changes);

export const appendTextsToResult = (result: ToolResult, texts: readonly string[]): ToolResult =>
  texts.length === 0 ? result : copyWithMembers(result, { llmContent: texts.reduce(appendText, result.llmContent) });

export const readToolResult = (returned: unknown): ToolResult =>
  isRecord(returned) ? returned : { llmContent: returned };

export const readResultText = (result: unknown): string | undefined => {
  if (!isRecord(result)) return undefined;
  const { llmContent = result } = result;
  return typeof llmContent === 'string' ? llmContent : JSON.stringify(llmContent);
};

export const toToolResponse = ({
  llmContent,
  returnDisplay,
  metadata,
  structuredContent,
  error,
}: ToolResult): Record<string, unknown> => {
  const problem: unknown = error;
  return {
    llmContent: toPlainJson(llmContent),
    returnDisplay: toPlainJson(returnDisplay),
    ...(metadata == null ? {} : { metadata: toPlainJson(metadata) }),
    ...(structuredContent == null ? {} : { structuredContent: toPlainJson(structuredContent) }),
    ...(problem == null
      ? {}
      : { error: toPlainJson(isRecord(problem) ? toPlainError(problem) : { message: problem }) }),
  };
};

/** Keeps the class of the host's object and the members that hooks do not see. */
export const withResponse = (result: ToolResult, response: Readonly<Record<string, unknown>>): ToolResult => {
  const copy = copyWithPrototype(result);
  for (const member of ['llmContent', 'returnDisplay', 'metadata', 'structuredContent', 'error'] as const)
    delete copy[member];
  return Object.assign(copy, response);
};

type RefusalType = 'hook_blocked' | 'hook_stopped' | 'hook_refused' | 'hook_parked' | 'cancelled';

const createRefusalResult = (type: RefusalType, text: string): ToolResult => ({
  llmContent: text,
  returnDisplay: text,
  error: { message: text, type },
});

export const withStopReason = (result: ToolResult & HookMarks, reason: string): ToolResult & HookMarks =>
  copyWithMembers(result, { metadata: { ...result.metadata, stopExecution: true }, stopped: { reason } });

export const createCancelledResult = (): ToolResult =>
  createRefusalResult('cancelled', 'Tool call cancelled before it started');

export const createVerdictRefusal = (decision: EventVerdict, note = ''): ToolResult | undefined => {
  if (!isBlockedOrParked(decision)) return undefined;
  const { verdict, reason, stopReason, refused, asked } = decision;
  if (asked?.parked !== undefined) return createRefusalResult('hook_parked', `Tool call not run: ${reason}`);
  const blocked = verdict === 'deny' ? [`Tool call blocked by hook: ${reason}${note}`] : [];
  const stopped = stopReason === undefined ? [] : [`Execution stopped by hook: ${stopReason}`];
  const type = verdict === 'stop' ? 'hook_stopped' : refused === true ? 'hook_refused' : 'hook_blocked';
  const result = createRefusalResult(type, [...blocked, ...stopped].join('\n\n'));
  return stopReason === undefined ? result : withStopReason(result, stopReason);
};

export const withQuestion = (result: ToolResult, ...decisions: readonly (EventVerdict | undefined)[]): ToolResult => {
  const asked = decisions.find((decision) => decision?.asked?.answered === false)?.asked;
  return asked === undefined ? result : copyWithMembers(result, { asked });
};

export interface AfterToolAnswer {
  readonly output: OutputOf<'AfterTool'>;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

export const applyAfterTool = (
  result: ToolResult,
  { output, messages, decision }: AfterToolAnswer,
  earlier: readonly string[] = [],
): ToolResult => {
  const withheld = createVerdictRefusal(decision, '\n\nThe tool has run; its result is withheld.');
  const extended = appendTextsToResult(withheld ?? result, [...earlier, ...listModelTexts(output)]);
  const { hookMessages, hookData } = extended.metadata ?? {};
  const metadata = {
    ...(messages.length === 0
      ? {}
      : { hookMessages: [...messages, ...(Array.isArray(hookMessages) ? hookMessages : [])] }),
    ...(output.hookSpecificOutput === undefined
      ? {}
      : { hookData: { ...output.hookSpecificOutput, ...(isRecord(hookData) ? hookData : {}) } }),
  };
  const changes: ToolResult = {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata: { ...extended.metadata, ...metadata } }),
    ...(output.suppressOutput === true ? { suppressDisplay: true } : {}),
  };
  return Object.keys(changes).length === 0 ? extended : copyWithMembers(extended, changes);
};
