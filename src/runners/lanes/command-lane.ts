import { type HostConfig, harmless, type Logger, projectDirOf, workingDirOf } from '../../protocol/host.ts';
import type { Notice } from '../../protocol/notices.ts';
import { originOf } from '../../protocol/origin.ts';
import type { HookExecutionResult } from '../../protocol/run.ts';
import type { HookConfig } from '../../protocol/settings.ts';
import { knownVariables } from '../environment.ts';
import type { Executor } from '../executor.ts';
import { faultResult } from '../faults.ts';
import { findBash } from '../find-bash.ts';
import { CleanEnvironment, isForeign } from '../foreign-environment.ts';
import { inspectLaunch } from '../inspect-launch.ts';
import type { RunnerLimits } from '../limits.ts';
import { guardFor, type OrphanGuard } from '../orphan-guard.ts';
import type { OutputReader } from '../parse-output.ts';
import { ProcessTable } from '../process-table.ts';
import { runCommand } from '../run-command.ts';
import { newRunId } from '../run-id.ts';
import type { Variables } from '../shell-words.ts';
import type { Batch, EngineLane } from './call.ts';

/** How much longer than the grace period an engine waits for its processes to be gone. */
const PATIENCE_MS = 250;

export interface CommandLaneOptions {
  readonly executor?: Executor | undefined;
  readonly variables?: Variables | undefined;
  readonly readOutput?: OutputReader | undefined;
  readonly orphanGuard?: boolean | undefined;
  readonly logger?: Logger | undefined;
}

/** What hooks get of the host's environment: a copy made once, because reading it anew costs more than a function hook. */
const snapshot = (): Variables => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
};

/** Runs the command hooks of one engine and keeps its processes together. */
export class CommandLane implements EngineLane {
  readonly startsProcesses = true;
  readonly #config: HostConfig;
  readonly #limits: RunnerLimits;
  readonly #options: CommandLaneOptions;
  readonly #processes: ProcessTable;
  readonly #guard: OrphanGuard | undefined;
  #environment: Variables | undefined;
  readonly #clean = new CleanEnvironment();

  constructor(config: HostConfig, limits: RunnerLimits, options: CommandLaneOptions) {
    this.#config = config;
    this.#limits = limits;
    this.#options = options;
    const logger = harmless(options.logger);
    const report = (message: string): void => logger?.warn?.(message);
    const { guard, warning } = guardFor(options, process.platform);
    if (warning !== undefined) report(warning);
    this.#guard = guard;
    this.#processes = new ProcessTable({ killGraceMs: limits.killGraceMs, guard, report });
  }

  get #hostEnvironment(): Variables {
    this.#environment ??= snapshot();
    return this.#environment;
  }

  /** What of the host's environment and variables a hook is told. */
  #toldTo(hook: HookConfig): { environment: Variables; variables: Variables | undefined } {
    const environment = this.#hostEnvironment;
    const { variables } = this.#options;
    if (!isForeign(hook)) return { environment, variables };
    return this.#clean.of(environment, variables, this.#config.getAllowedEnv?.());
  }

  run(batch: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    const changed = originOf(hook)?.changed?.();
    if (changed === undefined) return this.#run(batch, hook);
    const refuse = (message: string): HookExecutionResult =>
      faultResult(hook, batch.eventName, { code: 'changed-since-trusted', message });
    return Promise.resolve(changed).then((message) =>
      message === undefined ? this.#run(batch, hook) : refuse(message),
    );
  }

  #run({ eventName, input, json, signal }: Batch, hook: HookConfig): Promise<HookExecutionResult> {
    return runCommand(hook, eventName, input, {
      executor: this.#options.executor,
      processes: this.#processes,
      limits: this.#limits,
      projectDir: projectDirOf(this.#config),
      cwd: workingDirOf(this.#config),
      sessionId: this.#config.getSessionId(),
      newRunId,
      signal,
      stdin: json,
      ...this.#toldTo(hook),
      readOutput: this.#options.readOutput,
    });
  }

  /** What a look at the machine says about a command, without starting anything. */
  inspect(hook: HookConfig): readonly Notice[] {
    const cwd = workingDirOf(this.#config);
    const place = { projectDir: projectDirOf(this.#config), cwd, sessionId: this.#config.getSessionId() };
    const { environment, variables } = this.#toldTo(hook);
    return inspectLaunch(hook, {
      cwd,
      variables: knownVariables(place, variables),
      machine: { platform: process.platform, environment, bash: findBash(environment) },
    });
  }

  /** Waits until the processes that were ended are gone, or as long as that may take. */
  async idle(): Promise<void> {
    await this.#processes.idle(this.#limits.killGraceMs + PATIENCE_MS);
    this.#guard?.rest();
  }
}
