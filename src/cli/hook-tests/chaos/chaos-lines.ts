/** Renders the results of `test --chaos`, as text and as data. */
import type { HookRow } from '../../../protocol/index.ts';
import { formatItemTable, formatParagraph, type ItemColumn, type Page } from '../../rendering/layout.ts';
import { formatCount } from '../../rendering/problem-lines.ts';
import { formatSource } from '../../rendering/row-lines.ts';
import { createSpan, type Text, type TextLine } from '../../rendering/text.ts';
import { toVerdictSpan } from '../../rendering/verdict-text.ts';
import { findRowVerdict } from '../fire-test.ts';
import {
  type ChaosFault,
  type ChaosRun,
  chaosFaults,
  type FaultTrial,
  type HookTrials,
  isBlocking,
} from './run-chaos.ts';

const listFailOpenTrials = ({ cells }: HookTrials): readonly FaultTrial[] =>
  cells.filter(({ fate }) => fate === 'fails-open');

const hasAllTrials = ({ cells }: HookTrials): boolean => cells.length === chaosFaults.length;

/** A hook that was not tried with every fault may still fail open. */
export const hasNoFailOpen = ({ lines }: ChaosRun): boolean =>
  lines.every((line) => hasAllTrials(line) && listFailOpenTrials(line).length === 0);

const sideTitles: Readonly<Record<ChaosFault['side'], readonly [string, string]>> = {
  input: ['Broken input', 'the hook'],
  engine: ['Broken hook', 'is treated as'],
};

const describeEnding = (row: HookRow): string => {
  if (row.code === 'timeout') return 'did not answer in time';
  if (row.code === 'exit-code') return `ended with ${row.exitCode}`;
  if (row.code !== undefined) return row.code;
  const { verdict } = findRowVerdict(row);
  return verdict === 'none' ? 'had no opinion' : `said ${verdict}`;
};

const createColumns = ([fault, fate]: readonly [string, string]): readonly ItemColumn<FaultTrial>[] => [
  { title: fault, min: 10, cell: (trial) => trial.fault.title },
  { title: fate, min: 10, cell: ({ row }) => describeEnding(row) },
  { title: 'verdict', min: 10, cell: ({ verdict }) => toVerdictSpan(verdict) },
  { title: '', min: 10, cell: () => createSpan('red', 'FAILS OPEN') },
];

const formatRemedyLines = (line: HookTrials, page: Page): Text => {
  const open = listFailOpenTrials(line);
  const { onFault } = line.subject;
  const byOnFault = open.filter(({ remedy }) => remedy === 'on-fault').length;
  const byHook = open.filter(({ remedy }) => remedy === 'hook').map(({ fault }) => fault.title);
  const fix = (text: string): Text => formatParagraph(`→ ${text}`, page.width, 2, 4, 'cyan');
  return [
    ...(byOnFault > 0
      ? fix(`"onFault": "deny" in its entry makes it hold ${byOnFault} of these; now it is "${onFault}"`)
      : []),
    ...(byHook.length > 0 ? fix(`let it exit with 2 itself if it cannot do its work: ${byHook.join(', ')}`) : []),
  ];
};

const formatHeldFaults = ({ cells }: HookTrials, { width }: Page): Text => {
  const titles = cells.filter(({ fate }) => fate === 'holds').map(({ fault }) => fault.title);
  if (titles.length === 0) return [];
  const [all, some] = [`holds under all ${titles.length} faults`, `holds if ${titles.join('; ')}`];
  return formatParagraph(titles.length === cells.length ? all : some, width, 2, 4, 'green');
};

const formatHookTrials = (line: HookTrials, page: Page): Text => {
  const { subject } = line;
  const sections = (['input', 'engine'] as const).flatMap((side): Text => {
    const own = listFailOpenTrials(line).filter(({ fault }) => fault.side === side);
    if (own.length === 0) return [];
    return ['', ...formatItemTable(createColumns(sideTitles[side]), own, page.width)];
  });
  return [
    [createSpan('bold', subject.hook.name), createSpan('dim', `  ${formatSource(subject.hook.source, page.cwd)}`)],
    ['  normally ', toVerdictSpan(subject.normal), createSpan('dim', ` (${subject.testName})`)],
    ...(isBlocking(subject.normal)
      ? []
      : formatParagraph('No test makes it deny, so it is unknown how it fails.', page.width, 2, 2, 'yellow')),
    ...(hasAllTrials(line) ? [] : formatParagraph('It was not tried with all faults.', page.width, 2, 2, 'yellow')),
    ...sections,
    ...(sections.length === 0 ? [] : ['']),
    ...formatHeldFaults(line, page),
    ...formatRemedyLines(line, page),
    '',
  ];
};

const formatConclusion = (lines: readonly HookTrials[]): TextLine => {
  const open = lines.filter((line) => listFailOpenTrials(line).length > 0);
  if (open.length > 0) {
    const names = open.map(
      (line) => `${line.subject.hook.name} (${formatCount(listFailOpenTrials(line).length, 'fault')})`,
    );
    return [createSpan('red', 'Would have failed open: '), names.join(', ')];
  }
  const guards = lines.filter(({ subject }) => isBlocking(subject.normal)).length;
  return guards === 0
    ? [createSpan('yellow', 'No test makes a hook deny'), ', so it is unknown which fail open']
    : [createSpan('green', 'No hook would have failed open'), `; ${formatCount(guards, 'hook')} can deny in a test`];
};

export const formatChaosRun = ({ lines, unreached }: ChaosRun, { width, cwd }: Page): Text => {
  const names = unreached.map(({ name }) => name).join(', ');
  const notTried = `No test reaches ${names}, so nothing was tried there.`;
  return [
    ...lines.flatMap((line) => formatHookTrials(line, { width, cwd })),
    ...(unreached.length > 0 ? formatParagraph(notTried, width, 0, 0, 'yellow') : []),
    formatConclusion(lines),
  ];
};

const createCellData = ({ fault, row, verdict, fate, remedy }: FaultTrial) => ({
  fault: fault.id,
  side: fault.side,
  outcome: row.outcome,
  code: row.code,
  verdict,
  fate,
  remedy,
  durationMs: row.durationMs,
});

export const createChaosData = ({ lines, unreached }: ChaosRun) => ({
  failsOpen: lines.filter((line) => listFailOpenTrials(line).length > 0).map(({ subject }) => subject.hook.hookId),
  unreached: unreached.map(({ hookId }) => hookId),
  hooks: lines.map(({ subject: { hook, normal, onFault, testName }, cells }) => ({
    hookId: hook.hookId,
    name: hook.name,
    source: hook.source,
    onFault,
    test: testName,
    normal,
    faults: cells.map(createCellData),
  })),
});
