import type { HookRow } from '../../../protocol/index.ts';
import type { MatcherReading } from '../../arguments/read-matcher.ts';
import type { ExplainFinding } from '../../hook-findings.ts';
import { entry, type Page, rowSource } from '../../rendering/row-lines.ts';
import { shownName } from '../../rendering/shown-name.ts';
import { styled, type Text, type TextLine } from '../../rendering/text.ts';

/** All that is to be said about one configured hook. */
export interface Explained {
  readonly row: HookRow;
  readonly matcher: MatcherReading;
  /** What would be started; absent for an entry that could not be read. */
  readonly starts?: string | undefined;
  /** Its `if`, as it is written. */
  readonly condition?: readonly string[] | undefined;
  readonly findings: readonly ExplainFinding[];
  /** The version of its agent since which it is so. */
  readonly since?: string | undefined;
}

export const canNeverRun = ({ findings }: Explained): boolean => findings.some(({ isBroken }) => isBroken);

const headOf = (explained: Explained): TextLine => {
  const { row, findings } = explained;
  const name = styled('bold', shownName(row.name));
  const codes = findings.map(({ code }) => code).join(', ');
  if (row.planned === 'skip') {
    const mark = canNeverRun(explained) ? styled('red', '✗ ') : styled('dim', '– ');
    return [mark, name, ' would not run: ', styled(canNeverRun(explained) ? 'red' : 'dim', codes)];
  }
  if (canNeverRun(explained)) return [styled('red', '✗ '), name, ' would be started and fail: ', styled('red', codes)];
  return [styled('green', '✓ '), name, ' would run', ...(codes === '' ? [] : [', but ', styled('yellow', codes)])];
};

const findingText = ({ code, message, fix, isBroken }: ExplainFinding, page: Page): Text => [
  ...entry('why', `${code}: ${message}`, page, isBroken ? 'red' : 'yellow'),
  ...(fix === undefined ? [] : entry('fix', fix, page, 'cyan')),
];

/** One hook: whether it would run, every reason why not, and what it is. */
export const explainedText = (explained: Explained, page: Page): Text => {
  const { row, matcher, starts, condition, findings, since } = explained;
  return [
    headOf(explained),
    ...findings.flatMap((finding) => findingText(finding, page)),
    ...entry('event', row.eventName, page),
    ...entry('matcher', matcher.text, page),
    ...(condition === undefined ? [] : entry('if', condition.join(' or '), page)),
    ...(starts === undefined ? [] : entry('starts', starts, page)),
    ...entry('from', rowSource(row, page.cwd), page),
    ...(since === undefined ? [] : entry('since', `${since}; it was different before`, page)),
  ];
};
