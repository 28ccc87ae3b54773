/** Functions with which an agent fires events of its turns and sessions, such as `fireBeforeAgentHook`. */
import type { TriggerConfig } from '../config.ts';
import type { HookEventName, NotificationType, OutputOf, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import { omitUndefined } from '../kit/index.ts';
import type { HookOutput } from '../protocol/index.ts';
import { type AskOptions, confirmOrWarn, createHost, fireEvent, type Host } from './fire-event.ts';
import { toPlainJson } from './plain-json.ts';
import { listModelTexts } from './tool-result.ts';
import { type EventVerdict, isBlockedOrParked, toBlockedFields } from './verdict.ts';
import { addWaitingMessage, forgetWaitingMessages } from './waiting-messages.ts';

export interface BeforeAgentHookResult {
  /** If `true`, do not work on the prompt. */
  blocked: boolean;
  /** A hook ended the agent's work, not only this turn. */
  stopped?: boolean;
  reason?: string;
  /** The prompt to work on, with the texts that hooks added. */
  prompt: string;
}

export interface AfterAgentHookResult {
  /** If `true`, work on `reason` as the next prompt, and pass `stopHookActive: true` with the answer. */
  retry: boolean;
  stopped?: boolean;
  reason?: string;
  /** Replaces a sub-agent's answer. */
  response?: string;
  clearContext: boolean;
  /** A text for the model, which the next model request includes. */
  systemMessage?: string;
}

export const addHookTextsToPrompt = (prompt: string, output: OutputOf<'BeforeAgent'> | undefined): string =>
  [prompt, ...listModelTexts(output)].join('\n\n');

export const fireBeforeAgentHook = async (
  config: TriggerConfig,
  prompt: string,
  options?: AskOptions,
): Promise<BeforeAgentHookResult> => {
  const host = createHost(config);
  const fired = await fireEvent(host, 'BeforeAgent', () => ({ prompt }), options);
  if (fired === undefined) return { blocked: false, prompt };
  const { output } = fired;
  const decision = await confirmOrWarn(host, fired, () => ({ eventName: 'BeforeAgent' }), options);
  if (!isBlockedOrParked(decision)) return { blocked: false, prompt: addHookTextsToPrompt(prompt, output) };
  addWaitingMessage(host, output?.systemMessage);
  return { ...toBlockedFields(decision), prompt };
};

/** A hook that always blocks must not keep an agent busy forever. */
const MAX_RETRIES = 3;

/** Counts retries by agent: '' for the main agent, else the type of the sub-agent. */
const retryCounts = new WeakMap<TriggerConfig, Map<string, number>>();

export const findRequestedRetry = (
  { config }: Host,
  { verdict, reason, stopReason }: EventVerdict,
  stopHookActive: boolean,
  agent = '',
): { retry: boolean; reason?: string | undefined } => {
  const tries = retryCounts.get(config) ?? new Map<string, number>();
  retryCounts.set(config, tries);
  const tried = stopHookActive ? (tries.get(agent) ?? 1) : 0;
  const wanted = verdict === 'deny' && stopReason === undefined;
  const retry = wanted && tried < MAX_RETRIES;
  tries.set(agent, retry ? tried + 1 : 0);
  if (!wanted || retry) return { retry, reason: stopReason ?? reason };
  return { retry, reason: `${reason} (not retried again after ${MAX_RETRIES} times)` };
};

export const fireAfterAgentHook = async (
  config: TriggerConfig,
  prompt: string,
  promptResponse: string,
  stopHookActive = false,
  options?: AskOptions,
): Promise<AfterAgentHookResult> => {
  const payload = { prompt, prompt_response: promptResponse, stop_hook_active: stopHookActive };
  return fireEventAfterWork(createHost(config), 'AfterAgent', payload, options);
};

export interface FinishedAgentWork {
  readonly agent_type?: string;
  readonly stop_hook_active: boolean;
}

export const readUpdatedAnswer = (output: HookOutput | undefined): { response?: string } => {
  const updated = output?.hookSpecificOutput?.updatedOutput;
  return typeof updated === 'string' ? { response: updated } : {};
};

export const fireEventAfterWork = async <E extends 'AfterAgent' | 'SubagentStop'>(
  host: Host,
  eventName: E,
  payload: PayloadOf<E> & FinishedAgentWork,
  options?: AskOptions,
): Promise<AfterAgentHookResult> => {
  const fired = await fireEvent(host, eventName, () => payload, options);
  if (fired === undefined) return { retry: false, clearContext: false };
  const { output } = fired;
  const decision = await confirmOrWarn(host, fired, () => ({ eventName }), options);
  const { retry, reason } = findRequestedRetry(host, decision, payload.stop_hook_active, payload.agent_type);
  addWaitingMessage(host, output?.systemMessage);
  return omitUndefined({
    retry,
    clearContext: output?.shouldClearContext() === true,
    ...readUpdatedAnswer(output),
    stopped: decision.stopReason === undefined ? undefined : true,
    reason: isBlockedOrParked(decision) ? reason : undefined,
    systemMessage: output?.systemMessage,
  });
};

const createTrigger =
  <E extends HookEventName, Value>(eventName: E, payloadOf: (value: Value) => PayloadOf<E>) =>
  async (config: TriggerConfig, value: Value, options?: FireOptions): Promise<OutputOf<E> | undefined> => {
    const host = createHost(config);
    const fired = await fireEvent(host, eventName, () => payloadOf(value), options);
    addWaitingMessage(host, fired?.output?.systemMessage);
    return fired?.output;
  };

type SessionStartSource = PayloadOf<'SessionStart'>['source'];
type SessionEndReason = PayloadOf<'SessionEnd'>['reason'];
type CompressTrigger = PayloadOf<'PreCompress'>['trigger'];

export const fireSessionStartHook = createTrigger('SessionStart', (source: SessionStartSource) => ({ source }));
export const firePreCompressHook = createTrigger('PreCompress', (trigger: CompressTrigger) => ({ trigger }));

const fireSessionEnd = createTrigger('SessionEnd', (reason: SessionEndReason) => ({ reason }));

export const fireSessionEndHook: typeof fireSessionEnd = async (config, reason, options) => {
  const output = await fireSessionEnd(config, reason, options);
  forgetWaitingMessages(createHost(config));
  return output;
};

interface UserNotification {
  readonly type: NotificationType | (string & {});
  readonly message: string;
  readonly details: Record<string, unknown>;
}

export const toNotificationPayload = ({ type, message, details }: UserNotification): PayloadOf<'Notification'> => {
  const shown = toPlainJson(details);
  return {
    notification_type: type,
    message,
    details: typeof shown === 'object' && shown !== null ? { ...shown } : {},
  };
};

const fireNotification = createTrigger('Notification', toNotificationPayload);

export const fireNotificationHook = (
  config: TriggerConfig,
  type: UserNotification['type'],
  message: string,
  details: Record<string, unknown> = {},
  options?: FireOptions,
): Promise<OutputOf<'Notification'> | undefined> => fireNotification(config, { type, message, details }, options);
