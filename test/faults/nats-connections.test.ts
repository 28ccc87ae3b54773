import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { requestHooks } from '../../src/index.ts';
import { type NatsTransportOptions, natsTransport } from '../../src/transports/index.ts';
import { joinBroker } from '../support/nats-server.ts';

describe('F68 a broker on another machine', () => {
  test.each([
    ['nats://broker.example:4222', {}, 'TLS'],
    ['10.0.0.7', {}, 'credentials'],
    ['nats://[2001:db8::1]:4222', {}, 'TLS'],
    ['nats://127.0.0.1.example', {}, 'TLS'],
    ['nats://localhost.', {}, 'TLS'],
    ['tls://broker.example', {}, 'credentials'],
    ['nats://agent:secret@broker.example', {}, 'TLS'],
    ['nats://127.0.0.1:4222,broker.example', {}, 'expected nats://'],
    ['nats://broker.example', { client: { tls: {} } }, 'credentials'],
  ])('%s with %j is refused before anything connects', (servers, options, missing) => {
    expect(() => natsTransport({ servers, ...options })).toThrow(missing);
  });

  test('is accepted with both, or when somebody says that it is insecure', async () => {
    const servers = 'tls://agent:secret@127.0.0.1:9';
    await natsTransport({ servers }).close();
    await natsTransport({ servers: 'nats://broker.invalid:9', insecure: true }).close();
    await natsTransport({ servers: 'tls://t0ken@broker.invalid:9' }).close();
  });

  test.each([
    [{ server: 'nats://127.0.0.1' }, 'did you mean "servers"'],
    [{ servers: 'http://127.0.0.1' }, 'expected nats://'],
    [{ prefix: 'a.*' }, 'prefix'],
    [{ prefix: 'a b' }, 'prefix'],
    [{ group: '' }, 'group'],
    [{ onLost: 'allow' }, 'onLost'],
    [{ hostSilenceMs: 0 }, 'hostSilenceMs'],
  ])('the mistake %j is told to whoever makes it', (options, why) => {
    expect(() => natsTransport(options as NatsTransportOptions)).toThrow(why);
  });
});

describe('F68 a server that is none', () => {
  test('silent, it stops nobody longer than the deadline, and what is denied says why', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.close();
    });
    const address = silent.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { bus, errors } = joinBroker({ servers: `nats://127.0.0.1:${port}` });
    // Loading the client takes a while on a busy machine.
    await import('@nats-io/transport-node');
    const startedAt = performance.now();
    const result = await requestHooks(
      bus,
      'BeforeTool',
      { tool_name: 'deny', tool_input: { command: 'rm' } },
      { timeoutMs: 500 },
    );
    expect(performance.now() - startedAt).toBeLessThan(700);
    expect(result.errors[0]).toMatchObject({ code: 'no_handler' });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(result.finalOutput?.reason).toMatch(/no host took the request .*; there is no connection to the broker yet/);
    await vi.waitFor(() => expect(errors[0]?.message).toContain('has not let us in yet'), { timeout: 4_000 });
  });
});
