/** Buses that span machines: over a NATS broker. This door is for users, as `hookwright/nats`. */
export { type NatsTransport, natsTransport } from './nats/nats-transport.ts';
export type { NatsTransportOptions } from './nats/options.ts';
export type { NatsStats } from './nats/stats.ts';
