/** Entry `hookwright`: the public API, name by name. */
export {
  type Bus,
  type BusStats,
  type Channel,
  type ConfirmOverBusOptions,
  confirmOverBus,
  type ErrorListener,
  MessageBus,
  type MessageBusOptions,
  type MessageListener,
  type RequestHooksOptions,
  type RequestOptions,
  type Role,
  requestHooks,
  type SubscribeOptions,
  type Transport,
  type TransportFeatures,
} from './bus/index.ts';
export * from './engine.ts';
export {
  type ErrorCode,
  HookwrightError,
  type HookwrightErrorOptions,
} from './errors.ts';
export {
  type AgentEventName,
  type AggregatedResult,
  agentEvents,
  decodeMessage,
  defineEvent,
  type EventBudgets,
  type EventSubject,
  encodeMessage,
  type HookAnswer,
  HookEventName,
  type HookInput,
  type HostEvent,
  type HostEventDefinition,
  NotificationType,
  type PayloadOf,
  PreCompressTrigger,
  SessionEndReason,
  SessionStartSource,
} from './events/index.ts';
export {
  type CalledTool,
  type CallTool,
  type CallToolOptions,
  type CloseOptions,
  type ConfirmInTerminalOptions,
  type CreateHooksOptions,
  confirmInTerminal,
  createHooks,
  type DefinedHook,
  defineHook,
  type FiredVerdict,
  type HookDefinitionOf,
  type HookedOutput,
  type HookedTool,
  type HookFault,
  type HookFunction,
  type HookOptions,
  type HookReply,
  type Hooks,
  type HooksInCode,
  type HookVerdict,
  type HostEventFunction,
  memoryTokenStore,
  type NoTools,
  type OnOptions,
  type ParkedCallsOptions,
  parkedCalls,
  type ResumeOptions,
  type ResumeToolOptions,
  resumeToolWithHooks,
  type TeamOptions,
  type ToolEvent,
  type ToolRunContext,
  type ToolShape,
  type ToolTable,
} from './facade/index.ts';
export { printable } from './kit/index.ts';
export {
  /** @deprecated Import it from `hookwright/translators`. */
  type AnyHookTranslator,
  /** @deprecated Import it from `hookwright/translators`. */
  defaultHookTranslator,
  /** @deprecated Import it from `hookwright/translators`. */
  type HookTranslator,
  /** @deprecated Import it from `hookwright/translators`. */
  HookTranslatorGenAIv1,
  /** @deprecated Import it from `hookwright/translators`. */
  type TranslatableRequest,
  /** @deprecated Import it from `hookwright/translators`. */
  type TranslatableResponse,
} from './models/index.ts';
export {
  type AggregatedHookResult,
  type AnyHookType,
  type AskModel,
  type BaseHookInput,
  type Clock,
  type ConfigProblem,
  ConfigSource,
  type Confirm,
  type ConfirmContext,
  type ConfirmQuestion,
  type ConflictRule,
  type FaultCode,
  type FieldFate,
  type FieldProblem,
  formatProblem,
  type HookActionContext,
  type HookConfig,
  type HookDecision,
  type HookDefinition,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionResult,
  type HookExecutionTrace,
  type HookMessage,
  type HookMode,
  type HookOutput,
  type HookRow,
  type HookSpecificOutput,
  type HooksByEvent,
  type HookTimeout,
  type HookToolConfig,
  HookType,
  type HostConfig,
  type HostExtension,
  type HostServices,
  type LLMMessage,
  type LLMRequest,
  type LLMResponse,
  type Logger,
  type McpClients,
  type McpToolClient,
  MessageBusType,
  type MessageOf,
  type ModelQuestion,
  type Notice,
  type NoticeCode,
  notice,
  noticeText,
  type OnFault,
  type ParkAnswer,
  type ParkedCall,
  type ParkedDecision,
  type Parking,
  type RowOutcome,
  type RowSource,
  type SkipReason,
  type TokenStore,
  type Verdict,
  type WrittenHook,
} from './protocol/index.ts';
export {
  type ConfigFile,
  type ConfigWatch,
  type LoadConfigOptions,
  type LoadedConfig,
  type LoadedFiles,
  type LookedAt,
  loadConfig,
  type WatchConfigOptions,
  watchConfig,
} from './settings/index.ts';
export { type FileTokenStoreOptions, fileTokenStore } from './trust/index.ts';
export {
  /** @deprecated Import it from `hookwright/trust`. */
  approve,
  /** @deprecated Import it from `hookwright/trust`. */
  checkTrustLock,
  /** @deprecated Import it from `hookwright/trust`. */
  type FileState,
  /** @deprecated Import it from `hookwright/trust`. */
  type GoneHook,
  /** @deprecated Import it from `hookwright/trust`. */
  type ReviewableConfig,
  /** @deprecated Import it from `hookwright/trust`. */
  type ReviewedHook,
  /** @deprecated Import it from `hookwright/trust`. */
  reviewTrust,
  /** @deprecated Import it from `hookwright/trust`. */
  revoke,
  /** @deprecated Import it from `hookwright/trust`. */
  type ScriptCoverage,
  /** @deprecated Import it from `hookwright/trust`. */
  type ScriptText,
  /** @deprecated Import it from `hookwright/trust`. */
  type TrustDifference,
  /** @deprecated Import it from `hookwright/trust`. */
  type TrustLockCheck,
  /** @deprecated Import it from `hookwright/trust`. */
  type TrustOptions,
  /** @deprecated Import it from `hookwright/trust`. */
  type TrustReview,
  /** @deprecated Import it from `hookwright/trust`. */
  writeTrustLock,
} from './trust.ts';
