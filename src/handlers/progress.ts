import type { HookExecutionResult } from '../protocol/index.ts';
import type { OnHookEnd, OnHookStart } from '../runners/index.ts';
import type { Firing, Plan } from './firing.ts';
import type { LiveReport } from './reporting/live-report.ts';

/** What has become of the hooks of one event so far. Listeners are told of each once, guards that are asked again twice. */
export class Progress {
  readonly #firing: Firing<unknown>;
  readonly #plan: Plan;
  readonly #live: LiveReport | undefined;
  readonly #ended: (HookExecutionResult | undefined)[] = [];
  /** Hooks in the background that ended before the event did: listeners are told after its rows. */
  #early: (() => void)[] | undefined = [];
  /** The places of those that were asked again, in the order of their second results. */
  readonly #again: number[] = [];

  constructor(firing: Firing<unknown>, plan: Plan, live: LiveReport | undefined) {
    this.#firing = firing;
    this.#plan = plan;
    this.#live = live;
  }

  /** How a hook of a round ended; `undefined` if it has not. */
  resultOf(index: number): HookExecutionResult | undefined {
    return this.#ended[index];
  }

  /** The results of the hooks of these places come after all others. */
  again(places: readonly number[]): number {
    const first = this.#plan.hooks.length + this.#again.length;
    this.#again.push(...places);
    return first;
  }

  /** For a runner; `first` is the index of the first result of its round. */
  onStart(first: number): OnHookStart {
    return (_hook, at) => this.#live?.started(first + at, this.#placeOf(first + at));
  }

  onEnd(first: number, read: (result: HookExecutionResult) => HookExecutionResult): OnHookEnd {
    return (_hook, result, at) => this.#tell(first + at, read(result));
  }

  /** All is over. A runner of the host's may say nothing before that, and hooks that were given up on say nothing at all. */
  concluded(results: readonly HookExecutionResult[]): void {
    for (const [index, result] of results.entries()) if (result.background !== true) this.#tell(index, result);
    this.#live?.concluded(results, this.#again);
    for (const tell of this.#early ?? []) tell();
    this.#early = undefined;
  }

  /** An answer that comes after the answer of the event has been told of as missing. */
  #tell(index: number, result: HookExecutionResult): void {
    if (this.#ended[index] !== undefined) return;
    this.#ended[index] = result;
    const place = this.#placeOf(index);
    this.#live?.ended(place, result);
    if (this.#live !== undefined && this.#plan.isBackground(place) && result.background !== true) {
      const tell = (): void => this.#live?.endedLater(index, result, place);
      if (this.#early === undefined) tell();
      else this.#early.push(tell);
    }
    this.#firing.hookEnded?.(result);
  }

  #placeOf(index: number): number {
    const { length } = this.#plan.hooks;
    return index < length ? index : (this.#again[index - length] ?? index);
  }
}
