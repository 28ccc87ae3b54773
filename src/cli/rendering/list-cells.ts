import type { HookRow } from '../../protocol/index.ts';
import type { Cell, Column } from './layout.ts';
import { shownPlace } from './problem-lines.ts';
import { styled } from './text.ts';

export interface ListPage {
  readonly cwd: string;
  readonly width: number;
  /** Whether each hook is shown with its file and line. */
  readonly origin: boolean;
}

export const hookColumns: readonly Column[] = [
  { title: 'event', min: 8 },
  { title: 'hook', min: 8 },
  { title: 'matcher', min: 7 },
  { title: 'source', min: 7, keepEnd: true },
  { title: 'status' },
];

/** Where a hook comes from: who brought it, or the file and line. */
export const originCell = ({ source, dialect }: HookRow, { cwd, origin }: ListPage): string => {
  const place = (origin ? shownPlace(source, cwd) : undefined) ?? source.kind;
  return dialect === undefined ? place : `${place}, for ${dialect}`;
};

/** Whether it would run, in one word. */
export const statusCell = ({ reason, warnings = [] }: HookRow): Cell => {
  if (reason !== undefined) return styled(reason === 'disabled' ? 'dim' : 'red', reason);
  const [warning] = warnings;
  return warning === undefined ? styled('green', 'ready') : styled('yellow', warning.code);
};
