import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commands, runCli } from '../../../src/cli/index.ts';
import { MessageBus, requestHooks } from '../../../src/index.ts';
import { natsTransport } from '../../../src/transports/index.ts';
import { buildPackage } from '../../examples/support.ts';
import { hasNatsServer, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const guard = (reason: string, more: object = {}) => ({
  hooks: {
    BeforeTool: [
      {
        matcher: 'shell',
        hooks: [{ name: 'guard', command: `echo '{"decision":"deny","reason":"${reason}"}'`, ...more }],
      },
    ],
  },
});

/** A machine with settings of its own on which `hookwright serve` runs. */
const machine = (settings: object) => {
  const directory = temporaryFolder('serve');
  const file = join(directory, '.hookwright', 'settings.json');
  const cwd = join(directory, 'work');
  mkdirSync(join(directory, '.hookwright'));
  mkdirSync(cwd);
  const write = (content: object): void => writeFileSync(file, JSON.stringify(content));
  write(settings);
  const start = (...words: string[]) => {
    // Settings of the user need no approval; the home of a process is found there when they are read.
    vi.stubEnv('HOME', directory);
    onTestFinished(() => void vi.unstubAllEnvs());
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const items: Record<string, unknown>[] = [];
    let told = '';
    let rest = '';
    stdout.setEncoding('utf8').on('data', (text) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((one) => one.startsWith('{')))
        items.push(JSON.parse(line).item ?? JSON.parse(line));
    });
    stderr.setEncoding('utf8').on('data', (text) => {
      told += String(text);
    });
    const signals = new EventEmitter();
    const exit = runCli(
      {
        argv: ['node', 'hookwright', 'serve', '--json', ...words],
        env: { HOME: directory },
        stdin: Readable.from([]),
        stdout: Object.assign(stdout, { isTTY: false, columns: 200 }),
        stderr: Object.assign(stderr, { isTTY: false, columns: 200 }),
        cwd: () => cwd,
        exit: () => {},
        on: (event: string, listener: (error: Error) => void) => signals.on(event, listener),
      },
      commands,
    );
    onTestFinished(async () => {
      signals.emit('SIGTERM');
      await exit;
    });
    const says = (state: string) =>
      vi.waitFor(
        () =>
          found(
            items.find((item) => item.state === state),
            told,
          ),
        8_000,
      );
    return { exit, items, says, send: (signal: string) => signals.emit(signal), told: () => told };
  };
  /** The requests that `hookwright why` lists in that directory. */
  const why = async (...words: string[]): Promise<readonly object[]> => {
    let text = '';
    const stdout = new PassThrough().setEncoding('utf8').on('data', (piece) => {
      text += String(piece);
    });
    await runCli(
      {
        argv: ['node', 'hookwright', 'why', '--json', ...words],
        env: { HOME: directory },
        stdin: Readable.from([]),
        stdout: Object.assign(stdout, { isTTY: false, columns: 200 }),
        stderr: Object.assign(new PassThrough().resume(), { isTTY: false, columns: 200 }),
        cwd: () => cwd,
        exit: () => {},
        on: () => {},
      },
      commands,
    );
    return JSON.parse(text).data?.requests ?? [];
  };
  return { write, start, why, home: directory };
};

const found = <T>(value: T | undefined, told: string): T => {
  if (value === undefined) throw new Error(`it has not been said; on stderr: ${told}`);
  return value;
};

const tool = { tool_name: 'shell', tool_input: { command: 'rm' } };

describe.skipIf(!hasNatsServer)(withNats('hookwright serve'), () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.stop());

  const callerIn = async (prefix: string) => {
    const transport = natsTransport({ servers: server.url, prefix });
    onTestFinished(() => transport.close());
    const bus = new MessageBus({ transport });
    const errors: string[] = [];
    bus.on('error', ({ message }) => errors.push(message));
    await transport.ready();
    const reason = async () => (await requestHooks(bus, 'BeforeTool', tool)).finalOutput?.reason;
    return { bus, errors, reason };
  };

  test('answers with the hooks of its directory, says what it serves, and reads changed settings', async () => {
    const { start, write } = machine(guard('one'));
    const host = start('--nats', server.url, '--prefix', 'serve.1', '--health', '0.1');
    const ready = await host.says('ready');
    expect(ready).toMatchObject({ hooks: 1, runs: 1, group: 'hosts', config: expect.stringMatching(/^[0-9a-f]{12}$/) });
    const { reason } = await callerIn('serve.1');
    expect(await reason()).toBe('one');
    expect(await host.says('up')).toMatchObject({ isUp: true });
    write(guard('two'));
    const reloaded = await host.says('reloaded');
    expect(reloaded.config).not.toBe(ready.config);
    expect(await reason()).toBe('two');
    host.send('SIGHUP');
    host.send('SIGTERM');
    expect(await host.exit).toBe(0);
    expect(host.items.at(-1)).toMatchObject({ data: { answered: 2, left: 0 } });
  });

  test('where no hooks are switched on it says so, and ends', async () => {
    const { start } = machine({});
    const host = start('--nats', server.url);
    expect(await host.exit).toBe(1);
    expect(host.items).toMatchObject([{ ok: false, error: { message: expect.stringContaining('nothing to serve') } }]);
  });

  test('says how many of its hooks will not run', async () => {
    const { hooks } = guard('one', { name: 'off' });
    const { start } = machine({ hooks, hooksConfig: { disabled: ['off'] } });
    const host = start('--nats', server.url, '--prefix', 'serve.5');
    expect(await host.says('ready')).toMatchObject({ hooks: 1, runs: 0 });
  });

  test('R1613 keeps its decisions in the journal, where why finds them while it serves and after', async () => {
    const { start, why } = machine(guard('not that'));
    const host = start('--nats', server.url, '--prefix', 'serve.6');
    await host.says('ready');
    const { reason } = await callerIn('serve.6');
    expect(await reason()).toBe('not that');
    const denied = { eventName: 'BeforeTool', subject: 'shell', payload: tool };
    await vi.waitFor(async () => expect(await why('--since', '1h', '--denied')).toMatchObject([denied]), 8_000);
    host.send('SIGTERM');
    expect(await host.exit).toBe(0);
    expect(await why('--list')).toMatchObject([denied]);
  });

  test('keeps no journal where its user switched it off', async () => {
    const { start, home } = machine({ ...guard('not that'), journal: false });
    const host = start('--nats', server.url, '--prefix', 'serve.7');
    await host.says('ready');
    const { reason } = await callerIn('serve.7');
    expect(await reason()).toBe('not that');
    host.send('SIGTERM');
    await host.exit;
    expect(existsSync(join(home, '.hookwright/journal'))).toBe(false);
  });

  test('at SIGTERM it takes nothing more and answers what it took', async () => {
    const { start } = machine({
      hooks: {
        BeforeTool: [{ hooks: [{ name: 'slow', command: `sleep 0.5; echo '{"decision":"deny","reason":"slow"}'` }] }],
      },
    });
    const host = start('--nats', server.url, '--prefix', 'serve.2');
    await host.says('ready');
    const { reason, bus } = await callerIn('serve.2');
    const before = reason();
    await new Promise((resolve) => setTimeout(resolve, 150));
    host.send('SIGTERM');
    await host.says('draining');
    expect(await before).toBe('slow');
    expect(await host.exit).toBe(0);
    expect((await requestHooks(bus, 'BeforeTool', tool)).errors[0]).toMatchObject({ code: 'no_handler' });
  });

  test('hosts of one group that are configured alike have one hash, and those that are not are told of', async () => {
    const [first, second] = [machine(guard('same')).start, machine(guard('same')).start];
    const other = machine(guard('other'));
    const words = ['--nats', server.url, '--prefix', 'serve.3'];
    const one = await first(...words).says('ready');
    const two = await second(...words).says('ready');
    expect(one.config).toBe(two.config);
    const third = other.start(...words);
    await third.says('ready');
    const problem = await third.says('problem');
    expect(problem.message).toContain('different configurations');
  });

  test('without a broker it says so, and answers as soon as there is one', async () => {
    const own = await startNatsServer();
    await own.stop();
    const host = machine(guard('late')).start('--nats', own.url);
    expect(await host.says('problem')).toMatchObject({
      message: expect.stringContaining('no connection to the broker'),
    });
    await own.start();
    onTestFinished(() => own.stop());
    await host.says('ready');
  });

  describe.skipIf(process.platform === 'win32')('R1217 as a process of its own', () => {
    beforeAll(buildPackage, 60_000);
    const BUSY_MACHINE_MS = 15_000;

    /** A host whose guard has begun and will deny after some time, in a process group as a terminal has one. */
    const hostWithSlowGuard = async (prefix: string, seconds = 0.5) => {
      const directory = temporaryFolder('serve');
      const file = join(directory, '.hookwright', 'settings.json');
      mkdirSync(join(directory, '.hookwright'));
      const begun = join(directory, 'begun');
      const command = `touch '${begun}'; sleep ${seconds}; echo '{"decision":"deny","reason":"not that"}'`;
      const settings = { hooks: { BeforeTool: [{ hooks: [{ name: 'guard', command }] }] } };
      writeFileSync(file, JSON.stringify(settings));
      const cli = join(import.meta.dirname, '../../../dist/cli.js');
      const args = [cli, 'serve', '--json', '--nats', server.url, '--prefix', prefix];
      const env = { PATH: process.env.PATH ?? '', HOME: directory };
      const child = spawn(process.execPath, args, {
        cwd: directory,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
      onTestFinished(async () => {
        child.kill('SIGKILL');
        await exit;
        rmSync(directory, { recursive: true, force: true });
      });
      let said = '';
      child.stdout.on('data', (piece) => {
        said += String(piece);
      });
      await vi.waitFor(() => expect(said).toContain('"ready"'), BUSY_MACHINE_MS);
      const { bus } = await callerIn(prefix);
      const answer = requestHooks(bus, 'BeforeTool', tool);
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), BUSY_MACHINE_MS);
      return { pid: child.pid ?? 0, exit, answer, said: () => said };
    };

    test.each([
      ['SIGTERM', false],
      ['SIGINT', true],
      ['SIGHUP', false],
    ] as const)('%s, and Ctrl-C for the whole group, leaves a guard its time', async (signal, isGroup) => {
      const { pid, exit, answer, said } = await hostWithSlowGuard(`signal.${signal}`);
      process.kill(isGroup ? -pid : pid, signal);
      expect((await answer).finalOutput).toMatchObject({ decision: 'deny', reason: 'not that' });
      if (signal === 'SIGHUP') return;
      expect(await exit).toBe(0);
      expect(said()).toContain('"answered":1,"left":0');
    });

    test('a second signal ends it at once', async () => {
      const { pid, exit, said } = await hostWithSlowGuard('signal.twice', 30);
      process.kill(pid, 'SIGTERM');
      await vi.waitFor(() => expect(said()).toContain('"draining"'), BUSY_MACHINE_MS);
      const from = performance.now();
      process.kill(pid, 'SIGTERM');
      expect(await exit).toBe(130);
      expect(performance.now() - from).toBeLessThan(5_000);
    });
  });
});
