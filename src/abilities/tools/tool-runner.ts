import { resolve } from 'node:path';
import { HookwrightError } from '../../errors.ts';
import {
  type AbilityCaller,
  type AbilityRef,
  abilityCatalogue,
  CallerSource,
  interpretPreflight,
  isAbilityEventType,
  type PreAbilityCreateContext,
  type PreflightOutcome,
} from '../../events/index.ts';
import { describeThrown, describeValue, once, suggestion } from '../../kit/index.ts';
import { whyNeverMatches } from '../../planner/index.ts';
import {
  AbilityCode,
  type AbilityEventResult,
  type AbilityHook,
  type Clock,
  type ConfigProblem,
  ConfigSource,
  type Confirm,
  type Logger,
  partLogger,
  systemClock,
} from '../../protocol/index.ts';
import type { RunnerLimits } from '../../runners/index.ts';
import { newRunId } from '../../runners/process-api.ts';
import type { AbilityHookSet } from '../hook-set.ts';
import { type Ability, type AbilityListing, namesOf } from './ability.ts';
import { AbilityExecutor } from './ability-executor.ts';
import { AbilityRegistry } from './ability-registry.ts';
import type { Execution } from './execution.ts';
import { takeInput } from './input-schema.ts';
import { preflightProblem } from './preflight.ts';
import { type CreateTaskResult, hooksOf, notExecuted, preflightResult, type RunAbilityResult } from './results.ts';
import { type AroundRun, disposedRefusal, runAbility } from './run-ability.ts';
import { type Calling, confirmed, fire, sessionOf, type ToolRunnerParts } from './runner-parts.ts';
import { type StillRunning, whyNotAgain } from './still-running.ts';
import type { StoredTask, TaskClaim } from './store/task-record.ts';
import { TaskStore } from './store/task-store.ts';
import { inputOf } from './summarize.ts';

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
  readonly parts: ToolRunnerParts;
  readonly caller: AbilityCaller;
  readonly until: AbortSignal | undefined;
}

export interface ToolCallOptions {
  /** Ends the waiting: hooks and ability are ended, and the call fails as cancelled. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunTaskOptions extends ToolCallOptions {
  /** Run it although it was begun before and may be half done. */
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
  readonly #parts: ToolRunnerParts;
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
   * both. Background hooks are ended when `until` aborts.
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

  /** Resolves when no background hook runs any more. A command calls this before it ends. */
  async idle(): Promise<void> {
    while (this.#parts.pending.size > 0) await Promise.all(this.#parts.pending);
    await this.#parts.hooks?.idle();
  }

  /** Ends abilities that run. The caller that loaded the hooks disposes of them. */
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
}: ToolRunnerOptions): ToolRunnerParts => {
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

/** A glob may wait for abilities that are yet to come; a name that no ability has is a slip. */
const isName = (glob: string): boolean => /^[\w.:/-]+$/.test(glob);

/**
 * Names in scopes that no ability has: their hooks are never asked. Reported where abilities are known, and only of switched
 * on hooks; a glob that can match no ability at all is a problem of its file already.
 */
export const unknownScopes = (hooks: readonly AbilityHook[], abilities: readonly Ability[]): ConfigProblem[] => {
  const known = abilities.map(namesOf).flatMap(({ ability_id, operations = [] }) => [ability_id, ...operations]);
  if (known.length === 0) return [];
  return hooks.flatMap(({ id, eventType, enabled, match: { abilityScope = [] }, file, line }) => {
    const isCompared = isAbilityEventType(eventType) && abilityCatalogue[eventType].match.ability !== undefined;
    if (!enabled || !isCompared) return [];
    const globs = abilityScope.filter((glob) => isName(glob) && whyNeverMatches(glob, 'ids') === undefined);
    return globs
      .filter((name) => !known.includes(name))
      .map((glob): ConfigProblem => {
        const near = suggestion(glob, known);
        const message = `no ability here is matched by ${JSON.stringify(glob)} of match.ability_scope of "${id}"${near}`;
        const place = { path: 'match.ability_scope', source: ConfigSource.Project, file, line, column: 1 };
        return { code: 'no-effect', severity: 'warning', skipped: false, message, ...place };
      });
  });
};

const EVENT = 'PreAbilityCreate';

const unavailable = (reason: string): PreflightOutcome => ({ outcome: 'unavailable', reason });

/** What the tool runner can tell by itself; hooks know the rest. */
const ownProblem = async (parts: ToolRunnerParts, ref: AbilityRef, input: unknown): Promise<string | undefined> => {
  const found = parts.abilities.find(ref);
  return found.ok ? preflightProblem(found.ability, input, parts) : found.reason;
};

/** A refusal of a hook comes first: it knows more, and may suggest what to do instead. */
const decide = async (
  parts: ToolRunnerParts,
  ref: AbilityRef,
  input: unknown,
  event: AbilityEventResult,
  signal: AbortSignal | undefined,
): Promise<{ outcome: PreflightOutcome; answer?: boolean | undefined }> => {
  const said = interpretPreflight(event);
  if (said.outcome === 'unavailable') return { outcome: said };
  const problem = await ownProblem(parts, ref, input);
  if (problem !== undefined) return { outcome: unavailable(problem) };
  if (said.outcome === 'available') return { outcome: said };
  const reason = said.reason ?? 'No reason provided';
  const question = { eventName: EVENT, reason, toolName: ref.value, toolInput: input };
  const answer = await confirmed(parts, question, signal);
  return { answer, outcome: answer === true ? { outcome: 'available', reason } : said };
};

/** The ability that is meant, where there is one. */
const resolved = ({ abilities }: ToolRunnerParts, ref: AbilityRef): Partial<ReturnType<typeof namesOf>> => {
  const found = abilities.find(ref);
  return found.ok ? namesOf(found.ability) : {};
};

/** Checks whether an ability is to be had, and writes down what is to be done. Nothing is executed. */
const createTask = async (
  parts: ToolRunnerParts,
  ref: AbilityRef,
  given: unknown,
  calling: Calling,
): Promise<CreateTaskResult> => {
  const { caller, signal } = calling;
  const taken = takeInput(given);
  if (!taken.ok) {
    return {
      created: false,
      preflight: preflightResult(ref, unavailable(taken.problem)),
      hook_signals: [],
      hooks: [],
    };
  }
  const { input } = taken;
  const context: PreAbilityCreateContext = {
    ...sessionOf(caller),
    ability_ref: ref,
    ...resolved(parts, ref),
    ...inputOf(input),
    environment: parts.environment,
    caller,
  };
  const event = await fire(parts, EVENT, context, calling);
  const refusal = disposedRefusal(event);
  const { outcome: decided, answer } =
    refusal === undefined
      ? await decide(parts, ref, input, event, signal)
      : { outcome: unavailable(refusal.message), answer: undefined };
  const preflight = preflightResult(ref, decided);
  const withHooks = hooksOf(event, decided, answer);
  const found = parts.abilities.find(ref);
  if (decided.outcome !== 'available' || !found.ok) return { created: false, preflight, ...withHooks };
  const { task_key, ability_id } = await parts.tasks.create({
    ability_id: found.ability.id,
    ability_ref: ref,
    input,
    environment: parts.environment,
    ...sessionOf(caller),
    caller,
    created_at: new Date(parts.clock.now()).toISOString(),
  });
  return { created: true, task_key, ability_id, preflight, ...withHooks };
};

const now = ({ clock }: ToolRunnerParts): string => new Date(clock.now()).toISOString();

/** What is larger would make the task's file too large to be read; the caller has it, and the file a summary. */
const MAX_STORED_BYTES = 1_048_576;

const storable = ({ output, ...rest }: Omit<Execution, 'status'>): Partial<StoredTask> =>
  output === undefined || Buffer.byteLength(JSON.stringify(output)) > MAX_STORED_BYTES ? rest : { output, ...rest };

/** Writes what the task goes through. A task that cannot be marked as begun is not begun. */
const keepRecord = (parts: ToolRunnerParts, claim: TaskClaim, run_id: string): AroundRun => ({
  begin: () => claim.update({ state: 'running', started_at: now(parts), attempts: claim.task.attempts + 1, run_id }),
  end: async ({ status, ...execution }: Execution, durationMs) => {
    try {
      await claim.update({ state: status, ended_at: now(parts), duration_ms: durationMs, ...storable(execution) });
      return [];
    } catch (error) {
      const message = `the outcome of ${claim.task.task_key} could not be written: ${describeThrown(error)}`;
      parts.logger?.error?.(message);
      return [message];
    }
  },
});

const release = async ({ logger }: ToolRunnerParts, claim: TaskClaim): Promise<void> => {
  try {
    await claim.release();
  } catch (error) {
    logger?.error?.(`${claim.task.task_key} could not be given back: ${describeThrown(error)}`);
  }
};

const runClaimed = async (parts: ToolRunnerParts, claim: TaskClaim, calling: Calling): Promise<RunAbilityResult> => {
  const { task_key, ability_id, input } = claim.task;
  const found = parts.abilities.find({ kind: 'ability_id', value: ability_id });
  if (!found.ok) {
    return notExecuted({ ability_id, task_key }, { code: AbilityCode.Unavailable, message: found.reason });
  }
  const runId = newRunId();
  return runAbility(
    parts,
    { ability: found.ability, input, task_key, runId },
    calling,
    keepRecord(parts, claim, runId),
  );
};

/** Runs a task unless another process runs it. A task that a guard holds back stays as it is and can be run later. */
const runTask = async (
  parts: ToolRunnerParts,
  key: string,
  calling: Calling,
  { interrupted, stillRunning }: { readonly interrupted: boolean; readonly stillRunning: StillRunning },
): Promise<RunAbilityResult> => {
  const claimed = await parts.tasks.claim(key, { interrupted });
  if (!claimed.ok) return notExecuted({ task_key: key }, claimed.refusal);
  try {
    const { run_id } = claimed.claim.task;
    const warn = (message: string): void => parts.logger?.warn?.(message);
    const why = await whyNotAgain(key, run_id, { wish: stillRunning, signal: calling.signal, warn });
    if (why !== undefined) return notExecuted({ task_key: key }, { code: 'task-running', message: why });
    return await runClaimed(parts, claimed.claim, calling);
  } finally {
    await release(parts, claimed.claim);
  }
};
