// Runs command hooks as processes of this machine.
import { catalogue, isHookEventName } from '../../events/index.ts';
import {
  type AgentHook,
  getOrigin,
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { type OutputReader, parseOutput } from '../answer/parse-output.ts';
import { processRequestFor, runCommand } from '../command/run-command.ts';
import type { Variables } from '../command/shell-words.ts';
import { type AgentEnvironment, selectKnownVariables } from '../environment.ts';
import type { RunnerLimits } from '../limits.ts';
import { inspectLaunch } from '../preflight/inspect-launch.ts';
import type { ProcessOptions } from '../process/executor.ts';
import type { RunProcess } from '../process/run-process.ts';
import { createRunId } from '../process/start-process.ts';
import { findShells } from '../shells.ts';
import type { EngineLane, EventRun } from './event-run.ts';
import { runForeignHook } from './foreign-call.ts';
import { HostEnvironment } from './host-environment.ts';
import { LaneProcesses } from './lane-processes.ts';
import { addWrittenVariables, EnvironmentFile } from './session-variables.ts';
import { ENV_FILE } from './state-folders.ts';
import { Spares, type WarmLaunch } from './warm/spares.ts';

export interface CommandLaneOptions extends ProcessOptions {
  readonly variables?: Variables | undefined;
  readonly readOutput?: OutputReader | undefined;
  readonly isTrial?: boolean | undefined;
}

interface Start {
  readonly stdin: string;
  readonly readOutput: OutputReader | undefined;
  readonly agent?: AgentEnvironment | undefined;
  readonly run?: RunProcess | undefined;
}

const beginsSession = (eventName: string): boolean =>
  isHookEventName(eventName) && catalogue[eventName].beginsSession === true;

const withVariables = async (
  result: HookExecutionResult,
  file: EnvironmentFile,
  keep: (variables: Variables) => Promise<readonly string[]>,
): Promise<HookExecutionResult> => {
  if (result.code !== undefined) {
    file.take();
    return result;
  }
  let kept: Promise<readonly string[]> | undefined;
  const { output, notes } = addWrittenVariables(result.output, file, ENV_FILE, (variables) => {
    kept = keep(variables);
    return [];
  });
  const said = [...notes, ...((await kept) ?? [])].map((note) => notice('refused-variables', note));
  return {
    ...result,
    ...(output === undefined ? {} : { output, outputFormat: result.outputFormat ?? 'json' }),
    ...(said.length === 0 ? {} : { warnings: [...(result.warnings ?? []), ...said] }),
  };
};

export class CommandLane implements EngineLane {
  readonly startsProcesses = true;
  readonly hasSession = true;
  readonly #limits: RunnerLimits;
  readonly #options: CommandLaneOptions;
  readonly #processes: LaneProcesses;
  readonly #host: HostEnvironment;
  /** `undefined` on Windows, which does not show whether a process is idle, and with an executor of the host. */
  readonly #spares: Spares | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, options: CommandLaneOptions) {
    this.#host = new HostEnvironment(config, options);
    this.#limits = limits;
    this.#options = options;
    this.#processes = new LaneProcesses(limits, options);
    const canWait = options.executor === undefined && process.platform !== 'win32';
    this.#spares = canWait
      ? new Spares(this.#processes.table, { most: limits.spares, mostOfOneHook: limits.sparesPerHook })
      : undefined;
  }

  async run(eventRun: EventRun, hook: HookConfig): Promise<HookExecutionResult> {
    const dialect = getOrigin(hook)?.dialect;
    return dialect === undefined
      ? this.#go(eventRun, hook, this.#asOurs(eventRun))
      : this.#asForeign(eventRun, hook, dialect);
  }

  async #go(eventRun: EventRun, hook: HookConfig, how: Start): Promise<HookExecutionResult> {
    if (hook.warm !== true || this.#spares === undefined) return this.#start(eventRun, hook, how);
    let warmth: WarmLaunch = { warm: 'miss' };
    const run = this.#spares.runner(hook, (told) => {
      warmth = told;
    });
    const result = await this.#start(eventRun, hook, { ...how, run });
    const { warm, activity } = warmth;
    if (activity === undefined) return { ...result, warm };
    const early = notice(
      'acts-early',
      `a process of it that was started ahead ${activity} before it had read anything`,
      {
        fix: 'remove "warm"; then it is started at its event',
      },
    );
    return { ...result, warm, warnings: [...(result.warnings ?? []), early] };
  }

  #asOurs({ json }: EventRun): Start {
    return { stdin: json, readOutput: this.#options.readOutput };
  }

  #asForeign(eventRun: EventRun, hook: HookConfig, dialect: AgentHook): Promise<HookExecutionResult> {
    return runForeignHook(eventRun, hook, dialect, (call) => {
      const agent = this.#agentOf(dialect, call.variables());
      return this.#go(eventRun, hook, { stdin: call.stdin, readOutput: call.readOutput, agent });
    });
  }

  #agentOf({ environment, filledIn, withholds }: AgentHook, ofRun: Variables = {}): AgentEnvironment {
    return { variables: { ...ofRun, ...environment(this.#host.directoriesFor()) }, filledIn, withholds };
  }

  async #start(
    { eventName, input, signal, traceParent }: EventRun,
    hook: HookConfig,
    how: Start,
  ): Promise<HookExecutionResult> {
    const told = this.#host.visibleTo(hook);
    const place = this.#host.directoriesFor(hook);
    const { folders } = this.#host;
    const { variables, notices } = folders.ready(hook, place.projectDir);
    const file = how.agent === undefined && beginsSession(eventName) ? new EnvironmentFile() : undefined;
    const ofHook = file?.path === undefined ? variables : { ...variables, [ENV_FILE]: file.path };
    const keep = file && folders.keeper(hook);
    // A spare process was started before this event, so it cannot get the event's trace context.
    const trace = traceParent === undefined || how.run !== undefined ? undefined : { TRACEPARENT: traceParent };
    const result = await runCommand(hook, eventName, input, {
      executor: this.#options.executor,
      processes: this.#processes.table,
      limits: this.#limits,
      ...place,
      newRunId: createRunId,
      ofHook,
      ofSession: folders.variablesFor(hook),
      signal,
      stdin: how.stdin,
      ...told,
      ...(trace === undefined ? {} : { variables: { ...told.variables, ...trace } }),
      agent: how.agent,
      readOutput: how.readOutput,
      start: this.#processes.start,
      run: how.run,
    });
    const whole = file === undefined || keep === undefined ? result : await withVariables(result, file, keep);
    return notices.length === 0 ? whole : { ...whole, warnings: [...(whole.warnings ?? []), ...notices] };
  }

  prepare(hook: HookConfig): void {
    const place = this.#host.directoriesFor(hook);
    processRequestFor(hook, '', {
      processes: this.#processes.table,
      limits: this.#limits,
      ...place,
      ofHook: this.#host.folders.variablesOf(hook, place.projectDir),
      ...this.#host.visibleTo(hook),
      newRunId: createRunId,
    });
    parseOutput({ exitCode: 0, stdout: '{"decision":"allow"}', stderr: '' });
  }

  inspect(hook: HookConfig): readonly Notice[] {
    const place = this.#host.directoriesFor(hook);
    const { environment, variables } = this.#host.visibleTo(hook);
    const dialect = getOrigin(hook)?.dialect;
    return inspectLaunch(hook, {
      cwd: place.cwd,
      variables: {
        ...selectKnownVariables(place, variables, dialect && this.#agentOf(dialect)),
        ...this.#host.folders.variablesOf(hook, place.projectDir),
      },
      machine: { platform: process.platform, environment, ...findShells(environment, place.projectDir) },
    });
  }

  retain(hooks: readonly HookConfig[]): void {
    this.#spares?.retain(hooks);
  }

  endSession(): void {
    this.#host.folders.endSession();
  }

  dispose(): void {
    this.#host.folders.close();
  }

  idle(): Promise<void> {
    this.#spares?.close();
    return this.#processes.idle();
  }
}
