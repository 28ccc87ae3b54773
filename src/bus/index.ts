/** The entry point `hookwright/bus` for users: a message bus with requests and responses. It also runs in browsers. */
export { type ErrorCode, HookwrightError } from '../errors.ts';
export type { AggregatedResult, HookEventName, OutputOf, PayloadOf } from '../events/index.ts';
export { printable } from '../kit/index.ts';
export {
  type AggregatedHookResult,
  type Confirm,
  type ConfirmContext,
  type ConfirmQuestion,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  MessageBusType,
  type MessageOf,
  type OnLost,
} from '../protocol/index.ts';
export type { Bus, ErrorListener, MessageListener, RequestOptions, SubscribeOptions } from './bus.ts';
export { type ConfirmOverBusOptions, confirmOverBus } from './confirm-over-bus.ts';
export { type BusPort, type LinkBusOptions, linkBus } from './link-bus.ts';
export { type BusStats, MessageBus, type MessageBusOptions } from './message-bus.ts';
export { type RequestHooksOptions, requestHooks } from './request-hooks.ts';
export type { Channel, Role, Transport, TransportFeatures } from './transport.ts';
