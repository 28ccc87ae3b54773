import { resolve } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import { type AbilityCaller, type AbilityRef, CallerSource } from '../../events/index.ts';
import { describeValue, once } from '../../kit/index.ts';
import { AbilityCode, type Clock, type Confirm, type Logger, partLogger, systemClock } from '../../protocol/index.ts';
import type { RunnerLimits } from '../../runners/index.ts';
import type { AbilityHookSet } from '../hook-set.ts';
import { unknownScopes } from '../scopes.ts';
import type { Ability, AbilityListing } from './ability.ts';
import { AbilityRegistry } from './ability-registry.ts';
import { createTask } from './create-task.ts';
import { AbilityExecutor } from './executor.ts';
import { takeInput } from './input/take-input.ts';
import type { Calling, RunnerParts } from './parts.ts';
import { type CreateTaskResult, notExecuted, type RunAbilityResult } from './results.ts';
import { runAbility } from './run-ability.ts';
import { runTask } from './run-task.ts';
import type { StillRunning } from './still-running.ts';
import { TaskStore } from './store/task-store.ts';

export interface ToolRunnerOptions {
  /** The repository: scripts start here, tasks are kept in its `.system/tasks`. */
  readonly root: string;
  /** Who calls. The program that makes the tool runner says so; no argument of a call can. */
  readonly caller: AbilityCaller;
  readonly abilities: AbilityRegistry | Iterable<Ability>;
  /** The repository's hooks, from `loadAbilityHooks`. Without them nothing is checked but the abilities' own needs. */
  readonly hooks?: AbilityHookSet | undefined;
  /** Where this runs, for abilities that may not be used everywhere: a name, or an object with one. */
  readonly environment?: unknown;
  /** Names of secret-looking variables that abilities declared in files may see; all others are kept from them. */
  readonly allowEnv?: readonly string[] | undefined;
  /** Asked where a hook requires a human. Without it that is a refusal. */
  readonly confirm?: Confirm | undefined;
  /** Makes the keys of tasks: `task-` and 6 to 40 small letters and digits. Random by default. */
  readonly createTaskKey?: (() => string) | undefined;
  readonly limits?: Partial<RunnerLimits> | undefined;
  /** Abilities die with the program however it ends, as hooks do with the same setting. Not on Windows. */
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
}

interface DerivedRunner {
  readonly parts: RunnerParts;
  readonly caller: AbilityCaller;
  readonly until: AbortSignal | undefined;
}

export interface ToolCallOptions {
  /** Ends the waiting: hooks and ability are ended, and the call fails as cancelled. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunTaskOptions extends ToolCallOptions {
  /** Run it although it was begun before and nobody knows how far it came. */
  readonly interrupted?: boolean | undefined;
  /** What to do about processes of the earlier run that are still alive: `refuse` by default, `end` or `wait`. */
  readonly stillRunning?: StillRunning | undefined;
}

const sources: readonly string[] = Object.values(CallerSource);

const checkCaller = (caller: AbilityCaller): void => {
  if (sources.includes(caller?.source)) return;
  const expected = sources.join(', ');
  throw new HookwrightError(
    'invalid_argument',
    `caller.source: expected one of ${expected}, got ${describeValue(caller?.source)}`,
  );
};

const refOf = (ability: string | AbilityRef): AbilityRef =>
  typeof ability === 'string' ? { kind: 'ability_id', value: ability } : { ...ability };

/**
 * Creates tasks and runs abilities, with the repository's checks around both: the same for an AI, a job, a pipeline and a
 * person. A library without residence: what it keeps is in files, and several may work on one repository.
 */
export class ToolRunner {
  readonly #parts: RunnerParts;
  readonly #calling: Calling;

  constructor(options: ToolRunnerOptions | DerivedRunner) {
    checkCaller(options.caller);
    // Frozen: it is given to hooks and abilities of this process, which might otherwise change who calls.
    const caller = Object.freeze({ ...options.caller });
    this.#parts = 'parts' in options ? options.parts : partsOf(options);
    this.#calling = { caller, signal: undefined, until: 'until' in options ? options.until : undefined };
  }

  /**
   * The same tool runner for another caller: same abilities, same hooks, same tasks, and to dispose of one is to dispose of
   * both. Hooks that nobody waits for are ended when `until` aborts.
   */
  as(caller: AbilityCaller, { until }: { readonly until?: AbortSignal | undefined } = {}): ToolRunner {
    return new ToolRunner({ parts: this.#parts, caller, until });
  }

  get caller(): AbilityCaller {
    return this.#calling.caller;
  }

  /** The tasks of the repository, to look at. */
  get tasks(): Pick<TaskStore, 'find' | 'list' | 'tidy' | 'directory'> {
    return this.#parts.tasks;
  }

  get abilities(): AbilityRegistry {
    return this.#parts.abilities;
  }

  /** What may be used, as an AI may see it. */
  listAbilities(): AbilityListing[] {
    return this.#parts.abilities.list();
  }

  /** Asks the hooks and writes a task down; executes nothing. Rejects only where the task cannot be written. */
  createTask(
    ability: string | AbilityRef,
    input?: unknown,
    { signal }: ToolCallOptions = {},
  ): Promise<CreateTaskResult> {
    return createTask(this.#parts, refOf(ability), input, { ...this.#calling, signal });
  }

  /** Asks the guards and runs a task. Of many who try at once, in whatever process, one runs it. */
  runTask(
    key: string,
    { interrupted = false, stillRunning = 'refuse', signal }: RunTaskOptions = {},
  ): Promise<RunAbilityResult> {
    return runTask(this.#parts, key, { ...this.#calling, signal }, { interrupted, stillRunning });
  }

  /** Runs an ability without a task; guards are asked all the same. */
  async runAbility(
    ability: string | AbilityRef,
    input?: unknown,
    { signal }: ToolCallOptions = {},
  ): Promise<RunAbilityResult> {
    const found = this.#parts.abilities.find(refOf(ability));
    if (!found.ok) return notExecuted({}, { code: AbilityCode.Unavailable, message: found.reason });
    const { id } = found.ability;
    const taken = takeInput(input);
    if (!taken.ok) {
      return notExecuted({ ability_id: id }, { code: AbilityCode.Unavailable, message: taken.problem });
    }
    return runAbility(this.#parts, { ability: found.ability, input: taken.input }, { ...this.#calling, signal });
  }

  /** Resolves when no hook runs any more that nobody waits for. A command calls this before it ends. */
  async idle(): Promise<void> {
    while (this.#parts.pending.size > 0) await Promise.all(this.#parts.pending);
    await this.#parts.hooks?.idle();
  }

  /** Ends abilities that run. The hooks belong to whoever loaded them. */
  dispose(): Promise<void> {
    return this.#parts.executor.dispose();
  }
}

const partsOf = ({
  root,
  abilities,
  hooks,
  environment,
  allowEnv = [],
  confirm,
  createTaskKey,
  limits,
  orphanGuard,
  logger,
  clock = systemClock,
}: ToolRunnerOptions): RunnerParts => {
  const own = partLogger(logger, 'tools');
  const registry = abilities instanceof AbilityRegistry ? abilities : new AbilityRegistry(abilities);
  return {
    root: resolve(root),
    hooks,
    abilities: registry,
    tasks: new TaskStore({ root, createKey: createTaskKey }),
    executor: new AbilityExecutor({ root: resolve(root), limits, allowEnv, orphanGuard, logger: own }),
    environment,
    allowEnv,
    confirm,
    logger: own,
    clock,
    pending: new Set(),
    reportScopes: once(() => {
      for (const { message } of unknownScopes(hooks?.hooks ?? [], registry.all())) own?.warn?.(message);
    }),
  };
};
