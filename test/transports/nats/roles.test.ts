import { once } from 'node:events';
import { join as join_ } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  BeforeToolHookOutput,
  confirmOverBus,
  createHooks,
  type HookMessage,
  type HookwrightError,
  MessageBus,
  MessageBusType,
  requestHooks,
} from '../../../src/index.ts';
import { readSession, record, replay } from '../../../src/sessions/index.ts';
import { type NatsTransport, type NatsTransportOptions, natsTransport } from '../../../src/transports/index.ts';
import { fn, groupOf } from '../../support/engine.ts';
import { hasNatsServer, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe.skipIf(!hasNatsServer)(withNats('callers, hosts and observers over NATS'), () => {
  let server: NatsServer;
  let prefixes = 0;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.stop());

  /** Processes, as far as a broker can tell: each has a connection of its own. */
  const processes = () => {
    prefixes += 1;
    const prefix = `roles.${prefixes}`;
    const join = async (options: NatsTransportOptions = {}) => {
      const transport: NatsTransport = natsTransport({ servers: server.url, prefix, ...options });
      onTestFinished(() => transport.close());
      const bus = new MessageBus({ transport });
      const errors: HookwrightError[] = [];
      bus.on('error', (error) => errors.push(error));
      await transport.ready();
      return { transport, bus, errors };
    };
    const host = async (reason: string, options: NatsTransportOptions = {}, asked: string[] = []) => {
      const joined = await join(options);
      const guard = fn(reason, () => {
        asked.push(reason);
        return { decision: 'deny', reason };
      });
      const hooks = await createHooks({ bus: joined.bus, hooks: { BeforeTool: groupOf(guard) } });
      onTestFinished(() => hooks.close());
      await joined.transport.flush();
      return { ...joined, hooks };
    };
    return { prefix, join, host };
  };

  const tool = { tool_name: 'shell', tool_input: { command: 'rm' } };

  test('of the hosts of a group exactly one answers, in the class of the event, and all have their turn', async () => {
    const { join, host } = processes();
    const asked: string[] = [];
    for (const name of ['one', 'two', 'three']) await host(name, {}, asked);
    const { bus, errors } = await join();
    const results = await Promise.all(Array.from({ length: 60 }, () => requestHooks(bus, 'BeforeTool', tool)));
    expect(results.every(({ finalOutput }) => finalOutput instanceof BeforeToolHookOutput)).toBe(true);
    expect(results.map(({ finalOutput }) => finalOutput?.reason).sort()).toEqual([...asked].sort());
    expect(new Set(asked).size).toBe(3);
    expect(errors).toEqual([]);
  });

  test('F68 hosts of another group are not asked, and no name is more than one token of a subject', async () => {
    const { join, host } = processes();
    await host('theirs', { group: 'a.*' });
    await host('ours', { group: 'b >' });
    const { bus } = await join({ group: 'b >', name: 'a.> *' });
    for (let asked = 0; asked < 5; asked += 1) {
      const { finalOutput } = await requestHooks(bus, 'BeforeTool', tool);
      expect(finalOutput?.reason).toBe('ours');
    }
  });

  test('observers see every message of a request, whoever sent it, and cannot change it', async () => {
    const { join, host } = processes();
    await host('guard');
    const observer = await join();
    const seen: HookMessage[] = [];
    observer.bus.stream().subscribe((message) => {
      seen.push(message);
      Reflect.set(message, 'eventName', 'changed');
    });
    await observer.transport.flush();
    const caller = await join();
    const { finalOutput } = await requestHooks(caller.bus, 'BeforeTool', tool);
    expect(finalOutput?.reason).toBe('guard');
    await vi.waitFor(() =>
      expect(seen.map(({ type }) => type).sort()).toEqual(
        [
          MessageBusType.HOOK_EXECUTION_REQUEST,
          MessageBusType.HOOK_STARTED,
          MessageBusType.HOOK_FINISHED,
          MessageBusType.HOOK_EXECUTION_TRACE,
          MessageBusType.HOOK_EXECUTION_RESPONSE,
        ].sort(),
      ),
    );
  });

  test('a direct call of an engine is told to observers, and no host answers it', async () => {
    const { join, host } = processes();
    const asked: string[] = [];
    await host('elsewhere', {}, asked);
    const observer = await join();
    const seen: string[] = [];
    observer.bus
      .stream(MessageBusType.HOOK_EXECUTION_RESPONSE)
      .subscribe(({ output }) => seen.push(`${output?.reason}`));
    await observer.transport.flush();
    const here = await host('here');
    await here.hooks.beforeTool({ tool: 'shell', input: {} });
    await vi.waitFor(() => expect(seen).toEqual(['here']));
    expect(asked).toEqual([]);
  });

  test('who asks and who answers a question to a person may be on different machines', async () => {
    const { join } = processes();
    const screen = await join();
    screen.bus.subscribe(MessageBusType.HOOK_CONFIRMATION_REQUEST, ({ correlationId, reason }) => {
      const type = MessageBusType.HOOK_CONFIRMATION_RESPONSE;
      screen.bus.publish({ type, correlationId, approved: reason === 'sure?' });
    });
    await screen.transport.flush();
    const { bus } = await join();
    const confirm = confirmOverBus(bus, { timeoutMs: 2_000 });
    expect(await confirm({ eventName: 'BeforeTool', reason: 'sure?' })).toBe(true);
    expect(await confirm({ eventName: 'BeforeTool', reason: 'really?' })).toBe(false);
  });

  test('an answer goes to whoever asked and to nobody else, also where two callers chose one id', async () => {
    const { join } = processes();
    const host = await join();
    const slow = fn('slow', async (input) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { decision: 'deny', reason: String(input.tool_name) };
    });
    const hooks = await createHooks({ bus: host.bus, hooks: { BeforeTool: groupOf(slow) } });
    onTestFinished(() => hooks.close());
    await host.transport.flush();
    const ask = ({ bus }: { readonly bus: MessageBus }, tool_name: string) => {
      const request = {
        type: MessageBusType.HOOK_EXECUTION_REQUEST,
        correlationId: 'one and the same',
        eventName: 'BeforeTool',
        payload: { tool_name, tool_input: {} },
      };
      return bus.request(request, MessageBusType.HOOK_EXECUTION_RESPONSE, 600).catch(({ code }) => code);
    };
    const [first, second] = [await join(), await join()];
    const answer = ask(first, 'first');
    await vi.waitFor(() => expect(host.transport.stats().owed).toBe(1), { interval: 1 });
    const refusal = ask(second, 'second');
    expect(await answer).toMatchObject({ success: true, output: { reason: 'first' } });
    // Its own refusal is no answer to it: whoever refuses cannot know which of the two it means.
    expect(await refusal).toBe('deadline_exceeded');
    expect(second.bus.stats().ignoredResponses).toBe(1);
  });

  test('an abort ends the hooks of the host', async () => {
    const { join } = processes();
    const host = await join();
    const stopped = vi.fn();
    const hanging = fn('hanging', (_input, { signal }) => {
      signal.addEventListener('abort', stopped);
      return new Promise(() => {});
    });
    const hooks = await createHooks({ bus: host.bus, hooks: { BeforeTool: groupOf(hanging) } });
    onTestFinished(() => hooks.close());
    await host.transport.flush();
    const { bus } = await join();
    const { errors } = await requestHooks(bus, 'BeforeTool', tool, { signal: AbortSignal.timeout(50) });
    expect(errors[0]).toMatchObject({ code: 'cancelled' });
    expect(stopped).toHaveBeenCalledTimes(1);
  });

  test('a host that drains takes nothing more, answers what it has, and those beside it go on', async () => {
    const { join } = processes();
    const first = await join();
    const release = new AbortController();
    const slow = fn('slow', async () => {
      if (!release.signal.aborted) await once(release.signal, 'abort');
      return { decision: 'deny', reason: 'drained' };
    });
    const hooks = await createHooks({ bus: first.bus, hooks: { BeforeTool: groupOf(slow) } });
    await first.transport.flush();
    const { bus, errors } = await join();
    const before = Array.from({ length: 5 }, () => requestHooks(bus, 'BeforeTool', tool));
    await vi.waitFor(() => expect(first.transport.stats().owed).toBe(5));
    const drained = first.transport.drain();
    // The broker knows of it: what was asked before that may still be answered.
    await first.transport.flush();
    const after = requestHooks(bus, 'BeforeTool', tool);
    release.abort();
    expect((await Promise.all(before)).map(({ finalOutput }) => finalOutput?.reason)).toEqual(Array(5).fill('drained'));
    expect(await drained).toBe(true);
    expect((await after).errors[0]).toMatchObject({ code: 'no_handler' });
    await hooks.close();
    expect(errors).toEqual([]);
  });

  test('hosts of one group whose configurations differ are told of, at the hosts and by whoever asks', async () => {
    const { join, host } = processes();
    const one = await host('one');
    one.transport.announce('aaaa');
    const two = await host('two');
    two.transport.announce('bbbb');
    const differ = { code: 'invalid_config', message: expect.stringContaining('different configurations') };
    await vi.waitFor(() => expect([one.errors, two.errors]).toMatchObject([[differ], [differ]]));
    const caller = await join();
    for (let asked = 0; asked < 40; asked += 1) await requestHooks(caller.bus, 'BeforeTool', tool);
    expect(caller.errors).toMatchObject([differ]);
    expect(caller.errors[0]?.message).toMatch(/aaaa|bbbb/);
  });

  test('hosts whose configurations differ are told of after a thousand hosts came and went, too', async () => {
    const { prefix, host } = processes();
    const connection = await connect({ servers: server.url });
    onTestFinished(() => connection.close());
    const announcements = connection.subscribe(`${prefix}.>`)[Symbol.asyncIterator]();
    await connection.flush();
    const { transport, errors } = await host('one');
    transport.announce('aaaa');
    const announcement = await announcements.next();
    const announce = (id: string, config: string): void =>
      connection.publish(announcement.value.subject, JSON.stringify({ host: id, config, isReply: true }));
    for (let count = 0; count < 1_000; count += 1) announce(`host ${count}`, 'aaaa');
    announce('last', 'bbbb');
    await vi.waitFor(() => expect(errors).toMatchObject([{ message: expect.stringContaining('last has bbbb') }]));
  });

  test('a recorder on any bus records the requests of all, and what it recorded can be driven again over the broker', async () => {
    const { join, host } = processes();
    await host('guard');
    const { bus, transport } = await join();
    const directory = temporaryFolder('nats');
    const recording = record(bus, { file: join_(directory, 'session.jsonl') });
    await transport.flush();
    const caller = await join();
    await requestHooks(caller.bus, 'BeforeTool', tool);
    await requestHooks(caller.bus, 'BeforeTool', { ...tool, tool_name: 'other' });
    const types = async () => (await recordedIn(recording.file)).map(({ type }) => type);
    await vi.waitFor(async () => expect(await types()).toContain(MessageBusType.HOOK_EXECUTION_RESPONSE), 3_000);
    await transport.flush();
    await recording.close();
    const report = await replay(readSession(recording.file), caller.bus, { mode: 'drive' });
    expect(report.pairs.map(({ same }) => same)).toEqual([true, true]);
  });
});

const recordedIn = async (file: string): Promise<HookMessage[]> => {
  const messages: HookMessage[] = [];
  for await (const { message } of readSession(file)) messages.push(message);
  return messages;
};
