import type { HostConfig } from '../../protocol/host.ts';
import type { Notice } from '../../protocol/notices.ts';
import type { HookExecutionResult } from '../../protocol/run.ts';
import type { HookConfig } from '../../protocol/settings.ts';
import { knownVariables } from '../environment.ts';
import { findShells } from '../find-bash.ts';
import { inspectLaunch } from '../inspect-launch.ts';
import type { RunnerLimits } from '../limits.ts';
import type { OutputReader } from '../parse-output.ts';
import { runCommand } from '../run-command.ts';
import { newRunId } from '../run-id.ts';
import type { Variables } from '../shell-words.ts';
import type { Batch, EngineLane } from './call.ts';
import { LaneProcesses, type LaneProcessesOptions } from './lane-processes.ts';
import { HostTold } from './told.ts';
import { whileUnchanged } from './unchanged.ts';

export interface CommandLaneOptions extends LaneProcessesOptions {
  readonly variables?: Variables | undefined;
  readonly readOutput?: OutputReader | undefined;
}

/** Runs the command hooks of one engine and keeps its processes together. */
export class CommandLane implements EngineLane {
  readonly startsProcesses = true;
  readonly #limits: RunnerLimits;
  readonly #options: CommandLaneOptions;
  readonly #processes: LaneProcesses;
  readonly #told: HostTold;

  constructor(config: HostConfig, limits: RunnerLimits, options: CommandLaneOptions) {
    this.#told = new HostTold(config, options.variables);
    this.#limits = limits;
    this.#options = options;
    this.#processes = new LaneProcesses(limits, options);
  }

  run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    return whileUnchanged(hook, batch.eventName, () => this.#run(batch, hook));
  }

  #run({ eventName, input, json, signal }: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    return runCommand(hook, eventName, input, {
      executor: this.#options.executor,
      processes: this.#processes.table,
      limits: this.#limits,
      ...this.#told.place(),
      newRunId,
      signal,
      stdin: json,
      ...this.#told.to(hook),
      readOutput: this.#options.readOutput,
    });
  }

  /** What a look at the machine says about a command, without starting anything. */
  inspect(hook: HookConfig): readonly Notice[] {
    const place = this.#told.place();
    const { environment, variables } = this.#told.to(hook);
    return inspectLaunch(hook, {
      cwd: place.cwd,
      variables: knownVariables(place, variables),
      machine: { platform: process.platform, environment, ...findShells(environment, place.projectDir) },
    });
  }

  /** Waits until the processes that were ended are gone, or as long as that may take. */
  idle(): Promise<void> {
    return this.#processes.idle();
  }
}
