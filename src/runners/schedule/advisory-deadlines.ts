/** Stops waiting for advisory hooks when the time budget of their event is over. */
import { HookwrightError } from '../../errors.ts';
import { callAfterTwoTurns, onAbort } from '../../kit/index.ts';
import { ConfigSource, getOrigin, type HookConfig } from '../../protocol/index.ts';
import { EventRun } from '../lanes/event-run.ts';

type BudgetReader = (source: ConfigSource) => number | undefined;

/**
 * An advisory hook can only add messages, so the agent does not wait longer than the budget. Time counts from the start
 * of the first hook.
 */
export class AdvisoryDeadlines {
  readonly #eventName: string;
  readonly #outer: AbortSignal;
  readonly #readBudget: BudgetReader;
  readonly #limits = new Map<number, { readonly controller: AbortController; readonly stop: () => void }>();

  constructor(hooks: readonly HookConfig[], eventName: string, outer: AbortSignal, readBudget: BudgetReader) {
    this.#eventName = eventName;
    this.#outer = outer;
    this.#readBudget = readBudget;
    for (const hook of hooks) {
      const budgetMs = hook?.advisory === true ? this.#budgetOf(hook) : undefined;
      if (budgetMs !== undefined && !this.#limits.has(budgetMs)) this.#limits.set(budgetMs, this.#limit(budgetMs));
    }
  }

  eventRunFor(hook: HookConfig, { eventName, input, depth, traceParent }: EventRun): EventRun | undefined {
    const controller = this.#limits.get(this.#budgetOf(hook) ?? 0)?.controller;
    return controller === undefined ? undefined : new EventRun(eventName, input, controller.signal, depth, traceParent);
  }

  stop(): void {
    for (const { stop } of this.#limits.values()) stop();
  }

  #budgetOf(hook: HookConfig): number | undefined {
    const budgetMs = this.#readBudget(getOrigin(hook)?.source ?? ConfigSource.Runtime);
    return budgetMs !== undefined && budgetMs > 0 ? budgetMs : undefined;
  }

  #limit(budgetMs: number): { controller: AbortController; stop: () => void } {
    const controller = new AbortController();
    const message = `the budget of ${this.#eventName} (${budgetMs} ms) was over, and it is advisory`;
    const over = (): void =>
      controller.abort(new HookwrightError('deadline_exceeded', message, { details: { budgetMs } }));
    const timer = setTimeout(() => callAfterTwoTurns(over), budgetMs);
    const pass = (): void => controller.abort(this.#outer.reason);
    if (this.#outer.aborted) pass();
    const stopListening = onAbort(this.#outer, pass);
    return {
      controller,
      stop: () => {
        clearTimeout(timer);
        stopListening();
      },
    };
  }
}
