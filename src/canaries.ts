/** Tests guards with canaries: calls that a guard must deny, which prove that the guard works. */
import { HookwrightError } from './errors.ts';
import { describeThrown, waitForNextTurn } from './kit/index.ts';
import { type CanaryCall, type Logger, listCanaryCalls } from './protocol/index.ts';
import type { CanaryRecord, ConfiguredHook, EarlierCanaryResult, HookRegistry } from './registry/index.ts';
import type { CanaryFailure, CanaryOutcome, CanaryParts } from './run-canary.ts';

interface CanariesDeps extends CanaryParts {
  readonly registry: HookRegistry;
  readonly record: CanaryRecord | undefined;
  readonly logger: Logger | undefined;
  readonly reportError: (error: HookwrightError) => void;
}

type CanaryCallLister = (hook: ConfiguredHook) => readonly CanaryCall[];

/**
 * Tests all guards of one engine. If a guard does not deny its canary, a problem is reported, and calls get the verdict
 * of the guard's `onFault` until it does.
 */
export class Canaries {
  readonly #deps: CanariesDeps;
  /** Hook id of each guard that did not deny its canaries → the failures. */
  #dead = new Map<string, readonly CanaryFailure[]>();
  #checking: Promise<void> | undefined;
  #isRecalled: boolean;
  /** True if results of earlier processes exist but could not be read. */
  #isPastUnread = false;

  constructor(deps: CanariesDeps) {
    this.#deps = deps;
    this.#isRecalled = deps.record === undefined;
  }

  /** True if the results of earlier processes are known. */
  get isRecalled(): boolean {
    return this.#isRecalled && !this.#isPastUnread;
  }

  get failures(): readonly CanaryFailure[] {
    return [...this.#dead.values()].flat();
  }

  get hooks(): readonly ConfiguredHook[] {
    return this.#deps.registry.getConfiguredHooks().filter(hasCanary);
  }

  check(also: CanaryCallLister): Promise<readonly CanaryFailure[]> {
    return this.#check(this.#deps.registry.getConfiguredHooks(), also);
  }

  async checkNew(): Promise<readonly CanaryFailure[]> {
    await this.#checkSome((past) => past?.isUnchanged !== true);
    return this.failures;
  }

  recallAgain(): Promise<void> {
    this.#isRecalled = this.#deps.record === undefined;
    return this.recall();
  }

  /** Reads which guards failed in earlier processes, because they must not be trusted in this one. */
  async recall(): Promise<void> {
    if (this.#isRecalled) return;
    const { hooks } = this;
    const past = hooks.length === 0 ? undefined : await this.#deps.record?.read(hooks);
    const { createCanaryFailure } = past === undefined ? {} : await import('./run-canary.ts');
    this.#isRecalled = true;
    this.#isPastUnread = past === 'unreadable';
    if (createCanaryFailure === undefined || past === undefined || past === 'unreadable') return;
    for (const hook of hooks) {
      const loss = past.get(hook.hookId)?.loss;
      if (loss !== undefined && !this.#dead.has(hook.hookId))
        this.#dead.set(hook.hookId, [createCanaryFailure(hook, loss)]);
    }
    this.#refuseDead();
  }

  /** If results of earlier processes could not be read, tests all guards before events rely on them. */
  async checkForgotten(): Promise<void> {
    if (!this.#isPastUnread) return;
    this.#isPastUnread = false;
    await (this.#checking ?? this.#check(this.hooks));
  }

  checkInBackground(initialize: () => Promise<void>): void {
    const { registry, logger } = this.#deps;
    if (this.#checking !== undefined || (registry.isInitialized() && this.hooks.length === 0)) return;
    const check = async (): Promise<void> => {
      await waitForNextTurn();
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

  async #checkSome(isWanted: (past: EarlierCanaryResult | undefined) => boolean): Promise<void> {
    const { hooks } = this;
    const past = await this.#deps.record?.read(hooks);
    const wanted = hooks.filter(({ hookId }) => isWanted(past === 'unreadable' ? undefined : past?.get(hookId)));
    if (wanted.length > 0) await this.#check(wanted);
  }

  async #check(hooks: readonly ConfiguredHook[], also: CanaryCallLister = () => []): Promise<readonly CanaryFailure[]> {
    const { registry, record, reportError } = this.#deps;
    const { runCanary } = await import('./run-canary.ts');
    const checked: ConfiguredHook[] = [];
    const failures: CanaryFailure[] = [];
    for (const hook of hooks) {
      const outcomes: CanaryOutcome[] = [];
      for (const call of [...listCanaryCalls(hook.config?.canary), ...also(hook)])
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
