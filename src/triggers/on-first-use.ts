/** The functions for agents with a `Config`. Each loads the triggers at its first call. */
import { onFirstUse } from '../kit/index.ts';

/**
 * Runs one tool call with its hooks around it. Hooks can keep it from running, change its input, add to its result or
 * take the result away; what they decide comes back as a result, never as an exception. With hooks off, or nothing said,
 * the result is the very object the tool gave. What `executeFn` throws reaches the caller unchanged, and AfterToolFailure
 * fires in place of AfterTool. Where hooks ask for a person, PermissionRequest hooks may answer first. A call that `signal` cancels while hooks are asked does not start.
 */
export const executeToolWithHooks = onFirstUse(async () => (await import('./tool-triggers.ts')).executeToolWithHooks);

/** Tells the hooks that a tool failed, and with what. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireAfterToolFailureHook = onFirstUse(
  async () => (await import('./tool-triggers.ts')).fireAfterToolFailureHook,
);

/** Tells the hooks what a tool call gave. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireAfterToolHook = onFirstUse(async () => (await import('./tool-triggers.ts')).fireAfterToolHook);

/** Asks the hooks about a tool call. Nothing to say, hooks off or a failing engine: `undefined`. */
export const fireBeforeToolHook = onFirstUse(async () => (await import('./tool-triggers.ts')).fireBeforeToolHook);

/** Asks the hooks in place of a person whether a tool may run. Nothing to say, hooks off or a failing engine: `undefined`. */
export const firePermissionRequestHook = onFirstUse(
  async () => (await import('./tool-triggers.ts')).firePermissionRequestHook,
);

/**
 * Shows the hooks what the agent answered. A hook that blocks sends the agent back to work with its reason; after
 * three times in a row (`stopHookActive` being true each time) the answer stands.
 */
export const fireAfterAgentHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireAfterAgentHook);

/** Shows the hooks a prompt before the agent works on it. */
export const fireBeforeAgentHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireBeforeAgentHook);

/** Tells the hooks that the agent tells the user something. */
export const fireNotificationHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireNotificationHook);

export const firePreCompressHook = onFirstUse(async () => (await import('./agent-turns.ts')).firePreCompressHook);

/** What hooks said for a request that never came is not told in the next session. */
export const fireSessionEndHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireSessionEndHook);

export const fireSessionStartHook = onFirstUse(async () => (await import('./agent-turns.ts')).fireSessionStartHook);

/**
 * Shows the hooks what the model answered; call it once, with the complete response. A changed response replaces the
 * stored one.
 */
export const fireAfterModelHook = onFirstUse(async () => (await import('./models.ts')).fireAfterModelHook);

/**
 * Asks the hooks about a model request. The safe answer, when anything fails, is to send it as it is.
 *
 * @typeParam Response - what the translator makes: name it when it is not the one of `@google/genai`.
 */
export const fireBeforeModelHook = onFirstUse(async () => (await import('./models.ts')).fireBeforeModelHook);

/** Lets the hooks narrow down which tools the model may call. */
export const fireBeforeToolSelectionHook = onFirstUse(
  async () => (await import('./models.ts')).fireBeforeToolSelectionHook,
);

/** Shows the hooks what another agent is to do before it starts. */
export const fireSubagentStartHook = onFirstUse(async () => (await import('./subagents.ts')).fireSubagentStartHook);

/** Shows the hooks what another agent made of its part; like `fireAfterAgentHook`, each agent counted by itself. */
export const fireSubagentStopHook = onFirstUse(async () => (await import('./subagents.ts')).fireSubagentStopHook);
