/** `captureTraffic`: records all messages of a bus for assertions. */
import type { Bus } from '../bus/index.ts';
import { createInvalidArgument } from '../errors.ts';
import type { HookEventName } from '../events/index.ts';
import { describeValue, isRecord } from '../kit/index.ts';
import {
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  type HookRow,
  MessageBusType,
  type MessageOf,
} from '../protocol/index.ts';

export type EventNameLike = HookEventName | (string & {});

/** Messages in order of delivery. They are the published objects, not copies. */
export interface CapturedMessages extends Iterable<HookMessage> {
  readonly messages: readonly HookMessage[];
  readonly requests: readonly HookExecutionRequest[];
  readonly responses: readonly HookExecutionResponse[];
  readonly traces: readonly HookExecutionTrace[];
  /** Rows of all traces, or of the traces of one event. A trace has a row for each configured hook. */
  rows(eventName?: EventNameLike): readonly HookRow[];
}

export interface Traffic extends CapturedMessages {
  of(eventName: EventNameLike): CapturedMessages;
  clear(): void;
  /** Stops capturing. Captured messages stay available. */
  stop(): void;
}

const hasType =
  <Type extends MessageBusType>(type: Type) =>
  (message: HookMessage): message is HookMessage & MessageOf<Type> =>
    message.type === type;

const isRequest = hasType(MessageBusType.HOOK_EXECUTION_REQUEST);
const isResponse = hasType(MessageBusType.HOOK_EXECUTION_RESPONSE);
const isTrace = hasType(MessageBusType.HOOK_EXECUTION_TRACE);

class MessageList implements CapturedMessages {
  readonly #read: () => readonly HookMessage[];

  constructor(read: () => readonly HookMessage[]) {
    this.#read = read;
  }

  get messages(): readonly HookMessage[] {
    return [...this.#read()];
  }

  get requests(): readonly HookExecutionRequest[] {
    return this.#read().filter(isRequest);
  }

  get responses(): readonly HookExecutionResponse[] {
    return this.#read().filter(isResponse);
  }

  get traces(): readonly HookExecutionTrace[] {
    return this.#read().filter(isTrace);
  }

  rows(eventName?: EventNameLike): readonly HookRow[] {
    return this.traces
      .filter((trace) => eventName === undefined || trace.eventName === eventName)
      .flatMap(({ rows }) => rows);
  }

  [Symbol.iterator](): Iterator<HookMessage> {
    return this.messages[Symbol.iterator]();
  }
}

/** A cancel message has no event name, only the id of its request. */
const selectByEvent = (messages: readonly HookMessage[], eventName: string): readonly HookMessage[] => {
  const names = new Map(
    messages.flatMap((message) => ('eventName' in message ? [[message.correlationId, message.eventName]] : [])),
  );
  return messages.filter((message) => names.get(message.correlationId) === eventName);
};

class CapturedTraffic extends MessageList implements Traffic {
  readonly #captured: HookMessage[];
  readonly stop: () => void;

  constructor(bus: Bus) {
    const captured: HookMessage[] = [];
    super(() => captured);
    this.#captured = captured;
    const subscription = bus.stream().subscribe((message) => captured.push(message));
    this.stop = () => subscription.unsubscribe();
  }

  of(eventName: EventNameLike): CapturedMessages {
    return new MessageList(() => selectByEvent(this.#captured, eventName));
  }

  clear(): void {
    this.#captured.length = 0;
  }
}

/** Records every message of a bus. Until `stop`, direct engine calls are published, and every event has a trace. */
export const captureTraffic = (bus: Bus): Traffic => {
  const given: unknown = bus;
  if (isRecord(given) && typeof given.stream === 'function') return new CapturedTraffic(bus);
  const hint = isRecord(given) && isRecord(given.bus) ? '; it has a bus: pass that' : '';
  throw createInvalidArgument(`captureTraffic needs a bus, got ${describeValue(given)}${hint}`);
};

/** Compares the shape instead of the class, so that traffic of another installed copy of the package is accepted. */
export const isCaptured = (value: unknown): value is CapturedMessages =>
  isRecord(value) &&
  [value.messages, value.requests, value.responses, value.traces].every(Array.isArray) &&
  typeof value.rows === 'function';
