/** Buses that span machines: over a NATS broker. This door is for users, as `hookwright/nats`. */

export type { NatsTransportOptions } from './nats/nats-options.ts';
export { type NatsTransport, natsTransport } from './nats/nats-transport.ts';
export type { StreamOptions } from './nats/sessions/open-stream.ts';
export { readStream } from './nats/sessions/read-stream.ts';
export {
  type RecordStreamOptions,
  recordStream,
  type StreamRecording,
  type StreamSummary,
} from './nats/sessions/record-stream.ts';
export type { NatsStats } from './nats/stats.ts';
