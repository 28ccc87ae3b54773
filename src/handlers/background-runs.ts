import { onAbort, withinMs } from '../kit/index.ts';
import { type HookConfig, type HookExecutionResult, type HookOutput, hookKey, notice } from '../protocol/index.ts';
import { faultResult, type OnHookEnd, type OnHookStart, type RunOptions } from '../runners/index.ts';
import type { Later, Plan } from './firing.ts';

/** Hooks that run or wait in the background; one more is refused rather than piled up. */
const MAX_BACKGROUND = 1_000;

type RunAll = (hooks: readonly HookConfig[], how: RunOptions) => Later<readonly HookExecutionResult[]>;

/** A round of hooks of which the event waits for some. */
export interface MixedRound {
  readonly plan: Plan;
  readonly eventName: string;
  readonly how: RunOptions;
  /** Ends those in the background. */
  readonly until?: AbortSignal | undefined;
  readonly runAwaited: RunAll;
  readonly runInBackground: RunAll;
}

/** Runs hooks that their event does not wait for, beside those that are waited for. */
export class BackgroundRuns {
  readonly #running = new Map<AbortController, Promise<void>>();
  readonly #hooks: HookConfig[] = [];

  /** How many hooks run or wait. */
  get size(): number {
    return this.#hooks.length;
  }

  /** Starts the hooks in the background, and runs the others to their end. Results are in the order of the plan. */
  async run(round: MixedRound): Promise<readonly HookExecutionResult[]> {
    const { plan, eventName, how, runAwaited } = round;
    const placesOf = (isBackground: boolean): number[] =>
      [...plan.hooks.keys()].filter((place) => plan.isBackground(place) === isBackground);
    const partOf = (places: readonly number[]) => ({
      configs: places.flatMap((place) => plan.hooks[place] ?? []),
      started: (hook: HookConfig, at: number) => how.onStart?.(hook, places[at] ?? at),
      ended: (hook: HookConfig, result: HookExecutionResult, at: number) => how.onEnd?.(hook, result, places[at] ?? at),
    });
    const others = partOf(placesOf(true));
    this.#start(round, others.configs, others.started, others.ended);
    const places = placesOf(false);
    const { configs, started: onStart, ended: onEnd } = partOf(places);
    const results = configs.length === 0 ? [] : await runAwaited(configs, { ...how, onStart, onEnd });
    return plan.hooks.map((config, place) => results[places.indexOf(place)] ?? inBackground(config, eventName));
  }

  #start(
    { eventName, until, runInBackground }: MixedRound,
    hooks: readonly HookConfig[],
    onStart: OnHookStart,
    onEnd: OnHookEnd,
  ): void {
    const room = Math.max(0, MAX_BACKGROUND - this.size);
    const accepted = hooks.slice(0, room);
    const message = `${MAX_BACKGROUND} hooks run or wait in the background`;
    for (const [index, hook] of hooks.slice(room).entries()) {
      onEnd(hook, faultResult(hook, eventName, { code: 'overloaded', message }), index + room);
    }
    if (accepted.length === 0) return;
    this.#hooks.push(...accepted);
    const ended: OnHookEnd = (hook, result, index) => {
      this.#hooks.splice(this.#hooks.indexOf(hook), 1);
      onEnd(hook, result, index);
    };
    const controller = new AbortController();
    const stopListening = until && onAbort(until, () => controller.abort(until.reason));
    if (until?.aborted) controller.abort(until.reason);
    // How each hook ended, and be it by a failure of the runner, was reported to the callbacks.
    const done = (): void => {
      stopListening?.();
      this.#running.delete(controller);
    };
    const run = runInBackground(accepted, { onStart, onEnd: ended, ending: controller.signal });
    this.#running.set(controller, Promise.resolve(run).then(done, done));
  }

  /** Resolves when nothing runs in the background any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Waits for what runs, as long as that. Resolves to the hooks that still run then, by their names. */
  async settle(graceMs: number): Promise<readonly string[]> {
    await withinMs(graceMs, this.idle());
    return this.#hooks.map(hookKey);
  }

  /** Ends what runs, and waits until it has ended. */
  async end(): Promise<void> {
    for (const controller of [...this.#running.keys()]) controller.abort();
    await this.idle();
  }
}

/** The result of a hook that was started and is not waited for. */
export const inBackground = (hookConfig: HookConfig, eventName: string): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  background: true,
  duration: 0,
});

const OVER = 'its session ended first: what it said reaches no event';

const LATE = 'the event did not wait for this hook: it runs in the background';

/** What counts of a hook that the event did not wait for: its context and its message. All else comes too late. */
export const heardLater = (result: HookExecutionResult, isOver = false): HookExecutionResult => {
  const { output: given, outputFormat, fieldProblems = [], warnings = [], ...rest } = result;
  if (given === undefined) return result;
  const { systemMessage, hookSpecificOutput = {}, ...others } = given;
  const { additionalContext, hookEventName: _name, ...specific } = hookSpecificOutput;
  // Plain text allows as a courtesy, which is no verdict.
  const fields = outputFormat === 'text' ? [] : [...Object.keys(others), ...Object.keys(specific)];
  const late = fields.filter((field) => field !== 'suppressOutput');
  const output: HookOutput = {
    ...(systemMessage === undefined ? {} : { systemMessage }),
    ...(additionalContext === undefined ? {} : { hookSpecificOutput: { additionalContext } }),
  };
  const notices = [
    ...(late.length === 0 ? [] : [notice('no-effect', `${late.join(', ')}: ${LATE}`)]),
    ...(isOver && Object.keys(output).length > 0 ? [notice('no-effect', OVER)] : []),
  ];
  return {
    ...rest,
    output,
    outputFormat: 'json',
    fieldProblems: [...fieldProblems, ...late.map((field) => ({ field, fate: 'unsupported' as const, note: LATE }))],
    warnings: [...warnings, ...notices],
  };
};

/** Words of hooks in the background that no event has taken yet. One more is dropped, the oldest first. */
const MAX_WORDS = 100;

/** What hooks in the background said, until an event takes it to the model. */
export class WaitingWords {
  readonly #results: HookExecutionResult[] = [];

  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  keep(result: HookExecutionResult): void {
    const { systemMessage, hookSpecificOutput } = result.output ?? {};
    if (systemMessage === undefined && hookSpecificOutput === undefined) return;
    this.#results.push(result);
    if (this.#results.length > MAX_WORDS) this.#results.shift();
  }

  take(): readonly HookExecutionResult[] {
    return this.#results.splice(0);
  }
}
