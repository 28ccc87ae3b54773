import { afterSettling, inMicrotask, isPrototypeKey, isRecord, onAbort } from '../../kit/index.ts';
import type { HookConfig, HookExecutionResult, Notice } from '../../protocol/index.ts';
import { timeoutOf } from '../limits.ts';
import { beginWaiting, endWaiting } from '../nesting.ts';

/** What the hooks of one event share while they run. Everything but the input itself is made on first use. */
export class Batch implements RequestEnding {
  readonly eventName: string;
  readonly input: object;
  /** How many function hooks are around the event. */
  readonly depth: number;
  /** The trace the event belongs to, for hooks elsewhere to go on with. */
  readonly traceParent: string | undefined;
  readonly #ending: RequestEnding | AbortSignal;
  /** Hooks with the same timeout share one, and nearly always that is all of them. */
  #group: FunctionGroup | undefined;
  #otherGroups: FunctionGroup[] | undefined;
  #isCopied = false;
  #plain: object | undefined;
  #shape: Shape | undefined;
  #json: string | undefined;
  #lap: number | undefined;

  constructor(
    eventName: string,
    input: object,
    ending: RequestEnding | AbortSignal,
    depth: number,
    traceParent?: string,
  ) {
    this.eventName = eventName;
    this.input = input;
    this.#ending = ending;
    this.depth = depth;
    this.traceParent = traceParent;
  }

  get aborted(): boolean {
    return this.#ending.aborted;
  }

  /** Ends with the request, or with the engine. */
  get signal(): AbortSignal {
    return signalOf(this.#ending);
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.input);
    return this.#json;
  }

  /**
   * A deep copy for one hook: what it does to it stays there. From the second copy on the shape of the input is known. Far
   * faster than `structuredClone` for the inputs that hooks get.
   */
  ownCopy(): object {
    if (this.#isCopied) {
      // V8 copies a copy far faster than the input itself, whose literal ends in a spread.
      this.#plain ??= { ...this.input };
      this.#shape ??= shapeOf(this.#plain);
      return copyRecord(this.#plain, this.#shape);
    }
    this.#isCopied = true;
    return deepCopy(this.input);
  }

  groupOf(hook: HookConfig): FunctionGroup {
    const timeoutMs = timeoutOf(hook);
    this.#group ??= new FunctionGroup(timeoutMs, this);
    if (FunctionGroup.timeoutOf(this.#group) === timeoutMs) return this.#group;
    this.#otherGroups ??= [];
    const known = this.#otherGroups.find((group) => FunctionGroup.timeoutOf(group) === timeoutMs);
    if (known !== undefined) return known;
    const group = new FunctionGroup(timeoutMs, this);
    this.#otherGroups.push(group);
    return group;
  }

  /** The end of a function that does not wait is the start of the next: reading the clock costs as much as such a hook. */
  startLap(): number {
    return this.#lap ?? performance.now();
  }

  endLap(startedAt: number): number {
    this.#lap = performance.now();
    return this.#lap - startedAt;
  }

  /** What happens now belongs to no hook. */
  breakLap(): void {
    this.#lap = undefined;
  }
}

/** The end of a request, or of the engine. Its signal may be made when it is first read, which costs more than most hooks. */
export interface RequestEnding {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
}

export const signalOf = (ending: RequestEnding | AbortSignal): AbortSignal =>
  'signal' in ending ? ending.signal : ending;

export interface WaitingHook {
  /** Its time is over, or its request is. */
  giveUp(why: 'timeout' | 'aborted'): void;
}

/** By then most functions that wait for nothing but themselves have answered. */
const MICROTASKS = 3;

/**
 * What function hooks share that start together and may take equally long: a timer and a listener for the end of the request,
 * set some microtasks after the first of them started if one still waits, and a controller should one of them read its
 * signal.
 */
export class FunctionGroup {
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
  inMicrotask(() => (left === 1 ? FunctionGroup.arm(group) : afterMicrotasks(left - 1, group)));

/** A lane of the engine's own, or one that is held to what lanes promise. It never throws, and keeps the time itself. */
export interface EngineLane {
  run(batch: Batch, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult>;
  inspect?(hook: HookConfig): readonly Notice[] | Promise<readonly Notice[]>;
  /** Hooks like this one were loaded, and may have to run at any time. Nothing of theirs is started. */
  prepare?(hook: HookConfig): void;
  idle?(): Promise<void>;
  /** These are all hooks there are from now on; what is kept for others may go when it is no longer in use. */
  retain?(hooks: readonly HookConfig[]): void;
  dispose?(): void | Promise<void>;
  /** The session is over: what hooks keep for it goes. */
  endSession?(): void;
  readonly startsProcesses?: boolean;
  /** Whether there may be something that hooks keep for the session. */
  readonly hasSession?: boolean;
}

/** Which members of a value are containers themselves; everything else is copied by the spread alone. */
type Shape = readonly (readonly [key: string, shape: Shape])[];

const flat: Shape = [];

const shapeOf = (value: object): Shape => {
  let inner: [string, Shape][] | undefined;
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (typeof member !== 'object' || member === null) continue;
    inner ??= [];
    inner.push([key, shapeOf(member)]);
  }
  return inner ?? flat;
};

const copyMember = (value: unknown, shape: Shape): unknown => {
  if (Array.isArray(value)) {
    const copy: unknown[] = value.slice();
    for (const [key, inner] of shape) copy[Number(key)] = copyMember(value[Number(key)], inner);
    return copy;
  }
  return isRecord(value) ? copyRecord(value, shape) : value;
};

const copyRecord = (value: object, shape: Shape): object => {
  const copy: Record<string, unknown> = { ...value };
  for (const [key, inner] of shape) {
    if (!isPrototypeKey(key)) copy[key] = copyMember(copy[key], inner);
  }
  return copy;
};

/** A deep copy of a JSON value, without looking at its shape first. */
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
