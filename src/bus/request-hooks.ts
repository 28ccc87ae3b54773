// Requests the hooks of an event over the bus and returns their merged result.
import { type ErrorCode, errorCodes, HookwrightError } from '../errors.ts';
import type { AgentEventName, AggregatedResult, HookEventName, HostEvent, PayloadOf } from '../events/index.ts';
import { describeThrown, describeValue, isRecord, onAbort } from '../kit/index.ts';
import {
  type AggregatedHookResult,
  getRequesterTimeoutMs,
  type HookExecutionRequest,
  type HookExecutionResponse,
  isBlocking,
  isDecision,
  MessageBusType,
  type OnLost,
  onLostWords,
  REQUESTER_GRACE_MS,
} from '../protocol/index.ts';
import type { Bus } from './bus.ts';

export interface RequestHooksOptions {
  /** Deadline in milliseconds for all hooks of the event, over 0. Default: the hooks' own timeouts apply. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Used if hosts in other processes cannot be reached, or the host that took the request is lost: a verdict, `none`,
   * or `retry` to send the request to another host once. Default: events that can approve an action are denied.
   */
  readonly onLost?: OnLost | undefined;
}

/**
 * Requests the hooks of an event over the bus. Never rejects: on a failure `success` is false and `errors[0]` is a
 * `HookwrightError` with a code. `finalOutput` may still contain the decisions of hooks that finished, so check it in
 * any case.
 */
export function requestHooks<E extends HookEventName, Payload extends PayloadOf<E> = PayloadOf<E>>(
  bus: Bus,
  eventName: E,
  payload: Payload,
  options?: RequestHooksOptions,
): Promise<AggregatedResult<E>>;
/** Overload for events defined by the host (pass the event record) and for `agentEvents` (pass the name). */
export function requestHooks<Payload extends object>(
  bus: Bus,
  event: HostEvent<string, Payload> | AgentEventName,
  payload: Payload,
  options?: RequestHooksOptions,
): Promise<AggregatedHookResult>;
export async function requestHooks(
  bus: Bus,
  event: string | Pick<HostEvent, 'name'>,
  payload: Readonly<Record<string, unknown>>,
  options: RequestHooksOptions = {},
): Promise<AggregatedHookResult> {
  const startedAt = performance.now();
  try {
    const { timeoutMs, signal, onLost } = options;
    checkHookTimeout(timeoutMs);
    checkOnLost(onLost);
    if (signal?.aborted)
      throw new HookwrightError('cancelled', 'cancelled before hooks were asked', { cause: signal.reason });
    if (!bus.isHeard(MessageBusType.HOOK_EXECUTION_REQUEST)) {
      throw new HookwrightError('no_handler', 'no engine listens for hook requests on this bus');
    }
    const plain: HookExecutionRequest = {
      type: MessageBusType.HOOK_EXECUTION_REQUEST,
      correlationId: bus.createCorrelationId(),
      eventName: typeof event === 'string' ? event : event.name,
      payload,
    };
    const isPlain = timeoutMs === undefined && onLost === undefined && bus.spansProcesses !== true;
    const request: HookExecutionRequest = isPlain
      ? plain
      : {
          ...plain,
          ...(timeoutMs === undefined ? {} : { timeoutMs }),
          ...(bus.spansProcesses === true || onLost !== undefined ? { onLost: onLost ?? 'event' } : {}),
        };
    const waitMs = getRequesterTimeoutMs(timeoutMs);
    const response = await (signal === undefined
      ? bus.request(request, MessageBusType.HOOK_EXECUTION_RESPONSE, waitMs)
      : requestUntilAborted(bus, request, waitMs, signal));
    return toAggregatedResult(response, request.eventName);
  } catch (thrown) {
    return createFailedHookResult(toHookwrightError(thrown), { totalDuration: performance.now() - startedAt });
  }
}

const checkHookTimeout = (timeoutMs: unknown): void => {
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return;
  const found = describeValue(timeoutMs);
  throw new HookwrightError('invalid_request', `timeoutMs: expected milliseconds over 0, got ${found}`);
};

const checkOnLost = (onLost: unknown): void => {
  if (onLost === undefined || onLostWords.some((word) => word === onLost)) return;
  const expected = onLostWords.join(', ');
  throw new HookwrightError('invalid_request', `onLost: expected one of ${expected}, got ${describeValue(onLost)}`);
};

/**
 * After an abort the requester waits briefly for the handler's response, because it contains the decisions of hooks
 * that finished.
 */
const requestUntilAborted = async (
  bus: Bus,
  request: HookExecutionRequest,
  waitMs: number,
  signal: AbortSignal,
): Promise<HookExecutionResponse> => {
  const { correlationId } = request;
  const giveUp = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopListening = onAbort(signal, () => {
    timer = setTimeout(() => giveUp.abort(signal.reason), REQUESTER_GRACE_MS);
    bus.publish({ type: MessageBusType.HOOK_EXECUTION_CANCEL, correlationId });
  });
  try {
    const options = { timeoutMs: waitMs, signal: giveUp.signal };
    return await bus.request(request, MessageBusType.HOOK_EXECUTION_RESPONSE, options);
  } finally {
    stopListening();
    clearTimeout(timer);
  }
};

const isAggregatedResult = (value: unknown): value is AggregatedHookResult =>
  isRecord(value) &&
  typeof value.success === 'boolean' &&
  typeof value.totalDuration === 'number' &&
  Array.isArray(value.allOutputs) &&
  Array.isArray(value.errors) &&
  isRecord(value.finalOutput ?? {});

const isErrorCode = (code: unknown): code is ErrorCode => errorCodes.some((known) => known === code);

const isError = (value: unknown): value is Error => value instanceof Error;

const isBlock = (output: unknown): boolean =>
  isRecord(output) && ((isDecision(output.decision) && isBlocking(output.decision)) || output.continue === false);

/** A handler of another version may put a block only into `output`, so the block is copied into the result. */
const withBlock = (result: AggregatedHookResult, { output }: HookExecutionResponse): AggregatedHookResult =>
  isBlock(output) && !isBlock(result.finalOutput) ? { ...result, finalOutput: output } : result;

const toAggregatedResult = (response: HookExecutionResponse, eventName: string): AggregatedHookResult => {
  const result: unknown = response.result;
  const error: unknown = response.error;
  const known = isAggregatedResult(result) ? withBlock(withErrorObjects(result, response), response) : undefined;
  const finished = known ?? (isBlock(response.output) ? { finalOutput: response.output } : {});
  if (error !== undefined) return createFailedHookResult(readWireError(error, 'internal_error', response), finished);
  if (known !== undefined && response.eventName !== eventName)
    throw new HookwrightError('internal_error', `the response is for ${describeValue(response.eventName)}`);
  if (known !== undefined) return known;
  const message = `the response carries no result but ${describeValue(result)}`;
  return createFailedHookResult(new HookwrightError('internal_error', message, { cause: response }), finished);
};

const readWireError = (value: unknown, fallback: ErrorCode, from: HookExecutionResponse): HookwrightError => {
  const { code, message, details } = isRecord(value) ? value : { message: describeThrown(value) };
  return new HookwrightError(
    isErrorCode(code) ? code : fallback,
    typeof message === 'string' ? message : String(code),
    {
      details: { correlationId: from.correlationId, eventName: from.eventName, ...(isRecord(details) ? details : {}) },
      ...(isErrorCode(code) ? {} : { cause: value }),
    },
  );
};

const withErrorObjects = (result: AggregatedHookResult, from: HookExecutionResponse): AggregatedHookResult => {
  const errors: readonly unknown[] = result.errors;
  if (errors.every(isError)) return result;
  return {
    ...result,
    errors: errors.map((error) => (isError(error) ? error : readWireError(error, 'hook_failed', from))),
  };
};

const createFailedHookResult = (
  error: HookwrightError,
  finished: Partial<AggregatedHookResult>,
): AggregatedHookResult => ({
  success: false,
  finalOutput: finished.finalOutput,
  allOutputs: finished.allOutputs ?? [],
  errors: [error, ...(finished.errors ?? [])],
  totalDuration: finished.totalDuration ?? 0,
});

const toHookwrightError = (thrown: unknown): HookwrightError =>
  HookwrightError.is(thrown)
    ? thrown
    : new HookwrightError('internal_error', describeThrown(thrown), { cause: thrown });
