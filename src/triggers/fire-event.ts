/** Fires an event for a `Config`, and requests a confirmation if a hook asks for one. */
import { getBus, getHookSystem, type HookDeps, type TriggerConfig } from '../config.ts';
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import type { AggregatedResult, DefaultHookOutput, HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import type { HookSystem } from '../hook-system.ts';
import { attempt, describeThrown, describeValue, toOneLine } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import {
  type CallToPark,
  type Confirm,
  type ConfirmQuestion,
  emitProcessWarning,
  type HookExecutionResult,
  MessageBusType,
  type MessageOf,
  type ParkedCall,
  type Unanswered,
} from '../protocol/index.ts';
import { CallParker } from './call-parker.ts';
import { isNotBlank } from './tool-result.ts';
import { type EventVerdict, requestConfirmation, toEventVerdict } from './verdict.ts';
import { limitTime } from './within-time.ts';

export interface AskOptions extends FireOptions {
  /** Answers hooks that ask for confirmation. Without it and without `deps.confirm`, `ask` does not block. */
  readonly confirm?: Confirm | undefined;
}

/** An exception of the host's getter must not stop the agent. */
export const getDeps = (config: TriggerConfig): HookDeps => attempt(() => config.getDeps?.()) ?? {};

export interface Host {
  readonly config: TriggerConfig;
  readonly warn: (message: string) => void;
  /** For a request of another SDK than that of `deps.translator`. */
  readonly translator?: AnyHookTranslator | undefined;
}

const configMethods = ['getHookSystem', 'getHooks', 'getEnableHooks', 'getSessionId'] as const;

/** With the result of `createHooks` in place of a configuration, all hooks would be ignored silently. */
const expectConfig = (config: unknown): void => {
  if (typeof config === 'object' && config !== null && configMethods.some((name) => name in config)) return;
  const message = `a trigger takes a config, such as new Config({…}), as its first argument; got ${describeValue(config)}`;
  const isEngine = typeof config === 'object' && config !== null && 'beforeTool' in config;
  const hint = isEngine ? '. What createHooks gives has methods of its own, such as beforeTool' : '';
  throw createInvalidArgument(`${message}${hint}`);
};

export const createHost = (config: TriggerConfig): Host => {
  expectConfig(config);
  // An exception of the host's logger must not stop the agent.
  return { config, warn: (message) => attempt(() => getDeps(config).logger?.warn?.(toOneLine(message))) };
};

export interface EventAnswers<E extends HookEventName> {
  readonly output: OutputOf<E> | undefined;
  readonly messages: readonly string[];
  readonly results: readonly HookExecutionResult[];
  readonly correlationId?: string | undefined;
}

export const emptyAnswers = { output: undefined, messages: [], results: [] } as const;

/** Does not throw if a hook fails, because a failing hook must not stop an agent. */
export const fireEvent = async <E extends HookEventName>(
  host: Host,
  eventName: E,
  payload: () => PayloadOf<E>,
  options: FireOptions = {},
): Promise<EventAnswers<E> | undefined> => {
  try {
    const system = getHookSystem(host.config);
    if (system === undefined) return undefined;
    const left = await waitUntilReady(system, removeInvalidTimeout(host, options));
    const { result, results, correlationId } = await system.getEventHandler().fireDetailed(eventName, payload(), left);
    return { output: result.finalOutput, messages: listMessages(result), results, correlationId };
  } catch (error) {
    // Two engines on one bus are a mistake in the code of the host, not a failure of hooks.
    if (HookwrightError.is(error) && error.code === 'handler_exists') throw error;
    const message = `${eventName} hooks could not be fired, the agent goes on without them: ${describeThrown(error)}`;
    host.warn(message);
    if (!HookwrightError.is(error) || error.code !== 'cancelled') warnOnceOfUnfiredEvent(host, message);
    return emptyAnswers;
  }
};

/** Warns through Node if there is no logger: the user must learn that a guard had no effect. */
const emitWarningWithoutLogger = ({ config }: Host, code: string, message: string): void => {
  const { logger, warnings } = getDeps(config);
  if (logger !== undefined || warnings === false) return;
  emitProcessWarning(toOneLine(message), code);
};

const unfiredConfigs = new WeakSet<TriggerConfig>();

const warnOnceOfUnfiredEvent = (host: Host, message: string): void => {
  if (unfiredConfigs.has(host.config)) return;
  unfiredConfigs.add(host.config);
  emitWarningWithoutLogger(host, 'HOOKWRIGHT_NOT_FIRED', message);
};

/** `NaN` as a timeout would end every hook immediately. */
const removeInvalidTimeout = ({ warn }: Host, { timeoutMs, signal }: FireOptions): FireOptions => {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && !Number.isNaN(timeoutMs))) {
    return { timeoutMs, signal };
  }
  warn(`timeoutMs must be a number of milliseconds, got ${describeValue(timeoutMs)}; it is left out`);
  return { signal };
};

const waitUntilReady = async (system: HookSystem, options: FireOptions): Promise<FireOptions> => {
  if (system.isInitialized()) return options;
  const startedAt = performance.now();
  await limitTime(system.initialize(), options);
  const { timeoutMs } = options;
  return timeoutMs === undefined ? options : { ...options, timeoutMs: timeoutMs - (performance.now() - startedAt) };
};

const listMessages = ({ allOutputs }: AggregatedResult<HookEventName>): readonly string[] =>
  allOutputs.flatMap(({ systemMessage }) => (isNotBlank(systemMessage) ? systemMessage : []));

export const confirmVerdict = async (
  { config, warn }: Host,
  { output }: { readonly output: DefaultHookOutput | undefined },
  about: () => Omit<ConfirmQuestion, 'reason'>,
  { confirm = getDeps(config).confirm, signal }: AskOptions = {},
  toPark?: (reason: string) => CallToPark,
): Promise<EventVerdict> => {
  const decision = toEventVerdict(output);
  if (output === undefined || decision.verdict !== 'ask') return decision;
  const question = { ...about(), reason: decision.reason ?? '' };
  const { parking } = getDeps(config);
  const isParkable = parking !== undefined && toPark !== undefined;
  const space = isParkable ? new CallParker(parking, () => toPark(question.reason)) : undefined;
  const verdict = await requestConfirmation(output, question, { confirm, signal, warn, space });
  if (space?.parked === undefined || verdict.asked?.parked === undefined)
    publishMissingAnswer(config, question, verdict, confirm !== undefined);
  else publishParked(config, space.parked, { approved: false, reason: 'parked: the call waits for an approval' });
  return verdict;
};

const unansweredReasons: Readonly<Record<Unanswered, string>> = {
  'no-listener': 'nothing on the bus listened for the question',
  'no-terminal': 'there was no terminal to ask at',
  timeout: 'no answer came in time',
};

const publishMissingAnswer = (
  config: TriggerConfig,
  { correlationId }: ConfirmQuestion,
  { verdict, asked }: EventVerdict,
  hasConfirm: boolean,
): void => {
  const bus = getBus(config);
  if (correlationId === undefined || asked?.answered !== false || bus === undefined) return;
  const why = hasConfirm
    ? asked.unanswered === undefined
      ? 'confirm failed'
      : unansweredReasons[asked.unanswered]
    : NO_CONFIRM_REASON;
  const ending =
    verdict === 'ask' ? 'left to the host' : verdict === 'allow' ? 'the call goes ahead' : 'the call is refused';
  bus.publish({
    type: MessageBusType.HOOK_CONFIRMATION_RESPONSE,
    correlationId,
    approved: verdict === 'allow',
    reason: `no person answered: ${why}; ${ending}`,
  });
};

/** Called when the call is parked and again when a person decides: both messages have the id of the same request. */
export const publishParked = (
  config: TriggerConfig,
  { id, correlationId = id, expiresAt }: ParkedCall,
  answer: Pick<MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>, 'approved' | 'by' | 'reason'>,
): void => {
  const parked = { id, expiresAt: new Date(expiresAt).toISOString() };
  getBus(config)?.publish({ type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId, ...answer, parked });
};

const NO_CONFIRM_REASON =
  'the host has no confirm; a person could answer through deps.confirm, such as confirmOverBus(bus)';

const unaskedConfigs = new WeakSet<TriggerConfig>();

/** Warns once per configuration, because every further call would repeat the warning. */
export const warnOfMissingConfirm = (host: Host, { reason }: EventVerdict, what: string, code?: string): void => {
  if (unaskedConfigs.has(host.config)) return;
  unaskedConfigs.add(host.config);
  const message = `A hook wants a person to be asked (${reason}), and no person can be asked: ${what}. Give deps.confirm a function that asks, such as confirmOverBus(bus). This is said once.`;
  host.warn(message);
  if (code !== undefined) emitWarningWithoutLogger(host, code, message);
};

export const confirmOrWarn = async (...args: Parameters<typeof confirmVerdict>): Promise<EventVerdict> => {
  const decision = await confirmVerdict(...args);
  if (decision.verdict === 'ask' && decision.asked?.parked === undefined)
    warnOfMissingConfirm(args[0], decision, 'the agent goes on', 'HOOKWRIGHT_NOT_ASKED');
  return decision;
};

/** A translator of the host that throws must not stop the agent; the step then has no effect. */
export const tryOrWarn = <T>({ warn }: Host, what: string, otherwise: T, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    warn(`${what} could not be applied, the agent goes on without: ${describeThrown(error)}`);
    return otherwise;
  }
};
