/** Sends requests and settles them with the matching response, a timeout or an abort. */
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { describeValue, isRecord } from '../kit/index.ts';
import { type HookMessage, isReplyType, type MessageBusType, type MessageOf } from '../protocol/index.ts';
import type { RequestOptions } from './bus.ts';
import { explainBadMessageType, explainUndeliverable, isMessageType } from './delivery-queue.ts';
import { PendingRequest, RequestIds } from './pending-requests.ts';

const explainBadRequest = (
  message: unknown,
  responseType: unknown,
  timeoutMs: unknown,
): HookwrightError | undefined => {
  const problem = explainUndeliverable(message);
  if (problem !== undefined) return new HookwrightError('invalid_message', problem);
  if (!isMessageType(responseType))
    return createInvalidArgument(`responseType: ${explainBadMessageType(responseType)}`);
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs > 0)) return undefined;
  return createInvalidArgument(`timeoutMs: expected milliseconds over 0, got ${describeValue(timeoutMs)}`);
};

/** A `duplicate_request` error answers another request with the same id; the pending request must keep waiting. */
const isDuplicateRefusal = (message: HookMessage): boolean => {
  try {
    return 'error' in message && isRecord(message.error) && message.error.code === 'duplicate_request';
  } catch {
    return false;
  }
};

interface RequestPort {
  publish(message: HookMessage): void;
  receive(type: MessageBusType, deliver: (message: HookMessage, type: MessageBusType, id: string) => void): void;
  report(error: HookwrightError): void;
}

export class RequestExchange {
  readonly #port: RequestPort;
  readonly #ids = new RequestIds();
  readonly #received = new Set<MessageBusType>();
  #ignoredResponses = 0;
  #duplicateResponses = 0;

  constructor(port: RequestPort) {
    this.#port = port;
  }

  get counts(): { readonly pending: number; readonly ignoredResponses: number; readonly duplicateResponses: number } {
    return {
      pending: this.#ids.waiting,
      ignoredResponses: this.#ignoredResponses,
      duplicateResponses: this.#duplicateResponses,
    };
  }

  request<Type extends MessageBusType>(
    message: HookMessage,
    responseType: Type,
    options: RequestOptions<Type>,
  ): Promise<MessageOf<Type>> {
    return new Promise((resolve, reject) => {
      const problem = explainBadRequest(message, responseType, options.timeoutMs);
      if (problem !== undefined) return reject(problem);
      const { correlationId } = message;
      if (this.#ids.waitingFor(correlationId) !== undefined) {
        const details = { correlationId };
        return reject(new HookwrightError('duplicate_request', 'a request with this id is pending', { details }));
      }
      if (options.signal?.aborted) {
        const cause = options.signal.reason;
        return reject(new HookwrightError('cancelled', 'cancelled before it was published', { cause }));
      }
      // The response may arrive before `publish` returns, so the receiver is registered first.
      this.expect(responseType);
      const request = new PendingRequest(correlationId, responseType, options, resolve, reject, this.#ids);
      this.#port.publish(message);
      request.arm();
    });
  }

  expect(type: MessageBusType): void {
    if (this.#received.has(type)) return;
    this.#received.add(type);
    this.#port.receive(type, (message, received, id) => {
      if (isReplyType(received) || this.#ids.waiting > 0) this.#receive(message, received, id);
    });
  }

  #receive(message: HookMessage, type: MessageBusType, id: string): void {
    const waiting = this.#ids.waitingFor(id);
    if (waiting === undefined && !isReplyType(type)) return;
    if (isDuplicateRefusal(message)) {
      this.#ignoredResponses += 1;
      return;
    }
    const receipt = waiting?.receive(message, type);
    if (receipt === 'settled') return;
    if (receipt === 'not-accepted') {
      this.#report('invalid_message', type, id, 'cannot be used by its requester, which keeps waiting');
      return;
    }
    if (!isReplyType(type)) return;
    if (!this.#ids.wasAnswered(id, type)) {
      this.#ignoredResponses += 1;
      return;
    }
    this.#duplicateResponses += 1;
    this.#report('duplicate_response', type, id, 'came after the request had been answered; it is ignored');
  }

  #report(code: 'invalid_message' | 'duplicate_response', type: MessageBusType, id: string, what: string): void {
    const details = { type, correlationId: id };
    this.#port.report(new HookwrightError(code, `a ${type} for ${describeValue(id)} ${what}`, { details }));
  }
}
