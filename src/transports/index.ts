/** Buses that span machines: over a NATS broker. This door is for users, as `hookwright/nats`. */

export type { NatsStats, NatsTransportOptions } from './nats/nats-options.ts';
export { type NatsTransport, natsTransport } from './nats/nats-transport.ts';
export type { StreamOptions } from './nats/stream-sessions.ts';
export {
  type RecordStreamOptions,
  readStream,
  recordStream,
  type StreamRecording,
  type StreamSummary,
} from './nats/stream-sessions.ts';
