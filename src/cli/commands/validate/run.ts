import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigSource } from '../../../protocol/index.ts';
import type { ConfigFile } from '../../../settings/index.ts';
import { cliProblem } from '../../agents/judged.ts';
import { type Whose, whoseData, whoseHooks, whoseText } from '../../agents/whose-hooks.ts';
import type { Run } from '../../command.ts';
import type { CliProblem, CommandOutcome } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { matchers } from '../../doctor/checks/broad-matchers.ts';
import { notSupported } from '../../doctor/checks/cannot-run.ts';
import { alike, type DiagnosisGroup, diagnose, type PlacedDiagnosis } from '../../doctor/diagnose.ts';
import { lookAround } from '../../doctor/world.ts';
import { counted } from '../../rendering/problem-lines.ts';
import { shownName } from '../../rendering/shown-name.ts';
import { styled } from '../../rendering/text.ts';
import { type Reported, reportedProblem } from '../../reporting/reported-check.ts';
import { inForm, reportingContext } from '../../reporting/reporter-flag.ts';
import { isFinding, readAbilityHooks } from '../../sources/ability-hooks.ts';
import { nothingConfigured, readConfiguration } from '../../sources/configured.ts';
import { UsageError } from '../../usage-error.ts';
import { framedText } from './framed-text.ts';
import type { validateSpec } from './spec.ts';

const namedFile = (file: string, { cwd }: Context): ConfigFile => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return { path, scope: ConfigSource.Project };
  throw new UsageError(`there is no file ${file}`);
};

/** Whether a file as a whole cannot be read. */
const isWhole = ({ severity, path }: CliProblem & { path?: string | undefined }): boolean =>
  severity === 'error' && path === '';

/** What the doctor finds of the settings themselves, as a problem; the same of several hooks on one line is one. */
const asProblem = ([first, ...others]: DiagnosisGroup): CliProblem => {
  const { check, severity, what, fix, file, line, column } = first;
  const names = [...new Set([first, ...others].map(({ name }) => shownName(name)))];
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    code: check,
    message: `${names.join(', ')}: ${what}`,
    hint: fix,
    ...(file === undefined ? {} : { file, line, column }),
  };
};

const alikeOnALine = ({ check, what, file, line }: PlacedDiagnosis): string =>
  JSON.stringify([check, what, file, line]);

const isTrouble = ({ severity }: PlacedDiagnosis): boolean => severity !== 'note';

export const run: Run<typeof validateSpec> = async (given, asked) => {
  const { files, reporter } = given;
  const context = reportingContext(asked, reporter);
  const whose =
    files.length === 0 || given.agent !== undefined ? await whoseHooks(given, undefined, context) : undefined;
  if (whose !== undefined) {
    const found = await validateOfAgent(whose, files, context);
    const checks = (): Reported[] => (found.problems ?? []).map(reportedProblem);
    return inForm(found, reporter, { command: 'validate', cwd: context.cwd, checks });
  }
  const named = files.length === 0 ? undefined : files.map((file) => namedFile(file, context));
  // Here each problem is shown with its line; those of a whole file come first.
  const { broken: _toldBelow, ...quiet } = context;
  const { hooks, problems: unsorted, config } = await readConfiguration(quiet, { files: named });
  const inSettings = [...unsorted].sort((a, b) => Number(isWhole(b)) - Number(isWhole(a)));
  const abilities = named === undefined ? await readAbilityHooks(config) : undefined;
  const looked = named === undefined ? diagnose((await lookAround(quiet, [])).world, [notSupported, matchers]) : [];
  const problems = [...inSettings, ...(abilities?.problems ?? []), ...alike(looked, alikeOnALine).map(asProblem)];
  const count = hooks.length + (abilities?.declared.length ?? 0);
  const summary = `${counted(count, 'hook')}, ${counted(problems.length, 'problem')}`;
  const outcome: CommandOutcome = {
    findings: [...inSettings, ...(abilities?.problems ?? [])].some(isFinding) || looked.some(isTrouble),
    data: { hooks: count },
    problems,
    text: () => [
      ...framedText(problems, context, config.getProjectDir()),
      ...(count === 0 && problems.length === 0 ? nothingConfigured(context, problems) : []),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
  const checks = (): Reported[] => problems.map(reportedProblem);
  return inForm(outcome, reporter, { command: 'validate', cwd: context.cwd, checks });
};

const existing = (file: string, cwd: string): string => {
  const path = resolve(cwd, file);
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return path;
  throw new UsageError(`there is no file ${file}`);
};

/** The files of another agent, checked as it reads them; what it would swallow is a problem with its line. */
const validateOfAgent = async (whose: Whose, named: readonly string[], context: Context): Promise<CommandOutcome> => {
  const files = named.length === 0 ? undefined : named.map((file) => existing(file, context.cwd));
  const { hooks, problems: found } = await whose.agent.judge({ files });
  const problems = found.map(cliProblem);
  const summary = `${counted(hooks.length, 'hook')}, ${counted(problems.length, 'problem')}`;
  return {
    findings: problems.some(isFinding),
    data: { agent: whoseData(whose), hooks: hooks.length },
    problems,
    text: () => [
      ...whoseText(whose, context),
      ...framedText(problems, context, whose.agent.projectDir),
      [styled(problems.length === 0 ? 'green' : 'yellow', summary)],
    ],
  };
};
