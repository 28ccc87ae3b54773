import { connect, type Socket } from 'node:net';
import type { Bus } from '../../bus/index.ts';
import { describeThrown } from '../../kit/index.ts';
import type { Logger } from '../../protocol/index.ts';
import { openTap } from './open-tap.ts';
import { TapFeed } from './tap-feed.ts';

/**
 * `1` opens a tap; the path of a socket is one whose server waits for us to connect, as `hookwright record -- …` does.
 */
export const TAP_VARIABLE = 'HOOKWRIGHT_TAP';

const connectTo = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });

const join = async (bus: Bus, path: string): Promise<() => Promise<void>> => {
  const feed = new TapFeed(bus, undefined);
  feed.add(await connectTo(path));
  return () => feed.close();
};

/**
 * Opens or joins a tap as the environment says, and resolves with how to end it. A failure is only logged: an agent
 * runs without a tap as well.
 */
export const tapFromEnvironment = async (
  bus: Bus,
  wish: string,
  logger: Logger | undefined,
): Promise<() => Promise<void>> => {
  const nothing = (): Promise<void> => Promise.resolve();
  try {
    if (wish.startsWith('/')) return await join(bus, wish);
    if (wish !== '1' && wish !== 'true') return nothing;
    return (await openTap(bus)).close;
  } catch (error) {
    logger?.warn?.(`${TAP_VARIABLE} is set, but no tap could be opened: ${describeThrown(error)}`);
    return nothing;
  }
};
