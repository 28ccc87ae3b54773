/** Renders the results of `test --chaos`, as text and as data. */
import type { HookRow } from '../../../protocol/index.ts';
import { type Cell, type Column, type Page, paragraph, renderTable } from '../../rendering/layout.ts';
import { withCount } from '../../rendering/problem-lines.ts';
import { sourceText } from '../../rendering/row-lines.ts';
import { styled, type Text, type TextLine } from '../../rendering/text.ts';
import { verdictSpan } from '../../rendering/verdict-text.ts';
import { decisionOfRow } from '../fire-test.ts';
import {
  blocksNormally,
  type ChaosFault,
  type ChaosRun,
  type ChaosSubject,
  chaosFaults,
  type FaultTrial,
  type HookTrials,
} from './run-chaos.ts';

const openOf = ({ cells }: HookTrials): readonly FaultTrial[] => cells.filter(({ fate }) => fate === 'fails-open');

const isComplete = ({ cells }: HookTrials): boolean => cells.length === chaosFaults.length;

/** A hook that was not tried with every fault may still fail open. */
export const hasNoFailOpen = ({ lines }: ChaosRun): boolean =>
  lines.every((line) => isComplete(line) && openOf(line).length === 0);

const sideTitles: Readonly<Record<ChaosFault['side'], readonly [string, string]>> = {
  input: ['Broken input', 'the hook'],
  engine: ['Broken hook', 'is treated as'],
};

const columnsFor = (side: ChaosFault['side']): readonly Column[] =>
  [...sideTitles[side], 'verdict', ''].map((title) => ({ title, min: 10 }));

const describeFate = (row: HookRow): string => {
  if (row.code === 'timeout') return 'did not answer in time';
  if (row.code === 'exit-code') return `ended with ${row.exitCode}`;
  if (row.code !== undefined) return row.code;
  const { verdict } = decisionOfRow(row);
  return verdict === 'none' ? 'had no opinion' : `said ${verdict}`;
};

const cellRow = (cell: FaultTrial): Cell[] => [
  cell.fault.title,
  describeFate(cell.row),
  verdictSpan(cell.verdict),
  styled('red', 'FAILS OPEN'),
];

const normally = ({ normal, testName }: ChaosSubject): Text[number] => [
  '  normally ',
  verdictSpan(normal),
  styled('dim', ` (${testName})`),
];

const remedyLines = (line: HookTrials, page: Page): Text => {
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

const heldText = ({ cells }: HookTrials, { width }: Page): Text => {
  const titles = cells.filter(({ fate }) => fate === 'holds').map(({ fault }) => fault.title);
  if (titles.length === 0) return [];
  const [all, some] = [`holds under all ${titles.length} faults`, `holds if ${titles.join('; ')}`];
  return paragraph(titles.length === cells.length ? all : some, width, 2, 4, 'green');
};

const lineText = (line: HookTrials, page: Page): Text => {
  const { subject } = line;
  const sections = (['input', 'engine'] as const).flatMap((side): Text => {
    const own = openOf(line).filter(({ fault }) => fault.side === side);
    if (own.length === 0) return [];
    return ['', ...renderTable(columnsFor(side), own.map(cellRow), page.width)];
  });
  return [
    [styled('bold', subject.hook.name), styled('dim', `  ${sourceText(subject.hook.source, page.cwd)}`)],
    normally(subject),
    ...(blocksNormally(subject)
      ? []
      : paragraph('No test makes it deny, so it is unknown how it fails.', page.width, 2, 2, 'yellow')),
    ...(isComplete(line) ? [] : paragraph('It was not tried with all faults.', page.width, 2, 2, 'yellow')),
    ...sections,
    ...(sections.length === 0 ? [] : ['']),
    ...heldText(line, page),
    ...remedyLines(line, page),
    '',
  ];
};

const namesOf = (hooks: readonly { readonly name: string }[]): string => hooks.map(({ name }) => name).join(', ');

const noFailOpenLine = (guards: number): TextLine =>
  guards === 0
    ? [styled('yellow', 'No test makes a hook deny'), ', so it is unknown which fail open']
    : [styled('green', 'No hook would have failed open'), `; ${withCount(guards, 'hook')} can deny in a test`];

const failOpenLine = (open: readonly HookTrials[]): TextLine => [
  styled('red', 'Would have failed open: '),
  open.map((line) => `${line.subject.hook.name} (${withCount(openOf(line).length, 'fault')})`).join(', '),
];

export const chaosText = ({ lines, unreached }: ChaosRun, page: Page): Text => {
  const open = lines.filter((line) => openOf(line).length > 0);
  const guards = lines.filter(({ subject }) => blocksNormally(subject));
  return [
    ...lines.flatMap((line) => lineText(line, page)),
    ...(unreached.length > 0
      ? paragraph(`No test reaches ${namesOf(unreached)}, so nothing was tried there.`, page.width, 0, 0, 'yellow')
      : []),
    open.length === 0 ? noFailOpenLine(guards.length) : failOpenLine(open),
  ];
};

const cellData = ({ fault, row, verdict, fate, remedy }: FaultTrial) => ({
  fault: fault.id,
  side: fault.side,
  outcome: row.outcome,
  ...(row.code === undefined ? {} : { code: row.code }),
  verdict,
  fate,
  ...(remedy === undefined ? {} : { remedy }),
  durationMs: row.durationMs,
});

export const chaosData = ({ lines, unreached }: ChaosRun) => ({
  failsOpen: lines.filter((line) => openOf(line).length > 0).map(({ subject }) => subject.hook.hookId),
  unreached: unreached.map(({ hookId }) => hookId),
  hooks: lines.map(({ subject: { hook, normal, onFault, testName }, cells }) => ({
    hookId: hook.hookId,
    name: hook.name,
    source: hook.source,
    onFault,
    test: testName,
    normal,
    faults: cells.map(cellData),
  })),
});
