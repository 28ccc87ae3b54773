// Finds the lane that runs hooks of a type. Lanes with much code are loaded with their first hook.
import { createInvalidArgument } from '../../errors.ts';
import { describeValue, doNothing, isRecord, waitWithinMs } from '../../kit/index.ts';
import {
  getHookKey,
  type HookConfig,
  type HookExecutionResult,
  HookType,
  type HostConfig,
  type HostServices,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { createFaultResult } from '../answer/faults.ts';
import type { RunnerLimits } from '../limits.ts';
import type { ProcessLaneOptions } from '../process/executor.ts';
import type { EngineLane, EventRun } from './event-run.ts';
import { FunctionLane, UNSUPPORTED_FIX } from './function-lane.ts';
import { type Lane, type Lanes, readAnswer } from './lane.ts';

interface LaneTableOptions extends ProcessLaneOptions, HostServices {
  readonly lanes?: Lanes | undefined;
}

const expectLane = (type: string, lane: unknown): void => {
  if (isRecord(lane) && typeof lane.run === 'function') return;
  const expected = 'an object whose run(call) runs one hook';
  throw createInvalidArgument(`deps.lanes.${type} must be ${expected}; got ${describeValue(lane)}`);
};

export class LaneTable {
  readonly #functions: FunctionLane;
  readonly #lanes: Map<string, EngineLane>;

  constructor(config: HostConfig, limits: RunnerLimits, { lanes = {}, askModel, mcp, ...options }: LaneTableOptions) {
    for (const [type, lane] of Object.entries(lanes)) expectLane(type, lane);
    this.#functions = new FunctionLane(() => config.getSessionId());
    const lazy = (type: string, load: () => Promise<EngineLane>, startsProcesses = false): [string, EngineLane] => {
      const loadInto = async (): Promise<EngineLane> => {
        const lane = await load();
        this.#lanes.set(type, lane);
        return lane;
      };
      return [type, new LazyLane(loadInto, startsProcesses)];
    };
    const loadCommandLane = async () => new (await import('./command-lane.ts')).CommandLane(config, limits, options);
    const loadWorkerLane = async () =>
      new (await import('./worker/worker-lane.ts')).WorkerLane(config, limits, options);
    const loadHttpLane = async () => new (await import('./http/http-lane.ts')).HttpLane(config, limits, options);
    this.#lanes = new Map<string, EngineLane>([
      lazy(HookType.Command, loadCommandLane, true),
      lazy(HookType.Worker, loadWorkerLane),
      lazy(HookType.Http, loadHttpLane),
      lazy(HookType.Prompt, async () => (await import('./host-lane.ts')).createPromptLane(askModel, limits)),
      lazy(HookType.Mcp, async () => (await import('./host-lane.ts')).createMcpLane(mcp, limits)),
      [HookType.Rule, ruleLane],
      [HookType.Runtime, this.#functions],
      [HookType.Plugin, this.#functions],
      ...Object.entries(lanes).map(([type, lane]): [string, EngineLane] => [type, enforceContract(lane)]),
    ]);
  }

  get lateAnswers(): number {
    return this.#functions.lateAnswers;
  }

  laneOf(type: string = HookType.Command): EngineLane {
    return this.#lanes.get(type) ?? unsupportedLane;
  }

  prepare(hooks: readonly HookConfig[]): boolean {
    const first = new Map(hooks.map((hook) => [this.laneOf(hook.type), hook]));
    for (const [lane, hook] of first) lane.prepare?.(hook);
    return [...first.keys()].some((lane) => lane.startsProcesses === true);
  }

  retain(hooks: readonly HookConfig[]): void {
    for (const lane of new Set(this.#lanes.values())) lane.retain?.(hooks);
  }

  get hasSession(): boolean {
    return [...this.#lanes.values()].some((lane) => lane.hasSession === true);
  }

  endSession(): void {
    for (const lane of new Set(this.#lanes.values())) lane.endSession?.();
  }

  /** A slow or failing lane of the host delays the others only up to the limit. */
  async dispose(limitMs: number): Promise<void> {
    const lanes = [...new Set(this.#lanes.values())];
    const end = async (lane: EngineLane): Promise<void> => {
      await lane.idle?.();
      await lane.dispose?.();
    };
    await waitWithinMs(limitMs, Promise.allSettled(lanes.map(end)));
  }
}

/**
 * Loads the lane on first use: code for processes would take a quarter of hookwright's import time, even in hosts with
 * function hooks only.
 */
class LazyLane implements EngineLane {
  readonly startsProcesses: boolean;
  readonly #load: () => Promise<EngineLane>;
  #loading: Promise<EngineLane> | undefined;

  constructor(load: () => Promise<EngineLane>, startsProcesses: boolean) {
    this.startsProcesses = startsProcesses;
    this.#load = () => {
      this.#loading ??= load();
      return this.#loading;
    };
  }

  async run(eventRun: EventRun, hook: HookConfig): Promise<HookExecutionResult> {
    return (await this.#load()).run(eventRun, hook);
  }

  async inspect(hook: HookConfig): Promise<readonly Notice[]> {
    return (await (await this.#load()).inspect?.(hook)) ?? [];
  }

  prepare(hook: HookConfig): void {
    // Errors are ignored: preparing only saves time, and a run of the hook reports them.
    this.#load()
      .then((lane) => lane.prepare?.(hook))
      .catch(doNothing);
  }

  async idle(): Promise<void> {
    await (await this.#loading)?.idle?.();
  }

  async dispose(): Promise<void> {
    await (await this.#loading)?.dispose?.();
  }

  get hasSession(): boolean {
    return this.#loading !== undefined;
  }

  endSession(): void {
    this.#loading?.then((lane) => lane.endSession?.(), doNothing);
  }
}

const describeUnsupported = ({ type }: HookConfig): string =>
  `hooks of type "${String(type)}" are not supported by this version`;

const unsupportedLane: EngineLane = {
  run: ({ eventName }, hook) =>
    createFaultResult(hook, eventName, { code: 'not-supported', message: describeUnsupported(hook) }),
  inspect: (hook) => [notice('not-supported', describeUnsupported(hook), { fix: UNSUPPORTED_FIX })],
};

const ruleLane: EngineLane = {
  run: ({ eventName }, hook) => {
    const reason = hook.reason ?? `refused by the rule ${getHookKey(hook)}`;
    return readAnswer(hook, eventName, { decision: hook.verdict, reason }, 0);
  },
};

const enforceContract = (lane: Lane): EngineLane => ({
  run: async (eventRun, hook) => (await import('./lane-contract.ts')).runByContract(lane, eventRun, hook),
  startsProcesses: lane.startsProcesses === true,
  inspect: async (hook) => (await import('./lane-contract.ts')).inspectByContract(lane, hook),
  idle: async () => lane.idle?.(),
  dispose: async () => lane.dispose?.(),
});
