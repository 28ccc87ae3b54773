// The state that hooks of one event share while they run: copies of the input, timeouts, time measurement.
import { callAfterTwoTurns, isPrototypeKey, isRecord, onAbort, runInMicrotask } from '../../kit/index.ts';
import type { HookConfig, HookExecutionResult, Notice } from '../../protocol/index.ts';
import { getHookTimeout } from '../limits.ts';
import { beginWaiting, endWaiting } from '../nesting.ts';

export class EventRun implements AbortState {
  readonly eventName: string;
  readonly input: object;
  readonly depth: number;
  readonly traceParent: string | undefined;
  readonly #ending: AbortState | AbortSignal;
  #groups: FunctionHookGroup[] | undefined;
  #isCopied = false;
  #plain: object | undefined;
  #shape: RecordShape | undefined;
  #json: string | undefined;
  #lap: number | undefined;

  constructor(eventName: string, input: object, ending: AbortState | AbortSignal, depth: number, traceParent?: string) {
    this.eventName = eventName;
    this.input = input;
    this.#ending = ending;
    this.depth = depth;
    this.traceParent = traceParent;
  }

  get aborted(): boolean {
    return this.#ending.aborted;
  }

  get signal(): AbortSignal {
    return getSignal(this.#ending);
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.input);
    return this.#json;
  }

  /** Each hook gets a copy, which it may change. Typical inputs are copied far faster than with `structuredClone`. */
  ownCopy(): object {
    if (this.#isCopied) {
      // V8 copies a pure spread copy far faster than the input, whose literal has other members beside a spread.
      this.#plain ??= { ...this.input };
      this.#shape ??= readShape(this.#plain);
      return copyRecord(this.#plain, this.#shape);
    }
    this.#isCopied = true;
    return deepCopy(this.input);
  }

  groupOf(hook: HookConfig): FunctionHookGroup {
    const timeoutMs = getHookTimeout(hook);
    this.#groups ??= [];
    let group = this.#groups.find((known) => known.timeoutMs === timeoutMs);
    if (group === undefined) {
      group = new FunctionHookGroup(timeoutMs, this);
      this.#groups.push(group);
    }
    return group;
  }

  /**
   * Reading the clock takes as long as a small hook, so the end time of one synchronous hook is the start time of the
   * next.
   */
  startLap(): number {
    return this.#lap ?? performance.now();
  }

  endLap(startedAt: number): number {
    this.#lap = performance.now();
    return this.#lap - startedAt;
  }

  breakLap(): void {
    this.#lap = undefined;
  }
}

/** Creating an AbortSignal takes longer than most hooks, so `signal` may be a getter that creates it on first use. */
export interface AbortState {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

export const getSignal = (ending: AbortState | AbortSignal): AbortSignal =>
  'signal' in ending ? ending.signal : ending;

export interface WaitingHook {
  giveUp(why: 'timeout' | 'aborted'): void;
}

/** After this many microtasks, most async functions that do no I/O have answered. */
const MICROTASKS_BEFORE_TIMER = 3;

/**
 * Function hooks of an event with the same timeout share one timer and one abort listener, created only if a hook still
 * waits after a few microtasks.
 */
export class FunctionHookGroup {
  readonly timeoutMs: number;
  readonly #ending: AbortState;
  #waiting: Set<WaitingHook> | undefined;
  #unsettled = 0;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopListening: (() => void) | undefined;

  constructor(timeoutMs: number, ending: AbortState) {
    this.timeoutMs = timeoutMs;
    this.#ending = ending;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ending.aborted) this.#controller.abort(this.#ending.signal.reason);
    }
    return this.#controller.signal;
  }

  wait(hook: WaitingHook): void {
    this.#unsettled += 1;
    if (this.#unsettled === 1) beginWaiting();
    if (this.#waiting === undefined) {
      this.#waiting = new Set();
      runAfterMicrotasks(MICROTASKS_BEFORE_TIMER, () => this.#limitTime());
    }
    this.#waiting.add(hook);
  }

  leave(hook: WaitingHook): void {
    if (this.#waiting?.delete(hook) !== true || this.#waiting.size > 0 || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stopListening?.();
    this.#waiting = undefined;
  }

  noteSettled(): void {
    this.#unsettled -= 1;
    if (this.#unsettled === 0) endWaiting();
  }

  #limitTime(): void {
    if (this.#waiting === undefined || this.#waiting.size === 0) {
      this.#waiting = undefined;
      return;
    }
    if (this.#ending.aborted) {
      this.#giveUp('aborted');
      return;
    }
    this.#timer = setTimeout(() => callAfterTwoTurns(() => this.#giveUp('timeout')), this.timeoutMs);
    this.#stopListening = onAbort(this.#ending.signal, () => this.#giveUp('aborted'));
  }

  #giveUp(why: 'timeout' | 'aborted'): void {
    if (this.#waiting === undefined || this.#waiting.size === 0) return;
    for (const hook of [...this.#waiting]) hook.giveUp(why);
    this.#controller?.abort(why === 'aborted' ? this.#ending.signal.reason : createTimeoutError());
  }
}

export const createTimeoutError = (): DOMException => new DOMException('The hook ran out of time', 'TimeoutError');

const runAfterMicrotasks = (count: number, callback: () => void): void =>
  runInMicrotask(() => (count === 1 ? callback() : runAfterMicrotasks(count - 1, callback)));

/** Unlike a public `Lane`, the engine's own lanes enforce timeouts themselves and must never throw. */
export interface EngineLane {
  run(eventRun: EventRun, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult>;
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  prepare?(hook: HookConfig): void;
  idle?(): Promise<void>;
  retain?(hooks: readonly HookConfig[]): void;
  dispose?(): void | Promise<void>;
  endSession?(): void;
  readonly startsProcesses?: boolean;
  readonly hasSession?: boolean;
}

type RecordShape = readonly (readonly [key: string, shape: RecordShape])[];

const flatShape: RecordShape = [];

const readShape = (value: object): RecordShape => {
  let inner: [string, RecordShape][] | undefined;
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (typeof member !== 'object' || member === null) continue;
    inner ??= [];
    inner.push([key, readShape(member)]);
  }
  return inner ?? flatShape;
};

const copyMember = (value: unknown, shape: RecordShape): unknown => {
  if (Array.isArray(value)) {
    const copy: unknown[] = value.slice();
    for (const [key, inner] of shape) copy[Number(key)] = copyMember(value[Number(key)], inner);
    return copy;
  }
  return isRecord(value) ? copyRecord(value, shape) : value;
};

const copyRecord = (value: object, shape: RecordShape): object => {
  const copy: Record<string, unknown> = { ...value };
  for (const [key, inner] of shape) {
    if (!isPrototypeKey(key)) copy[key] = copyMember(copy[key], inner);
  }
  return copy;
};

const deepCopy = (value: object): object => {
  if (Array.isArray(value)) {
    const copy: unknown[] = value.slice();
    for (let index = 0; index < copy.length; index += 1) {
      const item = copy[index];
      if (typeof item === 'object' && item !== null) copy[index] = deepCopy(item);
    }
    return copy;
  }
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === 'object' && member !== null && !isPrototypeKey(key)) copy[key] = deepCopy(member);
  }
  return copy;
};
