/** Data that crosses a boundary, as schemas and types: messages, inputs, answers, rows, results, settings, notices. */

export type { AgentHook, AgentHookAnswer, AgentHookResult, AgentHookRun, AnswerToMerge } from './agent-hook.ts';
export type { Confirm, ConfirmContext, ConfirmQuestion, Unanswered } from './confirm.ts';
export {
  type AbilityDeclaration,
  type AbilityHook,
  type AbilityMatch,
  type AbilityOnFault,
  abilityHookSchema,
  handlerKinds,
  launchOf,
  onFaultWords,
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
  type ReadOutput,
  readOutput,
  type SpecificField,
} from './hooks/output.ts';
export {
  deniesByName,
  hiddenVerdict,
  holdsData,
  mayHoldVerdict,
  refuses,
  verdictInText,
} from './hooks/verdict-spellings.ts';
export {
  type HookDecision,
  isAgainst,
  isBlocking,
  isMorePermissive,
  precedenceOf,
  proceedsFreely,
  strictnessOf,
  type Verdict,
  verdictOf,
  verdicts,
  verdictWords,
} from './hooks/verdicts.ts';
export {
  type Clock,
  type ConflictRule,
  callSafely,
  conflictRules,
  type HookMode,
  type HostConfig,
  type HostExtension,
  hookModes,
  type Logger,
  type LostGuard,
  partLogger,
  projectDirOf,
  systemClock,
  whyNotWord,
  withoutLogPrefix,
  workingDirOf,
} from './host.ts';
export type { AskModel, HostServices, McpClients, McpToolClient, ModelQuestion } from './host-services.ts';
export { ABORT_PATIENCE_MS, planDeadlineMs, REQUESTER_GRACE_MS, requesterTimeoutMs } from './messages/clocks.ts';
export { type Exchange, exchanges, isAnswer, isRequest, messagesOf, payloadIn } from './messages/exchanges.ts';
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
  eventIn,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  type MessageOf,
  messageSchemas,
  type OnLost,
  onLostWords,
  type RequestMessage,
} from './messages/messages.ts';
export {
  type FieldProblem,
  isNoticeCode,
  type Notice,
  type NoticeCode,
  notice,
  noticeText,
} from './notices.ts';
export type {
  CallToPark,
  ParkAnswer,
  ParkedCall,
  ParkedDecision,
  Parking,
  RunParkedTool,
  TokenStore,
} from './parking.ts';
export {
  displayName,
  findByName,
  formatProblem,
  isUnapproved,
  REVIEW_HINT,
  unapprovedText,
  unapprovedWhy,
} from './report-words.ts';
export {
  AbilityCode,
  type AbilityEventError,
  type AbilityEventResult,
  type AbilityHookRun,
  answerIn,
  emptyAbilityResult,
  failedAbilityResult,
  type HookLog,
  type HookReportedError,
  type HookResult,
  type HookSignal,
  payloadSchemas,
  ROUTE_SUGGESTION,
  resultFields,
  type SignalKind,
  type SignalSeverity,
  signalKinds,
  signalSeverities,
} from './results/ability-result.ts';
export { endingOf, hasOpinion, isPlain } from './results/ending.ts';
export {
  type FieldFate,
  type HookRow,
  observedRow,
  orderedReasons,
  type RowOutcome,
  type RowSource,
  rowOutcomes,
  rowSchema,
  type SkipReason,
  skippedRow,
  skipReasons,
  takesPart,
} from './results/rows.ts';
export {
  type AggregatedHookResult,
  AnswerWithWarnings,
  type FaultCode,
  faultCodes,
  type HookExecutionResult,
} from './results/run.ts';
export { foldKey, isSecretKey, mayHoldSecret, type SecretPattern, secretPatterns } from './secrets/secret-texts.ts';
export { steersPrograms } from './secrets/steering-variables.ts';
export { isAllowedName, isListedName, looksSecret } from './secrets/variable-names.ts';
export {
  type CallPattern,
  conditionHint,
  conditionTexts,
  readCallPattern,
  whyNoCondition,
} from './settings/call-pattern.ts';
export { describeIssue, expectedBy } from './settings/describe-issue.ts';
export {
  changeSinceApproved,
  copyOrigin,
  type FilePosition,
  type HookOrigin,
  isBroughtByProject,
  isOfUserOrSystem,
  originOf,
  runsInBackground,
  type SettingsSheet,
  trustRank,
  withOrigin,
} from './settings/origin.ts';
export {
  type AnyHookType,
  type CanaryCall,
  type ConfigProblem,
  ConfigSource,
  canaryCalls,
  configSources,
  DEFAULT_MODEL_TEXT_BYTES,
  DEFAULT_TIMEOUT_MS,
  definitionKeys,
  fieldNames,
  type HookAction,
  type HookActionContext,
  type HookConfig,
  type HookDefinition,
  type HooksByEvent,
  type HookTimeout,
  HookType,
  hasMisspeltOnFault,
  hookKey,
  hookTypesWith,
  inMilliseconds,
  isGuardEntry,
  isMisspeltGuardKey,
  MAX_TIMEOUT_MS,
  matcherHint,
  millisecondsOf,
  type OnFault,
  onFaultPolicies,
  type ReportFinding,
  readHookConfig,
  reportMismatch,
  reportUnknownKey,
  type SettingsFinding,
  unreadMatcher,
  type WrittenHook,
} from './settings/settings.ts';
export {
  definitionSchema,
  extensionFileKeys,
  extensionFileSchema,
  hookInFileSchema,
  ruleSchema,
  settingsFileKeys,
  settingsFileSchema,
  settingsSections,
} from './settings/settings-file.ts';
export { suggestMatcher, UNQUOTED_LIST } from './settings/suggestions.ts';
