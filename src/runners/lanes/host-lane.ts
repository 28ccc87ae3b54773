import { type HookConfig, type HookExecutionResult, originOf } from '../../protocol/index.ts';
import { parseOutput, resultOf } from '../answer/parse-output.ts';
import { newRunId } from '../process/run-id.ts';
import { beginWaiting, endWaiting, runAtDepth } from '../schedule/nesting.ts';
import { Batch, type EngineLane } from './call.ts';
import { ForeignCall, oneByOne } from './foreign-call.ts';
import { guarded, type OwnLaneCall } from './guarded-lane.ts';
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
  const own = guarded(lane);

  /** One level deeper than the event: the model or the server may fire events itself. */
  const runNested = async (batch: Batch, hook: HookConfig): Promise<HookExecutionResult> => {
    beginWaiting();
    try {
      return await runAtDepth(batch.depth + 1, () => own.run(batch, hook));
    } finally {
      endWaiting();
    }
  };

  const runForAgent = async (call: ForeignCall, batch: Batch, hook: HookConfig): Promise<HookExecutionResult> => {
    const { eventName, depth, traceParent } = batch;
    const without = call.without(hook, eventName);
    if (without !== undefined) return without;
    const stdin = new Batch(eventName, call.input, batch, depth, traceParent);
    const result = await runNested(stdin, hook);
    if (result.code !== undefined) return call.heard(result);
    const { exitCode = 0, stdout = '', stderr = '', duration } = result;
    return resultOf(hook, eventName, call.readOutput({ exitCode, stdout, stderr }, hook, eventName), duration);
  };

  return {
    ...own,
    run: (batch, hook) => {
      const dialect = originOf(hook)?.dialect;
      if (dialect === undefined) return runNested(batch, hook);
      return oneByOne(dialect.split(batch.input), (part) =>
        runForAgent(new ForeignCall(dialect, part, newRunId()), batch, hook),
      );
    },
  };
};
