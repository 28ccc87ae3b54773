/** Guards here that let a call pass which they have to refuse: that of their canary, or of a case of their test. */
import { isRecord } from '../../kit/index.ts';
import type { CanaryCall } from '../../protocol/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { kindFor } from '../hook-kinds.ts';
import { findTestFiles, readTestFile } from './find-tests.ts';
import type { HookTest } from './read-tests.ts';
import { type Stage, setStage } from './stage.ts';

/** Runs the canaries of every guard that is approved and switched on. */
export const lostCanaries = async (context: Context): Promise<readonly CliProblem[]> => {
  const stage = await setStage(context, false);
  const calls = await deniedInTests(stage);
  return lostOn(stage, (name) => calls.get(name) ?? []);
};

/** The same for hooks that were read already. */
export const lostOn = async (
  { system }: Stage,
  also: (name: string) => readonly CanaryCall[] = () => [],
): Promise<readonly CliProblem[]> => {
  const failures = await system.checkCanaries(({ name }) => also(name));
  // A guard that is dead lets each of its calls pass.
  return [...new Map(failures.map(({ hookId, problem }) => [hookId, problem])).values()];
};

/** Hook name → the calls that its tests expect it to deny. */
const deniedInTests = async ({ config, scripts, momentOf }: Stage): Promise<ReadonlyMap<string, CanaryCall[]>> => {
  const projectDir = config.getProjectDir();
  const paths = await findTestFiles(projectDir, scripts);
  const files = await Promise.all(paths.map((path) => readTestFile(path, projectDir, momentOf)));
  const calls = new Map<string, CanaryCall[]>();
  for (const test of files.flatMap(({ tests }) => tests)) {
    const [name, ...others] = test.only;
    const call = deniedCall(test);
    if (name === undefined || others.length > 0 || call === undefined) continue;
    calls.set(name, [...(calls.get(name) ?? []), call]);
  }
  return calls;
};

const deniedCall = ({ event, payload, expect }: HookTest): CanaryCall | undefined => {
  const { tool_name, tool_input }: Record<string, unknown> = { ...payload };
  return kindFor(event) === 'guard' &&
    expect.verdict === 'deny' &&
    typeof tool_name === 'string' &&
    isRecord(tool_input)
    ? { tool_name, tool_input }
    : undefined;
};
