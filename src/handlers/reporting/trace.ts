import {
  endingOf,
  type HookConfig,
  type HookExecutionResult,
  type HookRow,
  hookKey,
  orderedReasons,
  skippedRow,
  skipReasons,
  takesPart,
} from '../../protocol/index.ts';
import { faultText } from '../../runners/index.ts';
import type { Firing } from '../firing.ts';

/** Enough of a stream to recognise what a hook printed. */
const HEAD = 500;

/** A row for a hook that no planner of ours knows, as when a host brings its own plan. */
const rowWithoutPlan = (hook: HookConfig, eventName: string): HookRow => ({
  hookId: hookKey(hook),
  name: hookKey(hook),
  eventName,
  source: { kind: 'runtime' },
  planned: 'run',
});

/** The rows of the hooks that run, in the order of the plan. */
export const runningRows = (
  rows: readonly HookRow[] | undefined,
  hooks: readonly HookConfig[],
  eventName: string,
): readonly HookRow[] => {
  const running = rows?.filter(takesPart) ?? [];
  return hooks.map((hook, index) => running[index] ?? rowWithoutPlan(hook, eventName));
};

/** A row crosses processes as JSON, where an absent member and an undefined one must not differ: it is left out. */
const nothing = {};

const isEmpty = (text: string | undefined): boolean => text === undefined || text === '';

/** The row of a hook with its run. A literal that begins with a spread takes a hundred times as long. */
export const rowWithRun = (
  row: HookRow,
  result: HookExecutionResult,
  startedAt: string | undefined,
  fields: HookRow['fields'],
): HookRow => {
  const { code, exitCode, startupMs, warm, signal, stdout, stderr, warnings = [], own = result } = result;
  const { output } = own;
  const outcome = endingOf(own).kind;
  const durationMs = result.duration;
  const isCommand = exitCode !== undefined || signal !== undefined || !isEmpty(stdout) || !isEmpty(stderr);
  const isPlain = code === undefined && startupMs === undefined && warm === undefined && !isCommand;
  // Most functions: each spread of nothing costs as much as the row itself.
  if (isPlain && warnings.length === 0 && startedAt !== undefined && output !== undefined && fields !== undefined) {
    return { outcome, startedAt, durationMs, output, fields, ...row };
  }
  const full: HookRow = {
    outcome,
    ...(code === undefined ? nothing : { code, message: faultText(result).slice(0, HEAD) }),
    ...(startedAt === undefined ? nothing : { startedAt }),
    durationMs,
    ...(startupMs === undefined ? nothing : { startupMs }),
    ...(exitCode === undefined ? nothing : { exitCode }),
    ...(warm === undefined ? nothing : { warm }),
    ...(signal === undefined ? nothing : { signal }),
    ...(isEmpty(stdout) ? nothing : { stdoutHead: stdout?.slice(0, HEAD) }),
    ...(isEmpty(stderr) ? nothing : { stderrHead: stderr?.slice(0, HEAD) }),
    ...(output === undefined ? nothing : { output }),
    ...(fields === undefined ? nothing : { fields }),
    ...row,
  };
  return warnings.length === 0 ? full : { ...full, warnings: [...(row.warnings ?? []), ...warnings] };
};

/** A hook that changed since it was approved was not started; of a guard the fault counts. */
const lapsedRow = (row: HookRow, result: HookExecutionResult): HookRow => {
  const reason = 'changed-since-trusted' as const;
  const skipped = { ...row, planned: 'skip', reason, reasons: [reason], hint: skipReasons[reason] } as const;
  const message = faultText(result).slice(0, HEAD);
  const isGuard = (result.hookConfig.onFault ?? 'allow') !== 'allow';
  return isGuard ? { ...skipped, outcome: 'faulted', code: reason, message } : { ...skipped, message };
};

/** The results of the hooks of one event, from which rows are made. */
export interface TraceSource {
  /** Rows of the plan, skipped hooks included, as `explain` gives them. */
  readonly planned: readonly HookRow[] | undefined;
  /** Rows of the hooks that run. */
  readonly running: readonly HookRow[];
  /** Results in the order of the hooks; the results of hooks that ran again follow. */
  readonly results: readonly HookExecutionResult[];
  /** The indexes of the hooks that ran again, in the order of their second results. */
  readonly again: readonly number[];
  readonly startedAt: readonly (string | undefined)[];
  readonly firing: Firing<unknown>;
  readonly isSequence: boolean;
}

/** The rows of the plan with the run of each hook and the fate of each field; a hook that ran again has two rows. */
export const traceRows = ({
  planned,
  running,
  results,
  again,
  startedAt,
  firing,
  isSequence,
}: TraceSource): HookRow[] => {
  const hookIds = [...running, ...again.flatMap((place) => running[place] ?? [])].map(({ hookId }) => hookId);
  const fates = firing.fates(results, hookIds, isSequence);
  const rowAt = (row: HookRow, index: number): HookRow => {
    const result = results[index];
    if (result === undefined) return row;
    if (result.code === 'changed-since-trusted') return lapsedRow(row, result);
    if (result.skipped !== undefined) return skippedRow(row, result.skipped, result.hookConfig);
    return result.background
      ? { outcome: 'background', ...row }
      : rowWithRun(row, result, startedAt[index], fates[index]);
  };
  const rowsOf = (row: HookRow, place: number): HookRow[] => [
    rowAt(row, place),
    ...again.flatMap((of, index) =>
      of === place ? [{ ...rowAt(row, running.length + index), recheck: true as const }] : [],
    ),
  ];
  if (planned === undefined) return running.flatMap(rowsOf);
  let place = 0;
  return planned.flatMap((row) => {
    const ran = takesPart(row) ? running[place] : undefined;
    if (ran === undefined) return [row];
    place += 1;
    return rowsOf(ran, place - 1);
  });
};

/** The planned rows with `aborted` added: the request ended before any hook started. */
export const abortedRows = (planned: readonly HookRow[]): HookRow[] =>
  planned.map((row) => {
    const [reason, ...others] = orderedReasons([...(row.reasons ?? []), 'aborted']);
    const hint = row.hint ?? skipReasons.aborted;
    return { ...row, planned: 'skip', ...(reason === undefined ? {} : { reason, reasons: [reason, ...others] }), hint };
  });
