// Connects two buses over a port, such as a WebSocket, and checks what each end may send.
import { HookwrightError } from '../errors.ts';
import { expectKnown } from '../kit/index.ts';
import { type HookMessage, isRequestType, MessageBusType } from '../protocol/index.ts';
import type { Bus } from './bus.ts';
import { explainUndeliverable, isDeliverable } from './delivery-queue.ts';
import { createUnhandledRefusal } from './nested-requests.ts';

export interface BusPort {
  /** `WebSocket.readyState`. While it is 0 (connecting), messages wait for the `open` event. */
  readonly readyState?: number;
  postMessage?(text: string): void;
  send?(text: string): void;
  start?(): void;
  addEventListener(event: 'message' | 'open' | 'close', listener: (event: object) => void): void;
  removeEventListener(event: 'message' | 'open' | 'close', listener: (event: object) => void): void;
}

export interface LinkBusOptions {
  /** Whether the other end may request hooks, and cancel its own requests. Default: false. */
  readonly mayAsk?: boolean | undefined;
  /** Whether the other end receives confirmation requests for the user and may answer them. Default: false. */
  readonly mayAnswer?: boolean | undefined;
}

const CONFIRMATION_REQUEST = MessageBusType.HOOK_CONFIRMATION_REQUEST;
const CONFIRMATION_RESPONSE = MessageBusType.HOOK_CONFIRMATION_RESPONSE;

/**
 * Links a bus to another bus, in a web page or another process. One end is the agent's: the bus with an engine, or the
 * end that passes `mayAsk` or `mayAnswer`. The agent's end sends progress, confirmation requests and responses, and
 * accepts only allowed messages. The other end sends requests and answers. A message that an end does not accept
 * becomes an `error` event of its bus.
 *
 * @returns ends the link; the port stays open.
 */
export const linkBus = (bus: Bus, port: BusPort, options: LinkBusOptions = {}): (() => void) => {
  expectKnown('linkBus', options, ['mayAsk', 'mayAnswer'] satisfies (keyof LinkBusOptions)[]);
  const { mayAsk = false, mayAnswer = false } = options;
  /** Requests from the other end get this id prefix, so they cannot collide with ids of requests made at this end. */
  const prefix = `${bus.createCorrelationId()}/`;
  const isAgent = (): boolean => mayAsk || mayAnswer || bus.isServed?.(MessageBusType.HOOK_EXECUTION_REQUEST) === true;

  const send = (message: HookMessage): void => {
    const id = message.correlationId;
    const sent = id.startsWith(prefix) ? { ...message, correlationId: id.slice(prefix.length) } : message;
    const text = JSON.stringify(sent, keepErrorMessage);
    const post = (): void => (port.postMessage ? port.postMessage(text) : port.send?.(text));
    if (port.readyState === 0) port.addEventListener('open', post);
    else post();
  };

  const receive = (event: object): void => {
    const message = parseIfText(Reflect.get(event, 'data'));
    if (!isDeliverable(message)) {
      reportLinkError(bus, 'invalid_message', explainUndeliverable(message) ?? '');
      return;
    }
    const { type, correlationId } = message;
    const misfit = explainWrongField(message);
    const option = isRequestOrCancel(type) ? 'mayAsk' : 'mayAnswer';
    const isTaken = isAgent()
      ? isSentToAgent(type) && (isRequestOrCancel(type) ? mayAsk : mayAnswer)
      : !isSentToAgent(type);
    if (isTaken && misfit === undefined) {
      bus.publish(isRequestOrCancel(type) ? { ...message, correlationId: prefix + correlationId } : message);
      return;
    }
    const why = misfit ?? (isSentToAgent(type) ? `linkBus has no ${option} here` : 'this end is the agent');
    const error = reportLinkError(bus, 'invalid_message', `${type} is not taken: ${why}`);
    const answer = isRequestType(type) && createUnhandledRefusal(type, message, correlationId, error);
    if (answer) send(answer);
  };

  const ends = Object.values(MessageBusType)
    .filter(
      (type) =>
        (mayAsk || mayAnswer ? !isSentToAgent(type) : type !== CONFIRMATION_REQUEST) &&
        (type !== CONFIRMATION_REQUEST || mayAnswer),
    )
    .map((type) =>
      bus.subscribe<MessageBusType>(type, (message) => {
        if (isAgent() !== isSentToAgent(type)) send(message);
      }),
    );
  const end = (): void => {
    for (const stop of ends.splice(0)) stop();
    port.removeEventListener('message', receive);
    port.removeEventListener('close', lose);
  };
  const lose = (): void => {
    end();
    reportLinkError(bus, 'transport_failed', 'the linked port was closed');
  };
  port.addEventListener('message', receive);
  port.addEventListener('close', lose);
  port.start?.();
  return end;
};

const isRequestOrCancel = (type: MessageBusType): boolean =>
  isRequestType(type) || type === MessageBusType.HOOK_EXECUTION_CANCEL;

const isSentToAgent = (type: MessageBusType): boolean => isRequestOrCancel(type) || type === CONFIRMATION_RESPONSE;

/** `JSON.stringify` omits an error's message, because the property is not enumerable. */
const keepErrorMessage = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message } : value;

const parseIfText = (data: unknown): unknown => {
  try {
    return typeof data === 'string' ? JSON.parse(data) : data;
  } catch {
    return data;
  }
};

const reportLinkError = (bus: Bus, code: 'invalid_message' | 'transport_failed', message: string): HookwrightError => {
  const error = new HookwrightError(code, message);
  bus.report?.(error);
  return error;
};

const requiredFieldsByType: Readonly<Record<string, string>> = {
  'hook-execution-request': 'eventName',
  'hook-execution-response': 'eventName success result',
  'hook-execution-trace': 'eventName mode startedAt durationMs rows',
  'hook-started': 'eventName hookId hookName source position total',
  'hook-finished': 'eventName hookId hookName source position total outcome durationMs',
  'hook-system-message': 'eventName hookId hookName message',
  'hook-confirmation-request': 'eventName reason expiresAt',
  'hook-confirmation-response': 'approved',
  'hooks-reloaded': 'added removed changed',
  'ability-event-request': 'eventType context',
  'ability-event-response': 'eventType success result',
};

const typesOfFields: Readonly<Record<string, string>> = {
  position: 'number',
  total: 'number',
  durationMs: 'number',
  approved: 'boolean',
  success: 'boolean',
  result: 'object',
  rows: 'object',
  added: 'object',
  removed: 'object',
  changed: 'object',
  context: 'object',
};

const explainWrongField = (message: HookMessage): string | undefined => {
  const members = requiredFieldsByType[message.type]?.split(' ') ?? [];
  const wrong = members.find((member) => typeof Reflect.get(message, member) !== (typesOfFields[member] ?? 'string'));
  return wrong && `${wrong} is not a ${typesOfFields[wrong] ?? 'string'}`;
};
