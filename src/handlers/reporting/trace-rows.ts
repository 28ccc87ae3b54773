// Adds the result of each run to the rows of a trace.
import {
  getHookKey,
  type HookConfig,
  type HookExecutionResult,
  type HookRow,
  isGuard,
  ranOrFaulted,
  skipReasons,
  sortReasons,
  toHookEnding,
  toSkippedRow,
  withWarnings,
} from '../../protocol/index.ts';
import { getFaultText } from '../../runners/index.ts';

const MAX_OUTPUT_HEAD_CHARACTERS = 500;

/** Creates a row for a hook that a host's planner planned without a row. */
const createMissingRow = (hook: HookConfig, eventName: string): HookRow => ({
  hookId: getHookKey(hook),
  name: getHookKey(hook),
  eventName,
  source: { kind: 'runtime' },
  planned: 'run',
});

export const findRunningRows = (
  rows: readonly HookRow[] | undefined,
  hooks: readonly HookConfig[],
  eventName: string,
): readonly HookRow[] => {
  const running = rows?.filter(ranOrFaulted) ?? [];
  return hooks.map((hook, index) => running[index] ?? createMissingRow(hook, eventName));
};

/** Spread for an absent member. A member set to `undefined` would make a row differ from its copy sent as JSON. */
const noMembers = {};

const isEmptyText = (text: string | undefined): boolean => text === undefined || text === '';

/** V8 builds a literal that begins with a spread a hundred times slower, so `...row` comes last. */
export const addRunToRow = (
  row: HookRow,
  result: HookExecutionResult,
  startedAt: string | undefined,
  fields: HookRow['fields'],
): HookRow => {
  const { code, exitCode, startupMs, warm, signal, stdout, stderr, warnings = [], own = result } = result;
  const { output } = own;
  const outcome = toHookEnding(own).kind;
  const durationMs = result.duration;
  const isCommand = exitCode !== undefined || signal !== undefined || !isEmptyText(stdout) || !isEmptyText(stderr);
  const isPlain = code === undefined && startupMs === undefined && warm === undefined && !isCommand;
  // Most results of function hooks need no more members. Each spread below costs as much as a whole row.
  if (isPlain && warnings.length === 0 && startedAt !== undefined && output !== undefined && fields !== undefined) {
    return { outcome, startedAt, durationMs, output, fields, ...row };
  }
  const full: HookRow = {
    outcome,
    ...(code === undefined ? noMembers : { code, message: getFaultText(result).slice(0, MAX_OUTPUT_HEAD_CHARACTERS) }),
    ...(startedAt === undefined ? noMembers : { startedAt }),
    durationMs,
    ...(startupMs === undefined ? noMembers : { startupMs }),
    ...(exitCode === undefined ? noMembers : { exitCode }),
    ...(warm === undefined ? noMembers : { warm }),
    ...(signal === undefined ? noMembers : { signal }),
    ...(isEmptyText(stdout) ? noMembers : { stdoutHead: stdout?.slice(0, MAX_OUTPUT_HEAD_CHARACTERS) }),
    ...(isEmptyText(stderr) ? noMembers : { stderrHead: stderr?.slice(0, MAX_OUTPUT_HEAD_CHARACTERS) }),
    ...(output === undefined ? noMembers : { output }),
    ...(fields === undefined ? noMembers : { fields }),
    ...row,
  };
  return withWarnings(full, warnings);
};

/** A hook whose program changed since the approval was not started. If the hook is a guard, `onFault` decides. */
const toRowOfChangedProgram = (row: HookRow, result: HookExecutionResult): HookRow => {
  const reason = 'changed-since-trusted' as const;
  const skipped = { ...row, planned: 'skip', reason, reasons: [reason], hint: skipReasons[reason] } as const;
  const message = getFaultText(result).slice(0, MAX_OUTPUT_HEAD_CHARACTERS);
  return isGuard(result.hookConfig)
    ? { ...skipped, outcome: 'faulted', code: reason, message }
    : { ...skipped, message };
};

export const addResultToRow = (
  row: HookRow,
  result: HookExecutionResult | undefined,
  startedAt: string | undefined,
  fields: HookRow['fields'],
): HookRow => {
  if (result === undefined) return row;
  if (result.code === 'changed-since-trusted') return toRowOfChangedProgram(row, result);
  if (result.skipped !== undefined) return toSkippedRow(row, result.skipped, result.hookConfig);
  return result.background ? { outcome: 'background', ...row } : addRunToRow(row, result, startedAt, fields);
};

export const toAbortedRows = (planned: readonly HookRow[]): HookRow[] =>
  planned.map((row) => {
    const [reason, ...others] = sortReasons([...(row.reasons ?? []), 'aborted']);
    const hint = row.hint ?? skipReasons.aborted;
    return { ...row, planned: 'skip', ...(reason === undefined ? {} : { reason, reasons: [reason, ...others] }), hint };
  });
