import { catalogue, type HookEventName, hookEventNames, isHookEventName, type PayloadOf } from '../../events/index.ts';
import { nearest } from '../../kit/index.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';
import { isAboutTools } from './events.ts';
import { readJsonObject } from './json-input.ts';

export interface GivenPayload {
  readonly tool: string | undefined;
  readonly input: string | undefined;
}

/** The fields that were given: those of `--input`, and the tool. Without an event they may be for any. */
export const givenFields = async (
  eventName: string | undefined,
  { tool, input }: GivenPayload,
  context: Context,
): Promise<Record<string, unknown>> => {
  const fields = input === undefined ? {} : await readJsonObject('--input', input, context);
  if (tool === undefined) return fields;
  if (isHookEventName(eventName) && !isAboutTools(eventName))
    throw new UsageError(`--tool cannot be used with ${eventName}, which has no tool`);
  if (fields.tool_name !== undefined && fields.tool_name !== tool) {
    throw new UsageError(`--tool is ${tool}, but tool_name in --input is ${JSON.stringify(fields.tool_name)}`);
  }
  return { ...fields, tool_name: tool };
};

/** Fields a tool event does not have, given in place of `tool_input`: they were probably meant for the tool itself. */
export const misplacedFields = (eventName: HookEventName, fields: Readonly<Record<string, unknown>>): string[] =>
  !isAboutTools(eventName) || fields.tool_input !== undefined
    ? []
    : Object.keys(fields).filter((key) => !Object.hasOwn(catalogue[eventName].sample, key));

const checkMeant = (eventName: HookEventName, fields: Readonly<Record<string, unknown>>): void => {
  const strangers = misplacedFields(eventName, fields);
  if (strangers.length === 0) return;
  const meant = strangers.flatMap((key) => {
    const near = nearest(key, Object.keys(catalogue[eventName].sample));
    return near === undefined ? [] : [{ key, near }];
  });
  if (meant.length > 0) {
    const each = meant.map(({ key, near }) => `${JSON.stringify(key)}; did you mean ${JSON.stringify(near)}?`);
    throw new UsageError(
      `--input has a field that ${eventName} does not have: ${each.join(' ')}`,
      `fields of ${eventName}: ${Object.keys(catalogue[eventName].sample).join(', ')}; those of the tool belong in tool_input`,
    );
  }
  const wrapped = Object.fromEntries(strangers.map((key) => [key, fields[key]]));
  throw new UsageError(
    `--input has no tool_input, but ${strangers.join(', ')}, which ${eventName} does not have`,
    `for tool arguments write --input '${JSON.stringify({ tool_input: wrapped })}'`,
  );
};

/** Reads fields as the payload of an event, with plain values for those that were not given. */
export const readPayload = <E extends HookEventName>(eventName: E, fields: Readonly<Record<string, unknown>>) => {
  const sample: object = catalogue[eventName].sample;
  return catalogue[eventName].read({ ...sample, ...fields });
};

export interface CompletePayload<E extends HookEventName> {
  readonly payload: PayloadOf<E>;
  /** Which fields were not given and have a plain value. */
  readonly filled: readonly string[];
}

/** A payload that can be fired: what was given, and plain values for the rest. */
export const completePayload = async <E extends HookEventName>(
  eventName: E,
  given: GivenPayload,
  context: Context,
): Promise<CompletePayload<E>> => {
  const fields = await givenFields(eventName, given, context);
  checkMeant(eventName, fields);
  const sample: object = catalogue[eventName].sample;
  const filled = Object.keys(sample).filter((key) => fields[key] === undefined);
  const read = readPayload(eventName, fields);
  if (!read.ok) {
    throw new UsageError(
      `--input does not fit ${eventName}: ${read.message.replaceAll('payload.', '')}`,
      `hookwright events ${eventName} shows its fields`,
    );
  }
  return { payload: read.payload, filled };
};

/** What was given in a field that matchers of some event are compared with; which fields these are says the catalogue. */
const subjectIn = (fields: Readonly<Record<string, unknown>>, from: 'toolName' | 'trigger'): string | undefined => {
  const subjects = hookEventNames.map((name) => catalogue[name].subject);
  const found = subjects.map((subject) => (subject?.from === from ? fields[subject.field] : undefined));
  return found.find((value) => typeof value === 'string');
};

/** What matchers are compared with, as far as it was given. */
export const contextOf = (fields: Readonly<Record<string, unknown>>, trigger: string | undefined) => ({
  toolName: subjectIn(fields, 'toolName'),
  trigger: trigger ?? subjectIn(fields, 'trigger'),
});
