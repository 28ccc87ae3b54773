import { type AbilityContextOf, type AbilityEventType, abilityCatalogue } from '../events/index.ts';
import type { AbilityEventHandler, AbilityFireOptions } from '../handlers/index.ts';
import { type AbilityPlan, type AbilityPlanner, type ConfiguredAbilityHook, compileMatch } from '../planner/index.ts';
import type {
  AbilityEventResult,
  AbilityHook,
  AbilityOnFault,
  ConfigProblem,
  HookConfig,
  HookRow,
  Notice,
} from '../protocol/index.ts';
import type { AbilityLog } from './log.ts';

export interface RunHooksOptions extends AbilityFireOptions {}

export interface AbilityHookSetParts {
  readonly root: string;
  readonly directory: string;
  readonly configured: readonly ConfiguredAbilityHook[];
  readonly problems: readonly ConfigProblem[];
  readonly planner: AbilityPlanner;
  readonly handler: AbilityEventHandler;
  readonly log: AbilityLog | undefined;
  readonly onFault: AbilityOnFault;
  /** What a look at the machine says about a hook before it runs. */
  readonly inspect: (config: HookConfig) => Promise<readonly Notice[]>;
  /** That a person switched all hooks off for a while, as long as it is so. */
  readonly pauseProblems?: (() => readonly ConfigProblem[]) | undefined;
}

/** The ability hooks of a repository, read and ready to run. `loadAbilityHooks` makes it. */
export class AbilityHookSet {
  /** The repository. Commands start here. */
  readonly root: string;
  /** The folder of the declaration files. */
  readonly directory: string;
  /** Every declaration that could be read, switched on or not, in the order of the file names. */
  readonly hooks: readonly AbilityHook[];
  /** Answers the requests of the bus, where there is one. */
  readonly handler: AbilityEventHandler;
  /** What a fault of a blocking hook leads to where its declaration does not say. */
  readonly onFault: AbilityOnFault;
  readonly #planner: AbilityPlanner;
  readonly #inspect: AbilityHookSetParts['inspect'];
  readonly #configs: ReadonlyMap<string, HookConfig>;
  readonly #log: AbilityLog | undefined;
  readonly #problems: readonly ConfigProblem[];
  readonly #pauseProblems: () => readonly ConfigProblem[];

  constructor(parts: AbilityHookSetParts) {
    const {
      root,
      directory,
      configured,
      problems,
      pauseProblems = () => [],
      planner,
      handler,
      log,
      onFault,
      inspect,
    } = parts;
    this.root = root;
    this.directory = directory;
    this.hooks = configured.flatMap(({ hook }) => hook ?? []);
    this.#problems = problems;
    this.#pauseProblems = pauseProblems;
    this.handler = handler;
    this.onFault = onFault;
    this.#planner = planner;
    this.#inspect = inspect;
    this.#configs = new Map(
      configured.flatMap(({ hookId, hook }) => (hook === undefined ? [] : [[hookId, hook.config]])),
    );
    this.#log = log;
  }

  /** What is wrong with the files, and that hooks are switched off for a while. */
  get problems(): readonly ConfigProblem[] {
    return [...this.#problems, ...this.#pauseProblems()];
  }

  /** Fires an event. Never rejects. */
  fire<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options?: RunHooksOptions,
  ): Promise<AbilityEventResult> {
    return this.handler.fire(eventType, context, options);
  }

  /**
   * One row per declaration of an event or of all events, those that cannot be read included: whether it would run, and
   * why not. Without a context every match block matches. Nothing is run, and no file is touched.
   */
  explain<E extends AbilityEventType>(eventType?: E | string, context?: AbilityContextOf<E>): HookRow[] {
    return this.#planner.explain(eventType, context);
  }

  /** The same rows with a look at the machine: whether what would run can be started. Nothing is run. */
  inspect<E extends AbilityEventType>(eventType?: E | string, context?: AbilityContextOf<E>): Promise<HookRow[]> {
    const looks = this.explain(eventType, context).map(async (row) => {
      const config = row.planned === 'run' ? this.#configs.get(row.hookId) : undefined;
      const found = config === undefined ? [] : await this.#inspect(config);
      return found.length === 0 ? row : { ...row, warnings: [...(row.warnings ?? []), ...found] };
    });
    return Promise.all(looks);
  }

  /**
   * Blocking hooks that would be asked about this if somebody had approved them. Their scope counts, as far as it can be
   * compared in time.
   */
  unapproved<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>): HookRow[] {
    const byFile = new Map(this.hooks.map((hook) => [hook.file, hook]));
    return this.explain(eventType).filter(({ reason, source }) => {
      const hook = byFile.get(source.file ?? '');
      if (reason !== 'untrusted' || hook?.blocking !== true) return false;
      return compileMatch(hook.match, abilityCatalogue[eventType].match).isActive(context) !== false;
    });
  }

  /** What would run for an event. Nothing is run. */
  plan<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>, blockingOnly?: boolean): AbilityPlan {
    return this.#planner.plan(eventType, context, { blockingOnly });
  }

  /** Resolves when no hook runs in the background any more and all that happened is in the log. */
  async idle(): Promise<void> {
    await this.handler.idle();
    await this.#log?.idle();
  }

  /** Ends what runs, waits until its processes are gone, and answers what comes later as disposed. */
  async dispose(): Promise<void> {
    await this.handler.dispose();
    await this.#log?.idle();
  }
}

/**
 * Runs the hooks of an event. Blocking hooks are waited for; what they answered is merged in the order of the files. The
 * others are started and left alone. Never rejects: an event that failed has `success: false` and says why in `error`.
 */
export const runHooks = <E extends AbilityEventType>(
  hookSet: AbilityHookSet,
  eventType: E,
  context: AbilityContextOf<E>,
  options?: RunHooksOptions,
): Promise<AbilityEventResult> => hookSet.fire(eventType, context, options);
