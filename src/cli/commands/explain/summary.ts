import { counted } from '../../rendering/problem-lines.ts';
import { styled, type Text } from '../../terminal/text.ts';
import { canNeverRun, type Explained } from './block.ts';

/** How many would run, and how many never as things are. */
export const summaryText = (explained: readonly Explained[]): Text => {
  const running = explained.filter((one) => one.row.planned === 'run' && !canNeverRun(one)).length;
  const lost = explained.filter(canNeverRun).length;
  return [
    '',
    [
      `${counted(explained.length, 'hook')}: `,
      styled('green', `${running} would run`),
      `, ${explained.length - running} would not`,
      ...(lost === 0 ? [] : [' (', styled('red', `${lost} never with the current settings`), ')']),
    ],
  ];
};
