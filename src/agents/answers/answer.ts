// The form of a hook's answer that all agents share (`Answer`): creates and parses it, and converts it to and from
// hookwright's `HookOutput`. The format of each agent is in its pack.
import { isRecord, omitUndefined, parseJson, textOf } from '../../kit/index.ts';
import type { Answer, Said } from '../../merging/index.ts';
import type { AgentHookResult, HookOutput } from '../../protocol/index.ts';
import type { JsonObject } from '../rule-types.ts';

export type { Answer, Said } from '../../merging/index.ts';

export type Ended = AgentHookResult;

export const createAnswer = (what: Said, ...swallowed: string[]): Answer =>
  Object.values(what).every((value) => value === undefined) ? { swallowed } : { said: what, swallowed };

export const isBlocking = ({ said }: Answer): boolean => said?.decision === 'deny' || said?.stop !== undefined;

export const createFailedAnswer = (why: string, ...swallowed: string[]): Answer => ({ failed: why, swallowed });

export const dropIfEmpty = <Members extends object>(members: Members): Members | undefined =>
  Object.keys(members).length === 0 ? undefined : members;

export const toOutput = (
  { decision, reason, stop, context, message, suppressOutput, specific }: Said,
  toolInput?: JsonObject,
): HookOutput =>
  omitUndefined({
    decision,
    reason,
    ...(stop === undefined ? {} : { continue: false, stopReason: stop.reason === '' ? undefined : stop.reason }),
    systemMessage: message,
    suppressOutput,
    hookSpecificOutput: dropIfEmpty(omitUndefined({ ...specific, additionalContext: context, tool_input: toolInput })),
  });

export const toSaid = (output: HookOutput): Said => {
  const { additionalContext, tool_input: toolInput, ...specific } = output.hookSpecificOutput ?? {};
  const { decision } = output;
  return {
    decision: decision === 'block' ? 'deny' : decision === 'approve' ? 'allow' : decision,
    reason: output.reason,
    stop: output.continue === false ? { reason: output.stopReason ?? '' } : undefined,
    context: additionalContext,
    message: output.systemMessage,
    suppressOutput: output.suppressOutput,
    toolInput,
    specific: dropIfEmpty(specific),
  };
};

/** The first text that is not blank, without blanks around it. */
export const readNonBlank = (...values: readonly unknown[]): string | undefined =>
  values.map((value) => textOf(value)?.trim()).find((text) => text !== undefined && text !== '');

export const readObject = (value: unknown): JsonObject | undefined => (isRecord(value) ? value : undefined);

export const readSpecificOutput = (document: JsonObject): JsonObject => readObject(document.hookSpecificOutput) ?? {};

const parseText = (text: string): unknown => {
  const parsed = parseJson(text.trim());
  return parsed.ok ? parsed.value : undefined;
};

export const parseDocument = (text: string): JsonObject | undefined => readObject(parseText(text));

export const parseWrappedText = (text: string): unknown => {
  const value = parseText(text);
  return typeof value === 'string' ? parseText(value) : value;
};

export const parseIfJsonObject = (value: unknown): unknown => parseDocument(textOf(value) ?? '') ?? value;

export const findUnknownKeys = (document: JsonObject, known: readonly string[]): string[] =>
  Object.keys(document).filter((key) => !known.includes(key));

const typeChecks: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  object: isRecord,
  list: Array.isArray,
  number: (value) => typeof value === 'number',
};

/** Member → its type or its possible values. */
export type AnswerForm = Readonly<Record<string, string | readonly string[]>>;

export const findFormMismatch = (document: JsonObject, form: AnswerForm): string | undefined => {
  for (const [key, expected] of Object.entries(form)) {
    const value = document[key];
    if (value === undefined || value === null) continue;
    if (typeof expected !== 'string') {
      if (!expected.some((word) => word === value)) return `"${key}" must be one of ${expected.join(', ')}`;
    } else if (typeChecks[expected]?.(value) === false) return `"${key}" must be a ${expected}`;
  }
  return undefined;
};

export const readWholeNumber = (text: unknown): number | undefined => {
  const value = typeof text === 'string' && text.trim() !== '' ? Number(text) : text;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
};
