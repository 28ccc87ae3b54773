/** The facade: `createHooks` and a method for each event. */
export { expectNotAborted } from './arguments.ts';
export type { CalledTool, CallToolOptions, HookedOutput, ResumeOptions, ToolRunContext } from './call-tool.ts';
export { type ConfirmInTerminalOptions, confirmInTerminal } from './confirm-in-terminal.ts';
export { createHooks } from './create-hooks.ts';
export type { CreateHooksOptions, HooksInCode } from './create-options.ts';
export {
  type DefinedHook,
  defineHook,
  type HookDefinitionOf,
  type HookedTool,
  type HookFunction,
  type HookOptions,
  type HookReply,
} from './define-hook.ts';
export type { HookFault } from './event-answers.ts';
export type {
  CallTool,
  CloseOptions,
  FiredVerdict,
  Hooks,
  HookVerdict,
  HostEventFunction,
  OnOptions,
} from './hooks.ts';
export { confirmOf, isNoop, reportTo } from './hooks-engine.ts';
export { memoryTokenStore, type ParkedCallsOptions, parkedCalls, resumeToolWithHooks } from './parked-calls.ts';
export type { ResumeToolOptions } from './resume.ts';
export type { TeamOptions } from './team.ts';
export type { NoTools, ToolEvent, ToolShape, ToolTable } from './tool-types.ts';
