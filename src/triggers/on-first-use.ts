/** The public functions for firing events. Each loads its code on the first call. */
import { onFirstUse } from '../kit/index.ts';

/**
 * Runs one tool call with its hooks. Hooks can prevent the call, change its arguments, and add to its result or
 * withhold it. The result has their decision, which is never an exception. An exception of `executeFn` is rethrown
 * after AfterToolFailure hooks. A call that `signal` cancels while its hooks run does not start.
 */
export const executeToolWithHooks = onFirstUse(async () => (await import('./tool-triggers.ts')).executeToolWithHooks);

/** Fires AfterToolFailure. `undefined` if no hook answered, hooks are off or the engine failed. */
export const fireAfterToolFailureHook = onFirstUse(
  async () => (await import('./tool-triggers.ts')).fireAfterToolFailureHook,
);

/** Fires AfterTool. `undefined` if no hook answered, hooks are off or the engine failed. */
export const fireAfterToolHook = onFirstUse(async () => (await import('./tool-triggers.ts')).fireAfterToolHook);

/** Fires BeforeTool. `undefined` if no hook answered, hooks are off or the engine failed. */
export const fireBeforeToolHook = onFirstUse(async () => (await import('./tool-triggers.ts')).fireBeforeToolHook);

/**
 * Fires PermissionRequest, whose hooks can answer in place of a person. `undefined` if no hook answered, hooks are off
 * or the engine failed.
 */
export const firePermissionRequestHook = onFirstUse(
  async () => (await import('./tool-triggers.ts')).firePermissionRequestHook,
);

/**
 * Fires AfterAgent with the agent's answer. A hook that blocks sends the agent back to work with its reason, but only
 * three times in a row.
 */
export const fireAfterAgentHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireAfterAgentHook);

/** Fires BeforeAgent with a prompt before the agent works on it. */
export const fireBeforeAgentHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireBeforeAgentHook);

/** Fires Notification when the agent notifies the user. */
export const fireNotificationHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireNotificationHook);

export const firePreCompressHook = onFirstUse(async () => (await import('./agent-turns.ts')).firePreCompressHook);

/** Fires SessionEnd, and drops messages that wait for a model request, so that the next session does not get them. */
export const fireSessionEndHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireSessionEndHook);

export const fireSessionStartHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireSessionStartHook);

/** Fires AfterModel. Call it once with the complete response. A changed response replaces the stored one. */
export const fireAfterModelHook = onFirstUse(async () => (await import('./model-triggers.ts')).fireAfterModelHook);

/**
 * Fires BeforeModel with a request. If the result has no `modifiedRequest`, send the request unchanged.
 *
 * @typeParam Response - the type of a response in the translator's SDK. Name it unless the SDK is `@google/genai`.
 */
export const fireBeforeModelHook = onFirstUse(async () => (await import('./model-triggers.ts')).fireBeforeModelHook);

/** Fires BeforeToolSelection, whose hooks can restrict the tools that the model may call. */
export const fireBeforeToolSelectionHook = onFirstUse(
  async () => (await import('./model-triggers.ts')).fireBeforeToolSelectionHook,
);

/** Fires SubagentStart before a sub-agent starts on its task. */
export const fireSubagentStartHook = onFirstUse(async () => (await import('./subagents.ts')).fireSubagentStartHook);

/**
 * Fires SubagentStop with a sub-agent's answer. A hook that blocks sends the sub-agent back to work, but only three
 * times in a row.
 */
export const fireSubagentStopHook = onFirstUse(async () => (await import('./subagents.ts')).fireSubagentStopHook);
