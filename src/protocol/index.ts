/** What crosses a boundary, as schemas and the types they give: messages, input, output, rows, results, settings, notices. */

export {
  type AbilityDeclaration,
  type AbilityHook,
  type AbilityMatch,
  type AbilityOnFault,
  abilityHookSchema,
  handlerKinds,
  launchOf,
  onFaultWords,
} from './ability-hook.ts';
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
} from './ability-result.ts';
export { ABORT_PATIENCE_MS, planDeadlineMs, REQUESTER_GRACE_MS, requesterTimeoutMs } from './clocks.ts';
export type { Confirm, ConfirmContext, ConfirmQuestion } from './confirm.ts';
export { describeIssue, expectedBy } from './describe-issue.ts';
export { endingOf, saidIn } from './ending.ts';
export { type Exchange, exchanges, messagesOf, payloadIn } from './exchanges.ts';
export { formatProblem } from './format-problem.ts';
export type { DialectAnswer, DialectCall, DialectEnd, HookDialect } from './hook-dialect.ts';
export {
  type Clock,
  type HostConfig,
  type HostExtension,
  harmless,
  type Logger,
  projectDirOf,
  systemClock,
  workingDirOf,
} from './host.ts';
export { type BaseHookInput, hasBaseField } from './input.ts';
export {
  finishReasons,
  type HookToolConfig,
  type LLMMessage,
  type LLMRequest,
  type LLMResponse,
  llmRequestSchema,
  llmResponseSchema,
} from './llm.ts';
export { madeOf, type Place, partsOf, placeAt, placeOf, type SettingsSheet, writtenAs, writtenOf } from './located.ts';
export {
  answerTypes,
  isAnswerType,
  isCorrelationId,
  isQuestionType,
  isReplyType,
  isRequestType,
  MAX_CORRELATION_ID,
  MessageBusType,
  type RequestType,
  replyTypeNames,
  requestTypes,
} from './message-types.ts';
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
  type RequestMessage,
} from './messages.ts';
export { isNoticeCode, type Notice, type NoticeCode, notice, noticeText } from './notices.ts';
export { type FilePosition, likeOrigin, originOf, withOrigin } from './origin.ts';
export {
  dropPrototypeKeys,
  type HookOutput,
  type HookSpecificOutput,
  type ReadOutput,
  readOutput,
  type SpecificField,
} from './output.ts';
export {
  type FieldFate,
  type HookRow,
  orderedReasons,
  type RowOutcome,
  type RowSource,
  rowOutcomes,
  type SkipReason,
  skipReasons,
  takesPart,
} from './rows.ts';
export {
  type AggregatedHookResult,
  type FaultCode,
  type FieldProblem,
  faultCodes,
  type HookExecutionResult,
} from './run.ts';
export { isAllowedName, looksSecret } from './secret-names.ts';
export { foldKey, isSecretKey, mayHoldSecret, type SecretPattern, secretPatterns } from './secret-texts.ts';
export {
  type AnyHookType,
  type ConfigProblem,
  ConfigSource,
  configSources,
  DEFAULT_TIMEOUT_MS,
  definitionKeys,
  type Finding,
  fieldNames,
  type HookAction,
  type HookActionContext,
  type HookConfig,
  type HookDefinition,
  type HooksByEvent,
  HookType,
  hookKey,
  hookTypesWith,
  MAX_TIMEOUT_MS,
  millisecondsOf,
  type OnFault,
  onFaultPolicies,
  type Report,
  readHookConfig,
  reportMismatch,
  reportUnknownKey,
} from './settings.ts';
export {
  definitionSchema,
  extensionFileKeys,
  extensionFileSchema,
  hookInFileSchema,
  settingsFileKeys,
  settingsFileSchema,
  settingsSections,
} from './settings-file.ts';
export { steersPrograms } from './steering-names.ts';
export {
  type HookDecision,
  isAgainst,
  isBlocking,
  strictnessOf,
  type Verdict,
  verdictOf,
  verdicts,
  verdictWords,
} from './verdicts.ts';
