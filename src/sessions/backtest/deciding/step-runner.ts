import type { HookEventName, HookInput } from '../../../events/index.ts';
import type { EventRunner } from '../../../handlers/index.ts';
import type { HookConfig, HookExecutionResult } from '../../../protocol/index.ts';
import { inputAfter, type OnHookEnd, type OnHookStart } from '../../../runners/index.ts';

export interface Step<E extends HookEventName> {
  readonly hook: HookConfig;
  readonly index: number;
  readonly eventName: E;
  readonly input: HookInput<E>;
  readonly signal: AbortSignal | undefined;
}

export type RunStep = <E extends HookEventName>(step: Step<E>) => Promise<HookExecutionResult>;

/** Goes through plans like the runner of an engine; a function runs each hook. */
export class StepRunner implements EventRunner {
  readonly #runStep: RunStep;

  constructor(runStep: RunStep) {
    this.#runStep = runStep;
  }

  readonly executeHooksParallel: EventRunner['executeHooksParallel'] = async (
    hooks,
    eventName,
    input,
    onStart,
    onEnd,
    signal,
  ) => Promise.all(hooks.map((hook, index) => this.#run({ hook, index, eventName, input, signal }, onStart, onEnd)));

  readonly executeHooksSequential: EventRunner['executeHooksSequential'] = async (
    hooks,
    eventName,
    input,
    onStart,
    onEnd,
    signal,
  ) => {
    const results: HookExecutionResult[] = [];
    let current = input;
    for (const [index, hook] of hooks.entries()) {
      const result = await this.#run({ hook, index, eventName, input: current, signal }, onStart, onEnd);
      results.push(result);
      current = inputAfter(eventName, current, result);
    }
    return results;
  };

  async #run<E extends HookEventName>(
    step: Step<E>,
    onStart: OnHookStart | undefined,
    onEnd: OnHookEnd | undefined,
  ): Promise<HookExecutionResult> {
    const { hook, index } = step;
    onStart?.(hook, index);
    const result = await this.#runStep(step);
    onEnd?.(hook, result, index);
    return result;
  }
}
