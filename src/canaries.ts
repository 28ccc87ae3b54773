/** Runs canaries: calls that guards must refuse, which prove that a guard works. */
import { HookwrightError } from './errors.ts';
import { describeThrown, nextTurn } from './kit/index.ts';
import { type CanaryCall, canaryCalls, type Logger } from './protocol/index.ts';
import type { CanaryPast, CanaryRecord, ConfiguredHook, HookRegistry } from './registry/index.ts';
import type { CanaryFailure, CanaryOutcome, CanaryParts } from './run-canary.ts';

interface CanariesDeps extends CanaryParts {
  readonly registry: HookRegistry;
  /** Canary results of earlier processes. */
  readonly record: CanaryRecord | undefined;
  readonly logger: Logger | undefined;
  readonly reportError: (error: HookwrightError) => void;
}

type CallsOf = (hook: ConfiguredHook) => readonly CanaryCall[];

/**
 * The canaries of one engine's guards. A guard that lets its canary pass is a problem, and its `onFault` applies until
 * it refuses.
 */
export class Canaries {
  readonly #deps: CanariesDeps;
  /** Guards that let canaries pass, by hook id, with each such call. */
  #dead = new Map<string, readonly CanaryFailure[]>();
  #checking: Promise<void> | undefined;
  #isRecalled: boolean;
  /** Whether earlier results could not be read. */
  #isPastUnread = false;

  constructor(deps: CanariesDeps) {
    this.#deps = deps;
    this.#isRecalled = deps.record === undefined;
  }

  /** Whether every guard that failed in an earlier process is known. */
  get isRecalled(): boolean {
    return this.#isRecalled && !this.#isPastUnread;
  }

  get failures(): readonly CanaryFailure[] {
    return [...this.#dead.values()].flat();
  }

  get hooks(): readonly ConfiguredHook[] {
    return this.#deps.registry.getConfiguredHooks().filter(hasCanary);
  }

  /** Runs the canary of every guard that has one, in the same way as real calls. */
  check(also: CallsOf): Promise<readonly CanaryFailure[]> {
    return this.#check(this.#deps.registry.getConfiguredHooks(), also);
  }

  /** Runs canaries of guards that changed since their last one. Resolves to all current failures. */
  async checkNew(): Promise<readonly CanaryFailure[]> {
    await this.#checkSome((past) => past?.isUnchanged !== true);
    return this.failures;
  }

  /** Called after the hooks were reloaded. */
  recallAgain(): Promise<void> {
    this.#isRecalled = this.#deps.record === undefined;
    return this.recall();
  }

  /** For a guard that failed in an earlier process, `onFault` applies in this one too. */
  async recall(): Promise<void> {
    if (this.#isRecalled) return;
    const { hooks } = this;
    const past = hooks.length === 0 ? undefined : await this.#deps.record?.read(hooks);
    const { lossOf } = past === undefined ? {} : await import('./run-canary.ts');
    this.#isRecalled = true;
    this.#isPastUnread = past === 'unreadable';
    if (lossOf === undefined || past === undefined || past === 'unreadable') return;
    for (const hook of hooks) {
      const loss = past.get(hook.hookId)?.loss;
      if (loss !== undefined && !this.#dead.has(hook.hookId)) this.#dead.set(hook.hookId, [lossOf(hook, loss)]);
    }
    this.#refuseDead();
  }

  /** Runs all canaries before the first event if earlier results were lost: a failed guard must not pass a call. */
  async checkForgotten(): Promise<void> {
    if (!this.#isPastUnread) return;
    this.#isPastUnread = false;
    await (this.#checking ?? this.#check(this.hooks));
  }

  /** Runs canaries when a session starts, without delaying it. */
  checkInBackground(initialize: () => Promise<void>): void {
    const { registry, logger } = this.#deps;
    if (this.#checking !== undefined || (registry.isInitialized() && this.hooks.length === 0)) return;
    const check = async (): Promise<void> => {
      await nextTurn();
      await initialize();
      await this.#checkSome((past) => past?.isUnchanged !== true || !past.isCovered || past.loss !== undefined);
    };
    this.#checking = check()
      .catch((error: unknown) => logger?.warn?.(`canaries could not be run: ${describeThrown(error)}`))
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async settle(): Promise<void> {
    await this.#checking;
  }

  /** Runs the canaries that are selected by their earlier result. */
  async #checkSome(isWanted: (past: CanaryPast | undefined) => boolean): Promise<void> {
    const { hooks } = this;
    const past = await this.#deps.record?.read(hooks);
    const wanted = hooks.filter(({ hookId }) => isWanted(past === 'unreadable' ? undefined : past?.get(hookId)));
    if (wanted.length > 0) await this.#check(wanted);
  }

  async #check(hooks: readonly ConfiguredHook[], also: CallsOf = () => []): Promise<readonly CanaryFailure[]> {
    const { registry, record, reportError } = this.#deps;
    const { runCanary } = await import('./run-canary.ts');
    const checked: ConfiguredHook[] = [];
    const failures: CanaryFailure[] = [];
    for (const hook of hooks) {
      const outcomes: CanaryOutcome[] = [];
      for (const call of [...canaryCalls(hook.config?.canary), ...also(hook)])
        outcomes.push(await runCanary(hook, call, this.#deps));
      failures.push(...outcomes.flatMap((outcome) => (typeof outcome === 'string' ? [] : [outcome])));
      if (outcomes.length > 0 && !outcomes.includes('left out')) checked.push(hook);
    }
    const known = new Set(registry.getConfiguredHooks().map(({ hookId }) => hookId));
    const before = this.#dead;
    const isOver = new Set(checked.map(({ hookId }) => hookId));
    this.#dead = new Map([...before].filter(([hookId]) => known.has(hookId) && !isOver.has(hookId)));
    for (const failure of failures) {
      const { hookId, stage, message } = failure;
      this.#dead.set(hookId, [...(this.#dead.get(hookId) ?? []), failure]);
      const details = { notice: 'canary-failed', hookId, stage };
      if (!before.has(hookId)) reportError(new HookwrightError('invalid_config', message, { details }));
    }
    this.#refuseDead();
    const outcomes = checked.filter(hasCanary).map((hook) => [hook, this.#dead.get(hook.hookId)?.[0]] as const);
    if (outcomes.length > 0) await record?.keep(new Map(outcomes));
    return failures;
  }

  #refuseDead(): void {
    this.#deps.planner.refuseUntilAlive(
      new Map([...this.#dead].map(([hookId, [first]]) => [hookId, first?.message ?? 'its canary was not denied'])),
    );
  }
}

const hasCanary = ({ config }: ConfiguredHook): boolean => config?.canary !== undefined;
