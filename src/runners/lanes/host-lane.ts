import { type HookConfig, type HookExecutionResult, originOf } from '../../protocol/index.ts';
import { parseOutput, resultOf } from '../answer/parse-output.ts';
import { beginWaiting, endWaiting, runAtDepth } from '../nesting.ts';
import { Batch, type EngineLane } from './event-run.ts';
import { type ForeignCall, runAsThere } from './foreign-call.ts';
import { inspectGuarded, type OwnLaneCall, runGuarded } from './guarded-lane.ts';
import type { Lane, LaneDetails } from './lane.ts';

export interface HostLane extends Pick<Lane, 'inspect'> {
  run(call: OwnLaneCall): Promise<HookExecutionResult>;
}

/** The hook answered with a text, which is read as that of a command that ended well. */
export const printed = (call: OwnLaneCall, stdout: string, details?: LaneDetails): HookExecutionResult => {
  const { hook, eventName } = call;
  return call.read(resultOf(hook, eventName, parseOutput({ exitCode: 0, stdout, stderr: '' }), 0), details);
};

/**
 * A lane that uses a service of the host, for our hooks and for those of other agents. Theirs hand in the end of a
 * process in `exitCode`, `stdout` and `stderr`, which is read by the rules of their agent.
 */
export const hostLane = (lane: HostLane): EngineLane => {
  /** One level deeper than the event: the model or the server may fire events itself. */
  const runNested = async (batch: Batch, hook: HookConfig): Promise<HookExecutionResult> => {
    beginWaiting();
    try {
      return await runAtDepth(batch.depth + 1, () => runGuarded(lane, batch, hook));
    } finally {
      endWaiting();
    }
  };

  const runForAgent = async (call: ForeignCall, batch: Batch, hook: HookConfig): Promise<HookExecutionResult> => {
    const { eventName, depth, traceParent } = batch;
    const stdin = new Batch(eventName, call.input, batch, depth, traceParent);
    const result = await runNested(stdin, hook);
    if (result.code !== undefined) return result;
    const { exitCode = 0, stdout = '', stderr = '', duration } = result;
    return resultOf(hook, eventName, call.readOutput({ exitCode, stdout, stderr }, hook, eventName), duration);
  };

  return {
    inspect: (hook) => inspectGuarded(lane, hook),
    run: (batch, hook) => {
      const dialect = originOf(hook)?.dialect;
      if (dialect === undefined) return runNested(batch, hook);
      return runAsThere(batch, hook, dialect, (call) => runForAgent(call, batch, hook));
    },
  };
};
