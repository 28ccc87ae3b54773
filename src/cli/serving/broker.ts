import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeThrown } from '../../kit/index.ts';
import { type NatsTransport, natsTransport } from '../../transports/index.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';

export interface BrokerFlags {
  readonly nats: string | undefined;
  readonly group: string | undefined;
  readonly prefix: string | undefined;
  readonly creds: string | undefined;
  readonly ca: string | undefined;
  readonly insecure: boolean;
  readonly unobserved: boolean;
}

const readCreds = (file: string, cwd: string): Uint8Array => {
  try {
    return readFileSync(resolve(cwd, file));
  } catch (error) {
    throw new UsageError(`--creds: ${file} cannot be read: ${describeThrown(error)}`);
  }
};

const credentials = async (creds: string | undefined, { cwd, env }: Context) => {
  if (creds !== undefined) {
    const bytes = readCreds(creds, cwd);
    const { credsAuthenticator } = await import('@nats-io/transport-node');
    return { authenticator: credsAuthenticator(bytes) };
  }
  const { NATS_USER: user, NATS_PASSWORD: pass } = env;
  return user === undefined || pass === undefined ? {} : { user, pass };
};

/** The transport that the flags and the environment name. */
export const brokerOf = async (flags: BrokerFlags, context: Context): Promise<NatsTransport> => {
  const { nats = context.env.NATS_URL, group, prefix, creds, ca, insecure, unobserved } = flags;
  if (nats === undefined || nats === '') {
    throw new UsageError('which broker?', '--nats nats://127.0.0.1:4222, or NATS_URL in the environment');
  }
  const client = {
    ...(await credentials(creds, context)),
    ...(ca === undefined ? {} : { tls: { caFile: resolve(context.cwd, ca) } }),
    name: 'hookwright serve',
  };
  const servers = nats.split(',').map((server) => server.trim());
  return natsTransport({ servers, client, group, prefix, insecure, observed: !unobserved });
};
