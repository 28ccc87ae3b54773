/** Exports for running hooks. The file loads fast: process-api.ts exports the code that starts processes. */

export { createAbortFault, createFaultResult, getFaultText } from './answer/faults.ts';
export { HookRunner, type HookRunnerDeps, type RunOptions } from './hook-runner.ts';
export { getSignal } from './lanes/event-run.ts';
export type { Lane, LaneCall, LaneDetails, Lanes } from './lanes/lane.ts';
export { addWrittenVariables, EnvironmentFile, parseExports, SessionVariables } from './lanes/session-variables.ts';
export { defaultLimits, type RunnerLimits } from './limits.ts';
export { getNestingDepth, MAX_NESTING, runAtDepth, withTraceParent } from './nesting.ts';
export type {
  ExecutionFailure,
  ExecutionRequest,
  ExecutionResult,
  Executor,
  OutputLimits,
} from './process/executor.ts';
export { finishOnSignal } from './process/process-table.ts';
export { applyOnFault, type OnHookEnd, type OnHookStart } from './schedule/run-hook.ts';
export { applyToInput } from './schedule/run-plan.ts';
