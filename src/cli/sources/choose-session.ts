import { HookwrightError } from '../../errors.ts';
import { readSession, type Session } from '../../sessions/index.ts';
import { UsageError } from '../arguments/usage-error.ts';
import type { Context } from '../context.ts';
import { type BrokerFlags, brokerOptions } from '../serving/broker.ts';
import { NothingThere } from './nothing-there.ts';
import { sessionFile, shortPath } from './sessions.ts';

export interface SessionFlags extends BrokerFlags {
  /** A file, or `last`. */
  readonly session: string | undefined;
  readonly stream: string | undefined;
  readonly prefix: string | undefined;
}

/** A session somebody named, and how people in this directory call it. Each `open` reads it anew. */
export interface ChosenSession {
  readonly name: string;
  readonly open: () => Session;
}

/** A name that a broker does not know is as good as a file that is not there. */
const expectThere = async (session: Session): Promise<void> => {
  try {
    await session.header();
  } catch (error) {
    if (!HookwrightError.is(error) || error.code !== 'invalid_argument') throw error;
    throw new NothingThere(error.message, 'recordStream of hookwright/nats keeps sessions there; see docs/nats.md');
  }
};

/** A recorded session: a file, or what a broker keeps. `command` is how this program calls itself there. */
export const chooseSession = async (command: string, flags: SessionFlags, context: Context): Promise<ChosenSession> => {
  const { session: wish, stream, prefix, nats } = flags;
  if (stream === undefined) {
    if (nats !== undefined)
      throw new UsageError('--nats names a broker, and no session of it', 'add --stream <session>');
    const file = sessionFile(context.cwd, wish);
    return { name: shortPath(file, context.cwd), open: () => readSession(file) };
  }
  if (wish !== undefined) throw new UsageError('--stream cannot be combined with another session', `leave out ${wish}`);
  const broker = await brokerOptions(command, flags, context);
  // Only those who have a broker load what talks to one.
  const { readStream } = await import('../../transports/index.ts');
  const open = (): Session => readStream({ ...broker, prefix, session: stream });
  await expectThere(open());
  return { name: stream, open };
};
