import type { Node } from 'jsonc-parser';
import { isRecord, visibleJson } from '../../kit/index.ts';

/** How the author of a settings file writes it, so that what is added looks like the rest. */
export interface TextStyle {
  readonly eol: string;
  /** What one level is set in by. */
  readonly indent: string;
}

const DEFAULT_INDENT = '  ';

const lineStart = (text: string, offset: number): number =>
  Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;

/** What stands in front of the first thing on a line. */
export const indentAt = (text: string, offset: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';

/** Whether nothing but blanks stands before it on its line. */
export const beginsLine = (text: string, offset: number): boolean =>
  /^[ \t]*$/.test(text.slice(lineStart(text, offset), offset));

export const styleOf = (text: string, root: Node): TextStyle => {
  const eol = /\r\n|\n|\r/.exec(text)?.[0] ?? '\n';
  const first = root.children?.[0];
  if (first === undefined || !beginsLine(text, first.offset)) return { eol, indent: DEFAULT_INDENT };
  const own = indentAt(text, first.offset);
  const outer = indentAt(text, root.offset);
  const indent = own.startsWith(outer) ? own.slice(outer.length) : own;
  return { eol, indent: indent === '' ? DEFAULT_INDENT : indent };
};

/** A value as JSON, with invisible characters escaped: names and answers of hooks come from other authors. */
export const jsonText = (value: unknown, indent?: string): string =>
  visibleJson(JSON.stringify(value, null, indent) ?? 'null');

/** A value as JSON in a row, with the blanks people put there. */
const inARow = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inARow).join(', ')}]`;
  if (!isRecord(value)) return jsonText(value);
  const members = Object.entries(value).map(([key, member]) => `${jsonText(key)}: ${inARow(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
};

/** A value as JSON: on lines set in by `outer`, or in a row when there is none. */
export const renderValue = (value: unknown, outer: string | undefined, { eol, indent }: TextStyle): string =>
  outer === undefined ? inARow(value) : jsonText(value, indent).replaceAll('\n', eol + outer);
