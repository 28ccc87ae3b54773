/** Entry `hookwright/nats`: a bus that connects processes over a NATS broker. */

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
