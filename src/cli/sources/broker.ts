/** Reads the connection options of the message broker from flags and environment. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import type { NatsTransportOptions } from '../../transports/index.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../usage-error.ts';

export interface BrokerFlags {
  readonly nats: string | undefined;
  readonly creds: string | undefined;
  readonly ca: string | undefined;
  readonly insecure: boolean;
}

const readFlagFile = (flag: string, file: string, cwd: string): Buffer => {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    throw new UsageError(`--${flag}: ${file} cannot be read: ${describeThrown(error)}`);
  }
};

const readCredentials = async (creds: string | undefined, { cwd, env }: Context) => {
  if (creds !== undefined) {
    const bytes = readFlagFile('creds', creds, cwd);
    const { credsAuthenticator } = await import('@nats-io/transport-node');
    return { authenticator: credsAuthenticator(bytes) };
  }
  const { NATS_USER: user, NATS_PASSWORD: pass } = env;
  return user === undefined || pass === undefined ? {} : { user, pass };
};

export const readBrokerOptions = async (
  name: string,
  flags: BrokerFlags,
  context: Context,
): Promise<Pick<NatsTransportOptions, 'servers' | 'client' | 'insecure'>> => {
  const { nats = context.env.NATS_URL, creds, ca, insecure } = flags;
  if (nats === undefined || nats === '') {
    throw new UsageError('which broker?', '--nats nats://127.0.0.1:4222, or NATS_URL in the environment');
  }
  const client = {
    ...(await readCredentials(creds, context)),
    ...(ca === undefined ? {} : { tls: { ca: readFlagFile('ca', ca, context.cwd).toString('utf8') } }),
    name: `hookwright ${name}`,
  };
  return { servers: nats.split(',').map((server) => server.trim()), client, insecure };
};
