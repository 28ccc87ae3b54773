/** Opens the abilities of a project, and closes them after use. */
import { type AbilityHookSet, loadAbilities, loadAbilityHooks, ToolRunner } from '../../abilities/index.ts';
import { type AbilityCaller, type AbilityContextOf, type AbilityEventType, CallerSource } from '../../events/index.ts';
import { suggestion } from '../../kit/index.ts';
import { isPipeline } from '../../kit/node.ts';
import { type Confirm, withoutName } from '../../protocol/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { styled } from '../rendering/text.ts';
import { abilityHooksIn, isAboutFile } from '../sources/ability-hooks.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { UsageError } from '../usage-error.ts';

export interface OpenOptions {
  readonly isPipeline: boolean;
  readonly environment: string | undefined;
  readonly trustProject: boolean;
  /** Who calls, where it is said. */
  readonly caller?: string | undefined;
  /** Ids of hooks that the person goes on without. */
  readonly without?: readonly string[] | undefined;
}

/** The tools of a project: its abilities, its hooks, its tasks. */
export interface Tools {
  readonly runner: ToolRunner;
  readonly hooks: AbilityHookSet;
  readonly root: string;
  readonly without: readonly string[];
  /** All that is wrong in the files of hooks and abilities. */
  /** Messages of faults that the outcome shows. */
  readonly shown: string[];
  readonly problems: readonly CliProblem[];
  readonly abilityProblems: readonly CliProblem[];
}

/** Only a person at the terminal may confirm where a hook requires it. */
const confirmWith = (context: Context): { readonly confirm?: Confirm } => {
  if (!context.canAsk) return {};
  return {
    confirm: async ({ toolName = '', reason }) => {
      context.note([[styled('yellow', reason)]]);
      const said = await context.ask(['do it anyway: ', styled('bold', toolName), '? [y]es, [N]o:']);
      return said !== undefined && /^y(?:es)?$/i.test(said.trim());
    },
  };
};

/** Opens the tools of the project for a piece of work, and waits afterwards until all that was begun has ended. */
export const withTools = async <T>(
  context: Context,
  { isPipeline, environment, trustProject, caller, without = [] }: OpenOptions,
  work: (tools: Tools) => Promise<T>,
): Promise<T> => {
  const { config } = await loadSettings(context);
  const root = config.getProjectDir();
  // Approvals count as they were given: at the root of the project, wherever the person is.
  const trust = trustProject ? { trustedFolder: true } : {};
  const warn = (message: string): void => context.note([[styled('yellow', message)]]);
  if (trustProject) warn('--trust-project: project hooks and abilities are used without approval, this once');
  const told = (line: string): void => warn(withoutName(line));
  // Printed at the end, and only if the outcome does not show it: most faults stand there.
  const faults: string[] = [];
  const shown: string[] = [];
  const logger = { warn: told, error: (line: string): unknown => faults.push(line) };
  const allowEnv = config.getAllowedEnv();
  const hooks = await loadAbilityHooks(abilityHooksIn(root), {
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
    caller: callerFrom(context.env, isPipeline, caller),
    environment,
    allowEnv,
    logger,
    ...confirmWith(context),
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
    // Background hooks belong to this process, which is about to end.
    if (!context.signal.aborted) await runner.idle();
    return done;
  } finally {
    await runner.dispose();
    await hooks.dispose();
    for (const line of faults) if (!shown.some((message) => line.includes(message))) told(line);
  }
};

/** Hooks that do not run, or are gone. Advice about hooks that do run, and missing approvals, are shown elsewhere. */
export const hookProblems = ({ hooks }: Tools): CliProblem[] =>
  hooks.problems.filter(
    (problem) =>
      (problem.skipped || problem.code === 'removed' || problem.code === 'unknown-key') && isAboutFile(problem),
  );

const skippable: readonly (string | undefined)[] = [
  'untrusted',
  'changed-since-trusted',
  'invalid-config',
  'unknown-event',
];

/** A hook that can be asked is asked: only the others can be gone on without, each by its id. */
export const expectSkippable = ({ hooks }: Tools, ids: readonly string[]): void => {
  const rows = hooks.explain();
  const known = rows.filter(({ reason }) => skippable.includes(reason)).map(({ name }) => name);
  const wrong = ids.find((id) => !known.includes(id));
  if (wrong === undefined) return;
  const isThere = rows.some(({ name }) => name === wrong);
  const what = isThere ? 'is approved and is asked' : `is none of the hooks${suggestion(wrong, known)}`;
  throw new UsageError(
    `--skip-unapproved: ${JSON.stringify(wrong)} ${what}`,
    known.length === 0 ? 'no hook waits for an approval' : `waiting for an approval: ${known.join(', ')}`,
  );
};

/**
 * Hooks that would have a say in this if they were approved and could be read. To go on without them is to go on without
 * the checks that the project wants.
 */
export const unapprovedChecks = <E extends AbilityEventType>(
  { hooks, without }: Tools,
  eventType: E,
  context: AbilityContextOf<E>,
): CliProblem[] => {
  const hint = (id: string, code?: string): string =>
    `${code === 'invalid-config' ? 'repair it' : 'hookwright trust shows it'}; --skip-unapproved ${id} continues without it`;
  const untrusted = hooks.unapproved(eventType, context).filter(({ name }) => !without.includes(name));
  const whyUnread = (path: string | undefined): string =>
    hooks.problems.find(({ file, skipped }) => skipped && file === path)?.message ?? 'its file has a mistake';
  const isTold = (file: string): boolean => untrusted.some(({ source }) => source.file === file);
  const absent = hooks
    .plan(eventType, context)
    .hooks.flatMap(({ missing, hook: { onFault } }) => (missing === undefined || onFault !== 'fail' ? [] : [missing]))
    .filter(({ file }) => !isTold(file));
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

const first = (env: Environment, names: readonly string[]): string | undefined =>
  names.map((name) => env[name]).find((value) => value !== undefined && value !== '');

/** What pipelines call the run they are in, and who set it off. */
const jobNames = ['GITHUB_RUN_ID', 'CI_JOB_ID', 'BUILD_ID', 'BUILDKITE_JOB_ID', 'CIRCLE_WORKFLOW_JOB_ID'];
const actorNames = ['GITHUB_ACTOR', 'GITLAB_USER_LOGIN', 'BUILD_REQUESTEDFOR', 'BUILDKITE_BUILD_CREATOR'];
const userNames = ['USER', 'LOGNAME', 'USERNAME'];

/**
 * Who calls: a person, unless this is a pipeline. Pipelines say so by `CI`, or by the flag where theirs does not. Hooks
 * are told, and apply to both alike.
 */
export const callerFrom = (env: Environment, saysPipeline: boolean, said?: string): AbilityCaller => {
  const inPipeline = saysPipeline || isPipeline(env);
  const usual = inPipeline ? CallerSource.CiPipeline : CallerSource.ManualCli;
  const source = Object.values(CallerSource).find((known) => known === said) ?? usual;
  if (source === CallerSource.ManualCli || !inPipeline) {
    const user = first(env, userNames);
    return { source, ...(user === undefined ? {} : { triggered_by: user }) };
  }
  const job = first(env, jobNames);
  const actor = first(env, actorNames);
  return {
    source,
    ...(job === undefined ? {} : { job_id: job }),
    ...(actor === undefined ? {} : { triggered_by: actor }),
  };
};
