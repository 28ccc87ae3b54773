import * as z from 'zod/mini';
import { isRecord, once } from '../kit/index.ts';
import type { TranslatableRequest, TranslatableResponse } from '../translator/index.ts';

/** What the payloads of several events have in common: fields, and what matchers compare with. */

export type Json = Record<string, unknown>;

export const object = () => z.custom<Json>(isRecord, 'expected an object');
export const requestObject = () => z.custom<TranslatableRequest>(isRecord, 'expected a model request');
export const responseObject = () => z.custom<TranslatableResponse>(isRecord, 'expected a model response');

export const toolFields = once(() => ({
  tool_name: z.string().check(z.minLength(1)),
  tool_input: object(),
  /** Which MCP server the tool belongs to, where it does. */
  mcp_context: z.optional(object()),
  /** The tool first asked for, when this call continues another. */
  original_request_name: z.optional(z.string()),
  /** By which the agent and its model know this call. */
  tool_use_id: z.optional(z.string()),
}));

export const mcpFields = (mcpContext?: Json, originalName?: string) => ({
  ...(mcpContext === undefined ? {} : { mcp_context: mcpContext }),
  ...(originalName === undefined ? {} : { original_request_name: originalName }),
});

/** One of a closed set of words; the case in which a host writes it does not matter. */
export const word = <Word extends string>(words: Readonly<Record<string, Word>>) => {
  const known: readonly string[] = Object.values(words);
  const isWord = (value: unknown): boolean => typeof value === 'string' && known.includes(value.toLowerCase());
  return z.custom<Word>(isWord, `expected one of ${known.join(', ')}`);
};

export const toolSubject = {
  from: 'toolName',
  compare: 'pattern',
  field: 'tool_name',
  of: (payload: { tool_name: string }) => payload.tool_name,
} as const;

/** One of a closed set of words, compared as a whole. */
export const wordSubject = <Field extends string>(field: Field, words: Readonly<Record<string, string>>) => ({
  from: 'trigger' as const,
  compare: 'exact' as const,
  field,
  words: Object.values(words),
  of: (payload: Readonly<Record<Field, string>>) => payload[field],
});

/** A name that the host gives, compared as a whole. */
export const textSubject = <Field extends string>(field: Field) => ({
  from: 'trigger' as const,
  compare: 'exact' as const,
  field,
  of: (payload: Readonly<Record<Field, string>>) => payload[field],
});
