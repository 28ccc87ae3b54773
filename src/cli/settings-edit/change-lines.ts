import { styled, type Text, type TextLine } from '../rendering/text.ts';
import { shortPath } from '../sources/sessions.ts';
import type { Altered } from './alter-file.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';

/** A change as data. */
export interface SettingsFileEdit {
  readonly file: string;
  readonly changed: boolean;
  /** The file is made, or goes away. */
  readonly becomes?: 'new' | 'gone';
  readonly diff: readonly DiffLine[];
}

type Done = Extract<Altered, { readonly ok: true }>;

export const changeData = ({ file, before, after }: Done): SettingsFileEdit => ({
  file,
  changed: before !== after,
  ...(before === undefined && after !== undefined ? { becomes: 'new' as const } : {}),
  ...(before !== undefined && after === undefined ? { becomes: 'gone' as const } : {}),
  diff: lineDiff(before ?? '', after ?? ''),
});

const marks = {
  same: (text: string): TextLine => ['    ', styled('dim', text)],
  gone: (text: string): TextLine => ['  ', styled('red', `- ${text}`)],
  new: (text: string): TextLine => ['  ', styled('green', `+ ${text}`)],
} satisfies Record<DiffLine['kind'], (text: string) => TextLine>;

/** A comparison, line by line. */
export const diffLines = (diff: readonly DiffLine[]): Text =>
  diff.map(({ kind, text }) => marks[kind](text.replaceAll('\t', '  ')));

const endings = { new: ', a new file', gone: ', which goes away' };

/** Which file, and what of it is another now. */
export const changeText = ({ file, becomes, diff }: SettingsFileEdit, cwd: string): Text => [
  [styled('bold', shortPath(file, cwd)), becomes === undefined ? '' : endings[becomes]],
  ...diffLines(diff),
];
