import type { Msg } from '@nats-io/transport-node';

export interface Incoming {
  readonly subject: string;
  readonly reply: string | undefined;
  readonly data: Uint8Array;
  /** The broker reports that there was no receiver for a response of this process. */
  readonly hasNoReceiver: boolean;
}

export const incomingOf = ({ subject, reply, data, headers }: Msg): Incoming => ({
  subject,
  reply,
  data,
  hasNoReceiver: data.length === 0 && headers?.code === 503,
});
