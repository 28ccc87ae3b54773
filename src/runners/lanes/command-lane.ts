// Runs command hooks as processes of this machine.

import { beginsSession } from '../../events/index.ts';
import {
  type AgentHook,
  getOrigin,
  type HookConfig,
  type HookExecutionResult,
  type HostConfig,
  type Notice,
  notice,
  withWarnings,
} from '../../protocol/index.ts';
import { type OutputReader, parseOutput } from '../answer/parse-output.ts';
import { createProcessRequest, runCommand } from '../command/run-command.ts';
import type { Variables } from '../command/shell-words.ts';
import type { AgentEnvironment } from '../environment.ts';
import type { RunnerLimits } from '../limits.ts';
import { inspectLaunch } from '../preflight/inspect-launch.ts';
import type { ProcessLaneOptions } from '../process/executor.ts';
import type { ProcessRunner } from '../process/run-process.ts';
import { createRunId } from '../process/start-process.ts';
import { runAgentHook } from './agent-hook-call.ts';
import type { EngineLane, EventRun } from './event-run.ts';
import { HostEnvironment } from './host-environment.ts';
import { LaneProcesses } from './lane-processes.ts';
import { addWrittenVariables, EnvironmentFile } from './session-variables.ts';
import { ENV_FILE } from './state-folders.ts';
import { Spares, type WarmLaunch } from './warm/spares.ts';

interface RunDetails {
  readonly stdin: string;
  readonly readOutput: OutputReader | undefined;
  readonly agent?: AgentEnvironment | undefined;
  readonly run?: ProcessRunner | undefined;
}

const withWrittenVariables = async (
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
  const warnings = [...notes, ...((await kept) ?? [])].map((note) => notice('refused-variables', note));
  const extended: HookExecutionResult =
    output === undefined ? result : { ...result, output, outputFormat: result.outputFormat ?? 'json' };
  return withWarnings(extended, warnings);
};

export class CommandLane implements EngineLane {
  readonly startsProcesses = true;
  readonly hasSession = true;
  readonly #limits: RunnerLimits;
  readonly #options: ProcessLaneOptions;
  readonly #processes: LaneProcesses;
  readonly #host: HostEnvironment;
  /** `undefined` on Windows, which does not show whether a process is idle, and with an executor of the host. */
  readonly #spares: Spares | undefined;

  constructor(config: HostConfig, limits: RunnerLimits, options: ProcessLaneOptions) {
    this.#host = new HostEnvironment(config, options);
    this.#limits = limits;
    this.#options = options;
    this.#processes = new LaneProcesses(limits, options);
    const canWait = options.executor === undefined && process.platform !== 'win32';
    this.#spares = canWait ? new Spares(this.#processes.table, limits) : undefined;
  }

  async run(eventRun: EventRun, hook: HookConfig): Promise<HookExecutionResult> {
    const dialect = getOrigin(hook)?.dialect;
    if (dialect === undefined) {
      return this.#run(eventRun, hook, { stdin: eventRun.json, readOutput: this.#options.readOutput });
    }
    return runAgentHook(eventRun, hook, dialect, (call) => {
      const agent = this.#agentOf(dialect, call.run.variables());
      return this.#run(eventRun, hook, { stdin: call.stdin, readOutput: call.readOutput, agent });
    });
  }

  async #run(eventRun: EventRun, hook: HookConfig, details: RunDetails): Promise<HookExecutionResult> {
    if (hook.warm !== true || this.#spares === undefined) return this.#start(eventRun, hook, details);
    let warmth: WarmLaunch = { warm: 'miss' };
    const run = this.#spares.runner(hook, (found) => {
      warmth = found;
    });
    const result = await this.#start(eventRun, hook, { ...details, run });
    const { warm, activity } = warmth;
    if (activity === undefined) return { ...result, warm };
    const message = `a process of it that was started ahead ${activity} before it had read anything`;
    const fix = 'remove "warm"; then it is started at its event';
    return withWarnings({ ...result, warm }, [notice('acts-early', message, { fix })]);
  }

  #agentOf({ environment, filledIn, withholds }: AgentHook, ofRun: Variables = {}): AgentEnvironment {
    return { variables: { ...ofRun, ...environment(this.#host.directoriesFor()) }, filledIn, withholds };
  }

  async #start(
    { eventName, input, signal, traceParent }: EventRun,
    hook: HookConfig,
    details: RunDetails,
  ): Promise<HookExecutionResult> {
    const { folders } = this.#host;
    const ready = folders.ready(hook, this.#host.directoriesFor(hook).projectDir);
    const file = details.agent === undefined && beginsSession(eventName) ? new EnvironmentFile() : undefined;
    const ofHook = file?.path === undefined ? ready.variables : { ...ready.variables, [ENV_FILE]: file.path };
    const keep = file && folders.keeper(hook);
    const inputs = this.#host.launchInputs(hook, ofHook);
    // A spare process was started before this event, so it cannot get the event's trace context.
    const isTraced = traceParent !== undefined && details.run === undefined;
    const result = await runCommand(hook, eventName, input, {
      executor: this.#options.executor,
      processes: this.#processes.table,
      limits: this.#limits,
      newRunId: createRunId,
      signal,
      start: this.#processes.start,
      ...inputs,
      ...(isTraced ? { variables: { ...inputs.variables, TRACEPARENT: traceParent } } : {}),
      ...details,
    });
    const whole = file === undefined || keep === undefined ? result : await withWrittenVariables(result, file, keep);
    return withWarnings(whole, ready.notices);
  }

  prepare(hook: HookConfig): void {
    createProcessRequest(hook, '', {
      processes: this.#processes.table,
      limits: this.#limits,
      newRunId: createRunId,
      ...this.#host.launchInputs(hook),
    });
    parseOutput({ exitCode: 0, stdout: '{"decision":"allow"}', stderr: '' });
  }

  inspect(hook: HookConfig): readonly Notice[] {
    const dialect = getOrigin(hook)?.dialect;
    return inspectLaunch(hook, this.#host.inspectionContext(hook, dialect && this.#agentOf(dialect)));
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
