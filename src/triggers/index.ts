/** Triggers for agents with a `Config`: one function per event, and tool calls with their hooks. */

export {
  type AfterAgentHookResult,
  type BeforeAgentHookResult,
  noticePayload,
  promptWithHookTexts,
  retryRequestedBy,
  updatedAnswer,
} from './agent-turns.ts';
export {
  type CallOutput,
  hasToolRun,
  outputForHooks,
  outputOf,
  type ToolCallProgress,
  updatedOutputOf,
} from './call-output.ts';
export { type AskOptions, confirmedVerdict, depsOf, type Host, hostOf, showParked, warnUnasked } from './fire-event.ts';
export {
  type AfterModelHookResult,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
  requestAfterHooks,
  requestWithTools,
  responseAfterHooks,
  syntheticResponseOf,
  type ToolConfigOf,
  type ToolsOf,
  toolsAfterHooks,
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
  callIdFor,
  type DecidedAnswers,
  type EventAnswers,
  type ExplainRejection,
  effectiveInputOf,
  MAX_TAIL_CALLS,
  type ResultForm,
  type ResumedCall,
  rewrittenInputNote,
  type ToolContext,
  type ToolEventName,
  toolPayload,
  toolQuestionFields,
} from './tool-call.ts';
export {
  applyAfterTool,
  type HookMarks,
  isNotBlank,
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
export { type Asked, blocksOrParks, decisionOf, type EventVerdict, noVerdict } from './verdict.ts';
export { forgetWaitingMessages, hasWaitingMessages, keepMessageForNextRequest } from './waiting-messages.ts';
