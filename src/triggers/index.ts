/** Triggers for agents with a `Config`: one function per event, and tool calls with their hooks. */

export {
  type AfterAgentHookResult,
  addHookTextsToPrompt,
  type BeforeAgentHookResult,
  findRequestedRetry,
  readUpdatedAnswer,
  toNotificationPayload,
} from './agent-turns.ts';
export {
  type CallOutput,
  createCallOutput,
  hasToolRun,
  readUpdatedOutput,
  type ToolCallProgress,
  toOutputForHooks,
} from './call-output.ts';
export {
  type AskOptions,
  confirmVerdict,
  createHost,
  type EventAnswers,
  getDeps,
  type Host,
  publishParked,
  warnOfMissingConfirm,
} from './fire-event.ts';
export {
  type AfterModelHookResult,
  applyHooksToRequest,
  applyHooksToResponse,
  applyHooksToTools,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
  createSyntheticResponse,
  setToolsOfRequest,
  type ToolConfigOf,
  type ToolsOf,
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
  toSubagentStartPayload,
  toSubagentStopPayload,
} from './subagents.ts';
export {
  type Args,
  applyInputChanges,
  createCallIdOnce,
  DEFAULT_MAX_TAIL_CALLS,
  type DecidedAnswers,
  describeRewrittenInput,
  type ExplainRejection,
  type ResultConverter,
  type ResumedCall,
  type ToolContext,
  type ToolEventName,
  toQuestionFields,
  toToolPayload,
} from './tool-call.ts';
export {
  applyAfterTool,
  type HookMarks,
  isNotBlank,
  readResultText,
  type ToolResult,
} from './tool-result.ts';
export {
  type ExecuteToolOptions,
  executeToolCall,
  type HookedToolResult,
  runToolWithHooks,
  type ToolHookOptions,
  ToolInterrupted,
} from './tool-triggers.ts';
export { type Asked, type EventVerdict, isBlockedOrParked, NO_VERDICT, toEventVerdict } from './verdict.ts';
export { addWaitingMessage, forgetWaitingMessages, hasWaitingMessages } from './waiting-messages.ts';
