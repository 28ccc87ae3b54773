/** `hookwright test`: runs the tests of hooks; with `--chaos`, also finds hooks that fail open. */
import { formatSelectedAgent, selectAgent } from '../../agents/select-agent.ts';
import { undefinedIfEmpty } from '../../arguments/flags.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { formatAbilityTests, runAbilityTests } from '../../hook-tests/ability-tests.ts';
import { createChaosData, formatChaosRun, hasNoFailOpen } from '../../hook-tests/chaos/chaos-lines.ts';
import { runChaos } from '../../hook-tests/chaos/run-chaos.ts';
import { findMisnamedTests } from '../../hook-tests/find-tests.ts';
import { findUnrefusedCanaries } from '../../hook-tests/lost-canaries.ts';
import { createNothingToTestOutcome } from '../../hook-tests/nothing-to-test.ts';
import { formatTestRun, toTestRunData } from '../../hook-tests/result-lines.ts';
import { runTests, type TestResult, type TestRun } from '../../hook-tests/run-tests.ts';
import { setUpTestBench, type TestBench } from '../../hook-tests/test-bench.ts';
import { updateTests } from '../../hook-tests/update-tests.ts';
import { watchTests } from '../../hook-tests/watch-tests.ts';
import { formatProblems, formatProblemsNote } from '../../rendering/problem-lines.ts';
import { createReportingContext, type ReportedCheck, withReporter } from '../../rendering/reporters.ts';
import { createSpan, type Text } from '../../rendering/text.ts';
import { UsageError } from '../../usage-error.ts';
import type { testSpec } from './spec.ts';

export const run: CommandMain<typeof testSpec> = async (options, outer) => {
  const { watch, timeout, 'trust-project': trustProject, reporter } = options;
  if (watch && reporter !== undefined) throw new UsageError('--watch is for people; leave out --reporter');
  const context = createReportingContext(outer, reporter);
  if (timeout === 0) throw new UsageError('--timeout must be more than 0 milliseconds');
  if (trustProject) context.note(trustNote);
  const selected = await selectAgent(options, undefined, context);
  if (selected !== undefined) context.note(formatSelectedAgent(selected, context).slice(0, -1));
  const prepare = (trusts: boolean): Promise<TestBench> => setUpTestBench(context, trusts, selected);
  if (watch) return watchTests(prepare, (bench) => runTestsAndReport(options, bench, context), context, trustProject);
  const bench = await prepare(trustProject);
  context.note(formatProblemsNote(bench.problems, context));
  return runTestsAndReport(options, bench, context);
};

const chaosSideEffectsNote: Text = [
  [createSpan('yellow', 'chaos: hooks run for real with broken input, with all their side effects')],
];

const trustNote: Text = [[createSpan('yellow', '--trust-project: project hooks run without approval, this once')]];

const runTestsAndReport = async (
  options: CommandValues<typeof testSpec>,
  bench: TestBench,
  context: Context,
): Promise<CommandOutcome> => {
  const { files, name, hook: hooks, event: events, timeout, update, chaos: wantsChaos } = options;
  const done = await runTests({ files, selection: { name, hooks, events }, timeoutMs: timeout }, bench, context);
  const isSelected = name !== undefined || [files, hooks, events].some(({ length }) => length > 0);
  const abilityTests = isSelected ? [] : await runAbilityTests(bench, context);
  const hasOwn = done.results.length > 0 || done.problems.length > 0 || done.isInterrupted;
  const lost = isSelected ? [] : await findUnrefusedCanaries(bench);
  if (!hasOwn && abilityTests.length === 0 && lost.length === 0) return createNothingToTestOutcome(done, context);
  const updated = update ? await updateTests(done) : { results: [], problems: [] };
  if (wantsChaos) context.note(chaosSideEffectsNote);
  const chaos = wantsChaos ? await runChaos(done, { hooks, timeoutMs: timeout }, context) : undefined;
  const failed = done.results.filter((result) => result.mismatches.length > 0 && !updated.results.includes(result));
  const mistakes = done.problems.length + updated.problems.length;
  const misnamed = isSelected ? [] : findMisnamedTests(bench.config.getProjectDir());
  const problems = [...bench.problems, ...done.problems, ...updated.problems, ...lost, ...misnamed];
  const outcome: CommandOutcome = {
    findings:
      failed.length > 0 ||
      lost.length > 0 ||
      abilityTests.some(({ ok }) => !ok) ||
      mistakes > 0 ||
      done.isInterrupted ||
      (chaos !== undefined && !hasNoFailOpen(chaos)),
    data: {
      ...toTestRunData(done, updated.results),
      abilityTests: undefinedIfEmpty(abilityTests),
      ...(options['trust-project'] ? { trustProject: true } : {}),
      chaos: chaos && createChaosData(chaos),
    },
    problems,
    text: () => [
      ...(hasOwn ? formatTestRun(done, updated.results, context) : []),
      ...(abilityTests.length === 0 ? [] : [...(hasOwn ? [''] : []), ...formatAbilityTests(abilityTests, context)]),
      ...formatProblems([...updated.problems, ...lost, ...misnamed], context),
      ...(chaos === undefined ? [] : ['', ...formatChaosRun(chaos, context)]),
    ],
  };
  const checks = (): ReportedCheck[] => toReportedTests(done, updated.results);
  return withReporter(outcome, options.reporter, { command: 'test', cwd: context.cwd, checks });
};

const toReportedTests = (done: TestRun, updated: readonly TestResult[]): ReportedCheck[] =>
  toTestRunData(done, updated).tests.map(({ name, file, line, event, status, mismatches, durationMs, error }) => {
    const check = { name, rule: event, file, line, durationMs };
    if (status !== 'failed') return check;
    const reasons = [...mismatches.map(({ message }) => message), ...(error === undefined ? [] : [error])];
    return { ...check, level: 'error', message: reasons.join('; ') };
  });
