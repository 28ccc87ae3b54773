/** Renders the result of `bench`. */
import { HookType } from '../../protocol/index.ts';
import { formatParagraph } from '../rendering/layout.ts';
import {
  createSpan,
  measureWidth,
  padTo,
  type Span,
  type Style,
  type Text,
  type TextLine,
  truncate,
} from '../rendering/text.ts';
import { formatDuration } from '../rendering/verdict-text.ts';
import { type DurationPartName, durationPartNames, type HookMeasurement, type TimeSaving } from './bench.ts';
import type { EventMeasurement } from './measure-event.ts';

export interface BenchReport {
  readonly hookId: string;
  readonly name: string;
  readonly eventName: string;
  readonly type: string;
  readonly skipped?: string;
  readonly isWarm: boolean;
  readonly measured?: HookMeasurement;
}

const barStyleByPart: Readonly<
  Record<DurationPartName, { readonly sign: string; readonly style: Style; readonly words: string }>
> = {
  process: { sign: '·', style: 'dim', words: 'start of a process' },
  shell: { sign: '░', style: 'cyan', words: 'shell' },
  interpreter: { sign: '▒', style: 'yellow', words: 'interpreter start' },
  modules: { sign: '▓', style: 'red', words: 'module load' },
  own: { sign: '█', style: 'green', words: 'own work' },
};

const MAX_NAME_WIDTH = 28;
const MAX_BAR_WIDTH = 60;
const OTHER_COLUMNS_WIDTH = 26;
const MIN_ADVISED_SAVING_MS = 1;

const renderBar = ({ parts = [], p50Ms }: HookMeasurement, msPerSign: number): Span[] => {
  const shown = parts.length === 0 ? [{ part: 'own' as const, ms: p50Ms }] : parts;
  let done = 0;
  let at = 0;
  return shown.map(({ part, ms }) => {
    at += ms;
    const signs = Math.max(0, Math.round(at / msPerSign) - done);
    done += signs;
    const { sign, style } = barStyleByPart[part];
    return createSpan(style, sign.repeat(signs));
  });
};

const readSavedMs = (saving: TimeSaving | undefined): number =>
  saving === undefined || 'why' in saving ? 0 : saving.savesMs;

const formatSavedTime = ({ isWarm, measured }: BenchReport): string[] => {
  const { warm, worker } = measured ?? {};
  if (isWarm) return ['it is started ahead of its event already'];
  const lines: string[] = [];
  if (warm !== undefined && 'why' in warm) lines.push(`it cannot be started ahead: ${warm.why}`);
  else if (warm !== undefined && warm.savesMs >= MIN_ADVISED_SAVING_MS)
    lines.push(`started ahead it takes ${formatDuration(warm.p50Ms)}, which saves ${formatDuration(warm.savesMs)}`);
  const byWorker = readSavedMs(worker);
  if (byWorker >= MIN_ADVISED_SAVING_MS) lines.push(`as a worker it would save about ${formatDuration(byWorker)}`);
  return lines;
};

const isUnexplained = ({ type, isWarm, measured }: BenchReport): boolean =>
  type === HookType.Command && !isWarm && measured?.parts === undefined && measured?.fault === undefined;

const formatHookLines = (
  report: BenchReport,
  widths: Readonly<Record<'name' | 'msPerSign' | 'screen', number>>,
): Text => {
  const { name, measured, skipped } = report;
  const head = `  ${padTo(truncate(name, widths.name), widths.name)}`;
  if (measured === undefined) return [[createSpan('dim', `${head}  not measured: ${skipped ?? 'there was no time'}`)]];
  const { p50Ms, p95Ms, runs, fault } = measured;
  const times = `  ${formatDuration(p50Ms).padStart(7)}  ${formatDuration(p95Ms).padStart(7)}  `;
  return [
    [head, times, ...renderBar(measured, widths.msPerSign)],
    ...(fault === undefined ? [] : [[createSpan('yellow', `    a run of it failed: ${fault}`)]]),
    ...(runs < 3 ? [[createSpan('yellow', `    only ${runs === 1 ? 'one run' : `${runs} runs`}: time was up`)]] : []),
    ...(isUnexplained(report) ? [[createSpan('dim', '    where its time goes was not measured: time was up')]] : []),
    ...formatSavedTime(report).flatMap((text) => formatParagraph(text, widths.screen, 4, 4, 'dim')),
  ];
};

const formatChainLine = (eventName: string, chain: EventMeasurement | undefined): TextLine => {
  if (chain === undefined) return [createSpan('bold', eventName)];
  const { subject, hooks, p50Ms, p95Ms, budgetMs, isOverBudget } = chain;
  const about = subject === undefined ? '' : ` for ${subject}`;
  const count = hooks.length === 1 ? '1 hook' : `${hooks.length} hooks together`;
  const budget = budgetMs === undefined ? '' : `its budget of ${formatDuration(budgetMs)}`;
  return [
    createSpan('bold', `${eventName}${about}`),
    `: ${count} in ${formatDuration(p50Ms)}, at worst ${formatDuration(p95Ms)}`,
    ...(budget === '' ? [] : [', ', isOverBudget ? createSpan('red', `over ${budget}`) : `within ${budget}`]),
  ];
};

const formatLegend = (reports: readonly BenchReport[]): Text => {
  const used = durationPartNames.filter((name) =>
    reports.some(({ measured }) => measured?.parts?.some(({ part, ms }) => part === name && ms > 0)),
  );
  if (used.length === 0) return [];
  return [
    '',
    used.flatMap((name, index) => [
      ...(index === 0 ? [] : ['   ']),
      createSpan(barStyleByPart[name].style, barStyleByPart[name].sign),
      ` ${barStyleByPart[name].words}`,
    ]),
  ];
};

const formatAdvice = (reports: readonly BenchReport[]): Text => {
  const warm = reports.filter(
    ({ isWarm, measured }) => !isWarm && readSavedMs(measured?.warm) >= MIN_ADVISED_SAVING_MS,
  );
  const worker = reports.some(({ measured }) => readSavedMs(measured?.worker) >= MIN_ADVISED_SAVING_MS);
  const [first] = warm;
  return [
    ...(first === undefined
      ? []
      : ['', 'does a hook behave the same when started ahead?', `  hookwright bench --warm ${first.name}`]),
    ...(worker ? ['', 'create a worker:', '  hookwright new --worker'] : []),
  ];
};

export const formatBenchReports = (
  reports: readonly BenchReport[],
  chains: readonly EventMeasurement[],
  width: number,
): Text => {
  const name = Math.min(MAX_NAME_WIDTH, Math.max(...reports.map((report) => measureWidth(report.name))));
  const longest = Math.max(1, ...reports.map(({ measured }) => measured?.p50Ms ?? 0));
  const room = Math.max(10, Math.min(MAX_BAR_WIDTH, width - OTHER_COLUMNS_WIDTH - name));
  const events = [...new Set(reports.map(({ eventName }) => eventName))];
  return [
    ...events.flatMap((eventName, index) => [
      ...(index === 0 ? [] : ['']),
      formatChainLine(
        eventName,
        chains.find((chain) => chain.eventName === eventName),
      ),
      ...reports
        .filter((report) => report.eventName === eventName)
        .flatMap((report) => formatHookLines(report, { name, msPerSign: longest / room, screen: width })),
    ]),
    ...formatLegend(reports),
    ...formatAdvice(reports),
  ];
};
