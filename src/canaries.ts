/** Guards that prove they are alive: each is run with a call that it must refuse. */
import { HookwrightError } from './errors.ts';
import { describeThrown, nextTurn } from './kit/index.ts';
import { type CanaryCall, canaryCalls, type Logger } from './protocol/index.ts';
import type { CanaryPast, CanaryRecord, ConfiguredHook, HookRegistry } from './registry/index.ts';
import type { CanaryFailure, CanaryOutcome, CanaryParts } from './run-canary.ts';

interface CanariesDeps extends CanaryParts {
  readonly registry: HookRegistry;
  /** The results of canaries in earlier processes. */
  readonly record: CanaryRecord | undefined;
  readonly logger: Logger | undefined;
  readonly reportError: (error: HookwrightError) => void;
}

type CallsOf = (hook: ConfiguredHook) => readonly CanaryCall[];

/**
 * The canaries of the guards of one engine. A guard that lets its canary pass is a problem and obeys its `onFault` until it
 * does not.
 */
export class Canaries {
  readonly #deps: CanariesDeps;
  /** Guards whose canaries were not denied, by id, with each call that passed. */
  #dead = new Map<string, readonly CanaryFailure[]>();
  #checking: Promise<void> | undefined;
  #isRecalled: boolean;
  /** It is unknown which canaries were lost in earlier processes. */
  #isPastUnread = false;

  constructor(deps: CanariesDeps) {
    this.#deps = deps;
    this.#isRecalled = deps.record === undefined;
  }

  /** Whether every guard that lost its canary in an earlier process is known. */
  get isRecalled(): boolean {
    return this.#isRecalled && !this.#isPastUnread;
  }

  get failures(): readonly CanaryFailure[] {
    return [...this.#dead.values()].flat();
  }

  get hooks(): readonly ConfiguredHook[] {
    return this.#deps.registry.getConfiguredHooks().filter(hasCanary);
  }

  /** Runs the canary of every guard that has one, by the way that each call goes. */
  check(also: CallsOf): Promise<readonly CanaryFailure[]> {
    return this.#check(this.#deps.registry.getConfiguredHooks(), also);
  }

  /** Runs the canaries of guards that changed since theirs was run last. Resolves to what is lost now, of the others as well. */
  async checkNew(): Promise<readonly CanaryFailure[]> {
    await this.#checkSome((past) => past?.isUnchanged !== true);
    return this.failures;
  }

  /** The hooks were read again. */
  recallAgain(): Promise<void> {
    this.#isRecalled = this.#deps.record === undefined;
    return this.recall();
  }

  /** A guard whose canary was lost in an earlier process obeys its `onFault` in this one. */
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

  /** A guard that lost its canary before must not pass a call because that was forgotten: all are run before the first event. */
  async checkForgotten(): Promise<void> {
    if (!this.#isPastUnread) return;
    this.#isPastUnread = false;
    await (this.#checking ?? this.#check(this.hooks));
  }

  /** A session begins, and does not wait for its canaries. */
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

  /** Those that are wanted for their earlier results. */
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
