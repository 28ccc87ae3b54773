import type { Msg } from '@nats-io/transport-node';

export interface Incoming {
  readonly subject: string;
  readonly reply: string | undefined;
  readonly data: Uint8Array;
  /** The broker says that nobody was there to get what was to be answered here. */
  readonly isNobody: boolean;
}

export const incomingOf = ({ subject, reply, data, headers }: Msg): Incoming => ({
  subject,
  reply,
  data,
  isNobody: data.length === 0 && headers?.code === 503,
});
