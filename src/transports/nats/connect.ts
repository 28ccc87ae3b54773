import type { NatsConnection } from '@nats-io/transport-node';
import { HookwrightError } from '../../errors.ts';
import { type BrokerOptions, clientOptions } from './nats-options.ts';

/** A connection as the options say; the client is a package of its own, loaded when it is needed. */
export const connectWith = async (options: BrokerOptions): Promise<NatsConnection> => {
  const { connect } = await import('@nats-io/transport-node').catch((cause: unknown) => {
    const fix = 'npm install @nats-io/transport-node';
    throw new HookwrightError('not_supported', `hookwright/nats needs @nats-io/transport-node; ${fix}`, { cause });
  });
  return connect(clientOptions(options));
};
