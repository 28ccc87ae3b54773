import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HookwrightError, MessageBus } from '../../src/index.ts';
import { type NatsTransportOptions, natsTransport } from '../../src/transports/index.ts';
import { temporaryFolder } from './temporary-folder.ts';

const commandOf = (): string | undefined => {
  for (const command of ['nats-server', '/usr/sbin/nats-server', '/usr/local/bin/nats-server']) {
    try {
      execFileSync(command, ['--version'], { stdio: 'ignore' });
      return command;
    } catch {
      // The next place.
    }
  }
  return undefined;
};

const command = commandOf();

/** Whether there is a broker to test with. */
export const hasNatsServer = command !== undefined;

/** What a group of tests is called: where there is no broker its title says why nothing of it ran. */
export const withNats = (title: string): string => (hasNatsServer ? title : `${title} (skipped: no nats-server here)`);

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });

const answersOn = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1');
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('INFO'));
    });
    socket.once('error', () => resolve(false));
  });

const isListening = async (port: number): Promise<void> => {
  for (let tried = 0; tried < 500; tried += 1) {
    if (await answersOn(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`nats-server does not listen on ${port}`);
};

export interface NatsServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
  /** Again, on the same port. */
  start(): Promise<void>;
}

/** A broker of one's own, on a free port, with a store of its own. `settings` are lines of its configuration. */
export const startNatsServer = async (settings = ''): Promise<NatsServer> => {
  const port = await freePort();
  const directory = temporaryFolder('nats');
  const config = join(directory, 'server.conf');
  writeFileSync(config, `listen: 127.0.0.1:${port}\n${settings.replaceAll('STORE', join(directory, 'store'))}\n`);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(command ?? 'nats-server', ['-c', config], { stdio: 'ignore' });
    await isListening(port);
  };
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve()).kill('SIGKILL');
    });
  await start();
  return {
    port,
    url: `nats://127.0.0.1:${port}`,
    start,
    stop: async () => {
      await stop();
      if (process.env.KEEP_NATS_STORE === undefined) rmSync(join(directory, 'store'), { recursive: true, force: true });
    },
  };
};

export interface Proxy {
  readonly url: string;
  /** Cuts every connection, and lets nobody in until `mend`. */
  cut(): void;
  /** Keeps the connections, and lets nothing through in either direction until `mend`. */
  freeze(): void;
  mend(): void;
  close(): void;
}

/** A cable that can be cut, between somebody and a port of this machine. */
export const startProxy = async (target: number): Promise<Proxy> => {
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: 'whole' | 'cut' | 'frozen' = 'whole';
  const server = createServer((inner) => {
    if (state === 'cut') {
      inner.destroy();
      return;
    }
    const outer = dial(target, '127.0.0.1');
    const pair = [inner, outer] as const;
    pairs.add(pair);
    inner.pipe(outer);
    outer.pipe(inner);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const each of pair) each.destroy();
        pairs.delete(pair);
      });
      if (state === 'frozen') socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const cutAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    cut: () => {
      state = 'cut';
      cutAll();
    },
    freeze: () => {
      state = 'frozen';
      for (const [inner, outer] of pairs) {
        inner.unpipe(outer).pause();
        outer.unpipe(inner).pause();
      }
    },
    mend: () => {
      if (state === 'frozen') {
        for (const [inner, outer] of pairs) {
          inner.pipe(outer);
          outer.pipe(inner);
        }
      }
      state = 'whole';
    },
    close: () => {
      server.close();
      cutAll();
    },
  };
};

/** A bus over a broker until the test ends, and its errors. */
export const joinBroker = (options: NatsTransportOptions) => {
  const transport = natsTransport(options);
  onTestFinished(() => transport.close());
  const bus = new MessageBus({ transport });
  const errors: HookwrightError[] = [];
  bus.on('error', (error) => errors.push(error));
  return { transport, bus, errors };
};
