export type {
  AbilityCaller,
  AbilityContextOf,
  AbilityEventType,
  AbilityRef,
  PostAbilityCallContext,
  PreAbilityCallContext,
  PreAbilityCreateContext,
  PromptSubmitContext,
  SessionStopContext,
} from '../events/ability-contexts.ts';
export { CallerSource } from '../events/ability-contexts.ts';
export {
  type GuardOutcome,
  interpretGuard,
  interpretPreflight,
  type PreflightOutcome,
} from '../events/ability-outcome.ts';
export { AbilityEventHandler } from '../handlers/ability-event-handler.ts';
export type { AbilityFireOptions } from '../handlers/families/ability.ts';
export type { AbilityHook, AbilityMatch, AbilityOnFault } from '../protocol/ability-hook.ts';
export {
  AbilityCode,
  type AbilityEventResult,
  type AbilityHookRun,
  type HookLog,
  type HookReportedError,
  type HookResult,
  type HookSignal,
  type SignalKind,
  type SignalSeverity,
} from '../protocol/ability-result.ts';
export {
  type AbilityBacktestReport,
  type AbilityDecisionDiff,
  type AbilityDiffKind,
  backtestAbilities,
} from './backtest.ts';
export { AbilityHookSet, type RunHooksOptions, runHooks } from './hook-set.ts';
export { type AbilityHookListing, listAbilityHooks } from './listing.ts';
export { type LoadAbilityHooksOptions, loadAbilityHooks } from './load.ts';
export { AbilityLog, type AbilityLogOptions, type LogEntry } from './log.ts';
export { AbilityAction } from './runtime/actions.ts';
export { AgentRuntime, type AgentRuntimeOptions, type StartSessionOptions } from './runtime/agent-runtime.ts';
export type { AgentSession, EndOptions, SubmitOptions } from './runtime/agent-session.ts';
export type { ActionAnswer } from './runtime/answers.ts';
export type { ChangedFiles } from './runtime/changed-files.ts';
export type { Planner, PlannerTools, StartControl, TurnContext } from './runtime/planner.ts';
export type { TurnResult } from './runtime/turn.ts';
export type { ScaffoldLanguage } from './scaffold/languages.ts';
export { type ScaffoldedFile, type ScaffoldOptions, scaffoldAbilityHook } from './scaffold/scaffold.ts';
export { type HookTestResult, type TestHooksOptions, testAbilityHooks } from './scaffold/test-hooks.ts';
export type {
  Ability,
  AbilityCall,
  AbilityHandler,
  AbilityListing,
  AbilityNeeds,
  ScriptHandler,
} from './tools/ability.ts';
export { AbilityRegistry, type FoundAbility } from './tools/ability-registry.ts';
export {
  type LoadAbilitiesOptions,
  type LoadedAbilities,
  loadAbilities,
} from './tools/declaration/load-abilities.ts';
export type { AbilityAnswer, AbilityStatus, Execution } from './tools/execute/answer.ts';
export type { FunctionContext, FunctionHandler } from './tools/execute/function.ts';
export type { HttpHandler } from './tools/execute/http.ts';
export type { InputSchema, InputType } from './tools/input/input-schema.ts';
export type { StandardSchema } from './tools/input/standard-schema.ts';
export type {
  CreateTaskResult,
  Executed,
  NotExecuted,
  PreflightResult,
  RunAbilityResult,
  RunRefusalCode,
} from './tools/results.ts';
export type { TaskRecord, TaskState } from './tools/store/task-record.ts';
export type { FoundTask, TaskList, TaskProblem, TaskRefusal, TaskStore } from './tools/store/task-store.ts';
export { type CallOptions, type RunTaskOptions, ToolRunner, type ToolRunnerOptions } from './tools/tool-runner.ts';
