import { describeThrown, onAbort, toError } from '../../kit/index.ts';
import {
  type FaultCode,
  type HookConfig,
  type HookExecutionResult,
  HookType,
  type Notice,
  notice,
} from '../../protocol/index.ts';
import { abortFault, faultResult } from '../answer/faults.ts';
import { callNested, noteWaiting } from '../schedule/surroundings.ts';
import type { Batch, EngineLane } from './call.ts';
import { FunctionGroup } from './function-group.ts';
import { readAnswer } from './read-answer.ts';

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** What a function hook is told that has none, as it happens to those from a file. */
const needsFunction = ({ type }: HookConfig): string =>
  `a ${type ?? HookType.Plugin} hook needs a function as its action`;

const threw = (hook: HookConfig, eventName: string, thrown: unknown, startedAt: number): HookExecutionResult => {
  const fault = { code: 'threw', message: describeThrown(thrown), cause: toError(thrown) } as const;
  return faultResult(hook, eventName, fault, performance.now() - startedAt);
};

/**
 * Runs functions of this process. One that does not wait for anything is answered for before `run` returns; one that
 * never yields cannot be stopped by anyone.
 */
export class FunctionLane implements EngineLane {
  #lateAnswers = 0;

  /** Answers that came when nobody waited for them any more. */
  get lateAnswers(): number {
    return this.#lateAnswers;
  }

  inspect({ type, action }: HookConfig): readonly Notice[] {
    if (action !== undefined) return [];
    const fix = 'use a command, or a function in the code of the agent';
    return [notice('not-supported', needsFunction({ type }), { fix })];
  }

  run(batch: Batch, hook: HookConfig): HookExecutionResult | Promise<HookExecutionResult> {
    const { eventName, depth } = batch;
    const { action } = hook;
    if (action === undefined) {
      return faultResult(hook, eventName, { code: 'not-supported', message: needsFunction(hook) });
    }
    const startedAt = performance.now();
    try {
      const group = batch.groups.for(hook);
      const answer = callNested(depth, action, batch.ownCopy(), group);
      if (!isThenable(answer)) return readAnswer(hook, eventName, answer, performance.now() - startedAt);
      noteWaiting(action);
      return this.#waitFor(batch, hook, answer, group, startedAt);
    } catch (error) {
      return threw(hook, eventName, error, startedAt);
    }
  }

  #waitFor(
    { eventName, signal }: Batch,
    hook: HookConfig,
    answer: PromiseLike<unknown>,
    group: FunctionGroup,
    startedAt: number,
  ): Promise<HookExecutionResult> {
    return new Promise((resolve) => {
      let settled = false;
      let stopListening: (() => void) | undefined;
      const finish = (make: () => HookExecutionResult): void => {
        if (settled) {
          this.#lateAnswers += 1;
          return;
        }
        settled = true;
        stopWaiting();
        stopListening?.();
        resolve(make());
      };
      const fault = (code: FaultCode, message: string): void =>
        finish(() => faultResult(hook, eventName, { code, message }, performance.now() - startedAt));
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
        (value) => finish(() => readAnswer(hook, eventName, value, performance.now() - startedAt)),
        (error: unknown) => finish(() => threw(hook, eventName, error, startedAt)),
      );
    });
  }
}
