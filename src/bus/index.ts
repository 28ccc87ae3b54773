export { type ErrorCode, HookwrightError } from '../errors.ts';
export type { AggregatedResult, HookEventName, OutputOf, PayloadOf } from '../events/catalogue.ts';
export { printable } from '../kit/index.ts';
export type { Confirm, ConfirmContext, ConfirmQuestion } from '../protocol/confirm.ts';
export { MessageBusType } from '../protocol/message-types.ts';
export type {
  HookExecutionRequest,
  HookExecutionResponse,
  HookExecutionTrace,
  HookMessage,
  MessageOf,
} from '../protocol/messages.ts';
export type { AggregatedHookResult } from '../protocol/run.ts';
export type { Bus, ErrorListener, MessageListener, RequestOptions, SubscribeOptions } from './bus.ts';
export { type ConfirmOverBusOptions, confirmOverBus } from './confirm-over-bus.ts';
export { type BusStats, MessageBus, type MessageBusOptions } from './message-bus.ts';
export { type RequestHooksOptions, requestHooks } from './request-hooks.ts';
export type { Channel, Role, Transport, TransportFeatures } from './transport.ts';
