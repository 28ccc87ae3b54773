import type { HookConfig, HookExecutionResult, Notice } from '../../protocol/index.ts';
import type { Batch, EngineLane } from './call.ts';

/**
 * A lane that is loaded with its first hook: all that starts, watches and ends processes would be a quarter of what
 * importing hookwright costs, also where every hook is a function.
 */
export class LazyLane implements EngineLane {
  readonly startsProcesses: boolean;
  readonly #create: () => Promise<EngineLane>;
  #loading: Promise<EngineLane> | undefined;
  #lane: EngineLane | undefined;

  constructor(load: () => Promise<EngineLane>, { startsProcesses }: { readonly startsProcesses: boolean }) {
    this.startsProcesses = startsProcesses;
    this.#create = async () => {
      this.#lane = await load();
      return this.#lane;
    };
  }

  #load(): Promise<EngineLane> {
    this.#loading ??= this.#create();
    return this.#loading;
  }

  run(batch: Batch, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult> {
    return this.#lane === undefined ? this.#load().then((lane) => lane.run(batch, hook)) : this.#lane.run(batch, hook);
  }

  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await (await this.#load()).inspect?.(hook)) ?? [];
  }

  /** A lane that cannot be loaded says so to its first hook. */
  prepare(hook: HookConfig): void {
    this.#load().then(
      (lane) => lane.prepare?.(hook),
      () => undefined,
    );
  }

  retain(hooks: readonly HookConfig[]): void {
    this.#lane?.retain?.(hooks);
  }

  /** A lane that nobody needed has nothing to wait for. */
  async idle(): Promise<void> {
    await (await this.#loading)?.idle?.();
  }

  async dispose(): Promise<void> {
    await (await this.#loading)?.dispose?.();
  }
}
