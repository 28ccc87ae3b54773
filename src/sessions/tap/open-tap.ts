import { chmodSync, existsSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Bus } from '../../bus/index.ts';
import { HookwrightError } from '../../errors.ts';
import { describeThrown } from '../../kit/index.ts';
import { atExit } from '../index.ts';
import { findTaps, prepareTapDirectory, removeSocket, tapDirectory } from './place.ts';
import { TapFeed } from './tap-feed.ts';

export interface TapOptions {
  /** How the agent is called where taps are listed. */
  readonly name?: string | undefined;
  /** Another directory than the user's own; it must be open to its owner alone. */
  readonly directory?: string | undefined;
}

export interface Tap {
  readonly path: string;
  /** Sends what waits, lets readers go and takes the socket away. Safe to call twice. */
  close(): Promise<void>;
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });

const freePath = (directory: string): string => {
  for (let count = 1; ; count += 1) {
    const path = join(directory, count === 1 ? `${process.pid}.sock` : `${process.pid}-${count}.sock`);
    if (!existsSync(path)) return path;
  }
};

/** The sockets of this process. Others with our process id were left behind by an earlier process. */
const openHere = new Set<string>();

const sweep = (directory: string): void => {
  for (const { pid, path } of findTaps(directory)) {
    if (pid === process.pid && !openHere.has(path)) removeSocket(path);
  }
};

const closeServer = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/**
 * Opens a socket at which `hookwright why --follow` and `hookwright record` can read along what the bus delivers, secrets taken
 * out. Only the user of this process can connect. It keeps no process alive, and no reader slows a publisher down.
 * Rejects where there are no such sockets (Windows) and where the directory is not safe.
 */
export const openTap = async (bus: Bus, { name, directory = tapDirectory() }: TapOptions = {}): Promise<Tap> => {
  if (process.platform === 'win32') {
    throw new HookwrightError('not_supported', 'taps need sockets that belong to a user, which Windows does not have');
  }
  prepareTapDirectory(directory);
  sweep(directory);
  const path = freePath(directory);
  const feed = new TapFeed(bus, name);
  const server = createServer(feed.add);
  try {
    openHere.add(path);
    await listen(server, path);
    chmodSync(path, 0o600);
  } catch (error) {
    openHere.delete(path);
    await feed.close();
    server.close();
    throw new HookwrightError('invalid_argument', `no tap at ${path}: ${describeThrown(error)}`, { cause: error });
  }
  server.unref();
  const remove = (): void => removeSocket(path);
  const forgetExit = atExit(remove);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    forgetExit();
    openHere.delete(path);
    const closed = closeServer(server);
    remove();
    await feed.close();
    await closed;
  };
  return {
    path,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
};
