import type { HookRow } from '../../../protocol/index.ts';
import { type Cell, type Column, paragraph, table } from '../../rendering/layout.ts';
import { counted } from '../../rendering/problem-lines.ts';
import { type Page, sourceText } from '../../rendering/row-lines.ts';
import { verdictSpan } from '../../rendering/verdict-text.ts';
import { styled, type Text, type TextLine } from '../../terminal/text.ts';
import { decisionOfRow } from '../found.ts';
import type { ChaosFault } from './chaos-faults.ts';
import { type ChaosSubject, isGuard } from './chaos-subjects.ts';
import type { ChaosCell, ChaosLine, ChaosRun } from './run-chaos.ts';
import { isComplete, openOf } from './safety.ts';

/** What the first two columns are about. */
const sides: Readonly<Record<ChaosFault['side'], readonly [string, string]>> = {
  input: ['It is run, but', 'the hook'],
  engine: ['If it', 'is seen as'],
};

const columnsFor = (side: ChaosFault['side']): readonly Column[] =>
  [...sides[side], 'verdict', ''].map((title) => ({ title, min: 10 }));

/** What a hook did, as seen from outside. */
const whatBecame = (row: HookRow): string => {
  if (row.code === 'timeout') return 'did not answer in time';
  if (row.code === 'exit-code') return `ended with ${row.exitCode}`;
  if (row.code !== undefined) return row.code;
  const { verdict } = decisionOfRow(row);
  return verdict === 'none' ? 'had no opinion' : `said ${verdict}`;
};

const fateCell = ({ fate }: ChaosCell): Cell => {
  if (fate === 'fails-open') return styled('red', 'FAILS OPEN');
  return fate === 'holds' ? styled('green', 'holds') : '';
};

const cellRow = (cell: ChaosCell): Cell[] => [
  cell.fault.title,
  whatBecame(cell.row),
  verdictSpan(cell.verdict),
  fateCell(cell),
];

const normally = ({ normal, testName }: ChaosSubject): Text[number] => [
  '  normally ',
  verdictSpan(normal),
  styled('dim', ` (${testName})`),
];

const remedies = (line: ChaosLine, page: Page): Text => {
  const open = openOf(line);
  const { onFault } = line.subject;
  const byOnFault = open.filter(({ remedy }) => remedy === 'on-fault').length;
  const byHook = open.filter(({ remedy }) => remedy === 'hook').map(({ fault }) => fault.title);
  const fix = (text: string): Text => paragraph(`→ ${text}`, page.width, 2, 4, 'cyan');
  return [
    ...(byOnFault > 0
      ? fix(`"onFault": "deny" in its entry makes it hold ${byOnFault} of these; now it is "${onFault}"`)
      : []),
    ...(byHook.length > 0 ? fix(`let it exit with 2 itself if it cannot do its work: ${byHook.join(', ')}`) : []),
  ];
};

const lineText = (line: ChaosLine, page: Page): Text => {
  const { subject, cells } = line;
  const sections = (['input', 'engine'] as const).flatMap((side): Text => {
    const own = cells.filter(({ fault }) => fault.side === side);
    if (own.length === 0) return [];
    return ['', ...table(columnsFor(side), own.map(cellRow), page.width)];
  });
  return [
    [styled('bold', subject.hook.name), styled('dim', `  ${sourceText(subject.hook.source, page.cwd)}`)],
    normally(subject),
    ...(isGuard(subject)
      ? []
      : paragraph('No test makes it deny, so it is unknown how it fails.', page.width, 2, 2, 'yellow')),
    ...(isComplete(line) ? [] : paragraph('It was not tried with all faults.', page.width, 2, 2, 'yellow')),
    ...sections,
    ...remedies(line, page),
    '',
  ];
};

const namesOf = (hooks: readonly { readonly name: string }[]): string => hooks.map(({ name }) => name).join(', ');

const noCulprit = (guards: number): TextLine =>
  guards === 0
    ? [styled('yellow', 'No test makes a hook deny'), ', so it is unknown which fail open']
    : [styled('green', 'No hook would have failed open'), `; ${counted(guards, 'hook')} can deny in a test`];

const culprits = (open: readonly ChaosLine[]): TextLine => [
  styled('red', 'Would have failed open: '),
  open.map((line) => `${line.subject.hook.name} (${counted(openOf(line).length, 'fault')})`).join(', '),
];

/** Hook by hook what became of it, and at the end who would have failed open. */
export const chaosText = ({ lines, unreached }: ChaosRun, page: Page): Text => {
  const open = lines.filter((line) => openOf(line).length > 0);
  const guards = lines.filter(({ subject }) => isGuard(subject));
  return [
    ...lines.flatMap((line) => lineText(line, page)),
    ...(unreached.length > 0
      ? paragraph(`No test reaches ${namesOf(unreached)}, so nothing was tried there.`, page.width, 0, 0, 'yellow')
      : []),
    open.length === 0 ? noCulprit(guards.length) : culprits(open),
  ];
};
