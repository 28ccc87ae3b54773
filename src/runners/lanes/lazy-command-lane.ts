import type { HostConfig } from '../../protocol/host.ts';
import type { Notice } from '../../protocol/notices.ts';
import type { HookExecutionResult } from '../../protocol/run.ts';
import type { HookConfig } from '../../protocol/settings.ts';
import type { RunnerLimits } from '../limits.ts';
import type { Batch, EngineLane } from './call.ts';
import type { CommandLane, CommandLaneOptions } from './command-lane.ts';

/**
 * The lane of an engine's commands, loaded with the first of them: all that starts, watches and ends processes would be
 * a quarter of what importing hookwright costs, also where every hook is a function.
 */
export class LazyCommandLane implements EngineLane {
  readonly startsProcesses = true;
  readonly #create: () => Promise<CommandLane>;
  #loading: Promise<CommandLane> | undefined;
  #lane: CommandLane | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, options: CommandLaneOptions) {
    this.#create = async () => {
      const { CommandLane: Lane } = await import('./command-lane.ts');
      this.#lane = new Lane(config, limits, options);
      return this.#lane;
    };
  }

  #load(): Promise<CommandLane> {
    this.#loading ??= this.#create();
    return this.#loading;
  }

  run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    return this.#lane === undefined ? this.#load().then((lane) => lane.run(batch, hook)) : this.#lane.run(batch, hook);
  }

  /** What a look at the machine says about a command, without starting anything. */
  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await this.#load()).inspect(hook);
  }

  /** Waits until the processes that were ended are gone, or as long as that may take. */
  async idle(): Promise<void> {
    await (await this.#loading)?.idle();
  }
}
