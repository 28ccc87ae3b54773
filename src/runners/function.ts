import { describeThrown, describeValue, isRecord, onAbort, toError } from '../kit/index.ts';
import { notice } from '../protocol/notices.ts';
import { readOutput } from '../protocol/output.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import { DEFAULT_TIMEOUT_MS, type HookActionContext, type HookConfig } from '../protocol/settings.ts';
import { abortFault, faultError, faultResult } from './faults.ts';
import { callNested, noteWaiting } from './nesting.ts';
import { needsFunction } from './not-supported.ts';
import { afterSettling } from './settle.ts';

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

/** The groups of one batch. Hooks of one turn and one timeout share a group; nearly always that is all of them. */
export class FunctionGroups {
  readonly #outer: AbortSignal | undefined;
  #turn = -1;
  #groups: FunctionGroup[] = [];

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
  }

  for(hook: HookConfig, turn: number): FunctionGroup {
    if (turn !== this.#turn) {
      this.#turn = turn;
      this.#groups = [];
    }
    const timeoutMs = hook.timeout ?? DEFAULT_TIMEOUT_MS;
    for (const group of this.#groups) if (FunctionGroup.timeoutOf(group) === timeoutMs) return group;
    const group = new FunctionGroup(timeoutMs, this.#outer);
    this.#groups.push(group);
    return group;
  }
}

/** An answer in this process is an object, or nothing at all. Anything else is a mistake its author wants to hear of. */
const readAnswer = (hook: HookConfig, eventName: string, answer: unknown, duration: number): HookExecutionResult => {
  if (answer === undefined || answer === null) return { hookConfig: hook, eventName, success: true, duration };
  const base = (): Omit<HookExecutionResult, 'output'> => ({ hookConfig: hook, eventName, success: true, duration });
  if (!isRecord(answer)) {
    return malformed(base(), `a hook must return an object or nothing, got ${describeValue(answer)}`);
  }
  const read = readOutput(answer);
  if (!read.ok) return malformed(base(), `the answer cannot be used: ${read.message}`);
  const { output, problems } = read;
  if (problems.length === 0)
    return { hookConfig: hook, eventName, success: true, output, outputFormat: 'json', duration };
  const answered = { ...base(), output, outputFormat: 'json', fieldProblems: problems } as const;
  return read.verdictLost ? { ...answered, code: 'malformed-output' } : answered;
};

const malformed = (base: Omit<HookExecutionResult, 'output'>, message: string): HookExecutionResult => ({
  ...base,
  code: 'malformed-output',
  output: { decision: 'allow', systemMessage: message },
  outputFormat: 'text',
  warnings: [notice('malformed-output', message)],
});

const threw = (hook: HookConfig, eventName: string, thrown: unknown, duration: number): HookExecutionResult => ({
  hookConfig: hook,
  eventName,
  success: false,
  code: 'threw',
  error: faultError(hook, 'threw', describeThrown(thrown), toError(thrown)),
  duration,
});

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

export interface FunctionRun {
  readonly hook: HookConfig;
  readonly eventName: string;
  /** The hook's own copy. */
  readonly input: object;
  readonly group: FunctionGroup;
  readonly depth: number;
  /** Ends the waiting for an asynchronous hook. */
  readonly signal: AbortSignal;
  /** Called for an answer that came when nobody waited for it any more. */
  readonly onLate: () => void;
}

/**
 * Runs a function of this process. `settle` is called exactly once, before this returns when the function is not
 * asynchronous. A function that never yields cannot be stopped by anyone.
 */
export const runFunction = (run: FunctionRun, settle: (result: HookExecutionResult) => void): void => {
  const { hook, eventName, input, group, depth } = run;
  const { action } = hook;
  if (action === undefined) {
    settle(faultResult(hook, eventName, { code: 'not-supported', message: needsFunction(hook) }));
    return;
  }
  const startedAt = performance.now();
  let answer: unknown;
  let waits = false;
  try {
    answer = callNested(depth, action, input, group);
    waits = isThenable(answer);
  } catch (error) {
    settle(threw(hook, eventName, error, performance.now() - startedAt));
    return;
  }
  if (waits) {
    noteWaiting(action);
    waitFor(run, answer, startedAt, settle);
  } else settle(readAnswer(hook, eventName, answer, performance.now() - startedAt));
};

const waitFor = (
  { hook, eventName, group, signal, onLate }: FunctionRun,
  answer: unknown,
  startedAt: number,
  settle: (result: HookExecutionResult) => void,
): void => {
  let settled = false;
  let stopListening: (() => void) | undefined;
  const finish = (make: (duration: number) => HookExecutionResult): void => {
    if (settled) {
      onLate();
      return;
    }
    settled = true;
    stopWaiting();
    stopListening?.();
    settle(make(performance.now() - startedAt));
  };
  const fault = (code: 'timeout' | 'deadline' | 'cancelled', message: string): void =>
    finish((duration) => faultResult(hook, eventName, { code, message }, duration));
  const abandon = (): void => {
    const { code, message } = abortFault(signal);
    fault(code, message);
    FunctionGroup.abort(group, signal.reason);
  };
  const stopWaiting = FunctionGroup.whenOver(group, () =>
    fault('timeout', `no answer within ${FunctionGroup.timeoutOf(group)} ms`),
  );
  if (signal.aborted) abandon();
  else stopListening = onAbort(signal, abandon);
  // A foreign thenable may call back twice, or throw while being asked; a promise of ours does neither.
  Promise.resolve(answer).then(
    (value) => finish((duration) => readAnswer(hook, eventName, value, duration)),
    (error: unknown) => finish((duration) => threw(hook, eventName, error, duration)),
  );
};
