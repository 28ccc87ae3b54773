import { resolve } from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { describeValue, isRecord, parseJson } from '../../kit/index.ts';
import { readRegular } from '../../kit/node.ts';
import type { Context } from '../context.ts';
import { leadsOut, shortPath } from '../sources/sessions.ts';
import { UsageError } from '../usage-error.ts';

/** What each code of the parser means, for a person. */
const words = (code: string): string => code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

const SHOWN = 60;

/** The line with the mistake and a mark below it. */
const pointAt = (text: string, offset: number): { place: string; picture: string } => {
  const before = text.slice(0, offset).split('\n');
  const column = (before.at(-1) ?? '').length;
  const line = text.split('\n')[before.length - 1] ?? '';
  const from = Math.max(0, column - SHOWN / 2);
  const picture = `  ${line.slice(from, from + SHOWN)}\n  ${' '.repeat(column - from)}^`;
  return { place: `${before.length}:${column + 1}`, picture };
};

/** A file name without `@` is no JSON at all. */
const looksLikeFile = (text: string): boolean => /^[\w./~-]*[./]?[\w-]+\.\w+$/.test(text);

const whyNotJson = async (what: string, text: string, message: string): Promise<UsageError> => {
  if (looksLikeFile(text)) return new UsageError(`${what} is not JSON: ${text}`, `to read a file: ${what} @${text}`);
  const { parse, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return new UsageError(`${what} is not JSON: ${message}`);
  const { place, picture } = pointAt(text, first.offset);
  return new UsageError(`${what}:${place} is not JSON: ${words(printParseErrorCode(first.error))}\n${picture}`);
};

/** A larger input than this is none: an agent that hands such a thing to a hook would be out of memory itself. */
const MAX_BYTES = 64 * 2 ** 20;

const NOT_REGULAR = 'is not a regular file';

/** What is wrong with a named file, if anything: another author may have put it there. */
const textIn = async (cwd: string, file: string): Promise<{ text: string } | { trouble: string; fix?: string }> => {
  const path = resolve(cwd, file);
  const target = leadsOut(cwd, path);
  if (target !== undefined)
    return { trouble: `leads out of this directory, to ${shortPath(target, cwd)}`, fix: 'name that file directly' };
  const found = readRegular(path, { maxBytes: MAX_BYTES });
  if ('missing' in found) return { trouble: 'does not exist' };
  if ('bytes' in found) return { text: found.bytes.toString('utf8') };
  const isOther = found.trouble.startsWith(NOT_REGULAR);
  return isOther ? { trouble: NOT_REGULAR, fix: 'a pipe can be read with -' } : found;
};

const readGiven = async (what: string, given: string, context: Context): Promise<{ name: string; text: string }> => {
  if (given === '-') return { name: 'stdin', text: await context.readStdin(MAX_BYTES) };
  if (!given.startsWith('@')) return { name: what, text: given };
  const file = given.slice(1);
  const read = await textIn(context.cwd, file);
  if ('text' in read) return { name: file, text: read.text };
  throw new UsageError(`${what}: ${file} ${read.trouble}`, read.fix);
};

/** A JSON object from the command line, a file (`@file`) or stdin (`-`). Says where a mistake is. */
export const readJsonObject = async (
  what: string,
  wish: string,
  context: Context,
): Promise<Record<string, unknown>> => {
  const { name, text: given } = await readGiven(what, wish, context);
  const text = given.trimEnd();
  if (text === '') {
    throw new UsageError(
      `${name} is empty; a JSON object was expected`,
      'hookwright events BeforeTool --stdin prints an example',
    );
  }
  const read = parseJson(text);
  if (!read.ok) throw await whyNotJson(name, text, read.message);
  if (isRecord(read.value)) return read.value;
  throw new UsageError(`${name} must be a JSON object, found ${describeValue(read.value)}`);
};
