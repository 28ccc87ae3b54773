/** Data that crosses a boundary, as schemas and types: messages, inputs, answers, rows, results, settings, notices. */

export type { AgentHook, AgentHookAnswer, AgentHookResult, AgentHookRun, AnswerToMerge } from './agent-hook.ts';
export type { Confirm, ConfirmContext, ConfirmQuestion, Unanswered } from './confirm.ts';
export { type FaultCode, faultCodes, isNoticeCode, type NoticeCode } from './fault-and-notice-codes.ts';
export {
  type AbilityDeclaration,
  type AbilityHook,
  type AbilityMatch,
  type AbilityOnFault,
  abilityHookSchema,
  handlerKinds,
  onFaultByWord,
  toLaunchFields,
} from './hooks/ability-hook.ts';
export { type BaseHookInput, hasBaseField } from './hooks/input.ts';
export {
  dropPrototypeKeys,
  finishReasons,
  type HookOutput,
  type HookSpecificOutput,
  type HookToolConfig,
  type LLMMessage,
  type LLMRequest,
  type LLMResponse,
  llmRequestSchema,
  llmResponseSchema,
  type ReadOutputResult,
  readOutput,
  type SpecificField,
  tokenCounterNames,
} from './hooks/output.ts';
export {
  findHiddenVerdict,
  findVerdictInText,
  isDataKey,
  isDenialByName,
  isRefusingOutcome,
  mayHoldVerdict,
} from './hooks/verdict-spellings.ts';
export {
  describeVerdict,
  forbidsAction,
  getPrecedence,
  getStrictness,
  type HookDecision,
  isBlocking,
  isDecision,
  isMorePermissive,
  mayProceedFreely,
  type Verdict,
  verdictOf,
  verdicts,
} from './hooks/verdicts.ts';
export {
  type Clock,
  type ConflictRule,
  callSafely,
  conflictRules,
  createPartLogger,
  createTimestamps,
  emitProcessWarning,
  emitProcessWarningNow,
  explainUnknownWord,
  getProjectDir,
  getWorkingDir,
  type HookMode,
  type HostConfig,
  type HostExtension,
  hookModes,
  type Logger,
  type LostGuard,
  systemClock,
  withoutLogPrefix,
} from './host.ts';
export type { AskModel, HostServices, McpClients, McpToolClient, ModelQuestion } from './host-services.ts';
export {
  ABORT_GRACE_MS,
  computePlanDeadlineMs,
  getRequesterTimeoutMs,
  REQUESTER_GRACE_MS,
} from './messages/clocks.ts';
export {
  createMessageGuards,
  type Exchange,
  exchanges,
  isAnswer,
  isRequest,
  readPayload,
} from './messages/exchanges.ts';
export {
  answerTypes,
  isAnswerType,
  isCorrelationId,
  isQuestionType,
  isReplyType,
  isRequestType,
  MAX_CORRELATION_ID,
  MessageBusType,
  type QuestionType,
  type RequestType,
  replyTypeNames,
  replyTypes,
  requestTypes,
} from './messages/message-types.ts';
export {
  type AbilityEventRequest,
  type AbilityEventResponse,
  type AnswerMessage,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  type MessageOf,
  messageSchemas,
  type OnLost,
  onLostWords,
  type RequestMessage,
  readEventName,
} from './messages/messages.ts';
export {
  type FieldProblem,
  type Notice,
  notice,
  noticeText,
  withWarnings,
} from './notices.ts';
export type {
  CallToPark,
  ParkAnswer,
  ParkedCall,
  ParkedDecision,
  ParkedToolRunner,
  Parking,
  TokenStore,
} from './parking.ts';
export {
  describeUnapproved,
  explainMissingApproval,
  findByName,
  formatProblem,
  isUnapproved,
  REVIEW_HINT,
  shortenHookName,
} from './report-words.ts';
export {
  AbilityCode,
  type AbilityEventError,
  type AbilityEventResult,
  type AbilityHookRun,
  createEmptyAbilityResult,
  createFailedAbilityResult,
  type HookLog,
  type HookReportedError,
  type HookResult,
  type HookSignal,
  ROUTE_SUGGESTION,
  readHookResult,
  resultFields,
  type SignalKind,
  type SignalSeverity,
  signalKinds,
  signalPayloadSchemas,
  signalSeverities,
} from './results/ability-result.ts';
export { hasOpinion, isPlainText, toHookEnding } from './results/ending.ts';
export {
  type FieldFate,
  type HookRow,
  type RowOutcome,
  type RowSource,
  ranOrFaulted,
  rowOutcomes,
  rowSchema,
  toObservedRow,
  toSkippedRow,
} from './results/rows.ts';
export {
  type AggregatedHookResult,
  AnswerWithWarnings,
  type HookExecutionResult,
} from './results/run.ts';
export {
  foldKeySpelling,
  isSecretKey,
  mayHoldSecret,
  type SecretPattern,
  secretPatterns,
} from './secrets/secret-texts.ts';
export { canSteerPrograms } from './secrets/steering-variables.ts';
export { isAllowedName, isLikelySecret, isListedName } from './secrets/variable-names.ts';
export {
  type CallPattern,
  explainInvalidCondition,
  listConditionTexts,
  readCallPattern,
  suggestCondition,
} from './settings/call-pattern.ts';
export { describeExpected, describeIssue } from './settings/describe-issue.ts';
export {
  canOthersChangeHook,
  copyOrigin,
  type FilePosition,
  findHookChange,
  getDistrustRank,
  getOrigin,
  type HookOrigin,
  isMoreTrusted,
  isOfUserOrSystem,
  runsInBackground,
  type SettingsSheet,
  withOrigin,
} from './settings/origin.ts';
export {
  type AnyHookType,
  type CanaryCall,
  type ConfigProblem,
  ConfigSource,
  configSources,
  DEFAULT_MODEL_TEXT_BYTES,
  DEFAULT_TIMEOUT_MS,
  definitionKeys,
  describeUnreadMatcher,
  type FindingReporter,
  fieldNames,
  getHookKey,
  type HookAction,
  type HookActionContext,
  type HookConfig,
  type HookDefinition,
  type HooksByEvent,
  type HookTimeout,
  HookType,
  hasMisspeltOnFault,
  isGuard,
  isGuardEntry,
  isGuardKey,
  listCanaryCalls,
  listHookTypes,
  MAX_TIMEOUT_MS,
  type OnFault,
  onFaultPolicies,
  parseDuration,
  readHookConfig,
  reportMismatch,
  reportUnknownKey,
  type SettingsFinding,
  suggestMatcherFix,
  toMilliseconds,
  type WrittenHook,
} from './settings/settings.ts';
export {
  createExtensionFileSchema,
  createSettingsFileSchema,
  definitionSchema,
  extensionFileKeys,
  hookInFileSchema,
  ruleSchema,
  settingsFileKeys,
  settingsSections,
} from './settings/settings-file.ts';
export { suggestMatcher, UNQUOTED_LIST_PATTERN } from './settings/suggest-matcher.ts';
export { suggestKey } from './settings/suggestions.ts';
export { type SkipReason, skipReasons, sortReasons } from './skip-reasons.ts';
