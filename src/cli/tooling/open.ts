import type { AbilityHookSet } from '../../abilities/hook-set.ts';
import { loadAbilityHooks } from '../../abilities/load.ts';
import { loadAbilities } from '../../abilities/tools/declaration/load-abilities.ts';
import { ToolRunner } from '../../abilities/tools/tool-runner.ts';
import type { AbilityContextOf, AbilityEventType } from '../../events/ability-contexts.ts';
import type { Confirm } from '../../protocol/confirm.ts';
import type { Context } from '../context.ts';
import type { CliProblem } from '../outcome.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { styled } from '../terminal/text.ts';
import { callerFrom } from './caller.ts';

export interface OpenOptions {
  readonly isPipeline: boolean;
  readonly environment: string | undefined;
  readonly trustProject: boolean;
}

/** The tools of a project: its abilities, its hooks, its tasks. */
export interface Tools {
  readonly runner: ToolRunner;
  readonly hooks: AbilityHookSet;
  readonly root: string;
  /** All that is wrong in the files of hooks and abilities. */
  readonly problems: readonly CliProblem[];
  readonly abilityProblems: readonly CliProblem[];
}

/** A person at the terminal may say yes where a hook requires one; nobody else can. */
const confirmWith = (context: Context): { readonly confirm?: Confirm } => {
  if (!context.canAsk) return {};
  return {
    confirm: async ({ toolName = '', reason }) => {
      context.note([[styled('yellow', reason)]]);
      const said = await context.ask(['do it all the same: ', styled('bold', toolName), '? [y]es, [N]o:']);
      return said !== undefined && /^y(?:es)?$/i.test(said.trim());
    },
  };
};

/** Opens the tools of the project for a piece of work, and waits afterwards until all that was begun has ended. */
export const withTools = async <T>(
  context: Context,
  { isPipeline, environment, trustProject }: OpenOptions,
  work: (tools: Tools) => Promise<T>,
): Promise<T> => {
  const { config } = await loadSettings(context);
  const root = config.getProjectDir();
  const check = config.getDeps().trustCheck;
  const trust = trustProject ? { trustedFolder: true } : { trustCheck: check };
  const warn = (message: string): void => context.note([[styled('yellow', message)]]);
  if (trustProject) warn('--trust-project: what the project brings is used without having been approved, this once');
  const logger = { warn, error: warn };
  const allowEnv = config.getAllowedEnv();
  const hooks = await loadAbilityHooks(root, { ...trust, allowEnv, home: config.getHome(), logger });
  const { registry, problems: abilityProblems } = await loadAbilities(root, { ...trust, home: config.getHome() });
  const runner = new ToolRunner({
    root,
    hooks,
    abilities: registry,
    caller: callerFrom(context.env, isPipeline),
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
      problems: [...hooks.problems, ...abilityProblems],
      abilityProblems,
    });
    // Hooks that nobody waits for belong to this process, which is about to end.
    if (!context.signal.aborted) await runner.idle();
    return done;
  } finally {
    await runner.dispose();
    await hooks.dispose();
  }
};

const unapproved: readonly (string | undefined)[] = ['untrusted', 'changed-since-trusted'];

/**
 * Hooks that would have a say in this if they were approved. To go on without them is to go on without the checks that
 * the project wants.
 */
export const unapprovedChecks = <E extends AbilityEventType>(
  { hooks }: Tools,
  eventType: E,
  context: AbilityContextOf<E>,
): CliProblem[] => {
  const blocking = new Set(hooks.hooks.flatMap(({ blocking: isBlocking, file }) => (isBlocking ? [file] : [])));
  const waiting = hooks
    .explain(eventType, context)
    .filter(
      ({ reason, source }) => unapproved.includes(reason) && source.file !== undefined && blocking.has(source.file),
    );
  return waiting.map(({ name, source: { file, line }, reason }) => ({
    severity: 'error',
    file,
    line,
    message: `${name} would check this and is not approved (${reason}), so nothing is done`,
    hint: 'hookwright trust shows it; --skip-unapproved goes on without it',
  }));
};
