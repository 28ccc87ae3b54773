import { readFileSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHooks, type HookMessage, MessageBus, requestHooks } from '../../../src/index.ts';
import { natsTransport } from '../../../src/transports/index.ts';
import { fn, groupOf } from '../../support/engine.ts';
import { hasNatsServer, joinBroker, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';

/** As it is shipped, but for the port; passwords come from the environment there. */
const example = (): string =>
  readFileSync('examples/nats/nats-server.conf', 'utf8')
    .replace(/^listen: .*$/m, '')
    .replace(/\$(\w+)_PASSWORD/g, (_, who: string) => who.toLowerCase());

describe.skipIf(!hasNatsServer)(withNats('examples/nats/nats-server.conf'), () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer(example());
  });
  afterAll(() => server.stop());

  const join = (user: string, pass: string) => joinBroker({ servers: server.url, name: user, client: { user, pass } });

  const host = async () => {
    const joined = join('host', 'host');
    const guard = fn('guard', () => ({ decision: 'deny', reason: 'by the host' }));
    const hooks = await createHooks({ bus: joined.bus, hooks: { BeforeTool: groupOf(guard) } });
    onTestFinished(() => hooks.close());
    joined.transport.announce('abc');
    await joined.transport.flush();
    return joined;
  };

  const tool = { tool_name: 'shell', tool_input: {} };

  test('agents ask and hosts answer, observers see it, and nobody needs more than is allowed', async () => {
    const answering = await host();
    const observer = join('observer', 'observer');
    const seen: HookMessage[] = [];
    observer.bus.stream().subscribe((message) => seen.push(message));
    await observer.transport.flush();
    const agent = join('agent-1', 'agent');
    await agent.transport.ready();
    const { finalOutput, success } = await requestHooks(agent.bus, 'BeforeTool', tool, {
      signal: new AbortController().signal,
      onLost: 'retry',
    });
    expect([success, finalOutput?.reason]).toEqual([true, 'by the host']);
    await vi.waitFor(() => expect(seen).toHaveLength(5));
    await agent.transport.flush();
    expect([answering.errors, observer.errors, agent.errors]).toEqual([[], [], []]);
  });

  test('an agent cannot answer, nor take requests, nor listen to others', async () => {
    const raw = await connect({ servers: server.url, user: 'agent-1', pass: 'agent' });
    onTestFinished(() => raw.close());
    const root = 'hookwright.hosts.bus';
    const refused: string[] = [];
    const subjects = [
      `${root}.>`,
      `${root}.hook-execution-request.ask.*`,
      `${root}.hook-execution-response.to.agent-2.>`,
    ];
    for (const subject of subjects) {
      raw.subscribe(subject, { callback: (error) => void refused.push(error?.message ?? 'heard something') });
    }
    const asked = (async () => {
      for await (const status of raw.status()) if (status.type === 'error') refused.push(status.error.message);
    })();
    raw.publish(`${root}.hook-execution-response.to.agent-2.x`, '{}');
    raw.publish(`${root}.hook-execution-request.ask.agent-2`, '{}');
    raw.publish(`${root}.hook-execution-cancel.by.agent-2`, '{}');
    await raw.flush();
    await vi.waitFor(() =>
      expect(
        refused.filter((text) => /Permissions Violation for Subscription/i.test(text)).length,
      ).toBeGreaterThanOrEqual(3),
    );
    await vi.waitFor(() =>
      expect(refused.filter((text) => /Permissions Violation for Publish/i.test(text))).toHaveLength(3),
    );
    expect(refused).not.toContain('heard something');
    await raw.close();
    await asked;
  });

  test('who calls itself an agent and serves is told that it hears nothing', async () => {
    const { bus, errors, transport } = join('agent-1', 'agent');
    const hooks = await createHooks({ bus, hooks: { BeforeTool: groupOf(fn('own', () => ({ decision: 'allow' }))) } });
    onTestFinished(() => hooks.close());
    await transport.ready();
    await vi.waitFor(() => expect(errors.some(({ message }) => message.includes('does not let us hear'))).toBe(true));
  });
});

describe.skipIf(!hasNatsServer)(withNats('who may cancel'), () => {
  test('whoever did not ask cannot cancel, whatever it knows', async () => {
    const server = await startNatsServer();
    onTestFinished(() => server.stop());
    const joinAs = (name: string) => {
      const transport = natsTransport({ servers: server.url, name });
      onTestFinished(() => transport.close());
      return { transport, bus: new MessageBus({ transport }) };
    };
    const host = joinAs('host');
    const slow = fn('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { decision: 'deny', reason: 'heard' };
    });
    const hooks = await createHooks({ bus: host.bus, hooks: { BeforeTool: groupOf(slow) } });
    onTestFinished(() => hooks.close());
    const stranger = joinAs('stranger');
    stranger.bus.subscribe('hook-execution-request', ({ correlationId }) => {
      stranger.bus.publish({ type: 'hook-execution-cancel', correlationId });
    });
    await Promise.all([host.transport.flush(), stranger.transport.flush()]);
    const { bus, transport } = joinAs('agent');
    await transport.ready();
    expect((await requestHooks(bus, 'BeforeTool', tool)).finalOutput?.reason).toBe('heard');
  });
});

const tool = { tool_name: 'shell', tool_input: {} };
