import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHooks, MessageBusType, requestHooks } from '../../src/index.ts';
import type { NatsTransportOptions } from '../../src/transports/index.ts';
import { fn, groupOf, sleep } from '../support/engine.ts';
import { buildHost, type Host, startHost } from '../support/hosts.ts';
import {
  freePort,
  hasNatsServer,
  joinBroker,
  type NatsServer,
  startNatsServer,
  startProxy,
  withNats,
} from '../support/nats-server.ts';

const payload = (tool_name: string) => ({ tool_name, tool_input: { command: 'rm' } });

const joinAt = (servers: string, options: NatsTransportOptions = {}) => joinBroker({ servers, ...options });

describe.skipIf(!hasNatsServer)(withNats('over a real broker'), () => {
  let server: NatsServer;
  let program: string;
  let prefixes = 0;
  beforeAll(async () => {
    [server, program] = await Promise.all([startNatsServer(), buildHost('nats-host')]);
  });
  afterAll(() => server.stop());

  const newPrefix = (): string => {
    prefixes += 1;
    return `faults.${prefixes}`;
  };

  const hostAt = async (url: string, prefix: string): Promise<Host & { readonly hostId: string }> => {
    const host = startHost(program, [url, prefix]);
    onTestFinished(() => {
      host.child.kill('SIGKILL');
    });
    let said = '';
    host.child.stdout.on('data', (text) => {
      said += String(text);
    });
    await host.says('ready');
    return { ...host, hostId: said.split(/\s/)[1] ?? '' };
  };

  const timed = async <T>(work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> => {
    const startedAt = performance.now();
    return { value: await work, ms: performance.now() - startedAt };
  };

  describe('F69 a host that is killed while it works on a request', () => {
    test.each([
      ['BeforeTool', undefined, 'deny'],
      ['BeforeTool', 'deny', 'deny'],
      ['BeforeTool', 'ask', 'ask'],
      ['BeforeTool', 'none', undefined],
      ['BeforeTool', 'retry', 'deny'],
    ] as const)(
      'is host_lost within the deadline, and %s with onLost %s comes to %s',
      async (event, onLost, decision) => {
        const prefix = newPrefix();
        const host = await hostAt(server.url, prefix);
        const { bus, transport } = joinAt(server.url, { prefix });
        await transport.ready();
        setTimeout(() => host.child.kill('SIGKILL'), 200);
        const { value, ms } = await timed(
          requestHooks(bus, event, payload('hang'), { timeoutMs: 5_000, ...(onLost === undefined ? {} : { onLost }) }),
        );
        expect(ms).toBeGreaterThan(190);
        expect(ms).toBeLessThan(1_500);
        expect(value.success).toBe(false);
        expect(value.errors[0]).toMatchObject({ code: 'host_lost', details: { host: host.hostId } });
        expect(value.finalOutput?.decision).toBe(decision);
        expect(transport.stats()).toMatchObject({ asked: 0, lost: 1 });
      },
    );

    test('an event that approves nothing has no verdict then', async () => {
      const prefix = newPrefix();
      const { bus, transport } = joinAt(server.url, { prefix });
      await transport.ready();
      const notification = { notification_type: 'ToolPermission', message: 'x', details: {} } as const;
      const { errors, finalOutput } = await requestHooks(bus, 'Notification', notification, { timeoutMs: 1_000 });
      expect([errors[0], finalOutput]).toMatchObject([{ code: 'no_handler' }, undefined]);
    });

    test.each(['BeforeTool', 'PermissionRequest'] as const)(
      'R893 %s approves something, so without a host it is denied',
      async (event) => {
        const { bus, transport } = joinAt(server.url, { prefix: newPrefix() });
        await transport.ready();
        const { errors, finalOutput } = await requestHooks(bus, event, payload('rm'), { timeoutMs: 1_000 });
        expect(errors[0]).toMatchObject({ code: 'no_handler' });
        expect(finalOutput?.isBlockingDecision()).toBe(true);
      },
    );

    test('with retry another host is asked, once, and its answer counts', async () => {
      const prefix = newPrefix();
      const asked: unknown[] = [];
      const doomed = await hostAt(server.url, prefix);
      const { bus, transport } = joinAt(server.url, { prefix });
      await transport.ready();
      const answer = requestHooks(bus, 'BeforeTool', payload('hang'), { timeoutMs: 5_000, onLost: 'retry' });
      await sleep(150);
      const other = joinAt(server.url, { prefix });
      const spare = fn('spare', ({ tool_name }) => {
        asked.push(tool_name);
        return { decision: 'deny', reason: 'the spare one' };
      });
      const hooks = await createHooks({ bus: other.bus, hooks: { BeforeTool: groupOf(spare) } });
      onTestFinished(() => hooks.close());
      await other.transport.flush();
      doomed.child.kill('SIGKILL');
      const { success, finalOutput } = await answer;
      expect([success, finalOutput?.reason, asked]).toEqual([true, 'the spare one', ['hang']]);
    });

    test('a host that is stopped and says nothing is lost as well, and what it says later changes nothing', async () => {
      const prefix = newPrefix();
      const host = await hostAt(server.url, prefix);
      const { bus, transport, errors } = joinAt(server.url, { prefix });
      await transport.ready();
      const answer = requestHooks(bus, 'BeforeTool', payload('hang'), { timeoutMs: 2_000, onLost: 'none' });
      await sleep(200);
      host.child.kill('SIGSTOP');
      const { value, ms } = await timed(answer);
      expect(ms).toBeLessThan(2_000);
      expect([value.errors[0], value.finalOutput]).toMatchObject([{ code: 'host_lost' }, undefined]);
      host.child.kill('SIGCONT');
      await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'duplicate_response' }]), 3_000);
    });
  });

  test('F69 a host whose event loop is busy for a while is not lost', async () => {
    const prefix = newPrefix();
    await hostAt(server.url, prefix);
    const { bus, transport } = joinAt(server.url, { prefix });
    await transport.ready();
    const { success } = await requestHooks(bus, 'BeforeTool', payload('spin'), { timeoutMs: 10_000 });
    expect(success).toBe(true);
  });

  test('F69 a link that drops with a request in flight: the answer comes over the next one, within the deadline', async () => {
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.close());
    const prefix = newPrefix();
    await hostAt(server.url, prefix);
    const { bus, transport, errors } = joinAt(proxy.url, { prefix });
    await transport.ready();
    const lost = requestHooks(bus, 'BeforeTool', payload('slow'), { timeoutMs: 3_000 });
    await sleep(30);
    proxy.cut();
    await vi.waitFor(() => expect(transport.stats().isUp).toBe(false), 2_000);
    const during = requestHooks(bus, 'BeforeTool', payload('deny'), { timeoutMs: 3_000 });
    await sleep(100);
    proxy.mend();
    expect((await during).finalOutput?.reason).toMatch(/^by \d+$/);
    // The request or its answer went nowhere: either nobody took it, or its host knows nothing of it any more.
    expect(['host_lost', 'no_handler']).toContain(Reflect.get((await lost).errors[0] ?? {}, 'code'));
    expect((await lost).finalOutput?.isBlockingDecision()).toBe(true);
    expect(errors[0]).toMatchObject({ code: 'transport_failed', message: expect.stringContaining('link') });
  });

  test('F69 a link that goes silent stops nobody beyond the deadline', async () => {
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy.close());
    const prefix = newPrefix();
    await hostAt(server.url, prefix);
    const { bus, transport } = joinAt(proxy.url, { prefix });
    await transport.ready();
    await requestHooks(bus, 'BeforeTool', payload('deny'));
    proxy.freeze();
    const { value, ms } = await timed(requestHooks(bus, 'BeforeTool', payload('deny'), { timeoutMs: 600 }));
    expect(ms).toBeLessThan(700);
    expect(value.finalOutput?.isBlockingDecision()).toBe(true);
  });

  test('F69 a host that reads too slowly is cut off by the broker: its requests are lost, that is told, and it comes back', async () => {
    const strict = await startNatsServer('max_payload: 262144\nmax_pending: 262144\nwrite_deadline: "200ms"');
    onTestFinished(() => strict.stop());
    const prefix = newPrefix();
    const host = await hostAt(strict.url, prefix);
    const { bus, transport } = joinAt(strict.url, { prefix });
    await transport.ready();
    expect((await requestHooks(bus, 'BeforeTool', payload('deny'))).finalOutput?.reason).toMatch(/^by/);
    host.child.kill('SIGSTOP');
    const long = { tool_name: 'deny', tool_input: { text: 'x'.repeat(200_000) } };
    const asked = Array.from({ length: 40 }, () => requestHooks(bus, 'BeforeTool', long, { timeoutMs: 1_200 }));
    const results = await Promise.all(asked);
    expect(results.every(({ finalOutput }) => finalOutput?.isBlockingDecision())).toBe(true);
    expect(results.every(({ success }) => !success)).toBe(true);
    host.child.kill('SIGCONT');
    await vi.waitFor(
      async () => expect((await requestHooks(bus, 'BeforeTool', payload('deny'))).finalOutput?.reason).toMatch(/^by/),
      { timeout: 5_000, interval: 100 },
    );
    host.child.kill('SIGKILL');
    expect((await host.ended).stderr).toContain('the link to the broker is down');
  });

  test('F69 what is published while there is no link is bounded, and told', async () => {
    const port = await freePort();
    const { bus, transport, errors } = joinAt(`nats://127.0.0.1:${port}`);
    const note = 'x'.repeat(100_000);
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 2_000; index += 1) {
      bus.publish({
        type: MessageBusType.HOOK_SYSTEM_MESSAGE,
        correlationId: 'note',
        eventName: 'BeforeTool',
        hookId: 'a',
        hookName: 'a',
        message: note,
      });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 2 ** 20);
    expect(errors.at(-1)).toMatchObject({
      code: 'transport_failed',
      message: expect.stringContaining('too much waits'),
    });
    expect(transport.stats().dropped).toBeGreaterThan(1_000);
  });

  test('F69 a server that comes later finds the request waiting, and one that comes back is found again', async () => {
    const own = await startNatsServer();
    await own.stop();
    const prefix = newPrefix();
    const { bus, errors } = joinAt(own.url, { prefix });
    const host = joinAt(own.url, { prefix });
    const guard = fn('guard', () => ({ decision: 'deny', reason: 'late' }));
    const hooks = await createHooks({ bus: host.bus, hooks: { BeforeTool: groupOf(guard) } });
    onTestFinished(() => hooks.close());
    await vi.waitFor(
      () => expect(errors).toMatchObject([{ message: expect.stringContaining('no connection') }]),
      2_000,
    );
    await own.start();
    onTestFinished(() => own.stop());
    await host.transport.ready();
    await host.transport.flush();
    expect((await requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 5_000 })).finalOutput?.reason).toBe(
      'late',
    );
    await own.stop();
    await vi.waitFor(() => expect(host.transport.stats().isUp).toBe(false), 2_000);
    await own.start();
    await vi.waitFor(() => expect(host.transport.stats().isUp).toBe(true), 5_000);
    await host.transport.flush();
    expect((await requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 5_000 })).finalOutput?.reason).toBe(
      'late',
    );
  });

  test('F69 a request that is delivered twice is worked on once, and answered once', async () => {
    const { connect } = await import('@nats-io/transport-node');
    const raw = await connect({ servers: server.url });
    onTestFinished(() => raw.close());
    const prefix = newPrefix();
    const host = joinAt(server.url, { prefix });
    let runs = 0;
    const count = fn('count', () => {
      runs += 1;
    });
    const hooks = await createHooks({ bus: host.bus, hooks: { BeforeTool: groupOf(count) } });
    onTestFinished(() => hooks.close());
    await host.transport.flush();
    const answers: string[] = [];
    const reply = `${prefix}.hosts.bus.hook-execution-response.to.me.1`;
    raw.subscribe(reply, { callback: (_error, message) => void answers.push(message.string()) });
    const request = {
      type: 'hook-execution-request',
      correlationId: 'a',
      eventName: 'BeforeTool',
      payload: payload('x'),
    };
    for (let sent = 0; sent < 3; sent += 1) {
      raw.publish(`${prefix}.hosts.bus.hook-execution-request.ask.me`, JSON.stringify(request), { reply });
      await sleep(20);
    }
    await vi.waitFor(() => expect(host.transport.stats().duplicates).toBe(2));
    expect([runs, answers.length]).toEqual([1, 1]);
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ host: { id: host.transport.hostId } });
  });

  test('F69 a decision past its deadline is not sent', async () => {
    const { connect } = await import('@nats-io/transport-node');
    const raw = await connect({ servers: server.url });
    onTestFinished(() => raw.close());
    const prefix = newPrefix();
    const { bus, transport, errors } = joinAt(server.url, { prefix });
    // A host that cares for no deadline.
    bus.serve(MessageBusType.HOOK_EXECUTION_REQUEST, ({ correlationId, eventName }) => {
      const result = { success: true, finalOutput: undefined, allOutputs: [], errors: [], totalDuration: 0 };
      const type = MessageBusType.HOOK_EXECUTION_RESPONSE;
      setTimeout(() => bus.publish({ type, correlationId, eventName, success: true, result }), 1_650);
    });
    await transport.ready();
    await transport.flush();
    const caller = joinAt(server.url, { prefix });
    await caller.transport.ready();
    const answer = await requestHooks(caller.bus, 'BeforeTool', payload('x'), { timeoutMs: 500 });
    expect(answer.errors[0]).toMatchObject({ code: 'deadline_exceeded' });
    expect(answer.finalOutput?.isBlockingDecision()).toBe(true);
    await vi.waitFor(() => expect(transport.stats().late).toBe(1), 2_000);
    expect(errors).toMatchObject([{ code: 'deadline_exceeded' }]);
    expect(caller.errors).toEqual([]);
  });

  test('F68 subjects and permissions: what cannot be published or heard is told at once, and by name', async () => {
    const strict = await startNatsServer(`
authorization { users = [
  { user: agent, password: a, permissions: { publish: ["other.>"], subscribe: ["hookwright.>"] } }
] }`);
    onTestFinished(() => strict.stop());
    const { bus, transport, errors } = joinAt(strict.url, { client: { user: 'agent', pass: 'a' } });
    await transport.ready();
    const { value, ms } = await timed(requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 5_000 }));
    expect(ms).toBeLessThan(1_000);
    expect(value.errors[0]).toMatchObject({
      code: 'transport_failed',
      message: expect.stringContaining('permissions'),
    });
    expect(value.finalOutput?.isBlockingDecision()).toBe(true);
    expect(errors.some(({ message }) => message.includes('hook-execution-request'))).toBe(true);
  });

  test('F68 a broker that refuses who we are is told, and asked again', async () => {
    const strict = await startNatsServer('authorization { user: agent, password: right }');
    onTestFinished(() => strict.stop());
    const { bus, errors } = joinAt(strict.url, { client: { user: 'agent', pass: 'wrong' } });
    const { finalOutput } = await requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 400 });
    expect(finalOutput?.isBlockingDecision()).toBe(true);
    expect(errors[0]?.message).toMatch(/no connection.*Authorization/i);
  });

  describe('F68 what is longer than the broker takes', () => {
    let small: NatsServer;
    beforeAll(async () => {
      small = await startNatsServer('max_payload: 65536');
    });
    afterAll(() => small.stop());

    test('a request is refused before it is sent, with both numbers', async () => {
      const { bus, transport } = joinAt(small.url, { prefix: newPrefix() });
      await transport.ready();
      const long = { tool_name: 'x', tool_input: { text: 'x'.repeat(70_000) } };
      const { value, ms } = await timed(requestHooks(bus, 'BeforeTool', long));
      expect(ms).toBeLessThan(500);
      expect(value.errors[0]).toMatchObject({ code: 'invalid_request' });
      expect(value.errors[0]?.message).toMatch(/70\d\d\d bytes.*65536 \(max_payload\)/);
      expect(value.finalOutput?.isBlockingDecision()).toBe(true);
    });

    test('an answer keeps its block, and one that changes something is not taken for an approval', async () => {
      const prefix = newPrefix();
      await hostAt(small.url, prefix);
      const { bus, transport } = joinAt(small.url, { prefix });
      await transport.ready();
      const blocked = await requestHooks(bus, 'BeforeTool', payload('long'));
      expect(blocked.errors[0]).toMatchObject({ code: 'transport_failed' });
      expect(blocked.finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'too long' });
      const changed = await requestHooks(bus, 'BeforeTool', payload('change'));
      expect(changed.errors[0]?.message).toMatch(/max_payload/);
      expect(changed.finalOutput?.isBlockingDecision()).toBe(true);
    });
  });

  test.each([
    ['no JSON', '{', 'JSON'],
    ['a message of another type', JSON.stringify({ type: 'hook-system-message', correlationId: 'ID' }), 'another type'],
    [
      'no result',
      JSON.stringify({
        type: 'hook-execution-response',
        correlationId: 'ID',
        eventName: 'BeforeTool',
        success: true,
        result: 1,
      }),
      'result',
    ],
    [
      'ten thousand levels',
      `{"type":"hook-execution-response","correlationId":"ID","a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      'levels',
    ],
  ])('F68 an answer that is %s is a fault and no verdict', async (_, text, why) => {
    const { connect } = await import('@nats-io/transport-node');
    const raw = await connect({ servers: server.url });
    onTestFinished(() => raw.close());
    const prefix = newPrefix();
    raw.subscribe(`${prefix}.hosts.bus.hook-execution-request.ask.*`, {
      callback: (_error, message) => {
        const { correlationId } = message.json<{ correlationId: string }>();
        raw.publish(message.reply ?? '', text.replace('ID', correlationId));
      },
    });
    await raw.flush();
    const { bus, transport, errors } = joinAt(server.url, { prefix });
    await transport.ready();
    const { errors: failures, finalOutput } = await requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 2_000 });
    expect(failures[0]).toMatchObject({ code: 'transport_failed', message: expect.stringContaining(why) });
    expect(finalOutput?.reason).toContain('No hook host answered');
    expect(errors[0]).toMatchObject({ code: 'invalid_message' });
  });

  test('F68 keys that reach a prototype are dropped from an answer', async () => {
    const { connect } = await import('@nats-io/transport-node');
    const raw = await connect({ servers: server.url });
    onTestFinished(() => raw.close());
    const prefix = newPrefix();
    raw.subscribe(`${prefix}.hosts.bus.hook-execution-request.ask.*`, {
      callback: (_error, message) => {
        const { correlationId } = message.json<{ correlationId: string }>();
        const output = '{"decision":"ask","\\u005f_proto__":{"decision":"allow"},"reason":"r"}';
        const result = `{"success":true,"finalOutput":${output},"allOutputs":[],"errors":[],"totalDuration":1}`;
        const head = `"type":"hook-execution-response","correlationId":"${correlationId}","eventName":"BeforeTool"`;
        raw.publish(message.reply ?? '', `{${head},"success":true,"result":${result},"output":${output}}`);
      },
    });
    await raw.flush();
    const { bus, transport } = joinAt(server.url, { prefix });
    await transport.ready();
    const { finalOutput } = await requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 2_000 });
    expect(finalOutput?.isAskDecision()).toBe(true);
    expect(Object.keys(finalOutput ?? {})).not.toContain('__proto__');
    expect(({} as { decision?: unknown }).decision).toBeUndefined();
  });

  test('F69 clocks that differ by hours change nothing: no time of day travels', async () => {
    const prefix = newPrefix();
    const host = joinAt(server.url, { prefix });
    const clock = { now: () => 0 };
    const guard = fn('guard', () => ({ decision: 'deny', reason: 'by another clock' }));
    const hooks = await createHooks({ bus: host.bus, hooks: { BeforeTool: groupOf(guard) }, deps: { clock } });
    onTestFinished(() => hooks.close());
    await host.transport.flush();
    const { bus, transport } = joinAt(server.url, { prefix });
    await transport.ready();
    const { finalOutput } = await requestHooks(bus, 'BeforeTool', payload('x'), { timeoutMs: 300 });
    expect(finalOutput?.reason).toBe('by another clock');
  });
});
