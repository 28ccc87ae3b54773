/** Finds guards that do not refuse the test calls in their `canary` entries and tests. */
import { isRecord } from '../../kit/index.ts';
import type { CanaryCall } from '../../protocol/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { selectHookKind } from '../hook-kinds.ts';
import { formatLocation } from '../rendering/problem-lines.ts';
import { findTestFiles, readTestFile } from './find-tests.ts';
import type { HookTest } from './read-tests.ts';
import { setUpTestBench, type TestBench } from './test-bench.ts';

export const findLostCanaries = async (context: Context): Promise<readonly CliProblem[]> => {
  const bench = await setUpTestBench(context, false);
  return findUnrefusedCanaries(bench, await findDeniedCalls(bench), context.cwd);
};

/** Also tries the calls that the tests of a guard expect it to refuse. */
export const findUnrefusedCanaries = async (
  { system }: TestBench,
  denied: ReadonlyMap<string, readonly DeniedInTest[]> = new Map(),
  cwd = '',
): Promise<readonly CliProblem[]> => {
  const failures = await system.checkCanaries(({ name }) => (denied.get(name) ?? []).map(({ call }) => call));
  const problems = failures.map(({ hookId, call, stage, problem }) => {
    const found = [...denied.values()].flat().find((one) => one.call === call);
    const place = found && formatLocation({ file: found.test.file, line: found.test.line }, cwd);
    const isUnmatched = stage === 'matcher' && place !== undefined;
    return [hookId, isUnmatched ? { ...problem, hint: formatUnmatchedHint(place) } : problem] as const;
  });
  return [...new Map(problems).values()];
};

const formatUnmatchedHint = (place: string): string =>
  `give the test at ${place} a tool_name that the matcher matches, or correct the matcher; then: hookwright doctor`;

interface DeniedInTest {
  readonly call: CanaryCall;
  readonly test: HookTest;
}

const findDeniedCalls = async ({
  config,
  scripts,
  momentOf,
}: TestBench): Promise<ReadonlyMap<string, DeniedInTest[]>> => {
  const projectDir = config.getProjectDir();
  const paths = await findTestFiles(projectDir, scripts);
  const files = await Promise.all(paths.map((path) => readTestFile(path, projectDir, momentOf)));
  const calls = new Map<string, DeniedInTest[]>();
  for (const test of files.flatMap(({ tests }) => tests)) {
    const [name, ...others] = test.only;
    const call = toDeniedCall(test);
    if (name === undefined || others.length > 0 || call === undefined) continue;
    calls.set(name, [...(calls.get(name) ?? []), { call, test }]);
  }
  return calls;
};

const toDeniedCall = ({ event, payload, expect }: HookTest): CanaryCall | undefined => {
  const { tool_name, tool_input }: Record<string, unknown> = { ...payload };
  return selectHookKind(event) === 'guard' &&
    expect.verdict === 'deny' &&
    typeof tool_name === 'string' &&
    isRecord(tool_input)
    ? { tool_name, tool_input }
    : undefined;
};
