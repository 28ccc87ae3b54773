// Summarizes inputs and outputs on one line for hooks, logs and people, without secrets.
import { isRecord, shorten } from '../../kit/index.ts';
import { foldKey, isSecretKey, secretPatterns } from '../../protocol/index.ts';

/** Paths and names can exceed this: they are never cut. */
export const MAX_SUMMARY = 2_000;

/** Longer than the longest path of any system; a longer value is text. */
const MAX_NAME = 4_096;

const REDACTED = '[redacted]';

/** Keys of values that identify the subject of a call. */
const nameWord =
  /(?:path|file|dir|directory|folder|cwd|name|id|key|url|uri|ref|branch|tag|target|source|destination|dest|from|to|service|environment|env|repo|repository|package|module|host|table)s?$/i;

/** `src/a.ts`, `..\\a`, `invoice.mjs`, `https://…` */
const looksLikePath = (text: string): boolean =>
  !text.includes('\n') && (/[/\\]/.test(text) || /^[\w-]*(?:\.[\w-]+)+$/.test(text));

const masked = (text: string): string => {
  let clear = text;
  for (const { pattern, keeps } of secretPatterns) {
    clear = clear.replace(pattern, (_whole, kept: unknown) =>
      keeps === true && typeof kept === 'string' ? `${kept}${REDACTED}` : REDACTED,
    );
  }
  return clear;
};

const onOneLine = (text: string): string => text.replaceAll('\n', '\\n');

interface Part {
  readonly text: string;
  readonly isName: boolean;
}

const partOf = (path: string, key: string, value: unknown): Part => {
  const label = path === '' ? '' : `${path}=`;
  if (key !== '' && isSecretKey(foldKey(key))) return { text: `${label}${REDACTED}`, isName: false };
  if (typeof value !== 'string') return { text: `${label}${JSON.stringify(value)}`, isName: false };
  const clear = masked(value);
  const isName = value.length <= MAX_NAME && (nameWord.test(key) || looksLikePath(value));
  // A path is kept exactly; in text, line breaks do not matter.
  const plain = isName ? onOneLine(clear) : clear.trim().replace(/\s+/g, ' ');
  return { text: path !== '' && /\s|^$/.test(plain) ? `${label}"${plain}"` : `${label}${plain}`, isName };
};

const partsOf = (value: unknown, path = '', key = ''): Part[] => {
  if (Array.isArray(value)) return value.flatMap((one, index) => partsOf(one, `${path}[${index}]`, key));
  if (!isRecord(value)) return [partOf(path, key, value)];
  const before = path === '' ? '' : `${path}.`;
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return [];
    const way = `${before}${name}`;
    // A key can be a path, with the file's content as the value.
    const isPath = looksLikePath(name) && name.length <= MAX_NAME;
    const named = isPath ? [{ text: onOneLine(masked(way)), isName: true }] : [];
    return [...named, ...partsOf(member, way, name)];
  });
};

const joined = (parts: readonly Part[]): string => parts.map(({ text }) => text).join(' ');

const MARK = 40;

/**
 * One line that a script can search and a person can read: `path=config/prod/app.yml text="…"`. Paths and names come
 * first and are never cut; a cut ends with a mark; secrets are masked.
 */
export const summarize = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const parts = partsOf(value);
  const names = joined(parts.filter(({ isName }) => isName));
  const others = joined(parts.filter(({ isName }) => !isName));
  if (names === '' || others === '') return names === '' ? fitting(others, MAX_SUMMARY) : names;
  return `${names} ${fitting(others, MAX_SUMMARY - names.length - 1)}`;
};

const fitting = (text: string, room: number): string =>
  text.length <= room ? text : shorten(text, Math.max(0, room - MARK));

/** The input members of a hook's context; absent without an input. */
export const inputOf = (input: unknown): { input_summary?: string; input?: unknown } => {
  const input_summary = summarize(input);
  return input_summary === undefined ? {} : { input_summary, input };
};

/** Like `inputOf`, with the names that guards use. */
export const argsOf = (args: unknown): { args_summary?: string; args?: unknown } => {
  const args_summary = summarize(args);
  return args_summary === undefined ? {} : { args_summary, args };
};
