import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MessageBus } from '../../src/bus/index.ts';
import { createHooks } from '../../src/facade/index.ts';
import { isRecord } from '../../src/kit/index.ts';
import { type HookExecutionRequest, MessageBusType } from '../../src/protocol/index.ts';
import { findTaps, getTapDirectory, openTap, openTapFromEnvironment, type Tap } from '../../src/sessions/tap.ts';
import { buildHost } from '../support/hosts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let directory: string;
const toClose: (() => unknown)[] = [];

beforeEach(() => {
  directory = temporaryFolder('tap');
});

afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  rmSync(directory, { recursive: true, force: true });
});

const open = async (bus: MessageBus): Promise<Tap> => {
  const tap = await openTap(bus, { directory });
  toClose.push(() => tap.close());
  return tap;
};

const request = (correlationId: string, payload: Record<string, unknown> = {}): HookExecutionRequest => ({
  type: MessageBusType.HOOK_EXECUTION_REQUEST,
  correlationId,
  eventName: 'BeforeTool',
  payload,
});

/** Somebody who reads along. */
class Reader {
  readonly socket: Socket;
  #text = '';

  constructor(path: string) {
    this.socket = connect(path);
    toClose.push(() => this.socket.destroy());
  }

  /** Reads from now on; before that, nothing is taken. */
  read(): this {
    this.socket.setEncoding('utf8').on('data', (piece) => {
      this.#text += String(piece);
    });
    return this;
  }

  get lines(): Record<string, unknown>[] {
    const complete = this.#text.slice(0, this.#text.lastIndexOf('\n') + 1);
    return complete
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line))
      .filter(isRecord);
  }

  get ids(): unknown[] {
    return this.lines.flatMap(({ message }) => (isRecord(message) ? [message.correlationId] : []));
  }
}

const until = (what: () => boolean): Promise<void> => expect.poll(what, { timeout: 8_000, interval: 5 }).toBe(true);

const watched = async (bus: MessageBus, path: string): Promise<Reader> => {
  const before = bus.listenerCount('*');
  const reader = new Reader(path).read();
  await until(() => bus.listenerCount('*') > before || reader.lines.length > 0);
  return reader;
};

describe('a tap', () => {
  test('is a socket that only its user can reach, in a directory of the same kind', async () => {
    const tap = await open(new MessageBus());
    expect(statSync(tap.path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o077).toBe(0);
    expect(findTaps(directory)).toEqual([{ pid: process.pid, path: tap.path }]);
  });

  test('tells what the bus delivers as the lines of a session, to everybody who reads', async () => {
    const bus = new MessageBus();
    const { path } = await open(bus);
    const readers = [await watched(bus, path), await watched(bus, path)];
    await until(() => readers.every(({ lines }) => lines.length === 1));
    bus.publish(request('a'));
    bus.publish(request('b'));
    for (const reader of readers) {
      await until(() => reader.ids.length === 2);
      expect(reader.lines[0]).toMatchObject({ hookwright: 'session', version: 1, redacted: true, pid: process.pid });
      expect(reader.ids).toEqual(['a', 'b']);
    }
  });

  test('lets no secret out', async () => {
    const bus = new MessageBus();
    const reader = await watched(bus, (await open(bus)).path);
    bus.publish(request('a', { tool_input: { password: 'hunter2', text: 'Bearer abcdefghijklmnop1234' } }));
    await until(() => reader.ids.length === 1);
    expect(JSON.stringify(reader.lines)).not.toMatch(/hunter2|abcdefghijklmnop/);
  });

  test('tells a message as it was when it was published', async () => {
    const bus = new MessageBus();
    const reader = await watched(bus, (await open(bus)).path);
    const payload = { text: 'before' };
    bus.publish(request('a', payload));
    payload.text = 'after';
    await until(() => reader.ids.length === 1);
    expect(reader.lines[1]).toMatchObject({ message: { payload: { text: 'before' } } });
  });

  test('listens to the bus only while somebody reads', async () => {
    const bus = new MessageBus();
    const { path } = await open(bus);
    expect(bus.listenerCount('*')).toBe(0);
    const reader = await watched(bus, path);
    expect(bus.listenerCount('*')).toBe(1);
    reader.socket.destroy();
    await until(() => bus.listenerCount('*') === 0);
  });

  test('never waits for a reader that does not read, and says how much it missed', { timeout: 30_000 }, async () => {
    const bus = new MessageBus();
    const { path } = await open(bus);
    const reader = new Reader(path);
    reader.socket.pause();
    await until(() => bus.listenerCount('*') === 1);
    const text = 'x'.repeat(100_000);
    const count = 300;
    for (let index = 0; index < count; index += 1) {
      bus.publish(request(`r${index}`, { text }));
      if (index % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    reader.read().socket.resume();
    const dropped = (): number => reader.lines.reduce((sum, line) => sum + Number(line.dropped ?? 0), 0);
    await until(() => reader.ids.length + dropped() === count);
    expect(dropped()).toBeGreaterThan(100);
    bus.publish(request('later'));
    await until(() => reader.ids.at(-1) === 'later');
  });

  test('is gone when it is closed, and so are its readers; closing again is fine', async () => {
    const bus = new MessageBus();
    const tap = await open(bus);
    const reader = await watched(bus, tap.path);
    const closed = new Promise((resolve) => reader.socket.once('close', resolve));
    bus.publish(request('last'));
    await Promise.all([tap.close(), tap.close()]);
    await closed;
    expect(reader.ids).toEqual(['last']);
    expect(existsSync(tap.path)).toBe(false);
    expect(bus.listenerCount('*')).toBe(0);
  });

  test('can be closed while a reader does not read, and keeps the process alive until then', async () => {
    const child = execFile(process.execPath, [await buildHost('taps'), directory]);
    toClose.push(() => child.kill('SIGKILL'));
    let said = '';
    child.stdout?.on('data', (text) => {
      said += String(text);
    });
    // The file of a socket exists before the process accepts connections.
    await until(() => said === 'open\n');
    const [found] = findTaps(directory);
    const reader = new Reader(found?.path ?? '');
    reader.socket.pause();
    const code = await new Promise((done) => child.once('exit', done));
    expect({ code, said }).toEqual({ code: 0, said: 'open\nclosed\n' });
  });

  test('of a second engine in the same process has its own socket', async () => {
    const [one, other] = [await open(new MessageBus()), await open(new MessageBus())];
    expect(one.path).not.toBe(other.path);
    expect(findTaps(directory)).toHaveLength(2);
  });
});

/** A socket that somebody listens at. */
const listening = (path: string): Promise<void> => {
  const server = createServer();
  toClose.push(() => server.close());
  return new Promise((resolve) => server.listen(path, resolve));
};

const isRoot = process.getuid?.() === 0;

describe('the directory of taps', () => {
  test('is below XDG_RUNTIME_DIR, or has the name of the user below the temporary one', () => {
    expect(getTapDirectory({ XDG_RUNTIME_DIR: '/run/user/1000' })).toBe('/run/user/1000/hookwright');
    expect(getTapDirectory({ XDG_RUNTIME_DIR: 'relative' })).toBe(join(tmpdir(), `hookwright-${process.getuid?.()}`));
  });

  test('is refused when others can enter it, and when it is a link', async () => {
    const isOpen = join(directory, 'open');
    mkdirSync(isOpen);
    chmodSync(isOpen, 0o755);
    await expect(openTap(new MessageBus(), { directory: isOpen })).rejects.toThrow('is open to others');
    const link = join(directory, 'link');
    symlinkSync(directory, link);
    await expect(openTap(new MessageBus(), { directory: link })).rejects.toThrow('is not a directory');
  });

  test('is rid of what dead processes left, and of nothing else', async () => {
    const left = join(directory, '4194999.sock');
    const other = join(directory, 'other.sock');
    await Promise.all([left, other].map(listening));
    expect(findTaps(directory)).toEqual([]);
    expect(existsSync(left)).toBe(false);
    expect(existsSync(other)).toBe(true);
  });
});

describe('R815 whoever looks for taps', () => {
  const shut = (name: string): string => {
    const made = join(directory, name);
    mkdirSync(made, { mode: 0o700 });
    return made;
  };

  test('trusts the directory no further than whoever opens one: not when it is open to others, a link, or a file', async () => {
    const real = shut('real');
    const dead = join(real, '4194999.sock');
    await listening(dead);
    symlinkSync(real, join(directory, 'link'));
    expect(() => findTaps(join(directory, 'link'))).toThrow('is not a directory; no tap is opened or looked for there');
    expect(existsSync(dead)).toBe(true);
    chmodSync(real, 0o777);
    expect(() => findTaps(real)).toThrow('is open to others');
    expect(existsSync(dead)).toBe(true);
    writeFileSync(join(directory, 'file'), '');
    expect(() => findTaps(join(directory, 'file'))).toThrow('is not a directory');
    expect(findTaps(join(directory, 'none'))).toEqual([]);
  });

  test('takes only sockets for taps, and removes nothing through a link', async () => {
    const [taps, elsewhere] = [shut('taps'), shut('elsewhere')];
    const target = join(elsewhere, 'target.sock');
    await listening(target);
    symlinkSync(target, join(taps, `${process.pid}.sock`));
    symlinkSync(target, join(taps, '4194999.sock'));
    writeFileSync(join(taps, '4194998.sock'), 'mine');
    expect(findTaps(taps)).toEqual([]);
    expect(lstatSync(join(taps, '4194999.sock')).isSymbolicLink()).toBe(true);
    expect(existsSync(join(taps, '4194998.sock'))).toBe(true);
    expect(existsSync(target)).toBe(true);
  });

  test.skipIf(!isRoot)('(as root, who can give files away) takes nothing that belongs to somebody else', async () => {
    const taps = shut('taps');
    const socket = join(taps, `${process.pid}.sock`);
    await listening(socket);
    expect(findTaps(taps)).toHaveLength(1);
    chownSync(socket, 54_321, 54_321);
    expect(findTaps(taps)).toEqual([]);
    chownSync(taps, 54_321, 54_321);
    expect(() => findTaps(taps)).toThrow('belongs to another user');
  });

  test.skipIf(!isRoot)('(as root, who can become anybody) has a directory as a user without an entry too', async () => {
    chmodSync(directory, 0o777);
    const host = await buildHost('taps-unknown');
    const { stdout } = await promisify(execFile)(process.execPath, [host, directory]);
    expect(stdout).toBe(`${join(directory, 'hookwright-54321')} 1 tap\n`);
  });
});

describe('HOOKWRIGHT_TAP', () => {
  test('with the path of a socket connects to whoever waits there, before the first event', async () => {
    const path = join(directory, 'record.sock');
    let text = '';
    const server = createServer((socket) => {
      socket.setEncoding('utf8').on('data', (piece) => {
        text += String(piece);
      });
      toClose.push(() => socket.destroy());
    });
    toClose.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    process.env.HOOKWRIGHT_TAP = path;
    try {
      const hooks = await createHooks();
      await hooks.beforeTool({ tool: 'Bash', input: {} });
      await hooks.close();
    } finally {
      delete process.env.HOOKWRIGHT_TAP;
    }
    await until(() => text.includes('hook-execution-response'));
  });

  test('R2006 that cannot be followed leaves no listener for the end of the process', async () => {
    const before = process.listenerCount('exit');
    await openTapFromEnvironment(new MessageBus(), join(directory, 'nobody.sock'), undefined);
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('that cannot be followed is logged, and the agent goes on', async () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const end = await openTapFromEnvironment(new MessageBus(), join(directory, 'nobody.sock'), logger);
    await end();
    expect(warnings).toEqual([expect.stringContaining('no tap could be opened')]);
  });
});
