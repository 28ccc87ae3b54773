/** Answers the start check that `install` and `doctor` send instead of an event. */
import type { HostedCall } from '../../../agents/cli-api.ts';
import { textOf } from '../../../kit/index.ts';
import { CANARIES_MEMBER, START_CHECK_MEMBER } from '../../agents/agent-flags.ts';
import { type CliProblem, ExitCode } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { readPackageVersion } from '../../package-version.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { findProjectOfSession } from './agent-session.ts';

export const readStartCheck = (
  input: Readonly<Record<string, unknown>>,
): { check: string; withCanaries: boolean } | undefined => {
  const check = textOf(input[START_CHECK_MEMBER]);
  const withCanaries = input[CANARIES_MEMBER] === true;
  if (check === undefined || Object.keys(input).length !== (withCanaries ? 2 : 1)) return undefined;
  return { check, withCanaries };
};

/** Imports on demand, because an agent that sends an event waits for all imports of this file. */
const findFailedCanaries = async (context: Context): Promise<readonly CliProblem[]> =>
  (await import('../../hook-tests/lost-canaries.ts')).findLostCanaries(context);

const toPlainProblems = (problems: readonly CliProblem[]) =>
  problems.map(({ file, line, message, hint }) => ({ file, line, message, hint }));

export const answerStartCheck = async (
  { check, withCanaries }: { readonly check: string; readonly withCanaries: boolean },
  call: HostedCall | undefined,
  context: Context,
): Promise<ExitCode> => {
  const project = call === undefined ? context.cwd : await findProjectOfSession(call, context);
  const { config } = await loadSettings({ ...context, cwd: project });
  const { checkHookStarts } = await import('../../sources/check-starts.ts');
  const { on: hooks, canaries, problems } = await checkHookStarts(config);
  const lost = withCanaries ? toPlainProblems(await findFailedCanaries({ ...context, cwd: project })) : [];
  const answer = {
    hookwright: readPackageVersion(),
    check,
    project,
    hooks,
    broken: toPlainProblems(problems),
    canaries,
    lost,
  };
  context.write(`${JSON.stringify(answer)}\n`);
  return ExitCode.Ok;
};
