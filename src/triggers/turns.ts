import type { TriggerConfig } from '../config.ts';
import type { HookEventName, NotificationType, OutputOf, PayloadOf } from '../events/catalogue.ts';
import type { FireOptions } from '../handlers/hook-event-handler.ts';
import { fireEvent } from './fire.ts';
import { systemText } from './tool-result.ts';

/** What BeforeAgent hooks decided about a prompt. */
export interface BeforeAgentHookResult {
  /** True: do not work on the prompt. */
  blocked: boolean;
  stopped?: boolean;
  reason?: string;
  /** The prompt to work on, with what hooks added. */
  prompt: string;
}

/** What AfterAgent hooks decided about an answer. */
export interface AfterAgentHookResult {
  /** True: work on `reason` as the next prompt, and pass `stopHookActive: true` with that turn's answer. */
  retry: boolean;
  stopped?: boolean;
  reason?: string;
  /** True: forget the conversation so far. */
  clearContext: boolean;
  systemMessage?: string;
}

/** A hook that is never content must not keep an agent busy for ever. */
const MAX_RETRIES = 3;

const retries = new WeakMap<TriggerConfig, number>();

/** Shows the hooks a prompt before the agent works on it. */
export const fireBeforeAgentHook = async (
  config: TriggerConfig,
  prompt: string,
  options?: FireOptions,
): Promise<BeforeAgentHookResult> => {
  const output = await fireEvent(config, 'BeforeAgent', { prompt }, options);
  if (output === undefined) return { blocked: false, prompt };
  const stopped = output.shouldStopExecution();
  if (output.isBlockingDecision() || stopped) {
    return { blocked: true, prompt, reason: output.getEffectiveReason(), ...(stopped ? { stopped } : {}) };
  }
  const system = output.systemMessage === undefined ? undefined : systemText(output.systemMessage);
  const additions = [output.getAdditionalContext(), system].filter((text) => text !== undefined);
  return { blocked: false, prompt: [prompt, ...additions].join('\n\n') };
};

/**
 * Shows the hooks what the agent answered. A hook that blocks sends the agent back to work with its reason; after
 * three times in a row (`stopHookActive` being true each time) the answer stands.
 */
export const fireAfterAgentHook = async (
  config: TriggerConfig,
  prompt: string,
  promptResponse: string,
  stopHookActive = false,
  options?: FireOptions,
): Promise<AfterAgentHookResult> => {
  const payload = { prompt, prompt_response: promptResponse, stop_hook_active: stopHookActive };
  const output = await fireEvent(config, 'AfterAgent', payload, options);
  const tried = stopHookActive ? (retries.get(config) ?? 1) : 0;
  const blocks = output?.isBlockingDecision() === true;
  const stopped = output?.shouldStopExecution() === true;
  const retry = blocks && !stopped && tried < MAX_RETRIES;
  retries.set(config, retry ? tried + 1 : 0);
  if (output === undefined) return { retry: false, clearContext: false };
  const reason = output.getEffectiveReason();
  const gaveUp = blocks && !stopped && !retry ? ` (not retried again after ${MAX_RETRIES} times)` : '';
  return {
    retry,
    clearContext: output.shouldClearContext(),
    ...(stopped ? { stopped } : {}),
    ...(blocks || stopped ? { reason: `${reason}${gaveUp}` } : {}),
    ...(output.systemMessage === undefined ? {} : { systemMessage: output.systemMessage }),
  };
};

/** A trigger that fires one event from one value and hands back what the hooks said. */
const triggerFor =
  <E extends HookEventName, Value>(eventName: E, payloadOf: (value: Value) => PayloadOf<E>) =>
  (config: TriggerConfig, value: Value, options?: FireOptions): Promise<OutputOf<E> | undefined> =>
    fireEvent(config, eventName, payloadOf(value), options);

export const fireSessionStartHook = triggerFor('SessionStart', (source: PayloadOf<'SessionStart'>['source']) => ({
  source,
}));
export const fireSessionEndHook = triggerFor('SessionEnd', (reason: PayloadOf<'SessionEnd'>['reason']) => ({ reason }));
export const firePreCompressHook = triggerFor('PreCompress', (trigger: PayloadOf<'PreCompress'>['trigger']) => ({
  trigger,
}));

/** Tells the hooks that the agent tells the user something. */
export const fireNotificationHook = (
  config: TriggerConfig,
  type: NotificationType | (string & {}),
  message: string,
  details: Record<string, unknown> = {},
  options?: FireOptions,
): Promise<OutputOf<'Notification'> | undefined> =>
  fireEvent(config, 'Notification', { notification_type: type, message, details }, options);
