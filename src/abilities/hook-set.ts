// Holds the ability hooks that were loaded from a repository, and fires ability events at them.
import { type AbilityContextOf, type AbilityEventType, abilityCatalogue } from '../events/index.ts';
import type { AbilityEventHandler, AbilityFireOptions } from '../handlers/index.ts';
import {
  type AbilityPlan,
  type AbilityPlanner,
  type ConfiguredAbilityHook,
  compileAbilityMatch,
} from '../planner/index.ts';
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
import type { AbilityLog, LogEntry } from './ability-log.ts';
import type { NewGuards } from './guarding/new-guards.ts';

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
  readonly newGuards: NewGuards;
  readonly without: readonly string[];
  readonly inspect: (config: HookConfig) => Promise<readonly Notice[]>;
  readonly pauseProblems: () => readonly ConfigProblem[];
}

const unapprovedReasons: readonly SkipReason[] = ['untrusted', 'changed-since-trusted', 'invalid-config'];

/** The ability hooks of a repository, created by `loadAbilityHooks`. */
export class AbilityHookSet {
  readonly root: string;
  readonly directory: string;
  /** Every readable declaration, enabled or not, in the order of the file names. */
  readonly hooks: readonly AbilityHook[];
  /** Answers requests on the bus, if the hooks have a bus. */
  readonly handler: AbilityEventHandler;
  /** The consequence of a failed blocking hook whose declaration has no `on_fault`. */
  readonly onFault: AbilityOnFault;
  readonly #parts: AbilityHookSetParts;
  readonly #configured: ReadonlyMap<string, ConfiguredAbilityHook>;

  constructor(parts: AbilityHookSetParts) {
    this.root = parts.root;
    this.directory = parts.directory;
    this.hooks = parts.configured.flatMap(({ hook }) => hook ?? []);
    this.handler = parts.handler;
    this.onFault = parts.onFault;
    this.#parts = parts;
    this.#configured = new Map(parts.configured.map((configured) => [configured.hookId, configured]));
  }

  /** Mistakes in the files, guards added after loading, and a pause of all hooks. */
  get problems(): readonly ConfigProblem[] {
    const { problems, newGuards, pauseProblems } = this.#parts;
    return [...problems, ...newGuards.problems, ...pauseProblems()];
  }

  /** Fires an event. Never rejects. */
  fire<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    options?: RunHooksOptions,
  ): Promise<AbilityEventResult> {
    this.#parts.newGuards.checkIfDue();
    const fired = this.handler.fire(eventType, context, options);
    return this.#parts.without.length === 0
      ? fired
      : fired.then((result) => this.#withSkipped(eventType, context, result));
  }

  #withSkipped<E extends AbilityEventType>(
    eventType: E,
    context: AbilityContextOf<E>,
    result: AbilityEventResult,
  ): AbilityEventResult {
    const skipped = this.#absentAt(eventType, context)
      .filter(({ name }) => this.#parts.without.includes(name))
      .map(({ name, reason = 'untrusted', source: { file = '', line = 1 } }): AbilityHookRun => {
        const message = `${file}:${line} was not asked (${reason}): a person goes on without it`;
        return { hook_id: name, blocking: true, outcome: 'skipped', code: reason, message };
      });
    for (const run of skipped) this.writeLog({ event_type: eventType, status: 'success', ...run });
    return { ...result, hooks: [...skipped, ...result.hooks] };
  }

  writeLog(entry: LogEntry): void {
    this.#parts.log?.write(entry);
  }

  /**
   * One row per declaration of an event, or of all events, with the reason if it would not run. Without a context every
   * match block fits. Runs nothing.
   */
  explain<E extends AbilityEventType>(eventType?: E | string, context?: AbilityContextOf<E>): HookRow[] {
    return this.#parts.planner.explain(eventType, context);
  }

  /** Like `explain`, and also checks whether each hook could start on this machine. */
  inspect<E extends AbilityEventType>(eventType?: E | string, context?: AbilityContextOf<E>): Promise<HookRow[]> {
    const inspected = this.explain(eventType, context).map(async (row) => {
      const config = row.planned === 'run' ? this.#configured.get(row.hookId)?.hook?.config : undefined;
      const warnings = config === undefined ? [] : await this.#parts.inspect(config);
      return warnings.length === 0 ? row : { ...row, warnings: [...(row.warnings ?? []), ...warnings] };
    });
    return Promise.all(inspected);
  }

  /**
   * Blocking hooks that would run for this event if they were approved, and unapproved files that may be such hooks.
   */
  unapproved<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>): HookRow[] {
    const waiting: readonly (string | undefined)[] = ['untrusted', 'invalid-config'];
    return this.#absentAt(eventType, context).filter(({ reason }) => waiting.includes(reason));
  }

  #absentAt<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>): HookRow[] {
    return this.explain().filter((row) => {
      const { hook, unread } = this.#configured.get(row.hookId) ?? {};
      if (row.reason === undefined || !unapprovedReasons.includes(row.reason)) return false;
      const isForEvent = hook === undefined ? unread?.events[eventType] !== undefined : hook.eventType === eventType;
      const match = hook?.blocking === true ? hook.match : unread?.match;
      if (!isForEvent || match === undefined) return false;
      return compileAbilityMatch(match, abilityCatalogue[eventType].match).isActive(context) !== false;
    });
  }

  plan<E extends AbilityEventType>(eventType: E, context: AbilityContextOf<E>, blockingOnly?: boolean): AbilityPlan {
    return this.#parts.planner.plan(eventType, context, { blockingOnly });
  }

  /** Resolves when no background hook runs and the log is written. */
  async idle(): Promise<void> {
    await this.handler.idle();
    await this.#idleFiles();
  }

  /** Stops running hooks; later events are answered with `disposed`. */
  async dispose(): Promise<void> {
    await this.handler.dispose();
    await this.#idleFiles();
  }

  async #idleFiles(): Promise<void> {
    await this.#parts.newGuards.idle();
    await this.#parts.log?.idle();
  }
}

/**
 * Runs the hooks of an event and merges the answers of blocking hooks in the order of the files; other hooks run in the
 * background. Never rejects: a failed event has `success: false` and an `error`.
 */
export const runHooks = <E extends AbilityEventType>(
  hookSet: AbilityHookSet,
  eventType: E,
  context: AbilityContextOf<E>,
  options?: RunHooksOptions,
): Promise<AbilityEventResult> => hookSet.fire(eventType, context, options);
