// Summarizes inputs and outputs on one line for hooks, logs and people, without secrets.
import { appendToPath, isRecord, shorten } from '../../kit/index.ts';
import { foldKeySpelling, isSecretKey, secretPatterns } from '../../protocol/index.ts';

export const MAX_SUMMARY_LENGTH = 2_000;

/** No system has longer paths, so a longer value is text. */
const MAX_PATH_LENGTH = 4_096;

const REDACTED_TEXT = '[redacted]';

const NAME_KEY_PATTERN =
  /(?:path|file|dir|directory|folder|cwd|name|id|key|url|uri|ref|branch|tag|target|source|destination|dest|from|to|service|environment|env|repo|repository|package|module|host|table)s?$/i;

/** Accepts `src/a.ts`, `..\\a`, `invoice.mjs`, `https://…`. */
const looksLikePath = (text: string): boolean =>
  !text.includes('\n') && (/[/\\]/.test(text) || /^[\w-]*(?:\.[\w-]+)+$/.test(text));

const maskSecrets = (text: string): string => {
  let clear = text;
  for (const { pattern, keeps } of secretPatterns) {
    clear = clear.replace(pattern, (_whole, kept: unknown) =>
      keeps === true && typeof kept === 'string' ? `${kept}${REDACTED_TEXT}` : REDACTED_TEXT,
    );
  }
  return clear;
};

const escapeLineBreaks = (text: string): string => text.replaceAll('\n', '\\n');

interface SummaryPart {
  readonly text: string;
  readonly isName: boolean;
}

const createPart = (path: string, key: string, value: unknown): SummaryPart => {
  const label = path === '' ? '' : `${path}=`;
  if (key !== '' && isSecretKey(foldKeySpelling(key))) return { text: `${label}${REDACTED_TEXT}`, isName: false };
  if (typeof value !== 'string') return { text: `${label}${JSON.stringify(value)}`, isName: false };
  const clear = maskSecrets(value);
  const isName = value.length <= MAX_PATH_LENGTH && (NAME_KEY_PATTERN.test(key) || looksLikePath(value));
  // A path is kept exactly; in text, line breaks do not matter.
  const plain = isName ? escapeLineBreaks(clear) : clear.trim().replace(/\s+/g, ' ');
  return { text: path !== '' && /\s|^$/.test(plain) ? `${label}"${plain}"` : `${label}${plain}`, isName };
};

const collectParts = (value: unknown, path = '', key = ''): SummaryPart[] => {
  if (Array.isArray(value)) return value.flatMap((one, index) => collectParts(one, appendToPath(path, index), key));
  if (!isRecord(value)) return [createPart(path, key, value)];
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return [];
    const memberPath = appendToPath(path, name);
    // A key can be a path, with the file's content as the value.
    const isPath = looksLikePath(name) && name.length <= MAX_PATH_LENGTH;
    const named = isPath ? [{ text: escapeLineBreaks(maskSecrets(memberPath)), isName: true }] : [];
    return [...named, ...collectParts(member, memberPath, name)];
  });
};

const joinParts = (parts: readonly SummaryPart[]): string => parts.map(({ text }) => text).join(' ');

const CUT_NOTE_LENGTH = 40;

/** Returns a line such as `path=config/prod/app.yml text="…"`. Paths and names come first and are never cut. */
export const summarize = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const parts = collectParts(value);
  const names = joinParts(parts.filter(({ isName }) => isName));
  const others = joinParts(parts.filter(({ isName }) => !isName));
  if (names === '' || others === '') return names === '' ? cutToFit(others, MAX_SUMMARY_LENGTH) : names;
  return `${names} ${cutToFit(others, MAX_SUMMARY_LENGTH - names.length - 1)}`;
};

const cutToFit = (text: string, room: number): string =>
  text.length <= room ? text : shorten(text, Math.max(0, room - CUT_NOTE_LENGTH));

export const toInputMembers = (input: unknown): { input_summary?: string; input?: unknown } => {
  const input_summary = summarize(input);
  return input_summary === undefined ? {} : { input_summary, input };
};

export const toArgsMembers = (args: unknown): { args_summary?: string; args?: unknown } => {
  const args_summary = summarize(args);
  return args_summary === undefined ? {} : { args_summary, args };
};
