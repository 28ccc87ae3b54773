// Enforces the contract of public lanes: each run settles once, in time, with a result of its hook.
import { callAfterTwoTurns, describeThrown, describeValue, onAbort } from '../../kit/index.ts';
import { type HookConfig, type HookExecutionResult, type Notice, notice } from '../../protocol/index.ts';
import { createAbortFault, createFaultResult, type Fault } from '../answer/faults.ts';
import { getHookTimeout } from '../limits.ts';
import { createTimeoutError, type EventRun } from './event-run.ts';
import { type Lane, type LaneCall, type LaneDetails, readAnswer } from './lane.ts';

export interface BuiltInLaneCall extends LaneCall {
  readonly read: (result: HookExecutionResult, details?: LaneDetails) => HookExecutionResult;
}

export const runByContract = (lane: Lane, eventRun: EventRun, hook: HookConfig): Promise<HookExecutionResult> =>
  new Promise((resolve) => {
    const { eventName } = eventRun;
    const startedAt = performance.now();
    const timeoutMs = getHookTimeout(hook);
    const ends = new AbortController();
    const made: HookExecutionResult[] = [];
    let over: Fault | undefined;

    const make = (result: HookExecutionResult, details?: LaneDetails): HookExecutionResult => {
      const detailed = { ...result, ...details };
      made.push(detailed);
      return detailed;
    };
    const faulted = (reason: Fault, details?: LaneDetails): HookExecutionResult =>
      make(createFaultResult(hook, eventName, reason, performance.now() - startedAt), details);
    const settle = (result: HookExecutionResult): void => {
      clearTimeout(timer);
      stopListening();
      resolve(result);
    };
    const end = (reason: Fault, why: unknown): void => {
      if (over !== undefined) return;
      over = reason;
      ends.abort(why);
      callAfterTwoTurns(() => settle(faulted(reason)));
    };
    const handIn = (given: unknown): void => {
      const result = made.find((one) => one === given);
      const message = `its lane handed in ${describeValue(given)}, not the result of answered() or faulted()`;
      settle(result ?? faulted(over ?? { code: 'threw', message }));
    };
    const fail = (cause: unknown): void =>
      settle(faulted(over ?? { code: 'threw', message: `its lane threw: ${describeThrown(cause)}`, cause }));

    const giveUp = (): void =>
      end({ code: 'timeout', message: `no answer within ${timeoutMs} ms` }, createTimeoutError());
    const timer = setTimeout(giveUp, timeoutMs);
    const stopListening = onAbort(eventRun.signal, () =>
      end(createAbortFault(eventRun.signal), eventRun.signal.reason),
    );
    const call: BuiltInLaneCall = {
      hook,
      eventName,
      get input() {
        return eventRun.ownCopy();
      },
      get json() {
        return eventRun.json;
      },
      timeoutMs,
      signal: ends.signal,
      answered: (answer, details) => make(readAnswer(hook, eventName, answer, performance.now() - startedAt), details),
      read: (result, details) => make({ ...result, duration: performance.now() - startedAt }, details),
      faulted: (code, message, { cause, ...details } = {}) => faulted({ code, message, cause }, details),
    };
    try {
      Promise.resolve(lane.run(call)).then(handIn, fail);
    } catch (error) {
      fail(error);
    }
  });

export const inspectByContract = async (lane: Lane, hook: HookConfig): Promise<readonly Notice[]> => {
  try {
    return (await lane.inspect?.(hook)) ?? [];
  } catch (error) {
    return [notice('other', `its lane could not check it: ${describeThrown(error)}`)];
  }
};
