/** The public functions for firing events, which load their code on the first call. */
import { onFirstUse } from '../kit/index.ts';

const loadToolTriggers = () => import('./tool-triggers.ts');
const loadAgentTurns = () => import('./agent-turns.ts');
const loadModelTriggers = () => import('./model-triggers.ts');
const loadSubagents = () => import('./subagents.ts');

/**
 * Runs a tool call with its hooks, which can prevent it, change its arguments, add to its result or withhold it. Only
 * an exception of `executeFn` is thrown. A call that `signal` cancels while its hooks run does not start.
 */
export const executeToolWithHooks = onFirstUse(async () => (await loadToolTriggers()).executeToolWithHooks);

/** Fires AfterToolFailure. `undefined` if no hook answered. */
export const fireAfterToolFailureHook = onFirstUse(async () => (await loadToolTriggers()).fireAfterToolFailureHook);

/** Fires AfterTool. `undefined` if no hook answered. */
export const fireAfterToolHook = onFirstUse(async () => (await loadToolTriggers()).fireAfterToolHook);

/** Fires BeforeTool. `undefined` if no hook answered. */
export const fireBeforeToolHook = onFirstUse(async () => (await loadToolTriggers()).fireBeforeToolHook);

/** Fires PermissionRequest, whose hooks can answer in place of a person. `undefined` if no hook answered. */
export const firePermissionRequestHook = onFirstUse(async () => (await loadToolTriggers()).firePermissionRequestHook);

/** Fires AfterAgent with the agent's answer. A hook can send the agent back to work, three times in a row at most. */
export const fireAfterAgentHook = onFirstUse(async () => (await loadAgentTurns()).fireAfterAgentHook);

/** Fires BeforeAgent with a prompt before the agent works on it. */
export const fireBeforeAgentHook = onFirstUse(async () => (await loadAgentTurns()).fireBeforeAgentHook);

/** Fires Notification when the agent notifies the user. */
export const fireNotificationHook = onFirstUse(async () => (await loadAgentTurns()).fireNotificationHook);

export const firePreCompressHook = onFirstUse(async () => (await loadAgentTurns()).firePreCompressHook);

/** Fires SessionEnd, and drops messages that wait for a model request. */
export const fireSessionEndHook = onFirstUse(async () => (await loadAgentTurns()).fireSessionEndHook);

export const fireSessionStartHook = onFirstUse(async () => (await loadAgentTurns()).fireSessionStartHook);

/** Fires AfterModel with the complete response. */
export const fireAfterModelHook = onFirstUse(async () => (await loadModelTriggers()).fireAfterModelHook);

/**
 * Fires BeforeModel with a request. @typeParam Response - the response of the translator's SDK, if not `@google/genai`.
 */
export const fireBeforeModelHook = onFirstUse(async () => (await loadModelTriggers()).fireBeforeModelHook);

/** Fires BeforeToolSelection, whose hooks can restrict the tools that the model may call. */
export const fireBeforeToolSelectionHook = onFirstUse(
  async () => (await loadModelTriggers()).fireBeforeToolSelectionHook,
);

/** Fires SubagentStart before a sub-agent starts on its task. */
export const fireSubagentStartHook = onFirstUse(async () => (await loadSubagents()).fireSubagentStartHook);

/**
 * Fires SubagentStop with a sub-agent's answer. A hook can send the sub-agent back to work, three times in a row at
 * most.
 */
export const fireSubagentStopHook = onFirstUse(async () => (await loadSubagents()).fireSubagentStopHook);
