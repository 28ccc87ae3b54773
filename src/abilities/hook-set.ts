import { type AbilityContextOf, type AbilityEventType, abilityCatalogue } from '../events/index.ts';
import type { AbilityEventHandler, AbilityFireOptions } from '../handlers/index.ts';
import { type AbilityPlan, type AbilityPlanner, type ConfiguredAbilityHook, compileMatch } from '../planner/index.ts';
import type {
  AbilityEventResult,
  AbilityHook,
  AbilityHookRun,
  AbilityOnFault,
  ConfigProblem,
  HookConfig,
  HookRow,
  Notice,
  SkipReason,
} from '../protocol/index.ts';
import type { Newcomers } from './guarding/newcomers.ts';
import type { AbilityLog, LogEntry } from './log.ts';

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
  readonly newcomers: Newcomers;
  /** Ids of hooks that a person goes on without. */
  readonly without?: readonly string[] | undefined;
  /** What a look at the machine says about a hook before it runs. */
  readonly inspect: (config: HookConfig) => Promise<readonly Notice[]>;
  /** That a person switched all hooks off for a while, as long as it is so. */
  readonly pauseProblems?: (() => readonly ConfigProblem[]) | undefined;
}

/** Reasons why a hook that is meant to be asked cannot be. */
const unaskable: readonly SkipReason[] = ['untrusted', 'changed-since-trusted', 'invalid-config'];

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
  readonly #configured: ReadonlyMap<string, ConfiguredAbilityHook>;
  readonly #log: AbilityLog | undefined;
  readonly #without: readonly string[];
  readonly #newcomers: Newcomers;
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
      without = [],
      newcomers,
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
    this.#configured = new Map(configured.map((one) => [one.hookId, one]));
    this.#log = log;
    this.#without = without;
    this.#newcomers = newcomers;
  }

  /** What is wrong with the files, guards that came after they were loaded, and that hooks are switched off for a while. */
  get problems(): readonly ConfigProblem[] {
    return [...this.#problems, ...this.#newcomers.problems, ...this.#pauseProblems()];
  }

  /** Fires an event. Never rejects. */
  fire<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options?: RunHooksOptions,
  ): Promise<AbilityEventResult> {
    this.#newcomers.look();
    const fired = this.handler.fire(eventType, context, options);
    return this.#without.length === 0 ? fired : fired.then((result) => this.#withSkipped(eventType, context, result));
  }

  /** Adds the hooks that a person goes on without, in the result and in the log. */
  #withSkipped<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    result: AbilityEventResult,
  ): AbilityEventResult {
    const skipped = this.#absentAt(eventType, context)
      .filter(({ name }) => this.#without.includes(name))
      .map(({ name, reason = 'untrusted', source: { file = '', line = 1 } }): AbilityHookRun => {
        const message = `${file}:${line} was not asked (${reason}): a person goes on without it`;
        return { hook_id: name, blocking: true, outcome: 'skipped', code: reason, message };
      });
    for (const run of skipped) this.writeLog({ event_type: eventType, status: 'success', ...run });
    return { ...result, hooks: [...skipped, ...result.hooks] };
  }

  /** Adds a line to the log of these hooks, if there is one. */
  writeLog(entry: LogEntry): void {
    this.#log?.write(entry);
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
      const config = row.planned === 'run' ? this.#configured.get(row.hookId)?.hook?.config : undefined;
      const found = config === undefined ? [] : await this.#inspect(config);
      return found.length === 0 ? row : { ...row, warnings: [...(row.warnings ?? []), ...found] };
    });
    return Promise.all(looks);
  }

  /**
   * Blocking hooks that would be asked about this if they were approved, and files that were never approved, cannot be read
   * and may be such hooks. Their scope counts, as far as it can be compared in time.
   */
  unapproved<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>): HookRow[] {
    const waiting: readonly (string | undefined)[] = ['untrusted', 'invalid-config'];
    return this.#absentAt(eventType, context).filter(({ reason }) => waiting.includes(reason));
  }

  /** Rows of blocking hooks that cannot be asked about this, and of files that may be such hooks. */
  #absentAt<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>): HookRow[] {
    return this.explain().filter((row) => {
      const { hook, unread } = this.#configured.get(row.hookId) ?? {};
      if (row.reason === undefined || !unaskable.includes(row.reason)) return false;
      const isMeant = hook === undefined ? unread?.events[eventType] !== undefined : hook.eventType === eventType;
      const match = hook?.blocking === true ? hook.match : unread?.match;
      if (!isMeant || match === undefined) return false;
      return compileMatch(match, abilityCatalogue[eventType].match).isActive(context) !== false;
    });
  }

  /** What would run for an event. Nothing is run. */
  plan<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>, blockingOnly?: boolean): AbilityPlan {
    return this.#planner.plan(eventType, context, { blockingOnly });
  }

  /** Resolves when no hook runs in the background any more and all that happened is in the log. */
  async idle(): Promise<void> {
    await this.handler.idle();
    await this.#newcomers.idle();
    await this.#log?.idle();
  }

  /** Ends what runs, waits until its processes are gone, and answers what comes later as disposed. */
  async dispose(): Promise<void> {
    await this.handler.dispose();
    await this.#newcomers.idle();
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
