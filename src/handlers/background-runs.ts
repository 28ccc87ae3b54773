import { onAbort } from '../kit/index.ts';
import type { HookConfig, HookExecutionResult } from '../protocol/index.ts';
import { faultResult, type HookRunner, type OnHookEnd, type OnHookStart } from '../runners/index.ts';

/** Hooks that run or wait in the background; one more is refused rather than piled up. */
const MAX_BACKGROUND = 1_000;

/** What is known of a hook that was started and is not waited for. */
export const inBackground = (hookConfig: HookConfig, eventName: string): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  background: true,
  duration: 0,
});

/** Runs hooks nobody waits for, a few at a time, beside those somebody waits for. */
export class BackgroundRuns {
  readonly #runner: HookRunner;
  readonly #running = new Map<AbortController, Promise<void>>();
  #hooks = 0;

  constructor(runner: HookRunner) {
    this.#runner = runner;
  }

  /** How many hooks run or wait. */
  get size(): number {
    return this.#hooks;
  }

  /** Starts hooks. What becomes of them is told to the callbacks and to nobody else; `until` ends them. */
  start(
    hooks: readonly HookConfig[],
    eventName: string,
    input: object,
    onStart: OnHookStart,
    onEnd: OnHookEnd,
    until?: AbortSignal,
  ): void {
    const places = Math.max(0, MAX_BACKGROUND - this.#hooks);
    const accepted = hooks.slice(0, places);
    this.#refuse(hooks.slice(places), eventName, (hook, result, index) => onEnd(hook, result, index + places));
    if (accepted.length === 0) return;
    this.#hooks += accepted.length;
    const ended: OnHookEnd = (hook, result, index) => {
      this.#hooks -= 1;
      onEnd(hook, result, index);
    };
    const controller = new AbortController();
    const stopListening = until && onAbort(until, () => controller.abort(until.reason));
    if (until?.aborted) controller.abort(until.reason);
    // How each hook ended, and be it by a failure of the runner, was told to the callbacks; nobody waits for more.
    const done = (): void => {
      stopListening?.();
      this.#running.delete(controller);
    };
    const run = this.#runner.executeAll(accepted, eventName, input, onStart, ended, controller.signal).then(done, done);
    this.#running.set(controller, run);
  }

  #refuse(hooks: readonly HookConfig[], eventName: string, onEnd: OnHookEnd): void {
    const message = `${MAX_BACKGROUND} hooks run or wait in the background`;
    for (const [index, hook] of hooks.entries()) {
      const result: HookExecutionResult = faultResult(hook, eventName, { code: 'overloaded', message });
      onEnd(hook, result, index);
    }
  }

  /** Resolves when nothing runs in the background any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Ends what runs and waits until its processes are gone. */
  async end(): Promise<void> {
    for (const controller of [...this.#running.keys()]) controller.abort();
    await this.idle();
    await this.#runner.dispose();
  }
}
