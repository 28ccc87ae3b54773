// Opens taps: sockets at which other processes of the same user read the messages of an agent.
import { once as waitForEvent } from 'node:events';
import { chmodSync, existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Bus } from '../../bus/index.ts';
import { HookwrightError } from '../../errors.ts';
import { describeThrown, once } from '../../kit/index.ts';
import type { Logger } from '../../protocol/index.ts';
import { callAtExit } from '../index.ts';
import { findTaps, getTapDirectory, prepareTapDirectory, removeSocket } from './tap-directory.ts';
import { TapFeed } from './tap-feed.ts';

export interface TapOptions {
  /** Name of the agent in lists of taps. */
  readonly name?: string | undefined;
  /** Directory of the socket; only its owner may have access. Default: a directory of the user. */
  readonly directory?: string | undefined;
}

export interface Tap {
  readonly path: string;
  close(): Promise<void>;
}

const findFreePath = (directory: string): string => {
  for (let count = 1; ; count += 1) {
    const path = join(directory, count === 1 ? `${process.pid}.sock` : `${process.pid}-${count}.sock`);
    if (!existsSync(path)) return path;
  }
};

/** Paths of this process. Other sockets with its process id in the name are left over from an ended process. */
const openSocketPaths = new Set<string>();

const removeStaleSockets = (directory: string): void => {
  for (const { pid, path } of findTaps(directory)) {
    if (pid === process.pid && !openSocketPaths.has(path)) removeSocket(path);
  }
};

/**
 * Opens a socket at which `hookwright why --follow` and `hookwright record` read the messages of the bus, without
 * secrets. Only the user of this process can connect. The socket does not keep the process alive, and readers do not
 * slow down publishers. Rejects on Windows, which lacks such sockets, and if the directory is not safe.
 */
export const openTap = async (bus: Bus, { name, directory = getTapDirectory() }: TapOptions = {}): Promise<Tap> => {
  if (process.platform === 'win32') {
    throw new HookwrightError('not_supported', 'taps need sockets that belong to a user, which Windows does not have');
  }
  prepareTapDirectory(directory);
  removeStaleSockets(directory);
  const path = findFreePath(directory);
  const feed = new TapFeed(bus, name);
  const server = createServer(feed.add);
  try {
    openSocketPaths.add(path);
    await waitForEvent(server.listen(path), 'listening');
    chmodSync(path, 0o600);
  } catch (error) {
    openSocketPaths.delete(path);
    await feed.close();
    server.close();
    throw new HookwrightError('invalid_argument', `no tap at ${path}: ${describeThrown(error)}`, { cause: error });
  }
  server.unref();
  const forgetExit = callAtExit(() => removeSocket(path));
  const close = once(async (): Promise<void> => {
    forgetExit();
    openSocketPaths.delete(path);
    const closed = waitForEvent(server.close(), 'close');
    removeSocket(path);
    await feed.close();
    await closed;
  });
  return { path, close };
};

/** Environment variable: `1` opens a tap; a path connects to the socket at which `hookwright record -- …` waits. */
export const TAP_VARIABLE = 'HOOKWRIGHT_TAP';

const connectToSocket = async (bus: Bus, path: string): Promise<() => Promise<void>> => {
  const socket = connect(path);
  await waitForEvent(socket, 'connect');
  const feed = new TapFeed(bus, undefined);
  feed.add(socket);
  return () => feed.close();
};

/**
 * `setting` is the value of HOOKWRIGHT_TAP. Resolves to a function that closes the tap or connection. A failure is only
 * logged, since the agent also works without a tap.
 */
export const openTapFromEnvironment = async (
  bus: Bus,
  setting: string,
  logger: Logger | undefined,
): Promise<() => Promise<void>> => {
  try {
    if (setting.startsWith('/')) return await connectToSocket(bus, setting);
    if (setting === '1' || setting === 'true') return (await openTap(bus)).close;
  } catch (error) {
    logger?.warn?.(`${TAP_VARIABLE} is set, but no tap could be opened: ${describeThrown(error)}`);
  }
  return () => Promise.resolve();
};
