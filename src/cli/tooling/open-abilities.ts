/** Opens the abilities of a project with their hooks and tasks, and closes them after use. */
import { type AbilityHookSet, loadAbilities, loadAbilityHooks, ToolRunner } from '../../abilities/index.ts';
import { type AbilityCaller, type AbilityContextOf, type AbilityEventType, CallerSource } from '../../events/index.ts';
import { formatSuggestion, omitUndefined } from '../../kit/index.ts';
import { isCiEnvironment } from '../../kit/node.ts';
import { type Confirm, withoutLogPrefix } from '../../protocol/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { type Context, isTypedYes } from '../context.ts';
import { createSpan } from '../rendering/text.ts';
import { getAbilityHooksFolder, isFileProblem } from '../sources/ability-hooks.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { UsageError } from '../usage-error.ts';

export interface CallFlagValues {
  readonly ci: boolean;
  readonly environment: string | undefined;
  readonly 'trust-project': boolean;
  readonly caller: string | undefined;
  readonly 'skip-unapproved': readonly string[];
}

export interface OpenAbilities {
  readonly runner: ToolRunner;
  readonly hooks: AbilityHookSet;
  readonly root: string;
  readonly without: readonly string[];
  readonly shown: string[];
  readonly problems: readonly CliProblem[];
  readonly abilityProblems: readonly CliProblem[];
}

const createConfirm =
  (context: Context): Confirm =>
  async ({ toolName = '', reason }) => {
    context.note([[createSpan('yellow', reason)]]);
    return isTypedYes(await context.ask(['do it anyway: ', createSpan('bold', toolName), '? [y]es, [N]o:']));
  };

export const withAbilities = async <T>(
  context: Context,
  {
    ci = false,
    environment,
    'trust-project': trustProject = false,
    caller,
    'skip-unapproved': without = [],
  }: Partial<CallFlagValues>,
  work: (tools: OpenAbilities) => Promise<T>,
): Promise<T> => {
  const { config } = await loadSettings(context);
  const root = config.getProjectDir();
  const trust = trustProject ? { trustedFolder: true } : {};
  const warn = (message: string): void => context.note([[createSpan('yellow', message)]]);
  if (trustProject) warn('--trust-project: project hooks and abilities are used without approval, this once');
  const warnPlainly = (line: string): void => warn(withoutLogPrefix(line));
  const faults: string[] = [];
  const shown: string[] = [];
  const logger = { warn: warnPlainly, error: (line: string): unknown => faults.push(line) };
  const allowEnv = config.getAllowedEnv();
  const hooks = await loadAbilityHooks(getAbilityHooksFolder(root), {
    ...trust,
    allowEnv,
    home: config.getHome(),
    logger,
    without,
  });
  const { registry, problems: abilityProblems } = await loadAbilities(root, { ...trust, home: config.getHome() });
  const runner = new ToolRunner({
    root,
    hooks,
    abilities: registry,
    caller: readCaller(context.env, ci, caller),
    environment,
    allowEnv,
    logger,
    // Only a user at a terminal can confirm a call.
    confirm: context.canAsk ? createConfirm(context) : undefined,
  });
  try {
    const done = await work({
      runner,
      hooks,
      root,
      without,
      shown,
      problems: [...hooks.problems, ...abilityProblems],
      abilityProblems,
    });
    // Background hooks would be killed together with this process.
    if (!context.signal.aborted) await runner.idle();
    return done;
  } finally {
    await runner.dispose();
    await hooks.dispose();
    for (const line of faults) if (!shown.some((message) => line.includes(message))) warnPlainly(line);
  }
};

export const listHookProblems = ({ hooks }: OpenAbilities): CliProblem[] =>
  hooks.problems.filter(
    (problem) =>
      (problem.skipped || problem.code === 'removed' || problem.code === 'unknown-key') && isFileProblem(problem),
  );

const skippableReasons: readonly (string | undefined)[] = [
  'untrusted',
  'changed-since-trusted',
  'invalid-config',
  'unknown-event',
];

export const expectSkippable = ({ hooks }: OpenAbilities, ids: readonly string[]): void => {
  const rows = hooks.explain();
  const known = rows.filter(({ reason }) => skippableReasons.includes(reason)).map(({ name }) => name);
  const wrong = ids.find((id) => !known.includes(id));
  if (wrong === undefined) return;
  const isThere = rows.some(({ name }) => name === wrong);
  const what = isThere ? 'is approved and is asked' : `is none of the hooks${formatSuggestion(wrong, known)}`;
  throw new UsageError(
    `--skip-unapproved: ${JSON.stringify(wrong)} ${what}`,
    known.length === 0 ? 'no hook waits for an approval' : `waiting for an approval: ${known.join(', ')}`,
  );
};

export const listUnapprovedChecks = <E extends AbilityEventType>(
  { hooks, without }: OpenAbilities,
  eventType: E,
  context: AbilityContextOf<E>,
): CliProblem[] => {
  const hint = (id: string, code?: string): string =>
    `${code === 'invalid-config' ? 'repair it' : 'hookwright trust shows it'}; --skip-unapproved ${id} continues without it`;
  const untrusted = hooks.unapproved(eventType, context).filter(({ name }) => !without.includes(name));
  const whyUnread = (path: string | undefined): string =>
    hooks.problems.find(({ file, skipped }) => skipped && file === path)?.message ?? 'its file has a mistake';
  const isListed = (file: string): boolean => untrusted.some(({ source }) => source.file === file);
  const absent = hooks
    .plan(eventType, context)
    .hooks.flatMap(({ missing, hook: { onFault } }) => (missing === undefined || onFault !== 'fail' ? [] : [missing]))
    .filter(({ file }) => !isListed(file));
  return [
    ...untrusted.map(({ name, source: { file, line }, reason }) => ({
      severity: 'error' as const,
      file,
      line,
      message:
        reason === 'invalid-config'
          ? `${name} might check this but cannot be read, so nothing is done: ${whyUnread(file)}`
          : `${name} would check this but is not approved (${reason}), so nothing is done`,
      hint: hint(name, reason),
    })),
    ...absent.map(({ id, file, line, message, code }) => ({
      severity: 'error' as const,
      file,
      line,
      message: `${id} would check this but cannot run (${code}), so nothing is done: ${message}`,
      hint: hint(id, code),
    })),
  ];
};

type Environment = Readonly<Record<string, string | undefined>>;

const findFirstVariable = (env: Environment, names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '');

/** Pipelines pass the id of a run, and the user who started it, in these variables. */
const jobVariables = ['GITHUB_RUN_ID', 'CI_JOB_ID', 'BUILD_ID', 'BUILDKITE_JOB_ID', 'CIRCLE_WORKFLOW_JOB_ID'];
const actorVariables = ['GITHUB_ACTOR', 'GITLAB_USER_LOGIN', 'BUILD_REQUESTEDFOR', 'BUILDKITE_BUILD_CREATOR'];
const userVariables = ['USER', 'LOGNAME', 'USERNAME'];

export const readCaller = (env: Environment, saysPipeline: boolean, said?: string): AbilityCaller => {
  const inPipeline = saysPipeline || isCiEnvironment(env);
  const usual = inPipeline ? CallerSource.CiPipeline : CallerSource.ManualCli;
  const source = Object.values(CallerSource).find((known) => known === said) ?? usual;
  if (source === CallerSource.ManualCli || !inPipeline)
    return omitUndefined({ source, triggered_by: findFirstVariable(env, userVariables) });
  return omitUndefined({
    source,
    job_id: findFirstVariable(env, jobVariables),
    triggered_by: findFirstVariable(env, actorVariables),
  });
};
