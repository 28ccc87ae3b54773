import { isRecord } from '../protocol/json.ts';

/** What a tool gives back. Hosts have richer types of their own; only these members are looked at. */
export interface ToolResult {
  /** For the model: a text, a part, or a list of both. */
  llmContent?: unknown;
  /** For the user. */
  returnDisplay?: unknown;
  metadata?: Record<string, unknown> | undefined;
  error?: { message: string; type?: string | undefined } | undefined;
  /** The result goes to the model but is not shown. */
  suppressDisplay?: boolean | undefined;
}

const SYSTEM_MARKER = '[System] ';

/** A text from a hook for the model, told apart from the tool's own words. */
export const systemText = (message: string): string => `${SYSTEM_MARKER}${message}`;

/** Appends a text after a blank line, whatever form the content has. */
export const appendText = (content: unknown, text: string): unknown => {
  if (content === undefined || content === null || content === '') return text;
  if (typeof content === 'string') return `${content}\n\n${text}`;
  const parts: unknown[] = Array.isArray(content) ? content : [content];
  const asText = parts.every((part) => typeof part === 'string');
  return [...parts, asText ? `\n\n${text}` : { text: `\n\n${text}` }];
};

/** What AfterTool hooks see of a result: the four documented members, the last two only where they are. */
export const toolResponseOf = (result: ToolResult): Record<string, unknown> => ({
  llmContent: result.llmContent,
  returnDisplay: result.returnDisplay,
  ...(result.metadata === undefined ? {} : { metadata: result.metadata }),
  ...(isRecord(result.error) ? { error: { ...result.error, message: result.error.message } } : {}),
});
