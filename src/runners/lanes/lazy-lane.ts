import type { HookConfig, HookExecutionResult, Notice } from '../../protocol/index.ts';
import type { Batch, EngineLane } from './call.ts';

/**
 * Stands in the table for a lane that is loaded with its first hook, and gives it its place then: all that starts, watches
 * and ends processes would be a quarter of what importing hookwright costs, also where every hook is a function.
 */
export class LazyLane implements EngineLane {
  readonly startsProcesses: boolean;
  readonly #load: () => Promise<EngineLane>;
  #loading: Promise<EngineLane> | undefined;

  constructor(load: () => Promise<EngineLane>, { startsProcesses }: { readonly startsProcesses: boolean }) {
    this.startsProcesses = startsProcesses;
    this.#load = () => {
      this.#loading ??= load();
      return this.#loading;
    };
  }

  async run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    return (await this.#load()).run(batch, hook);
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

  /** A lane that nobody needed has nothing to wait for. */
  async idle(): Promise<void> {
    await (await this.#loading)?.idle?.();
  }

  async dispose(): Promise<void> {
    await (await this.#loading)?.dispose?.();
  }
}
