import { onAbort } from '../../kit/index.ts';
import type { HookActionContext } from '../../protocol/index.ts';
import { afterSettling } from '../schedule/event-loop.ts';
import { beginWaiting, endWaiting } from '../schedule/nesting.ts';
import type { RequestEnding } from '../schedule/request-ending.ts';

/** A function hook that is waited for. */
export interface WaitingHook {
  /** Its time is over, or its request is. */
  giveUp(why: 'timeout' | 'aborted'): void;
}

/** By then most functions that wait for nothing but themselves have answered. */
const MICROTASKS = 3;

/**
 * What function hooks share that start together and may take equally long: a timer and a listener for the end of the request,
 * set some microtasks after the first of them started if one still waits, and a controller should one of them read its
 * signal. It is handed to the hooks as their context; all they can see of it is `signal`.
 */
export class FunctionGroup implements HookActionContext {
  readonly #timeoutMs: number;
  readonly #ending: RequestEnding;
  #waiting: Set<WaitingHook> | undefined;
  /** Hooks that have not settled; one that was given up may be among them. */
  #unsettled = 0;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopListening: (() => void) | undefined;

  constructor(timeoutMs: number, ending: RequestEnding) {
    this.#timeoutMs = timeoutMs;
    this.#ending = ending;
  }

  static timeoutOf(group: FunctionGroup): number {
    return group.#timeoutMs;
  }

  /** Made on first use: most hooks never look at it, and it costs more than they do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ending.aborted) this.#controller.abort(this.#ending.signal.reason);
    }
    return this.#controller.signal;
  }

  static wait(group: FunctionGroup, hook: WaitingHook): void {
    group.#unsettled += 1;
    if (group.#unsettled === 1) beginWaiting();
    if (group.#waiting === undefined) {
      group.#waiting = new Set();
      afterMicrotasks(MICROTASKS, group);
    }
    group.#waiting.add(hook);
  }

  /** The hook is not waited for any more. */
  static leave(group: FunctionGroup, hook: WaitingHook): void {
    if (group.#waiting?.delete(hook) !== true || group.#waiting.size > 0 || group.#timer === undefined) return;
    clearTimeout(group.#timer);
    group.#timer = undefined;
    group.#stopListening?.();
    group.#waiting = undefined;
  }

  static settled(group: FunctionGroup): void {
    group.#unsettled -= 1;
    if (group.#unsettled === 0) endWaiting();
  }

  static arm(group: FunctionGroup): void {
    const waiting = group.#waiting;
    if (waiting === undefined || waiting.size === 0) {
      group.#waiting = undefined;
      return;
    }
    if (group.#ending.aborted) {
      group.#giveUp('aborted');
      return;
    }
    group.#timer = setTimeout(() => afterSettling(() => group.#giveUp('timeout')), group.#timeoutMs);
    group.#stopListening = onAbort(group.#ending.signal, () => group.#giveUp('aborted'));
  }

  #giveUp(why: 'timeout' | 'aborted'): void {
    if (this.#waiting === undefined || this.#waiting.size === 0) return;
    for (const hook of [...this.#waiting]) hook.giveUp(why);
    this.#controller?.abort(
      why === 'aborted' ? this.#ending.signal.reason : new DOMException('The hook ran out of time', 'TimeoutError'),
    );
  }
}

const afterMicrotasks = (left: number, group: FunctionGroup): void =>
  queueMicrotask(() => (left === 1 ? FunctionGroup.arm(group) : afterMicrotasks(left - 1, group)));
