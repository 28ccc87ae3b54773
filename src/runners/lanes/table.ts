import { invalidArgument } from '../../errors.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { type HookConfig, HookType, type HostConfig, type HostServices } from '../../protocol/index.ts';
import type { RunnerLimits } from '../limits.ts';
import type { EngineLane } from './call.ts';
import type { CommandLaneOptions } from './command-lane.ts';
import { FunctionLane } from './function-lane.ts';
import { guarded } from './guarded-lane.ts';
import type { Lanes } from './lane.ts';
import { LazyLane } from './lazy-lane.ts';
import { notSupported } from './not-supported.ts';
import { ruleLane } from './rule-lane.ts';

export interface LaneTableOptions extends CommandLaneOptions, HostServices {
  readonly lanes?: Lanes | undefined;
}

const expectLane = (type: string, lane: unknown): void => {
  if (isRecord(lane) && typeof lane.run === 'function') return;
  const expected = 'an object whose run(call) runs one hook';
  throw invalidArgument(`deps.lanes.${type} must be ${expected}; got ${describeValue(lane)}`);
};

/** How hooks of each type are run in one engine. */
export class LaneTable {
  readonly #functions = new FunctionLane();
  readonly #lanes: Map<string, EngineLane>;

  constructor(config: HostConfig, limits: RunnerLimits, { lanes = {}, askModel, mcp, ...options }: LaneTableOptions) {
    for (const [type, lane] of Object.entries(lanes)) expectLane(type, lane);
    const lazy = (type: string, load: () => Promise<EngineLane>, startsProcesses = false): [string, EngineLane] => {
      const loadInto = async (): Promise<EngineLane> => {
        const lane = await load();
        this.#lanes.set(type, lane);
        return lane;
      };
      return [type, new LazyLane(loadInto, { startsProcesses })];
    };
    this.#lanes = new Map<string, EngineLane>([
      lazy(
        HookType.Command,
        () => import('./command-lane.ts').then(({ CommandLane }) => new CommandLane(config, limits, options)),
        true,
      ),
      lazy(HookType.Worker, () =>
        import('./worker/worker-lane.ts').then(({ WorkerLane }) => new WorkerLane(config, limits, options)),
      ),
      lazy(HookType.Http, () =>
        import('./http/http-lane.ts').then(({ HttpLane }) => new HttpLane(config, limits, options)),
      ),
      lazy(HookType.Prompt, () => import('./prompt-lane.ts').then(({ promptLane }) => promptLane(askModel, limits))),
      lazy(HookType.Mcp, () => import('./mcp-lane.ts').then(({ mcpLane }) => mcpLane(mcp, limits))),
      [HookType.Rule, ruleLane],
      [HookType.Runtime, this.#functions],
      [HookType.Plugin, this.#functions],
      ...Object.entries(lanes).map(([type, lane]): [string, EngineLane] => [type, guarded(lane)]),
    ]);
  }

  get lateAnswers(): number {
    return this.#functions.lateAnswers;
  }

  /** What runs hooks of a type; there is always something that says why none does. */
  laneOf(type: string = HookType.Command): EngineLane {
    return this.#lanes.get(type) ?? notSupported;
  }

  /** These hooks were loaded, and may have to run at any time. Says whether any of them starts processes. */
  prepare(hooks: readonly HookConfig[]): boolean {
    const first = new Map(hooks.map((hook) => [this.laneOf(hook.type), hook]));
    for (const [lane, hook] of first) lane.prepare?.(hook);
    return [...first.keys()].some((lane) => lane.startsProcesses === true);
  }

  /** The hooks were read again, and these are all there are. */
  retain(hooks: readonly HookConfig[]): void {
    for (const lane of new Set(this.#lanes.values())) lane.retain?.(hooks);
  }

  /** Waits until nothing runs, then ends the lanes. A lane of the host that fails or dawdles holds nobody up. */
  async dispose(withinMs: number): Promise<void> {
    const lanes = [...new Set(this.#lanes.values())];
    const end = async (lane: EngineLane): Promise<void> => {
      await lane.idle?.();
      await lane.dispose?.();
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    await Promise.race([Promise.allSettled(lanes.map(end)), patience]);
    clearTimeout(timer);
  }
}
