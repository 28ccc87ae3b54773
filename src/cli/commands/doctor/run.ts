/** `hookwright doctor`: finds problems that keep hooks from working. */
import { findHomeProblem } from '../../../kit/node.ts';
import { compareAgents } from '../../agents/compare-agents.ts';
import { findDriftIn, runAgentDoctor } from '../../agents/doctor.ts';
import { listAllLinesWithOldLimits } from '../../agents/line-needs.ts';
import { selectAgent } from '../../agents/select-agent.ts';
import {
  formatStartedLines,
  listLineProblems,
  removeNpmFromPath,
  startInstalledLines,
} from '../../agents/start-lines.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { untrustedHookCheck } from '../../doctor/cannot-run.ts';
import { collectCheckInput } from '../../doctor/collect-check-input.ts';
import {
  diagnose,
  formatDiagnoses,
  formatEnvironment,
  formatSummary,
  type LocatedDiagnosis,
  mergeWithProblems,
} from '../../doctor/diagnose.ts';
import {
  formatFiles,
  formatJournal,
  reportEnvironment,
  reportFiles,
  reportJournal,
} from '../../doctor/environment-report.ts';
import { findLostCanaries } from '../../hook-tests/lost-canaries.ts';
import { formatProblems } from '../../rendering/problem-lines.ts';
import { createReportingContext, type ReportedCheck, withReporter } from '../../rendering/reporters.ts';
import { failsCommand } from '../../sources/ability-hooks.ts';
import { formatNoHooks } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { doctorSpec } from './spec.ts';

/** Agents start hooks without npm's directories in PATH, so a program that only npm finds is reported as missing. */
export const run: CommandMain<typeof doctorSpec> = async (options, context) => {
  const { PATH: path } = process.env;
  const env = context.env.PATH === undefined ? {} : { PATH: removeNpmFromPath(context.env.PATH) };
  if (path !== undefined) process.env.PATH = removeNpmFromPath(path);
  try {
    return await runDoctor(options, { ...context, env: { ...context.env, ...env } });
  } finally {
    if (path !== undefined) process.env.PATH = path;
  }
};

const listHomeProblems = ({ env }: Context): readonly CliProblem[] => {
  const message = findHomeProblem(env);
  const isFile = message?.includes('.hookwright') === true;
  const hint = isFile ? 'move that file away' : 'set it to the home directory of the user';
  return message === undefined ? [] : [{ severity: 'warning', message, hint }];
};

const toReportedDiagnosis = (found: LocatedDiagnosis): ReportedCheck => {
  const { check, name, severity, what, fix, file, line, column } = found;
  return { name, rule: check, level: severity, message: `${name}: ${what}; ${fix}`, file, line, column };
};

const runDoctor: CommandMain<typeof doctorSpec> = async (options, outer) => {
  const { tool: tools, environment: showsEnvironment, reporter } = options;
  const isOther = options['all-agents'] || options.drift;
  if (reporter !== undefined && isOther) throw new UsageError('--reporter cannot be used with that');
  const context = createReportingContext(outer, reporter);
  if (options['all-agents']) return compareAgents(context);
  if (options.drift) return findDriftIn(options.files, options.agent, context);
  if (options.files.length > 0) throw new UsageError('files are for --drift', 'hookwright doctor --drift captured/');
  const selected = await selectAgent(options, undefined, context);
  if (selected !== undefined) {
    return withReporter(await runAgentDoctor(selected, context), reporter, { command: 'doctor', cwd: context.cwd });
  }
  const { input, problems: all, config } = await collectCheckInput(context, tools);
  const { diagnoses, problems: others } = mergeWithProblems(diagnose(input), all);
  const installed = await startInstalledLines(context);
  const isNamed = diagnoses.some(({ check }) => check === untrustedHookCheck.id);
  const found = others.filter(({ code }) => !(isNamed && code === 'awaiting-approval'));
  const byLines = listLineProblems(installed);
  const lost = (await findLostCanaries(context)).filter(
    ({ message }) => !byLines.some((one) => one.message.endsWith(message)),
  );
  const outgrown = installed.length === 0 ? [] : await listAllLinesWithOldLimits(context);
  const problems = [...listHomeProblems(outer), ...byLines, ...outgrown, ...found, ...lost];
  const files = await reportFiles(config, input.hooks, context);
  const journal = reportJournal(config);
  const variables = reportEnvironment(input);
  const hooks = input.hooks.length;
  const outcome: CommandOutcome = {
    findings: problems.some(failsCommand) || diagnoses.some(({ severity }) => severity !== 'note'),
    data: {
      hooks,
      findings: diagnoses,
      tools: { names: input.tools.names, complete: input.tools.isComplete },
      environment: { variables, allowed: config.getAllowedEnv() },
      files,
      journal,
      installed,
    },
    problems,
    text: () => [
      ...formatDiagnoses(diagnoses, context),
      ...(problems.length === 0 ? [] : [...formatProblems(problems, context), '']),
      ...formatStartedLines(installed),
      ...formatFiles(files, context),
      ...formatJournal(journal, context),
      ...(hooks === 0 ? formatNoHooks(context, all) : [formatSummary(hooks, diagnoses, problems)]),
      ...(showsEnvironment ? formatEnvironment(variables, context) : []),
    ],
  };
  const checks = (): ReportedCheck[] => diagnoses.map(toReportedDiagnosis);
  return withReporter(outcome, reporter, { command: 'doctor', cwd: context.cwd, checks });
};
