import { compareAgents } from '../../agents/compare.ts';
import { doctorOfAgent } from '../../agents/doctor.ts';
import { findDriftIn } from '../../agents/drift.ts';
import { whoseHooks } from '../../agents/whose-hooks.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import { cannotRun } from '../../doctor/checks/rows.ts';
import { diagnose, type PlacedDiagnosis } from '../../doctor/diagnose.ts';
import { seenEnvironment } from '../../doctor/environment.ts';
import { diagnosisText, environmentText, summaryText } from '../../doctor/report-lines.ts';
import { lookAround } from '../../doctor/world.ts';
import type { CliProblem } from '../../outcome.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { isFinding } from '../../sources/ability-hooks.ts';
import { nothingConfigured } from '../../sources/configured.ts';
import type { doctorSpec } from './spec.ts';

/** What a finding says already need not be said again. */
const isSaid = ({ file, line }: CliProblem, diagnoses: readonly PlacedDiagnosis[]): boolean =>
  diagnoses.some((one) => one.check === cannotRun.id && one.file === file && one.line === line);

export const run: Run<typeof doctorSpec> = async (given, context) => {
  const { tools, environment: showsEnvironment } = given;
  if (given['all-agents']) return compareAgents(context);
  if (given.drift) return findDriftIn(given.files, given.dialect, context);
  if (given.files.length > 0) throw new UsageError('files are for --drift', 'hookwright doctor --drift captured/');
  const whose = await whoseHooks(given, undefined, context);
  if (whose !== undefined) return doctorOfAgent(whose, context);
  const { world, problems: all, allowed } = await lookAround(context, tools);
  const diagnoses = diagnose(world);
  const problems = all.filter((problem) => !isSaid(problem, diagnoses));
  const variables = seenEnvironment(world);
  const page = { width: context.screen.width, cwd: context.cwd };
  const hooks = world.hooks.length;
  return {
    findings: problems.some(isFinding) || diagnoses.some(({ severity }) => severity !== 'note'),
    data: {
      hooks,
      findings: diagnoses,
      tools: { names: world.tools.names, complete: world.tools.isComplete },
      environment: { variables, allowed },
    },
    problems,
    text: () => [
      ...diagnoses.flatMap((diagnosis) => diagnosisText(diagnosis, page)),
      ...(problems.length === 0 ? [] : [...problemsText(problems, page.width, page.cwd), '']),
      ...(hooks === 0 ? nothingConfigured(context.cwd) : [summaryText(hooks, diagnoses)]),
      ...(showsEnvironment ? environmentText(variables, page) : []),
    ],
  };
};
