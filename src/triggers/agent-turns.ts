/** Triggers around a turn of the agent and its session. */
import type { TriggerConfig } from '../config.ts';
import type { HookEventName, NotificationType, OutputOf, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import type { HookOutput } from '../protocol/index.ts';
import { type AskOptions, decideOrGoOn, fireEvent, type Host, hostOf } from './fire.ts';
import { plainJson } from './plain-json.ts';
import { textsOf } from './tool-result.ts';
import { type EventVerdict, isAgainst } from './verdict.ts';
import { forgetWaiting, keepForNextRequest } from './waiting.ts';

/** What BeforeAgent hooks decided about a prompt. */
export interface BeforeAgentHookResult {
  /** True: do not work on the prompt. */
  blocked: boolean;
  /** True when a hook ended the agent's work, not only this turn. */
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
  /** What hooks put in place of a sub-agent's answer. */
  response?: string;
  /** True: forget the conversation so far. */
  clearContext: boolean;
  /** For the model. The next request has it. */
  systemMessage?: string;
}

/** The prompt to work on: what hooks add comes after the user's words. */
export const promptToWorkOn = (prompt: string, output: OutputOf<'BeforeAgent'> | undefined): string =>
  [prompt, ...textsOf(output)].join('\n\n');

export const fireBeforeAgentHook = async (
  config: TriggerConfig,
  prompt: string,
  options?: AskOptions,
): Promise<BeforeAgentHookResult> => {
  const host = hostOf(config);
  const fired = await fireEvent(host, 'BeforeAgent', () => ({ prompt }), options);
  if (fired === undefined) return { blocked: false, prompt };
  const { output } = fired;
  const decision = await decideOrGoOn(host, fired, () => ({ eventName: 'BeforeAgent' }), options);
  if (!isAgainst(decision)) return { blocked: false, prompt: promptToWorkOn(prompt, output) };
  keepForNextRequest(host, output?.systemMessage);
  const { reason = '', stopReason } = decision;
  const stopped = stopReason === undefined ? {} : { stopped: true };
  return { blocked: true, prompt, reason: stopReason ?? reason, ...stopped };
};

/** A hook that is never content must not keep an agent busy for ever. */
const MAX_RETRIES = 3;

/** How often in a row each agent was sent back: that of the session, and others by their names. */
const retries = new WeakMap<TriggerConfig, Map<string, number>>();

const triesOf = (config: TriggerConfig): Map<string, number> => {
  const tries = retries.get(config) ?? new Map<string, number>();
  retries.set(config, tries);
  return tries;
};

/** Whether the agent should work on. A stop ends its work whatever else was said. */
export const retryAfter = (
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
  return afterWork(hostOf(config), 'AfterAgent', payload, options);
};

export interface DoneWork {
  readonly agent_type?: string;
  readonly stop_hook_active: boolean;
}

/** The answer that hooks put in place of a sub-agent's. */
export const updatedAnswer = (output: HookOutput | undefined): { response?: string } => {
  const updated = output?.hookSpecificOutput?.updatedOutput;
  return typeof updated === 'string' ? { response: updated } : {};
};

/** What follows from what hooks say about work that is done. */
export const afterWork = async <E extends 'AfterAgent' | 'SubagentStop'>(
  host: Host,
  eventName: E,
  payload: PayloadOf<E> & DoneWork,
  options?: AskOptions,
): Promise<AfterAgentHookResult> => {
  const fired = await fireEvent(host, eventName, () => payload, options);
  if (fired === undefined) return { retry: false, clearContext: false };
  const { output } = fired;
  const decision = await decideOrGoOn(host, fired, () => ({ eventName }), options);
  const { retry, reason } = retryAfter(host, decision, payload.stop_hook_active, payload.agent_type);
  keepForNextRequest(host, output?.systemMessage);
  return {
    retry,
    clearContext: output?.shouldClearContext() === true,
    ...updatedAnswer(output),
    ...(decision.stopReason === undefined ? {} : { stopped: true }),
    ...(isAgainst(decision) && reason !== undefined ? { reason } : {}),
    ...(output?.systemMessage === undefined ? {} : { systemMessage: output.systemMessage }),
  };
};

/** A trigger that fires one event from one value and hands back what the hooks said. */
const triggerFor =
  <E extends HookEventName, Value>(eventName: E, payloadOf: (value: Value) => PayloadOf<E>) =>
  async (config: TriggerConfig, value: Value, options?: FireOptions): Promise<OutputOf<E> | undefined> => {
    const host = hostOf(config);
    const fired = await fireEvent(host, eventName, () => payloadOf(value), options);
    keepForNextRequest(host, fired?.output?.systemMessage);
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
  forgetWaiting(hostOf(config));
  return output;
};

interface Notice {
  readonly type: NotificationType | (string & {});
  readonly message: string;
  readonly details: Record<string, unknown>;
}

/** A notice under its wire names. */
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
