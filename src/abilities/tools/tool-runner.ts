// Creates tasks and runs abilities, with the repository's hooks around both.
import { resolve } from 'node:path';
import { createInvalidArgument } from '../../errors.ts';
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
import { describeThrown, describeValue, formatSuggestion, omitUndefined, once } from '../../kit/index.ts';
import { explainNoMatch } from '../../planner/index.ts';
import {
  AbilityCode,
  type AbilityEventResult,
  type AbilityHook,
  type Clock,
  type ConfigProblem,
  ConfigSource,
  type Confirm,
  createPartLogger,
  type Logger,
  systemClock,
} from '../../protocol/index.ts';
import type { RunnerLimits } from '../../runners/index.ts';
import { createRunId } from '../../runners/process-api.ts';
import type { AbilityHookSet } from '../hook-set.ts';
import { type Ability, type AbilityListing, getScopeNames } from './ability.ts';
import { AbilityExecutor } from './ability-executor.ts';
import { AbilityRegistry } from './ability-registry.ts';
import type { Execution } from './execution.ts';
import { copyInput } from './input-schema.ts';
import { findPreflightProblem } from './preflight.ts';
import {
  type CreateTaskResult,
  createNotExecuted,
  createPreflightResult,
  type RunAbilityResult,
  toHookMembers,
} from './results.ts';
import { findDisposedRefusal, type RunCallbacks, runAbility } from './run-ability.ts';
import { askUser, type CallContext, fireHooks, type ToolRunnerParts } from './runner-parts.ts';
import { explainWhyNotRunAgain, type StillRunningPolicy } from './still-running.ts';
import type { StoredTask, TaskClaim } from './store/task-record.ts';
import { TaskStore } from './store/task-store.ts';
import { toInputMembers } from './summarize.ts';

export interface ToolRunnerOptions {
  /** The repository: scripts start here, tasks are kept in its `.system/tasks`. */
  readonly root: string;
  /** Set by the program that creates the tool runner; arguments of calls cannot change it. */
  readonly caller: AbilityCaller;
  readonly abilities: AbilityRegistry | Iterable<Ability>;
  /** From `loadAbilityHooks`. Without hooks, only the abilities' own requirements are checked. */
  readonly hooks?: AbilityHookSet | undefined;
  /** A name, or an object with a `name`, for abilities that are limited to some environments. */
  readonly environment?: unknown;
  /** Secret-looking variables that abilities declared in files may see; others are withheld. */
  readonly allowEnv?: readonly string[] | undefined;
  /** Asks the user if a hook requires a confirmation. Without it the call is refused. */
  readonly confirm?: Confirm | undefined;
  /** Creates keys of tasks: `task-` and 6 to 40 lowercase letters and digits. Random by default. */
  readonly createTaskKey?: (() => string) | undefined;
  readonly limits?: Partial<RunnerLimits> | undefined;
  /** Ends abilities when this program dies for any reason. Not on Windows. */
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
  readonly signal?: AbortSignal | undefined;
}

export interface RunTaskOptions extends ToolCallOptions {
  /** Runs a task that was interrupted and may be half done. */
  readonly interrupted?: boolean | undefined;
  /** What to do about live processes of the earlier run: `refuse` by default, `end` or `wait`. */
  readonly stillRunning?: StillRunningPolicy | undefined;
}

const callerSources: readonly string[] = Object.values(CallerSource);

const checkCaller = (caller: AbilityCaller): void => {
  if (callerSources.includes(caller?.source)) return;
  throw createInvalidArgument(
    `caller.source: expected one of ${callerSources.join(', ')}, got ${describeValue(caller?.source)}`,
  );
};

const toAbilityRef = (ability: string | AbilityRef): AbilityRef =>
  typeof ability === 'string' ? { kind: 'ability_id', value: ability } : { ...ability };

/**
 * Creates tasks and runs abilities with the same checks for an AI, a job, a pipeline and a person. Keeps its state in
 * files, so several tool runners can work on one repository.
 */
export class ToolRunner {
  readonly #parts: ToolRunnerParts;
  readonly #calling: CallContext;

  constructor(options: ToolRunnerOptions | DerivedRunner) {
    checkCaller(options.caller);
    // Hooks and abilities in this process get the object and must not change the caller.
    const caller = Object.freeze({ ...options.caller });
    this.#parts = 'parts' in options ? options.parts : createParts(options);
    this.#calling = { caller, signal: undefined, until: 'until' in options ? options.until : undefined };
  }

  /**
   * The same tool runner for another caller; `dispose` of either disposes of both. Background hooks end when `until`
   * aborts.
   */
  as(caller: AbilityCaller, { until }: { readonly until?: AbortSignal | undefined } = {}): ToolRunner {
    return new ToolRunner({ parts: this.#parts, caller, until });
  }

  get caller(): AbilityCaller {
    return this.#calling.caller;
  }

  get tasks(): Pick<TaskStore, 'find' | 'list' | 'tidy' | 'directory'> {
    return this.#parts.tasks;
  }

  get abilities(): AbilityRegistry {
    return this.#parts.abilities;
  }

  listAbilities(): AbilityListing[] {
    return this.#parts.abilities.list();
  }

  /** Runs the hooks and stores a task, but not the ability. Rejects only if the task cannot be stored. */
  createTask(
    ability: string | AbilityRef,
    input?: unknown,
    { signal }: ToolCallOptions = {},
  ): Promise<CreateTaskResult> {
    return createTask(this.#parts, toAbilityRef(ability), input, { ...this.#calling, signal });
  }

  /** Runs a task if its guards allow it. If several callers try, in any processes, only one runs the task. */
  runTask(
    key: string,
    { interrupted = false, stillRunning = 'refuse', signal }: RunTaskOptions = {},
  ): Promise<RunAbilityResult> {
    return runTask(this.#parts, key, { ...this.#calling, signal }, { interrupted, stillRunning });
  }

  /** Runs an ability without a task; its guards run nevertheless. */
  async runAbility(
    ability: string | AbilityRef,
    input?: unknown,
    { signal }: ToolCallOptions = {},
  ): Promise<RunAbilityResult> {
    const found = this.#parts.abilities.find(toAbilityRef(ability));
    if (!found.ok) return createNotExecuted({}, { code: AbilityCode.Unavailable, message: found.reason });
    const { id } = found.ability;
    const taken = copyInput(input);
    if (!taken.ok) {
      return createNotExecuted({ ability_id: id }, { code: AbilityCode.Unavailable, message: taken.problem });
    }
    return runAbility(this.#parts, { ability: found.ability, input: taken.input }, { ...this.#calling, signal });
  }

  async idle(): Promise<void> {
    while (this.#parts.pending.size > 0) await Promise.all(this.#parts.pending);
    await this.#parts.hooks?.idle();
  }

  /** Ends running abilities. Does not dispose of the hooks. */
  dispose(): Promise<void> {
    return this.#parts.executor.dispose();
  }
}

const createParts = ({
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
  const own = createPartLogger(logger, 'tools');
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
      for (const { message } of findUnknownScopes(hooks?.hooks ?? [], registry.all())) own?.warn?.(message);
    }),
  };
};

const isPlainName = (glob: string): boolean => /^[\w.:/-]+$/.test(glob);

/** Leaves out globs that can never match, which reading the hook's file already reported. */
export const findUnknownScopes = (hooks: readonly AbilityHook[], abilities: readonly Ability[]): ConfigProblem[] => {
  const known = abilities.map(getScopeNames).flatMap(({ ability_id, operations = [] }) => [ability_id, ...operations]);
  if (known.length === 0) return [];
  return hooks.flatMap(({ id, eventType, enabled, match: { abilityScope = [] }, file, line }) => {
    const isCompared = isAbilityEventType(eventType) && abilityCatalogue[eventType].match.ability !== undefined;
    if (!enabled || !isCompared) return [];
    const globs = abilityScope.filter((glob) => isPlainName(glob) && explainNoMatch(glob, 'ids') === undefined);
    return globs
      .filter((name) => !known.includes(name))
      .map((glob): ConfigProblem => {
        const near = formatSuggestion(glob, known);
        const message = `no ability here is matched by ${JSON.stringify(glob)} of match.ability_scope of "${id}"${near}`;
        const place = { path: 'match.ability_scope', source: ConfigSource.Project, file, line, column: 1 };
        return { code: 'no-effect', severity: 'warning', skipped: false, message, ...place };
      });
  });
};

const CREATE_TASK_EVENT = 'PreAbilityCreate';

const createUnavailable = (reason: string): PreflightOutcome => ({ outcome: 'unavailable', reason });

/** A hook's refusal comes before that of our own checks, because the hook can suggest an alternative. */
const decidePreflight = async (
  parts: ToolRunnerParts,
  ref: AbilityRef,
  input: unknown,
  event: AbilityEventResult,
  signal: AbortSignal | undefined,
): Promise<{ outcome: PreflightOutcome; answer?: boolean | undefined }> => {
  const outcome = interpretPreflight(event);
  if (outcome.outcome === 'unavailable') return { outcome };
  const found = parts.abilities.find(ref);
  const problem = found.ok ? await findPreflightProblem(found.ability, input, parts) : found.reason;
  if (problem !== undefined) return { outcome: createUnavailable(problem) };
  if (outcome.outcome === 'available') return { outcome };
  const { reason = 'No reason provided' } = outcome;
  const question = { eventName: CREATE_TASK_EVENT, reason, toolName: ref.value, toolInput: input };
  const answer = await askUser(parts, question, signal);
  return { answer, outcome: answer === true ? { outcome: 'available', reason } : outcome };
};

const createTask = async (
  parts: ToolRunnerParts,
  ref: AbilityRef,
  given: unknown,
  calling: CallContext,
): Promise<CreateTaskResult> => {
  const { caller, signal } = calling;
  const taken = copyInput(given);
  if (!taken.ok) {
    return {
      created: false,
      preflight: createPreflightResult(ref, createUnavailable(taken.problem)),
      hook_signals: [],
      hooks: [],
    };
  }
  const { input } = taken;
  const { session_id } = caller;
  const { abilities, environment } = parts;
  const wanted = abilities.find(ref);
  const context: PreAbilityCreateContext = omitUndefined({
    session_id,
    ability_ref: ref,
    ...(wanted.ok ? getScopeNames(wanted.ability) : {}),
    ...toInputMembers(input),
    environment,
    caller,
  });
  const event = await fireHooks(parts, CREATE_TASK_EVENT, context, calling);
  const refusal = findDisposedRefusal(event);
  const { outcome: decided, answer } =
    refusal === undefined
      ? await decidePreflight(parts, ref, input, event, signal)
      : { outcome: createUnavailable(refusal.message), answer: undefined };
  const preflight = createPreflightResult(ref, decided);
  const withHooks = toHookMembers(event, decided, answer);
  const found = abilities.find(ref);
  if (decided.outcome !== 'available' || !found.ok) return { created: false, preflight, ...withHooks };
  const { id: ability_id } = found.ability;
  const created_at = formatNow(parts);
  const { task_key } = await parts.tasks.create(
    omitUndefined({ ability_id, ability_ref: ref, input, environment, session_id, caller, created_at }),
  );
  return { created: true, task_key, ability_id, preflight, ...withHooks };
};

const formatNow = ({ clock }: ToolRunnerParts): string => new Date(clock.now()).toISOString();

/** A larger output would make the file unreadable; the caller gets the output, the file a summary. */
const MAX_STORED_BYTES = 1_048_576;

const toStoredFields = ({ output, ...rest }: Omit<Execution, 'status'>): Partial<StoredTask> =>
  output === undefined || Buffer.byteLength(JSON.stringify(output)) > MAX_STORED_BYTES ? rest : { output, ...rest };

const createRecordCallbacks = (parts: ToolRunnerParts, claim: TaskClaim, run_id: string): RunCallbacks => ({
  begin: () =>
    claim.update({ state: 'running', started_at: formatNow(parts), attempts: claim.task.attempts + 1, run_id }),
  end: async ({ status, ...execution }: Execution, durationMs) => {
    try {
      await claim.update({
        state: status,
        ended_at: formatNow(parts),
        duration_ms: durationMs,
        ...toStoredFields(execution),
      });
      return [];
    } catch (error) {
      const message = `the outcome of ${claim.task.task_key} could not be written: ${describeThrown(error)}`;
      parts.logger?.error?.(message);
      return [message];
    }
  },
});

const releaseClaimSafely = async ({ logger }: ToolRunnerParts, claim: TaskClaim): Promise<void> => {
  try {
    await claim.release();
  } catch (error) {
    logger?.error?.(`${claim.task.task_key} could not be given back: ${describeThrown(error)}`);
  }
};

const runClaimed = async (
  parts: ToolRunnerParts,
  claim: TaskClaim,
  calling: CallContext,
): Promise<RunAbilityResult> => {
  const { task_key, ability_id, input } = claim.task;
  const found = parts.abilities.find({ kind: 'ability_id', value: ability_id });
  if (!found.ok) {
    return createNotExecuted({ ability_id, task_key }, { code: AbilityCode.Unavailable, message: found.reason });
  }
  const runId = createRunId();
  return runAbility(
    parts,
    { ability: found.ability, input, task_key, runId },
    calling,
    createRecordCallbacks(parts, claim, runId),
  );
};

const runTask = async (
  parts: ToolRunnerParts,
  key: string,
  calling: CallContext,
  { interrupted, stillRunning }: { readonly interrupted: boolean; readonly stillRunning: StillRunningPolicy },
): Promise<RunAbilityResult> => {
  const claimed = await parts.tasks.claim(key, { interrupted });
  if (!claimed.ok) return createNotExecuted({ task_key: key }, claimed.refusal);
  try {
    const { run_id } = claimed.claim.task;
    const warn = (message: string): void => parts.logger?.warn?.(message);
    const why = await explainWhyNotRunAgain(key, run_id, { policy: stillRunning, signal: calling.signal, warn });
    if (why !== undefined) return createNotExecuted({ task_key: key }, { code: 'task-running', message: why });
    return await runClaimed(parts, claimed.claim, calling);
  } finally {
    await releaseClaimSafely(parts, claimed.claim);
  }
};
