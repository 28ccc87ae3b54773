export { HookAggregator, type HookAggregatorDeps } from './aggregator/aggregator.ts';
export type { Bus, ErrorListener, MessageListener, RequestOptions, SubscribeOptions } from './bus/bus.ts';
export { type ConfirmOverBusOptions, confirmOverBus } from './bus/confirm-over-bus.ts';
export { type BusStats, MessageBus, type MessageBusOptions } from './bus/message-bus.ts';
export { type RequestHooksOptions, requestHooks } from './bus/request-hooks.ts';
export type { Channel, Role, Transport, TransportFeatures } from './bus/transport.ts';
export type { LookedAt } from './config/files-source.ts';
export { type LoadConfigOptions, type LoadedFiles, loadConfig } from './config/load-config.ts';
export type { LoadedConfig } from './config/loaded-config.ts';
export type { ConfigFile } from './config/reading/files.ts';
export { approve, checkTrustLock, reviewTrust, revoke, writeTrustLock } from './config/trust/api.ts';
export type { TrustDifference } from './config/trust/differences.ts';
export type { TrustLockCheck } from './config/trust/lock-file.ts';
export type { TrustReview } from './config/trust/review.ts';
export type { GoneHook, ReviewedHook, ScriptCoverage } from './config/trust/review-data.ts';
export type { FileState } from './config/trust/subject.ts';
export type { ReviewableConfig, TrustOptions } from './config/trust/survey.ts';
export { type ConfigWatch, type WatchConfigOptions, watchConfig } from './config/watch.ts';
export { Config, type ConfigOptions, type HookDeps, type TriggerConfig } from './config.ts';
export {
  type ErrorCode,
  HookRegistryNotInitializedError,
  HookSystemNotInitializedError,
  HookwrightError,
  type HookwrightErrorOptions,
} from './errors.ts';
export {
  type AggregatedResult,
  createHookOutput,
  type HookAnswer,
  HookEventName,
  type HookInput,
  NotificationType,
  type OutputOf,
  type PayloadOf,
  PreCompressTrigger,
  SessionEndReason,
  SessionStartSource,
} from './events/catalogue.ts';
export {
  AfterAgentHookOutput,
  AfterModelHookOutput,
  AfterToolHookOutput,
  BeforeAgentHookOutput,
  BeforeModelHookOutput,
  BeforeToolHookOutput,
  BeforeToolSelectionHookOutput,
  DefaultHookOutput,
  SessionStartHookOutput,
  type ToolSelection,
} from './events/outputs.ts';
export type { CalledTool, CallTool, CallToolOptions, ToolRunContext } from './facade/call-tool.ts';
export { type CreateHooksOptions, createHooks, type HooksInCode } from './facade/create-hooks.ts';
export {
  type DefinedHook,
  defineHook,
  type HookDefinitionOf,
  type HookFunction,
  type HookOptions,
  type HookReply,
} from './facade/define-hook.ts';
export type { HookedOutput, HookFault, Hooks, HookVerdict, OnOptions } from './facade/hooks.ts';
export type { EventAggregator, EventPlanner, EventRunner } from './handlers/families/agent.ts';
export type { FireOptions } from './handlers/family.ts';
export { type DetailedResult, HookEventHandler, type HookEventHandlerDeps } from './handlers/hook-event-handler.ts';
export type { HookCall, HookEvents, HookNotice } from './handlers/observers.ts';
export { HookSystem, type HookSystemDeps } from './hook-system.ts';
export { printable } from './kit/index.ts';
export type { RegexMatcher } from './planner/match-regex.ts';
export { type HookExecutionPlan, HookPlanner, type HookPlannerDeps, type PlanContext } from './planner/planner.ts';
export type { Confirm, ConfirmContext, ConfirmQuestion } from './protocol/confirm.ts';
export { formatProblem } from './protocol/format-problem.ts';
export type { Clock, HostConfig, HostExtension, Logger } from './protocol/host.ts';
export type { BaseHookInput } from './protocol/input.ts';
export type { HookToolConfig, LLMMessage, LLMRequest, LLMResponse } from './protocol/llm.ts';
export {
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  MessageBusType,
  type MessageOf,
} from './protocol/messages.ts';
export { type Notice, type NoticeCode, notice, noticeText } from './protocol/notices.ts';
export type { HookOutput, HookSpecificOutput } from './protocol/output.ts';
export type { FieldFate, HookRow, RowOutcome, RowSource, SkipReason } from './protocol/rows.ts';
export type { AggregatedHookResult, FaultCode, FieldProblem, HookExecutionResult } from './protocol/run.ts';
export {
  type AnyHookType,
  type ConfigProblem,
  ConfigSource,
  type HookActionContext,
  type HookConfig,
  type HookDefinition,
  type HooksByEvent,
  HookType,
  type OnFault,
} from './protocol/settings.ts';
export type { HookDecision, Verdict } from './protocol/verdicts.ts';
export type { HookChanges } from './registry/hook-changes.ts';
export {
  HookRegistry,
  type HookRegistryDeps,
  type HookRegistryEntry,
  type RegisterOptions,
  type TrustQuestion,
  type TrustVerdict,
} from './registry/registry.ts';
export {
  type ExecutionFailure,
  type ExecutionRequest,
  type ExecutionResult,
  type Executor,
  HookRunner,
  type HookRunnerDeps,
  type Lane,
  type LaneCall,
  type LaneDetails,
  type Lanes,
  type OnHookEnd,
  type OnHookStart,
  type OutputLimits,
  type RunnerLimits,
} from './runners/index.ts';
export { defaultHookTranslator, HookTranslatorGenAIv1 } from './translator/genai-v1.ts';
export type {
  AnyHookTranslator,
  HookTranslator,
  TranslatableRequest,
  TranslatableResponse,
} from './translator/translator.ts';
export type { AskOptions } from './triggers/fire.ts';
export {
  type AfterModelHookResult,
  type BeforeModelHookResult,
  type BeforeToolSelectionHookResult,
  fireAfterModelHook,
  fireBeforeModelHook,
  fireBeforeToolSelectionHook,
} from './triggers/models.ts';
export type { HookMarks, ToolResult } from './triggers/tool-result.ts';
export {
  type ExecuteToolOptions,
  executeToolWithHooks,
  fireAfterToolHook,
  fireBeforeToolHook,
  type HookedToolResult,
  type ToolHookOptions,
} from './triggers/tools.ts';
export {
  type AfterAgentHookResult,
  type BeforeAgentHookResult,
  fireAfterAgentHook,
  fireBeforeAgentHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
} from './triggers/turns.ts';
export type { Asked } from './triggers/verdict.ts';
