import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { HookwrightError, invalidArgument } from '../../../errors.ts';
import { describeThrown, describeValue } from '../../../kit/index.ts';
import { connectWith } from '../connect.ts';
import type { BrokerOptions } from '../nats-options.ts';
import { asToken } from '../subjects.ts';

export interface StreamOptions extends BrokerOptions {
  /** What the session is called; hosts that record under one name record one session. */
  readonly session: string;
  /** Which stream keeps it; `hookwright-sessions` by default, made where there is none. */
  readonly stream?: string | undefined;
}

export interface OpenStream {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly stream: string;
  readonly subject: string;
  /** Closes what was opened for it; a connection of the caller's stays. */
  close(): Promise<void>;
}

const DEFAULT_STREAM = 'hookwright-sessions';
const NAME = /^[\w-]+$/;

/** Copies of one message that come within this time, from several recorders, are kept once. */
const DUPLICATES_NS = 120 * 1e9;

const load = () =>
  import('@nats-io/jetstream').catch((cause: unknown) => {
    const fix = 'npm install @nats-io/jetstream';
    throw new HookwrightError('not_supported', `sessions in a stream need @nats-io/jetstream; ${fix}`, { cause });
  });

export const checkStreamOptions = ({ session, stream }: StreamOptions): void => {
  const wrong = (key: string, expected: string, found: unknown) =>
    invalidArgument(`${key}: expected ${expected}, got ${describeValue(found)}`);
  if (typeof session !== 'string' || session === '') throw wrong('session', 'a name', session);
  if (stream !== undefined && !NAME.test(stream)) throw wrong('stream', 'letters, digits, - and _', stream);
};

const ensure = async (manager: JetStreamManager, stream: string, subject: string): Promise<void> => {
  const known = await manager.streams.info(stream).catch(() => undefined);
  // A process that creates it at the same time creates the same.
  if (known === undefined) {
    await manager.streams.add({ name: stream, subjects: [subject], duplicate_window: DUPLICATES_NS });
  } else if (!known.config.subjects.includes(subject)) {
    await manager.streams.update(stream, { subjects: [...known.config.subjects, subject] });
  }
};

/** The stream of a session, made where it is missing. */
export const openStream = async (options: StreamOptions): Promise<OpenStream> => {
  const { connection: given, prefix = 'hookwright', group = 'hosts', session, stream = DEFAULT_STREAM } = options;
  const { jetstream, jetstreamManager } = await load();
  const connection = given ?? (await connectWith(options));
  const close = async (): Promise<void> => {
    if (given === undefined) await connection.close();
  };
  try {
    const manager = await jetstreamManager(connection);
    await ensure(manager, stream, `${prefix}.*.session.>`);
    const subject = `${prefix}.${asToken(group)}.session.${asToken(session)}`;
    return { connection, client: jetstream(connection), manager, stream, subject, close };
  } catch (cause) {
    await close();
    const fix = 'does the broker have JetStream (nats-server -js), and may you use it?';
    throw new HookwrightError('not_supported', `no stream ${stream}: ${describeThrown(cause)}; ${fix}`, { cause });
  }
};
