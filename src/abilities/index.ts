/** `hookwright/abilities`: abilities and the hooks of a repository, read, run and tested. */
export {
  type AbilityCaller,
  type AbilityContextOf,
  type AbilityEventType,
  type AbilityRef,
  CallerSource,
  type GuardOutcome,
  interpretGuard,
  interpretPreflight,
  type PostAbilityCallContext,
  type PreAbilityCallContext,
  type PreAbilityCreateContext,
  type PreflightOutcome,
  type PromptSubmitContext,
  type SessionStopContext,
} from '../events/index.ts';
export { AbilityEventHandler, type AbilityFireOptions } from '../handlers/index.ts';
export type { StandardSchema } from '../kit/index.ts';
export {
  AbilityCode,
  type AbilityEventResult,
  type AbilityHook,
  type AbilityHookRun,
  type AbilityMatch,
  type AbilityOnFault,
  type HookLog,
  type HookReportedError,
  type HookResult,
  type HookSignal,
  type SignalKind,
  type SignalSeverity,
} from '../protocol/index.ts';
export { AbilityLog, type AbilityLogOptions, type LogEntry } from './ability-log.ts';
export {
  type AbilityBacktestReport,
  type AbilityDecisionDiff,
  type AbilityDiffKind,
  backtestAbilities,
} from './backtest-abilities.ts';
export { AbilityHookSet, type RunHooksOptions, runHooks } from './hook-set.ts';
export { type AbilityHookListing, listAbilityHooks } from './list-hooks.ts';
export { type LoadAbilityHooksOptions, loadAbilityHooks } from './load-ability-hooks.ts';
export { AbilityAction } from './runtime/actions.ts';
export { AgentRuntime, type AgentRuntimeOptions, type StartSessionOptions } from './runtime/agent-runtime.ts';
export type { AgentSession, ChangedFiles, EndOptions, SubmitOptions, TurnResult } from './runtime/agent-session.ts';
export type { ActionAnswer } from './runtime/answers.ts';
export type { Planner, PlannerTools, StartControl, TurnContext } from './runtime/turn-planner.ts';
export type { ScaffoldLanguage } from './scaffold/scaffold.ts';
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
export type {
  AbilityAnswer,
  AbilityStatus,
  Execution,
  FunctionContext,
  FunctionHandler,
  HttpHandler,
} from './tools/execution.ts';
export type { InputSchema, InputType } from './tools/input-schema.ts';
export {
  type LoadAbilitiesOptions,
  type LoadedAbilities,
  loadAbilities,
} from './tools/load-abilities.ts';
export type {
  CreateTaskResult,
  Executed,
  NotExecuted,
  PreflightResult,
  RunAbilityResult,
  RunRefusalCode,
} from './tools/results.ts';
export type { TaskRecord, TaskState } from './tools/store/task-record.ts';
export type { FoundTask, TaskList, TaskProblem, TaskRefusal } from './tools/store/task-store.ts';
/** @deprecated The name is `ToolCallOptions`. */
export type { ToolCallOptions as CallOptions } from './tools/tool-runner.ts';
export { type RunTaskOptions, type ToolCallOptions, ToolRunner, type ToolRunnerOptions } from './tools/tool-runner.ts';
