/** Reads `--tool` and `--input`: the payload of an event from the command line, a file or stdin. */
import { resolve } from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { catalogue, type HookEventName, hookEventNames, isHookEventName, type PayloadOf } from '../../events/index.ts';
import { describeValue, findNearestName, isRecord, parseJson, withoutByteOrderMark } from '../../kit/index.ts';
import { readRegularFile } from '../../kit/node.ts';
import type { Context } from '../context.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { findTargetOutside } from '../sources/sessions.ts';
import { UsageError } from '../usage-error.ts';
import { isToolEvent } from './events.ts';

export interface PayloadFlagValues {
  readonly tool: string | undefined;
  readonly input: string | undefined;
}

export const readPayloadFields = async (
  eventName: string | undefined,
  { tool, input }: PayloadFlagValues,
  context: Context,
): Promise<Record<string, unknown>> => {
  const fields = input === undefined ? {} : await readJsonObject('--input', input, context);
  if (tool === undefined) return fields;
  if (isHookEventName(eventName) && !isToolEvent(eventName))
    throw new UsageError(`--tool cannot be used with ${eventName}, which has no tool`);
  if (fields.tool_name !== undefined && fields.tool_name !== tool) {
    throw new UsageError(`--tool is ${tool}, but tool_name in --input is ${JSON.stringify(fields.tool_name)}`);
  }
  return { ...fields, tool_name: tool };
};

export const findMisplacedFields = (eventName: HookEventName, fields: Readonly<Record<string, unknown>>): string[] =>
  !isToolEvent(eventName) || fields.tool_input !== undefined
    ? []
    : Object.keys(fields).filter((key) => !Object.hasOwn(catalogue[eventName].sample, key));

const describeTypos = (keys: readonly string[], known: readonly string[]): string[] =>
  keys.flatMap((key) => {
    const near = findNearestName(key, known);
    return near === undefined ? [] : [`${JSON.stringify(key)}; did you mean ${JSON.stringify(near)}?`];
  });

/** Finds probable misspellings of fields that are not given. Those get placeholder values, which would hide the typo. */
export const findMisspelledFields = (
  eventName: HookEventName,
  fields: Readonly<Record<string, unknown>>,
): readonly string[] => {
  const known = Object.keys(catalogue[eventName].sample);
  const unknown = Object.keys(fields).filter((key) => !known.includes(key));
  return describeTypos(
    unknown,
    known.filter((key) => fields[key] === undefined),
  );
};

const refuseMisplacedFields = (eventName: HookEventName, fields: Readonly<Record<string, unknown>>): void => {
  const misplaced = findMisplacedFields(eventName, fields);
  if (misplaced.length === 0) return;
  const known = Object.keys(catalogue[eventName].sample);
  const typos = describeTypos(misplaced, known);
  if (typos.length > 0) {
    throw new UsageError(
      `--input has a field that ${eventName} does not have: ${typos.join(' ')}`,
      `fields of ${eventName}: ${known.join(', ')}; those of the tool belong in tool_input`,
    );
  }
  const wrapped = Object.fromEntries(misplaced.map((key) => [key, fields[key]]));
  throw new UsageError(
    `--input has no tool_input, but ${misplaced.join(', ')}, which ${eventName} does not have`,
    `for tool arguments write --input '${JSON.stringify({ tool_input: wrapped })}'`,
  );
};

export const readPayload = <E extends HookEventName>(eventName: E, fields: Readonly<Record<string, unknown>>) => {
  const sample: object = catalogue[eventName].sample;
  return catalogue[eventName].read({ ...sample, ...fields });
};

export const completePayload = async <E extends HookEventName>(
  eventName: E,
  given: PayloadFlagValues,
  context: Context,
): Promise<{ readonly payload: PayloadOf<E>; readonly filled: readonly string[] }> => {
  const fields = await readPayloadFields(eventName, given, context);
  refuseMisplacedFields(eventName, fields);
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

const findSubject = (fields: Readonly<Record<string, unknown>>, from: 'toolName' | 'trigger'): string | undefined => {
  const subjects = hookEventNames.map((name) => catalogue[name].subject);
  const found = subjects.map((subject) => (subject?.from === from ? fields[subject.field] : undefined));
  return found.find((value) => typeof value === 'string');
};

export const toMatcherContext = (fields: Readonly<Record<string, unknown>>, trigger: string | undefined) => ({
  toolName: findSubject(fields, 'toolName'),
  trigger: trigger ?? findSubject(fields, 'trigger'),
});

const toWords = (code: string): string => code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

const MAX_EXCERPT_WIDTH = 60;

const describePosition = (text: string, offset: number): { location: string; picture: string } => {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = text.split('\n')[before.length - 1] ?? '';
  const from = Math.max(0, column - MAX_EXCERPT_WIDTH / 2);
  const picture = `  ${line.slice(from, from + MAX_EXCERPT_WIDTH)}\n  ${' '.repeat(column - from)}^`;
  return { location: `${before.length}:${column + 1}`, picture };
};

const looksLikeFile = (text: string): boolean => /^[\w./~-]*[./]?[\w-]+\.\w+$/.test(text);

const createJsonError = async (what: string, text: string, message: string): Promise<UsageError> => {
  if (looksLikeFile(text)) return new UsageError(`${what} is not JSON: ${text}`, `to read a file: ${what} @${text}`);
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return new UsageError(`${what} is not JSON: ${message}`);
  const { location, picture } = describePosition(text, first.offset);
  return new UsageError(`${what}:${location} is not JSON: ${toWords(printParseErrorCode(first.error))}\n${picture}`);
};

const MAX_INPUT_BYTES = 64 * 2 ** 20;

const NOT_REGULAR_TROUBLE = 'is not a regular file';

/** A link that leads out of the directory is refused, because another author may have made it. */
const readText = async (cwd: string, file: string): Promise<{ text: string } | { trouble: string; fix?: string }> => {
  const path = resolve(cwd, file);
  const target = findTargetOutside(cwd, path);
  if (target !== undefined)
    return { trouble: `leads out of this directory, to ${shortenPath(target, cwd)}`, fix: 'name that file directly' };
  const found = readRegularFile(path, { maxBytes: MAX_INPUT_BYTES });
  if ('missing' in found) return { trouble: 'does not exist' };
  if ('bytes' in found) return { text: found.bytes.toString('utf8') };
  const isOther = found.trouble.startsWith(NOT_REGULAR_TROUBLE);
  return isOther ? { trouble: NOT_REGULAR_TROUBLE, fix: 'a pipe can be read with -' } : found;
};

const readValue = async (what: string, given: string, context: Context): Promise<{ name: string; text: string }> => {
  if (given === '-') return { name: 'stdin', text: await context.readStdin(MAX_INPUT_BYTES) };
  if (!given.startsWith('@')) return { name: what, text: given };
  const file = given.slice(1);
  const read = await readText(context.cwd, file);
  if ('text' in read) return { name: file, text: read.text };
  throw new UsageError(`${what}: ${file} ${read.trouble}`, read.fix);
};

export const readJsonObject = async (
  what: string,
  wish: string,
  context: Context,
): Promise<Record<string, unknown>> => {
  const { name, text: given } = await readValue(what, wish, context);
  const text = withoutByteOrderMark(given).trimEnd();
  if (text === '') {
    throw new UsageError(
      `${name} is empty; a JSON object was expected`,
      'hookwright events BeforeTool --stdin prints an example',
    );
  }
  const read = parseJson(text);
  if (!read.ok) throw await createJsonError(name, text, read.message);
  if (isRecord(read.value)) return read.value;
  throw new UsageError(`${name} must be a JSON object, found ${describeValue(read.value)}`);
};
