/** Fires an event for a `Config`, and requests confirmations. */
import { busOf, type HookDeps, hookSystemOf, type TriggerConfig } from '../config.ts';
import { HookwrightError, invalidArgument } from '../errors.ts';
import type { AggregatedResult, DefaultHookOutput, HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import type { HookSystem } from '../hook-system.ts';
import { describeThrown, describeValue, onOneLine } from '../kit/index.ts';
import type { AnyHookTranslator } from '../models/index.ts';
import {
  type CallToPark,
  type Confirm,
  type ConfirmQuestion,
  type HookExecutionResult,
  MessageBusType,
  type MessageOf,
  type ParkedCall,
  type Unanswered,
} from '../protocol/index.ts';
import { ParkingSpace } from './parking.ts';
import { isNotBlank } from './tool-result.ts';
import { decisionOf, type EventVerdict, requestConfirmation } from './verdict.ts';
import { withinTime } from './within-time.ts';

/** Options of triggers that act on the verdict. */
export interface AskOptions extends FireOptions {
  /** Answers `ask`. Without it and without `deps.confirm`, `ask` does not block. */
  readonly confirm?: Confirm | undefined;
}

export const depsOf = (config: TriggerConfig): HookDeps => {
  try {
    return config.getDeps?.() ?? {};
  } catch {
    // A host whose getter throws has no dependencies; it must report its own exception.
    return {};
  }
};

const warn = (config: TriggerConfig, message: string): void => {
  try {
    depsOf(config).logger?.warn?.(onOneLine(message));
  } catch {
    // There is nowhere to report an exception of a logger, and the agent's work must not depend on it.
  }
};

/** The caller's configuration, and its way to warn. */
export interface Host {
  readonly config: TriggerConfig;
  readonly warn: (message: string) => void;
  /** For a request of another SDK than the engine's. */
  readonly translator?: AnyHookTranslator | undefined;
}

const asked = ['getHookSystem', 'getHooks', 'getEnableHooks', 'getSessionId'] as const;

/** Likely mistake: an engine of `createHooks`. Without an error all its hooks would be ignored. */
const expectConfig = (config: unknown): void => {
  if (typeof config === 'object' && config !== null && asked.some((name) => name in config)) return;
  const message = `a trigger takes a config, such as new Config({…}), as its first argument; got ${describeValue(config)}`;
  const isEngine = typeof config === 'object' && config !== null && 'beforeTool' in config;
  const hint = isEngine ? '. What createHooks gives has methods of its own, such as beforeTool' : '';
  throw invalidArgument(`${message}${hint}`);
};

/** @throws HookwrightError if the value is not a config. */
export const hostOf = (config: TriggerConfig): Host => {
  expectConfig(config);
  return { config, warn: (message) => warn(config, message) };
};

/** The result of one event. */
export interface FiredEvent<E extends HookEventName> {
  /** The merged answer; `undefined` if no hook had an opinion, or the engine failed. */
  readonly output: OutputOf<E> | undefined;
  /** Messages of hooks for the model, in configured order. */
  readonly messages: readonly string[];
  /** Results of runs in configured order. */
  readonly results: readonly HookExecutionResult[];
  readonly correlationId?: string | undefined;
}

const nothingCame = { output: undefined, messages: [], results: [] } as const;

/**
 * Fires one event. Never throws: failing hooks must not stop an agent. Creates the payload only if a hook system
 * exists.
 */
export const fireEvent = async <E extends HookEventName>(
  host: Host,
  eventName: E,
  payload: () => PayloadOf<E>,
  options: FireOptions = {},
): Promise<FiredEvent<E> | undefined> => {
  try {
    const system = hookSystemOf(host.config);
    if (system === undefined) return undefined;
    const left = await whenReady(system, usable(host, options));
    const { result, results, correlationId } = await system.getEventHandler().fireDetailed(eventName, payload(), left);
    return { output: result.finalOutput, messages: messagesIn(result), results, correlationId };
  } catch (error) {
    // A mistake in the host's code, not a failure of hooks.
    if (HookwrightError.is(error) && error.code === 'handler_exists') throw error;
    host.warn(`${eventName} hooks could not be fired, the agent goes on without them: ${describeThrown(error)}`);
    return nothingCame;
  }
};

/** A timeout that is not a number would end every hook immediately. */
const usable = ({ warn }: Host, { timeoutMs, signal }: FireOptions): FireOptions => {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && !Number.isNaN(timeoutMs))) {
    return { timeoutMs, signal };
  }
  warn(`timeoutMs must be a number of milliseconds, got ${describeValue(timeoutMs)}; it is left out`);
  return { signal };
};

/** Loads the hooks once. If a caller times out, loading continues for the others. */
const whenReady = async (system: HookSystem, options: FireOptions): Promise<FireOptions> => {
  if (system.isInitialized()) return options;
  const startedAt = performance.now();
  await withinTime(system.initialize(), options);
  const { timeoutMs } = options;
  return timeoutMs === undefined ? options : { ...options, timeoutMs: timeoutMs - (performance.now() - startedAt) };
};

const messagesIn = ({ allOutputs }: AggregatedResult<HookEventName>): readonly string[] =>
  allOutputs.flatMap(({ systemMessage }) => (isNotBlank(systemMessage) ? systemMessage : []));

/** The decision, after a person or the host has answered its `ask`. */
export const confirmedVerdict = async (
  { config, warn }: Host,
  { output }: { readonly output: DefaultHookOutput | undefined },
  about: () => Omit<ConfirmQuestion, 'reason'>,
  { confirm = depsOf(config).confirm, signal }: AskOptions = {},
  toPark?: (reason: string) => CallToPark,
): Promise<EventVerdict> => {
  const decision = decisionOf(output);
  if (output === undefined || decision.verdict !== 'ask') return decision;
  const question = { ...about(), reason: decision.reason ?? '' };
  const { parking } = depsOf(config);
  const isParkable = parking !== undefined && toPark !== undefined;
  const space = isParkable ? new ParkingSpace(parking, () => toPark(question.reason)) : undefined;
  const verdict = await requestConfirmation(output, question, { confirm, signal, warn, space });
  if (space?.parked === undefined) showAnswer(config, question, verdict, confirm !== undefined);
  else showParked(config, space.parked, { approved: false, reason: 'parked: the call waits for an approval' });
  return verdict;
};

const unansweredWords: Readonly<Record<Unanswered, string>> = {
  'no-listener': 'nothing on the bus listened for the question',
  'no-terminal': 'there was no terminal to ask at',
  timeout: 'no answer came in time',
};

/** Publishes that an `ask` got no answer from a person, for recordings. */
const showAnswer = (
  config: TriggerConfig,
  { correlationId }: ConfirmQuestion,
  { verdict, asked }: EventVerdict,
  hasConfirm: boolean,
): void => {
  const bus = busOf(config);
  if (correlationId === undefined || asked?.answered !== false || bus === undefined) return;
  const why = hasConfirm
    ? asked.unanswered === undefined
      ? 'confirm failed'
      : unansweredWords[asked.unanswered]
    : NO_CONFIRM;
  const ending =
    verdict === 'ask' ? 'left to the host' : verdict === 'allow' ? 'the call goes ahead' : 'the call is refused';
  bus.publish({
    type: MessageBusType.HOOK_CONFIRMATION_RESPONSE,
    correlationId,
    approved: verdict === 'allow',
    reason: `no person answered: ${why}; ${ending}`,
  });
};

/** Publishes that a call is parked and later a person's decision, both with the id of its first request. */
export const showParked = (
  config: TriggerConfig,
  { id, correlationId = id, expiresAt }: ParkedCall,
  answer: Pick<MessageOf<typeof MessageBusType.HOOK_CONFIRMATION_RESPONSE>, 'approved' | 'by' | 'reason'>,
): void => {
  const parked = { id, expiresAt: new Date(expiresAt).toISOString() };
  busOf(config)?.publish({ type: MessageBusType.HOOK_CONFIRMATION_RESPONSE, correlationId, ...answer, parked });
};

const NO_CONFIRM = 'the host has no confirm; a person could answer through deps.confirm, such as confirmOverBus(bus)';

const toldThatNobodyAnswers = new WeakSet<TriggerConfig>();

/** Warns once per engine: an `ask` without `confirm` is the host's mistake, and every call would repeat it. */
export const warnUnasked = ({ config, warn }: Host, { reason }: EventVerdict, what: string): void => {
  if (toldThatNobodyAnswers.has(config)) return;
  toldThatNobodyAnswers.add(config);
  warn(
    `A hook wants a person to be asked (${reason}), and there is nobody to ask: ${what}. Give deps.confirm a function that asks, such as confirmOverBus(bus). This is said once.`,
  );
};

/** Like `confirmedVerdict`, but warns and continues if no user can be asked. */
export const decideOrContinue = async (...args: Parameters<typeof confirmedVerdict>): Promise<EventVerdict> => {
  const decision = await confirmedVerdict(...args);
  if (decision.verdict === 'ask' && decision.asked?.parked === undefined)
    warnUnasked(args[0], decision, 'the agent goes on');
  return decision;
};

/** Runs a step after an answer. If it throws, as another SDK's translator may, `otherwise` is returned. */
export const tryOrWarn = <T>({ warn }: Host, what: string, otherwise: T, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    warn(`${what} could not be applied, the agent goes on without: ${describeThrown(error)}`);
    return otherwise;
  }
};
