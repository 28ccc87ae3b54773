/** The event catalogue: one record per event, with its payload, matcher subject, merge rule and output class. */

export { type CheckedAbilityAnswer, readAbilityAnswer } from './abilities/ability-answer.ts';
export {
  type AbilityCaller,
  type AbilityContextOf,
  type AbilityEventType,
  type AbilityRef,
  abilityCatalogue,
  abilityContexts,
  abilityEventTypes,
  abilityStatuses,
  CallerSource,
  isAbilityEventType,
  type MatchSubjects,
  mayHooksRefuse,
  type PostAbilityCallContext,
  type PreAbilityCallContext,
  type PreAbilityCreateContext,
  type PromptSubmitContext,
  type SessionStopContext,
} from './abilities/ability-catalogue.ts';
export {
  describeDecision,
  type GuardOutcome,
  interpretGuard,
  interpretPreflight,
  type PreflightOutcome,
} from './abilities/ability-outcome.ts';
export { isRefusal, type SignalContext } from './abilities/ability-signals.ts';
export { type AgentEventName, agentEventNames, agentEvents, allAgentEvents } from './agent-events.ts';
export {
  type AggregatedResult,
  type ArgsOf,
  beginsSession,
  catalogue,
  type EventBudgets,
  explainBadSettings,
  findEventByOtherName,
  firedEventNames,
  type HookAnswer,
  HookEventName,
  type HookInput,
  hookEventNames,
  isBudget,
  isHookEventName,
  type OutputOf,
  type PayloadOf,
  withEventNotice,
} from './catalogue.ts';
export { ContinueCounter, DEFAULT_MAX_STOPS } from './continue-counter.ts';
export {
  addEvents,
  defineEvent,
  type EventSubject,
  type HostEvent,
  type HostEventDefinition,
} from './define-event.ts';
export type { MergeRuleName, SubjectRule } from './event-record.ts';
export { createHookOutput, decodeMessage, encodeMessage, withOutputClass } from './message-text.ts';
export {
  AfterAgentHookOutput,
  AfterModelHookOutput,
  AfterToolHookOutput,
  applyResponseUpdate,
  BeforeAgentHookOutput,
  BeforeModelHookOutput,
  BeforeToolHookOutput,
  BeforeToolSelectionHookOutput,
  DefaultHookOutput,
  PermissionRequestHookOutput,
  patchToolConfig,
  SessionStartHookOutput,
  type ToolSelection,
} from './outputs.ts';
export { NotificationType, PreCompressTrigger, SessionEndReason, SessionStartSource } from './payload-enums.ts';
