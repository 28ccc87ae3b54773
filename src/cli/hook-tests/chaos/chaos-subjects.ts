import { type HookRow, HookType, type OnFault, precedenceOf, type Verdict } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import { decisionOfRow } from '../found.ts';
import type { HookTest } from '../read-tests.ts';
import { titleOf } from '../result-lines.ts';
import type { TestResult, TestRun } from '../run-tests.ts';
import { isInTheWay } from './judgement.ts';

/** A hook that a test reached, and what it does there when nothing is wrong. */
export interface ChaosSubject {
  readonly hook: ConfiguredHook;
  readonly onFault: OnFault;
  readonly test: HookTest;
  readonly testName: string;
  readonly normal: Verdict;
  readonly normalMs: number;
}

export interface ChaosSubjects {
  readonly subjects: readonly ChaosSubject[];
  /** Command hooks that no test reached, or that failed in every test. */
  readonly unreached: readonly ConfiguredHook[];
}

interface Reached {
  readonly row: HookRow;
  readonly result: TestResult;
}

/** The test in which a hook says no, or whatever comes nearest to that. */
const best = (reached: readonly Reached[]): Reached | undefined => {
  const rank = ({ row }: Reached): number => precedenceOf(decisionOfRow(row).verdict);
  return [...reached].sort((a, b) => rank(b) - rank(a))[0];
};

const subjectOf = (hook: ConfiguredHook, { results }: TestRun): ChaosSubject | undefined => {
  const reached = results.flatMap((result) =>
    result.found.rows.flatMap((row) =>
      row.hookId === hook.hookId && (row.outcome === 'answered' || row.outcome === 'silent') ? [{ row, result }] : [],
    ),
  );
  const found = best(reached);
  if (found === undefined) return undefined;
  const { row, result } = found;
  return {
    hook,
    onFault: hook.config?.onFault ?? 'allow',
    test: result.test,
    testName: titleOf(result),
    normal: decisionOfRow(row).verdict,
    normalMs: row.durationMs ?? 0,
  };
};

const isCommand = ({ config }: ConfiguredHook): boolean =>
  config !== undefined && (config.type ?? HookType.Command) === HookType.Command;

/** The hooks to be tried, of those that were asked for; only what a test has run before is ever run. */
export const chaosSubjects = (run: TestRun, wanted: readonly string[]): ChaosSubjects => {
  const isWanted = ({ name, hookId }: ConfiguredHook): boolean =>
    wanted.length === 0 || wanted.includes(name) || wanted.includes(hookId);
  const hooks = run.stage.hooks.filter((hook) => isCommand(hook) && isWanted(hook));
  const tried = hooks.map((hook) => ({ hook, subject: subjectOf(hook, run) }));
  return {
    subjects: tried.flatMap(({ subject }) => subject ?? []),
    unreached: tried.flatMap(({ hook, subject }) => (subject === undefined ? [hook] : [])),
  };
};

/** Whether something can be said about how a hook fails: only of one that is in the way of something. */
export const isGuard = ({ normal }: ChaosSubject): boolean => isInTheWay(normal);
