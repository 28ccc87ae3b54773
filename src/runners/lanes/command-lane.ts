import {
  type HookConfig,
  type HookDialect,
  type HookExecutionResult,
  type HostConfig,
  type Notice,
  notice,
  originOf,
} from '../../protocol/index.ts';
import { parseDialectOutput } from '../answer/parse-dialect-output.ts';
import type { OutputReader } from '../answer/parse-output.ts';
import { knownVariables } from '../command/environment.ts';
import { findShells } from '../command/find-bash.ts';
import { runCommand } from '../command/run-command.ts';
import type { Variables } from '../command/shell-words.ts';
import type { RunnerLimits } from '../limits.ts';
import { inspectLaunch } from '../preflight/inspect-launch.ts';
import { newRunId } from '../process/run-id.ts';
import type { RunProcess } from '../process/run-process.ts';
import type { Batch, EngineLane } from './call.ts';
import { HostEnvironment } from './host-environment.ts';
import { LaneProcesses, type LaneProcessesOptions } from './lane-processes.ts';
import { whileUnchanged } from './unchanged.ts';
import { Spares, type Warmth } from './warm/spares.ts';

export interface CommandLaneOptions extends LaneProcessesOptions {
  readonly variables?: Variables | undefined;
  readonly readOutput?: OutputReader | undefined;
}

/** What is particular to one start. */
interface Start {
  readonly stdin: string;
  readonly readOutput: OutputReader | undefined;
  readonly own?: Variables | undefined;
  readonly run?: RunProcess | undefined;
}

/** A matcher that is compared with more than the name of a tool says only now that it does not take the call. */
const notMatched = (hookConfig: HookConfig, eventName: string, dialect?: HookDialect): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  duration: 0,
  warnings: [
    notice('dialect', `${dialect?.title}: its matcher does not take this ${dialect?.event}; it was not started`),
  ],
});

/** Runs the command hooks of one engine and keeps its processes together. */
export class CommandLane implements EngineLane {
  readonly startsProcesses = true;
  readonly #limits: RunnerLimits;
  readonly #options: CommandLaneOptions;
  readonly #processes: LaneProcesses;
  readonly #host: HostEnvironment;
  /** None where processes are started elsewhere, or where we could not tell what one does that should wait. */
  readonly #spares: Spares | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, options: CommandLaneOptions) {
    this.#host = new HostEnvironment(config, options.variables);
    this.#limits = limits;
    this.#options = options;
    this.#processes = new LaneProcesses(limits, options);
    const canWait = options.executor === undefined && process.platform !== 'win32';
    this.#spares = canWait ? new Spares(this.#processes.table, limits.spares) : undefined;
  }

  run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    return whileUnchanged(hook, batch.eventName, () => this.#run(batch, hook));
  }

  async #run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    const dialect = originOf(hook)?.dialect;
    const how = dialect === undefined ? this.#asOurs(batch) : this.#asThere(batch, dialect);
    if (how === undefined) return notMatched(hook, batch.eventName, dialect);
    if (hook.warm !== true || this.#spares === undefined) return this.#start(batch, hook, how);
    let warmth: Warmth = { warm: 'miss' };
    const run = this.#spares.runner(hook, (told) => {
      warmth = told;
    });
    const result = await this.#start(batch, hook, { ...how, run });
    const { warm, deed } = warmth;
    if (deed === undefined) return { ...result, warm };
    const early = notice('acts-early', `a process of it that was started ahead ${deed} before it had read anything`, {
      fix: 'take "warm" away; it is started when its event comes',
    });
    return { ...result, warm, warnings: [...(result.warnings ?? []), early] };
  }

  #asOurs({ json }: Batch): Start {
    return { stdin: json, readOutput: this.#options.readOutput };
  }

  /** A hook of another agent reads what it would read there, and is heard as there; nothing when it does not take the call. */
  #asThere({ input }: Batch, dialect: HookDialect): Start | undefined {
    const call = dialect.begin(input, newRunId());
    if (call.matches !== true) return undefined;
    return {
      stdin: JSON.stringify(call.stdin),
      readOutput: (end) => parseDialectOutput(end, call, dialect),
      own: dialect.environment(this.#host.place()),
    };
  }

  #start({ eventName, input, signal }: Batch, hook: HookConfig, how: Start): Promise<HookExecutionResult> {
    const told = this.#host.to(hook);
    return runCommand(hook, eventName, input, {
      executor: this.#options.executor,
      processes: this.#processes.table,
      limits: this.#limits,
      ...this.#host.place(),
      newRunId,
      signal,
      stdin: how.stdin,
      ...told,
      ...(how.own === undefined ? {} : { variables: { ...told.variables, ...how.own } }),
      readOutput: how.readOutput,
      start: this.#processes.start,
      run: how.run,
    });
  }

  /** What a look at the machine says about a command, without starting anything. */
  inspect(hook: HookConfig): readonly Notice[] {
    const place = this.#host.place();
    const { environment, variables } = this.#host.to(hook);
    return inspectLaunch(hook, {
      cwd: place.cwd,
      variables: knownVariables(place, variables),
      machine: { platform: process.platform, environment, ...findShells(environment, place.projectDir) },
    });
  }

  retain(hooks: readonly HookConfig[]): void {
    this.#spares?.retain(hooks);
  }

  /** Ends what waits for events, and waits until all that was ended is gone, or as long as that may take. */
  idle(): Promise<void> {
    this.#spares?.close();
    return this.#processes.idle();
  }
}
