/** Sends requests and settles them with the matching response, a timeout or an abort. */
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import { describeValue } from '../kit/index.ts';
import { type HookMessage, isReplyType, type MessageBusType, type MessageOf } from '../protocol/index.ts';
import type { RequestOptions } from './bus.ts';
import { explainBadMessageType, explainUndeliverable, isMessageType } from './delivery-queue.ts';
import { PendingRequests } from './pending-requests.ts';

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

export interface RequestPort {
  publish(message: HookMessage): void;
  receive(type: MessageBusType, deliver: (message: HookMessage, type: MessageBusType, id: string) => void): void;
  report(error: HookwrightError): void;
}

export class RequestExchange {
  readonly #port: RequestPort;
  readonly #pending = new PendingRequests();
  readonly #received = new Set<MessageBusType>();

  constructor(port: RequestPort) {
    this.#port = port;
  }

  get counts(): { readonly pending: number; readonly ignoredResponses: number; readonly duplicateResponses: number } {
    const { pending, ignoredResponses, duplicateResponses } = this.#pending;
    return { pending, ignoredResponses, duplicateResponses };
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
      if (this.#pending.has(correlationId)) {
        const details = { correlationId };
        return reject(new HookwrightError('duplicate_request', 'a request with this id is pending', { details }));
      }
      if (options.signal?.aborted) {
        const cause = options.signal.reason;
        return reject(new HookwrightError('cancelled', 'cancelled before it was published', { cause }));
      }
      // The response may arrive before `publish` returns, so the receiver is registered first.
      this.expect(responseType);
      const request = this.#pending.open(correlationId, responseType, options, resolve, reject);
      this.#port.publish(message);
      request.arm();
    });
  }

  expect(type: MessageBusType): void {
    if (this.#received.has(type)) return;
    this.#received.add(type);
    this.#port.receive(type, (message, received, id) => {
      if (!isReplyType(received) && this.#pending.pending === 0) return;
      const problem = this.#pending.receive(message, received, id);
      if (problem !== undefined) this.#port.report(problem);
    });
  }
}
