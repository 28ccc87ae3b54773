import type { HookActionContext, HookConfig } from '../../protocol/index.ts';
import { timeoutOf } from '../limits.ts';
import { afterSettling } from '../schedule/turns.ts';

/**
 * What function hooks share that start together and may take equally long: one timer, and one controller should any of
 * them ask for its signal. It is handed to the hooks as their context; all they can see of it is `signal`.
 */
export class FunctionGroup implements HookActionContext {
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  #waiting: Set<() => void> | undefined;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
  }

  /** Made on first use: most hooks never look at it, and it costs more than they do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#outer?.aborted) this.#controller.abort(this.#outer.reason);
    }
    return this.#controller.signal;
  }

  /** Tells the hooks that nobody waits for them any more. */
  static abort(group: FunctionGroup, reason: unknown): void {
    group.#controller?.abort(reason);
  }

  static timeoutOf(group: FunctionGroup): number {
    return group.#timeoutMs;
  }

  /** Calls back when the group's time is over. The timer runs only while somebody waits. */
  static whenOver(group: FunctionGroup, callback: () => void): () => void {
    group.#waiting ??= new Set();
    const waiting = group.#waiting;
    waiting.add(callback);
    group.#timer ??= setTimeout(() => afterSettling(() => group.#over(waiting)), group.#timeoutMs);
    return () => {
      waiting.delete(callback);
      if (waiting.size > 0) return;
      clearTimeout(group.#timer);
      group.#timer = undefined;
    };
  }

  #over(waiting: Set<() => void>): void {
    if (waiting.size === 0) return;
    const callbacks = [...waiting];
    waiting.clear();
    for (const callback of callbacks) callback();
    FunctionGroup.abort(this, new DOMException('The hook ran out of time', 'TimeoutError'));
  }
}

/** The groups of one batch: hooks with the same timeout share one, and nearly always that is all of them. */
export class FunctionGroups {
  readonly #outer: AbortSignal | undefined;
  readonly #groups: FunctionGroup[] = [];

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
  }

  for(hook: HookConfig): FunctionGroup {
    const timeoutMs = timeoutOf(hook);
    for (const group of this.#groups) if (FunctionGroup.timeoutOf(group) === timeoutMs) return group;
    const group = new FunctionGroup(timeoutMs, this.#outer);
    this.#groups.push(group);
    return group;
  }
}
