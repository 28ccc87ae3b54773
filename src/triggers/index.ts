/** Triggers for agents with a `Config`: one function per event, and tool calls with their hooks. */

export {
  type AfterAgentHookResult,
  type BeforeAgentHookResult,
  noticePayload,
  promptToWorkOn,
  retryAfter,
  updatedAnswer,
} from './agent-turns.ts';
export {
  type CallOutput,
  hasRun,
  outputOf,
  shownOutput,
  type ToolCallProgress,
  updatedOutputOf,
} from './call-output.ts';
export { type AskOptions, decide, depsOf, type Host, hostOf, showParked, warnUnasked } from './fire-event.ts';
export {
  type AfterModelHookResult,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
  requestAfter,
  requestWithTools,
  responseToKeep,
  syntheticOf,
  type ToolConfigOf,
  type ToolsOf,
  toolsToOffer,
} from './model-triggers.ts';
export {
  executeToolWithHooks,
  fireAfterAgentHook,
  fireAfterModelHook,
  fireAfterToolFailureHook,
  fireAfterToolHook,
  fireBeforeAgentHook,
  fireBeforeModelHook,
  fireBeforeToolHook,
  fireBeforeToolSelectionHook,
  fireNotificationHook,
  firePermissionRequestHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
  fireSubagentStartHook,
  fireSubagentStopHook,
} from './on-first-use.ts';
export {
  type StartedAgent,
  type StoppedAgent,
  type SubagentStartHookResult,
  startedPayload,
  stoppedPayload,
} from './subagents.ts';
export {
  type Args,
  aboutTool,
  callIdFor,
  type DecidedAnswers,
  type EventAnswers,
  effectiveInputOf,
  MAX_TAIL_CALLS,
  type ResultForm,
  type ResumedCall,
  rewriteNote,
  type ToolContext,
  type ToolEventName,
  toolPayload,
  type WhyNot,
} from './tool-call.ts';
export {
  applyAfterTool,
  type HookMarks,
  saysSomething,
  type ToolResult,
  textOfResult,
} from './tool-result.ts';
export {
  type ExecuteToolOptions,
  executeToolCall,
  type HookedToolResult,
  runToolWithHooks,
  type ToolHookOptions,
  ToolInterrupted,
} from './tool-triggers.ts';
export { type Asked, decisionOf, type EventVerdict, isAgainst, noOpinion } from './verdict.ts';
export { forgetWaiting, isAnyWaiting, keepForNextRequest } from './waiting-messages.ts';
