import type { Socket } from 'node:net';
import type { SessionEntry } from '../../../sessions/index.ts';
import { TapLineReader } from '../../rendering/tap-lines.ts';

/** What comes out of a tap, until the agent ends or the socket is taken away. */
export async function* tapEntries(socket: Socket, onProblem: (message: string) => void): AsyncGenerator<SessionEntry> {
  const lines = new TapLineReader();
  try {
    for await (const piece of socket) {
      if (!Buffer.isBuffer(piece)) continue;
      for (const line of lines.push(piece)) {
        if (line.kind === 'entry') yield line.entry;
        if (line.kind === 'problem') onProblem(line.message);
        if (line.kind === 'dropped') onProblem(`${line.count} messages were dropped because they came too fast`);
      }
    }
  } catch (error) {
    // Taken away from under the loop, by Ctrl-C or because the page was closed: the end, like any other.
    if (!socket.destroyed) throw error;
  }
}
