import { describeThrown, describeValue, isRecord, toError } from '../protocol/json.ts';
import { readOutput } from '../protocol/output.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import { DEFAULT_TIMEOUT_MS, type HookAction, type HookActionContext, type HookConfig } from '../protocol/settings.ts';
import { abortFault, faultError, faultResult } from './faults.ts';
import { runNested } from './nesting.ts';
import { afterSettling } from './settle.ts';

/** What function hooks that start together share: one timer, and one controller should any of them ask for its signal. */
export class FunctionGroup {
  readonly #timeoutMs: number;
  readonly #outer: AbortSignal | undefined;
  readonly #onTimeout = new Set<() => void>();
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
  }

  /** Made on first use: most hooks never look at it, and it costs more than they do. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const outer = this.#outer;
      if (outer?.aborted) controller.abort(outer.reason);
      else outer?.addEventListener('abort', () => controller.abort(outer.reason), { once: true });
    }
    return this.#controller.signal;
  }

  /** What the hooks of the group are given beside their input. */
  readonly context: HookActionContext = makeContext(this);

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Calls back when the group's time is over. The timer runs only while somebody waits. */
  whenOver(callback: () => void): () => void {
    this.#onTimeout.add(callback);
    this.#timer ??= setTimeout(() => afterSettling(() => this.#over()), this.#timeoutMs);
    return () => {
      this.#onTimeout.delete(callback);
      if (this.#onTimeout.size > 0) return;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  #over(): void {
    const waiting = [...this.#onTimeout];
    this.#onTimeout.clear();
    if (waiting.length === 0) return;
    for (const callback of waiting) callback();
    this.#controller?.abort(new DOMException('The hook ran out of time', 'TimeoutError'));
  }
}

const makeContext = (group: FunctionGroup): HookActionContext => ({
  get signal() {
    return group.signal;
  },
});

/** Groups by timeout for hooks that start in the same turn. */
export class FunctionGroups {
  readonly #outer: AbortSignal | undefined;
  readonly #groups = new Map<number, FunctionGroup>();

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
  }

  for(hook: HookConfig): FunctionGroup {
    const timeoutMs = hook.timeout ?? DEFAULT_TIMEOUT_MS;
    let group = this.#groups.get(timeoutMs);
    if (group === undefined) {
      group = new FunctionGroup(timeoutMs, this.#outer);
      this.#groups.set(timeoutMs, group);
    }
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
  warnings: [message],
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

const call = (action: HookAction, input: object, context: HookActionContext): unknown =>
  Reflect.apply(action, undefined, [input, context]);

export interface FunctionRun {
  readonly hook: HookConfig;
  readonly eventName: string;
  /** The hook's own copy. */
  readonly input: object;
  readonly group: FunctionGroup;
  readonly depth: number;
  readonly signal?: AbortSignal | undefined;
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
    const message = `a ${hook.type ?? 'plugin'} hook needs a function as its action`;
    settle(faultResult(hook, eventName, { code: 'not-supported', message }));
    return;
  }
  const startedAt = performance.now();
  let answer: unknown;
  let waits = false;
  try {
    answer = runNested(depth, call, action, input, group.context);
    waits = isThenable(answer);
  } catch (error) {
    settle(threw(hook, eventName, error, performance.now() - startedAt));
    return;
  }
  if (waits) waitFor(run, answer, startedAt, settle);
  else settle(readAnswer(hook, eventName, answer, performance.now() - startedAt));
};

const waitFor = (
  { hook, eventName, group, signal, onLate }: FunctionRun,
  answer: unknown,
  startedAt: number,
  settle: (result: HookExecutionResult) => void,
): void => {
  let settled = false;
  const finish = (make: (duration: number) => HookExecutionResult): void => {
    if (settled) {
      onLate();
      return;
    }
    settled = true;
    stopWaiting();
    signal?.removeEventListener('abort', onAbort);
    settle(make(performance.now() - startedAt));
  };
  const fault = (code: 'timeout' | 'deadline' | 'cancelled', message: string): void =>
    finish((duration) => faultResult(hook, eventName, { code, message }, duration));
  const onAbort = (): void => {
    if (signal === undefined) return;
    const { code, message } = abortFault(signal);
    fault(code, message);
  };
  const stopWaiting = group.whenOver(() => fault('timeout', `no answer within ${group.timeoutMs} ms`));
  signal?.addEventListener('abort', onAbort, { once: true });
  // A foreign thenable may call back twice, or throw while being asked; a promise of ours does neither.
  Promise.resolve(answer).then(
    (value) => finish((duration) => readAnswer(hook, eventName, value, duration)),
    (error: unknown) => finish((duration) => threw(hook, eventName, error, duration)),
  );
};
