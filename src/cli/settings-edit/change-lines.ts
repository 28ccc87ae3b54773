/** Describes the change of a settings file: as data and as a diff. */
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text, type TextLine } from '../rendering/text.ts';
import type { SettingsFileChange } from './change-file.ts';

export interface FileChangeData {
  readonly file: string;
  readonly changed: boolean;
  readonly becomes?: 'new' | 'gone';
  readonly diff: readonly DiffLine[];
}

type SuccessfulChange = Extract<SettingsFileChange, { readonly ok: true }>;

export const toChangeData = ({ file, before, after }: SuccessfulChange): FileChangeData => ({
  file,
  changed: before !== after,
  ...(before === undefined && after !== undefined ? { becomes: 'new' as const } : {}),
  ...(before !== undefined && after === undefined ? { becomes: 'gone' as const } : {}),
  diff: diffTexts(before ?? '', after ?? ''),
});

export const splitChanges = (altered: readonly SettingsFileChange[]) => ({
  changes: altered.flatMap((one) => (one.ok ? toChangeData(one) : [])),
  refused: altered.flatMap((one) => (one.ok ? [] : one.problem)),
});

const diffLineFormats = {
  same: (text: string): TextLine => ['    ', createSpan('dim', text)],
  gone: (text: string): TextLine => ['  ', createSpan('red', `- ${text}`)],
  new: (text: string): TextLine => ['  ', createSpan('green', `+ ${text}`)],
} satisfies Record<DiffLine['kind'], (text: string) => TextLine>;

export const formatDiffLines = (diff: readonly DiffLine[]): Text =>
  diff.map(({ kind, text }) => diffLineFormats[kind](text.replaceAll('\t', '  ')));

const titleEndings = { new: ', a new file', gone: ', which goes away' };

export const formatChange = ({ file, becomes, diff }: FileChangeData, cwd: string): Text => [
  [createSpan('bold', shortenPath(file, cwd)), becomes === undefined ? '' : titleEndings[becomes]],
  ...formatDiffLines(diff),
];

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

const DIFF_CONTEXT_LINES = 2;

const countCommonStart = (a: readonly string[], b: readonly string[]): number => {
  const length = Math.min(a.length, b.length);
  let count = 0;
  while (count < length && a[count] === b[count]) count += 1;
  return count;
};

/** A carriage return alone ends no line, because for a shell the text after it still belongs to a comment. */
const splitLines = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** Compares one range of lines, because hookwright changes a single part of a file. */
export const diffTexts = (before: string, after: string): DiffLine[] => {
  const old = splitLines(before);
  const now = splitLines(after);
  const start = countCommonStart(old, now);
  const end = countCommonStart(old.slice(start).reverse(), now.slice(start).reverse());
  const same = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind: 'same', text }));
  return [
    ...same(old.slice(Math.max(0, start - DIFF_CONTEXT_LINES), start)),
    ...old.slice(start, old.length - end).map((text) => ({ kind: 'gone', text }) as const),
    ...now.slice(start, now.length - end).map((text) => ({ kind: 'new', text }) as const),
    ...same(old.slice(old.length - end, old.length - end + DIFF_CONTEXT_LINES)),
  ];
};
