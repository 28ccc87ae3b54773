/** Triggers of the agent's turns and session. */
import type { TriggerConfig } from '../config.ts';
import type { HookEventName, NotificationType, OutputOf, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import type { HookOutput } from '../protocol/index.ts';
import { type AskOptions, decideOrContinue, fireEvent, type Host, hostOf } from './fire-event.ts';
import { plainJson } from './plain-json.ts';
import { modelTextsOf } from './tool-result.ts';
import { blocksOrParks, type EventVerdict } from './verdict.ts';
import { forgetWaitingMessages, keepMessageForNextRequest } from './waiting-messages.ts';

/** The decision of BeforeAgent hooks about a prompt. */
export interface BeforeAgentHookResult {
  /** If true, do not work on the prompt. */
  blocked: boolean;
  /** Whether a hook ended the agent's work, not only this turn. */
  stopped?: boolean;
  reason?: string;
  /** The prompt to work on, with the additions of hooks. */
  prompt: string;
}

/** The decision of AfterAgent hooks about an answer. */
export interface AfterAgentHookResult {
  /** If true, work on `reason` as the next prompt, and pass `stopHookActive: true` with its answer. */
  retry: boolean;
  stopped?: boolean;
  reason?: string;
  /** The answer that hooks put in place of a sub-agent's. */
  response?: string;
  /** If true, clear the conversation. */
  clearContext: boolean;
  /** For the model; the next request carries it. */
  systemMessage?: string;
}

/** Additions of hooks come after the user's words. */
export const promptWithHookTexts = (prompt: string, output: OutputOf<'BeforeAgent'> | undefined): string =>
  [prompt, ...modelTextsOf(output)].join('\n\n');

export const fireBeforeAgentHook = async (
  config: TriggerConfig,
  prompt: string,
  options?: AskOptions,
): Promise<BeforeAgentHookResult> => {
  const host = hostOf(config);
  const fired = await fireEvent(host, 'BeforeAgent', () => ({ prompt }), options);
  if (fired === undefined) return { blocked: false, prompt };
  const { output } = fired;
  const decision = await decideOrContinue(host, fired, () => ({ eventName: 'BeforeAgent' }), options);
  if (!blocksOrParks(decision)) return { blocked: false, prompt: promptWithHookTexts(prompt, output) };
  keepMessageForNextRequest(host, output?.systemMessage);
  const { reason = '', stopReason } = decision;
  const stopped = stopReason === undefined ? {} : { stopped: true };
  return { blocked: true, prompt, reason: stopReason ?? reason, ...stopped };
};

/** A hook that always blocks must not keep an agent busy forever. */
const MAX_RETRIES = 3;

/** Consecutive retries by agent; the session's own agent has one key, sub-agents have their names. */
const retries = new WeakMap<TriggerConfig, Map<string, number>>();

const triesOf = (config: TriggerConfig): Map<string, number> => {
  const tries = retries.get(config) ?? new Map<string, number>();
  retries.set(config, tries);
  return tries;
};

/** Whether the agent should work on. A stop ends its work whatever other hooks answered. */
export const retryRequestedBy = (
  { config }: Host,
  { verdict, reason, stopReason }: EventVerdict,
  stopHookActive: boolean,
  agent = '',
): { retry: boolean; reason?: string | undefined } => {
  const tries = triesOf(config);
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
  return applyWorkHooks(hostOf(config), 'AfterAgent', payload, options);
};

export interface FinishedAgentWork {
  readonly agent_type?: string;
  readonly stop_hook_active: boolean;
}

/** The answer that hooks put in place of a sub-agent's. */
export const updatedAnswer = (output: HookOutput | undefined): { response?: string } => {
  const updated = output?.hookSpecificOutput?.updatedOutput;
  return typeof updated === 'string' ? { response: updated } : {};
};

/** Applies the answers of hooks to finished work. */
export const applyWorkHooks = async <E extends 'AfterAgent' | 'SubagentStop'>(
  host: Host,
  eventName: E,
  payload: PayloadOf<E> & FinishedAgentWork,
  options?: AskOptions,
): Promise<AfterAgentHookResult> => {
  const fired = await fireEvent(host, eventName, () => payload, options);
  if (fired === undefined) return { retry: false, clearContext: false };
  const { output } = fired;
  const decision = await decideOrContinue(host, fired, () => ({ eventName }), options);
  const { retry, reason } = retryRequestedBy(host, decision, payload.stop_hook_active, payload.agent_type);
  keepMessageForNextRequest(host, output?.systemMessage);
  return {
    retry,
    clearContext: output?.shouldClearContext() === true,
    ...updatedAnswer(output),
    ...(decision.stopReason === undefined ? {} : { stopped: true }),
    ...(blocksOrParks(decision) && reason !== undefined ? { reason } : {}),
    ...(output?.systemMessage === undefined ? {} : { systemMessage: output.systemMessage }),
  };
};

/** Creates a trigger that fires one event and returns its output. */
const triggerFor =
  <E extends HookEventName, Value>(eventName: E, payloadOf: (value: Value) => PayloadOf<E>) =>
  async (config: TriggerConfig, value: Value, options?: FireOptions): Promise<OutputOf<E> | undefined> => {
    const host = hostOf(config);
    const fired = await fireEvent(host, eventName, () => payloadOf(value), options);
    keepMessageForNextRequest(host, fired?.output?.systemMessage);
    return fired?.output;
  };

type Source = PayloadOf<'SessionStart'>['source'];
type EndReason = PayloadOf<'SessionEnd'>['reason'];
type CompressTrigger = PayloadOf<'PreCompress'>['trigger'];

export const fireSessionStartHook = triggerFor('SessionStart', (source: Source) => ({ source }));
export const firePreCompressHook = triggerFor('PreCompress', (trigger: CompressTrigger) => ({ trigger }));

const fireSessionEnd = triggerFor('SessionEnd', (reason: EndReason) => ({ reason }));

export const fireSessionEndHook: typeof fireSessionEnd = async (config, reason, options) => {
  const output = await fireSessionEnd(config, reason, options);
  forgetWaitingMessages(hostOf(config));
  return output;
};

interface Notice {
  readonly type: NotificationType | (string & {});
  readonly message: string;
  readonly details: Record<string, unknown>;
}

export const noticePayload = ({ type, message, details }: Notice): PayloadOf<'Notification'> => {
  const shown = plainJson(details);
  return {
    notification_type: type,
    message,
    details: typeof shown === 'object' && shown !== null ? { ...shown } : {},
  };
};

const fireNotice = triggerFor('Notification', noticePayload);

export const fireNotificationHook = (
  config: TriggerConfig,
  type: Notice['type'],
  message: string,
  details: Record<string, unknown> = {},
  options?: FireOptions,
): Promise<OutputOf<'Notification'> | undefined> => fireNotice(config, { type, message, details }, options);
