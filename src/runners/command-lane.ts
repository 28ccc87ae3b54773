import { randomUUID } from 'node:crypto';
import { type HostConfig, workingDirOf } from '../protocol/host.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import { knownVariables } from './environment.ts';
import type { Executor } from './executor.ts';
import { findBash } from './find-bash.ts';
import { inspectLaunch } from './inspect-launch.ts';
import type { RunnerLimits } from './limits.ts';
import { ProcessTable } from './process-table.ts';
import { runCommand } from './run-command.ts';
import type { Variables } from './shell-words.ts';

/** How much longer than the grace period an engine waits for its processes to be gone. */
const PATIENCE_MS = 250;

export interface CommandLaneOptions {
  readonly executor?: Executor | undefined;
  readonly variables?: Variables | undefined;
}

/** What hooks get of the host's environment: a copy made once, because reading it anew costs more than a function hook. */
const snapshot = (): Variables => {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) environment[name] = value;
  return environment;
};

/** Runs the command hooks of one engine and keeps its processes together. */
export class CommandLane {
  readonly #config: HostConfig;
  readonly #limits: RunnerLimits;
  readonly #options: CommandLaneOptions;
  readonly #processes: ProcessTable;
  /** The input of a batch as JSON: written once, whatever the number of hooks that read it. */
  readonly #texts = new WeakMap<object, string>();
  #environment: Variables | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, options: CommandLaneOptions) {
    this.#config = config;
    this.#limits = limits;
    this.#options = options;
    this.#processes = new ProcessTable({ killGraceMs: limits.killGraceMs });
  }

  get #hostEnvironment(): Variables {
    this.#environment ??= snapshot();
    return this.#environment;
  }

  #textOf(input: object): string {
    let text = this.#texts.get(input);
    if (text === undefined) {
      text = JSON.stringify(input);
      this.#texts.set(input, text);
    }
    return text;
  }

  run(hook: HookConfig, eventName: string, input: object, signal: AbortSignal): Promise<HookExecutionResult> {
    return runCommand(hook, eventName, input, {
      executor: this.#options.executor,
      processes: this.#processes,
      limits: this.#limits,
      environment: this.#hostEnvironment,
      projectDir: workingDirOf(this.#config),
      sessionId: this.#config.getSessionId(),
      variables: this.#options.variables,
      newRunId: randomUUID,
      signal,
      stdin: this.#textOf(input),
    });
  }

  /** What a look at the machine says about a command, without starting anything. */
  inspect(hook: HookConfig): string[] {
    const cwd = workingDirOf(this.#config);
    const place = { projectDir: cwd, cwd, sessionId: this.#config.getSessionId() };
    const environment = this.#hostEnvironment;
    return inspectLaunch(hook, {
      cwd,
      variables: knownVariables(place, this.#options.variables),
      machine: { platform: process.platform, environment, bash: findBash(environment) },
    });
  }

  /** Waits until the processes that were ended are gone, or as long as that may take. */
  async idle(): Promise<void> {
    await this.#processes.idle(this.#limits.killGraceMs + PATIENCE_MS);
  }
}
