import { onAbort } from '../../../kit/index.ts';
import type { Context } from '../../context.ts';
import { counted } from '../../rendering/problem-lines.ts';
import { chooseTap, connectTo } from '../../sources/choose-tap.ts';
import { styled } from '../../terminal/text.ts';
import type { Listener } from './listener.ts';

const COUNT_MS = 250;

export interface Attached {
  /** Resolves when the agent has ended, or we are to. */
  readonly ended: Promise<undefined>;
}

/** Reads along with an agent that is running. */
export const attach = async (pid: number | undefined, listener: Listener, context: Context): Promise<Attached> => {
  const tap = chooseTap(pid, context);
  const socket = await connectTo(tap);
  const stopListening = onAbort(context.signal, () => socket.destroy());
  const counting = setInterval(() => context.progress(counted(listener.messages, 'message')), COUNT_MS);
  context.note([[styled('dim', `recording process ${tap.pid}; Ctrl-C ends it`)]]);
  const ended = listener.listenTo(socket).then(() => {
    stopListening();
    clearInterval(counting);
    return undefined;
  });
  if (context.signal.aborted) socket.destroy();
  return { ended };
};
