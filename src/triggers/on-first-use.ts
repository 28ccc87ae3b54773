/** The public triggers. Each loads its code on the first call. */
import { onFirstUse } from '../kit/index.ts';

/**
 * Runs one tool call with its hooks. Hooks can prevent it, change its input, add to its result or withhold it; their
 * decision is in the result and never an exception. If hooks are off or have no opinion, the result is the tool's own
 * object. An exception of `executeFn` is rethrown, and AfterToolFailure fires instead of AfterTool. If a hook asks for
 * confirmation, PermissionRequest hooks may answer before a person. A call that `signal` cancels while its hooks run
 * does not start.
 */
export const executeToolWithHooks = onFirstUse(async () => (await import('./tool-triggers.ts')).executeToolWithHooks);

/** Fires AfterToolFailure with the error. `undefined` if no hook answered, hooks are off or the engine failed. */
export const fireAfterToolFailureHook = onFirstUse(
  async () => (await import('./tool-triggers.ts')).fireAfterToolFailureHook,
);

/** Fires AfterTool with the result. `undefined` if no hook answered, hooks are off or the engine failed. */
export const fireAfterToolHook = onFirstUse(async () => (await import('./tool-triggers.ts')).fireAfterToolHook);

/** Fires BeforeTool for a tool call. `undefined` if no hook answered, hooks are off or the engine failed. */
export const fireBeforeToolHook = onFirstUse(async () => (await import('./tool-triggers.ts')).fireBeforeToolHook);

/**
 * Fires PermissionRequest in place of a person. `undefined` if no hook answered, hooks are off or the engine failed.
 */
export const firePermissionRequestHook = onFirstUse(
  async () => (await import('./tool-triggers.ts')).firePermissionRequestHook,
);

/**
 * Fires AfterAgent with the agent's answer. A hook that blocks sends the agent back to work with its reason; after
 * three times in a row (`stopHookActive` being true each time) the answer stands.
 */
export const fireAfterAgentHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireAfterAgentHook);

/** Fires BeforeAgent with a prompt before the agent works on it. */
export const fireBeforeAgentHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireBeforeAgentHook);

/** Fires Notification when the agent notifies the user. */
export const fireNotificationHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireNotificationHook);

export const firePreCompressHook = onFirstUse(async () => (await import('./agent-turns.ts')).firePreCompressHook);

/** Fires SessionEnd. Messages waiting for a request are dropped, so that the next session does not get them. */
export const fireSessionEndHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireSessionEndHook);

export const fireSessionStartHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireSessionStartHook);

/** Fires AfterModel; call it once with the complete response. A changed response replaces the stored one. */
export const fireAfterModelHook = onFirstUse(async () => (await import('./model-triggers.ts')).fireAfterModelHook);

/**
 * Fires BeforeModel with a request. If anything fails, send the request unchanged.
 *
 * @typeParam Response - the translator's response; name it unless the SDK is `@google/genai`.
 */
export const fireBeforeModelHook = onFirstUse(async () => (await import('./model-triggers.ts')).fireBeforeModelHook);

/** Fires BeforeToolSelection: hooks may restrict the tools that the model may call. */
export const fireBeforeToolSelectionHook = onFirstUse(
  async () => (await import('./model-triggers.ts')).fireBeforeToolSelectionHook,
);

/** Fires SubagentStart with the task of a sub-agent before it starts. */
export const fireSubagentStartHook = onFirstUse(async () => (await import('./subagents.ts')).fireSubagentStartHook);

/** Fires SubagentStop with a sub-agent's answer, like `fireAfterAgentHook`; retries are counted per agent. */
export const fireSubagentStopHook = onFirstUse(async () => (await import('./subagents.ts')).fireSubagentStopHook);
