// Runs function hooks in this process, and keeps their session state.
import { describeThrown, toError } from '../../kit/index.ts';
import {
  type HookActionContext,
  type HookConfig,
  type HookExecutionResult,
  HookType,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { createAbortFault, createFaultResult, type Fault } from '../answer/faults.ts';
import { callNested } from '../nesting.ts';
import type { EngineLane, EventRun, FunctionHookGroup, WaitingHook } from './event-run.ts';
import { readAnswer } from './lane.ts';

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const describeMissingFunction = ({ type }: HookConfig): string =>
  `a ${type ?? HookType.Plugin} hook needs a function as its action`;

export const UNSUPPORTED_FIX = 'use a command, or a function in the code of the agent';

const toThrownFault = (thrown: unknown): Fault => ({
  code: 'threw',
  message: describeThrown(thrown),
  cause: toError(thrown),
});

const MAX_REMEMBERED_SESSIONS = 1_000;

const getOrCreateMap = <Key, Inner, Value>(map: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> => {
  const found = map.get(key) ?? new Map<Inner, Value>();
  map.set(key, found);
  return found;
};

class ActionContext implements HookActionContext {
  readonly #group: FunctionHookGroup;
  readonly #hook: HookConfig;
  readonly #stateOf: (hook: HookConfig) => Map<string, unknown>;

  constructor(group: FunctionHookGroup, hook: HookConfig, stateOf: (hook: HookConfig) => Map<string, unknown>) {
    this.#group = group;
    this.#hook = hook;
    this.#stateOf = stateOf;
  }

  get signal(): AbortSignal {
    return this.#group.signal;
  }

  get state(): Map<string, unknown> {
    return this.#stateOf(this.#hook);
  }
}

/** `run` returns the result of a synchronous function directly. A function that never yields cannot be stopped. */
export class FunctionLane implements EngineLane {
  readonly #sessionId: () => string;
  readonly #states = new Map<string, Map<unknown, Map<string, unknown>>>();
  #lateAnswers = 0;

  constructor(sessionId: () => string) {
    this.#sessionId = sessionId;
  }

  get hasSession(): boolean {
    return this.#states.size > 0;
  }

  endSession(): void {
    this.#states.delete(this.#sessionId());
  }

  readonly #stateOf = ({ name, action }: HookConfig): Map<string, unknown> => {
    const ofSession = getOrCreateMap(this.#states, this.#sessionId());
    const [oldest] = this.#states.keys();
    if (this.#states.size > MAX_REMEMBERED_SESSIONS && oldest !== undefined) this.#states.delete(oldest);
    return getOrCreateMap(ofSession, name ?? action);
  };

  get lateAnswers(): number {
    return this.#lateAnswers;
  }

  inspect({ type, action }: HookConfig): readonly Notice[] {
    return action === undefined
      ? [notice('not-supported', describeMissingFunction({ type }), { fix: UNSUPPORTED_FIX })]
      : [];
  }

  run(eventRun: EventRun, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult> {
    const { eventName, depth } = eventRun;
    const { action } = hook;
    if (action === undefined) {
      return createFaultResult(hook, eventName, { code: 'not-supported', message: describeMissingFunction(hook) });
    }
    const startedAt = eventRun.startLap();
    try {
      const group = eventRun.groupOf(hook);
      const answer = callNested(depth, action, eventRun.ownCopy(), new ActionContext(group, hook, this.#stateOf));
      if (isThenable(answer)) return this.#waitFor(eventRun, hook, answer, group, startedAt);
      return readAnswer(hook, eventName, answer, eventRun.endLap(startedAt));
    } catch (error) {
      return createFaultResult(hook, eventName, toThrownFault(error), performance.now() - startedAt);
    }
  }

  #waitFor(
    eventRun: EventRun,
    hook: HookConfig,
    answer: PromiseLike<unknown>,
    group: FunctionHookGroup,
    startedAt: number,
  ): Promise<HookExecutionResult> {
    const { eventName } = eventRun;
    return new Promise((resolve) => {
      let isOver = false;
      const finish = (result: HookExecutionResult): void => {
        isOver = true;
        group.leave(waiting);
        resolve(result);
      };
      const fail = (fault: Fault): void =>
        finish(createFaultResult(hook, eventName, fault, performance.now() - startedAt));
      const waiting: WaitingHook = {
        giveUp: (why) => {
          if (why === 'aborted') fail(createAbortFault(eventRun.signal));
          else fail({ code: 'timeout', message: `no answer within ${group.timeoutMs} ms` });
        },
      };
      group.wait(waiting);
      const settle = (end: () => void): void => {
        group.noteSettled();
        if (isOver) this.#lateAnswers += 1;
        else end();
      };
      // A thenable of another library may call back twice or throw in `then`; a native promise does neither.
      Promise.resolve(answer).then(
        (value) => settle(() => finish(readAnswer(hook, eventName, value, performance.now() - startedAt))),
        (error: unknown) => settle(() => fail(toThrownFault(error))),
      );
    });
  }
}
