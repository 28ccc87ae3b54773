import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BusPort, type LinkBusOptions, linkBus, MessageBus, requestHooks } from '../../src/bus/index.ts';
import {
  confirmOverBus,
  createHooks,
  type HookMessage,
  type HookwrightError,
  MessageBusType,
} from '../../src/index.ts';
import { messageSchemas } from '../../src/protocol/index.ts';

const portPair = (): readonly [MessagePort, MessagePort] => {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  return [port1, port2];
};

const collectErrors = (bus: Pick<MessageBus, 'on'>): HookwrightError[] => {
  const errors: HookwrightError[] = [];
  bus.on('error', (error) => void errors.push(error));
  return errors;
};

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

/** An agent and a page, linked. */
const linked = async (options?: LinkBusOptions, hooks: Parameters<typeof createHooks>[0] = {}) => {
  const [inAgent, inPage] = portPair();
  const agent = await createHooks(hooks);
  onTestFinished(() => agent.close());
  linkBus(agent.bus, inAgent, options);
  const page = new MessageBus();
  linkBus(page, inPage);
  return { agent, page, inAgent, inPage, refused: collectErrors(agent.bus), errors: collectErrors(page) };
};

const call = { tool_name: 'run_shell', tool_input: { command: 'ls' } };

describe('R1222 a bus in a page or in another process', () => {
  test('gets progress without being allowed anything', async () => {
    const { agent, page, errors, refused } = await linked();
    agent.on('BeforeTool', () => ({ decision: 'deny', reason: 'no' }), { name: 'guard' });
    const seen: unknown[] = [];
    page.subscribe('hook-finished', ({ hookName, outcome }) => void seen.push([hookName, outcome]));
    expect(await agent.beforeTool({ tool: 'run_shell', input: { command: 'ls' } })).toMatchObject({ verdict: 'deny' });
    await settled();
    expect(seen).toEqual([['guard', 'answered']]);
    expect([...errors, ...refused]).toEqual([]);
  });

  test('requests hooks where it may ask, and gets their answer and their errors', async () => {
    const { agent, page } = await linked({ mayAsk: true });
    agent.on('BeforeTool', () => ({ decision: 'deny', reason: 'no' }), { name: 'guard' });
    agent.on('BeforeTool', () => Promise.reject(new Error('broken')), { name: 'broken' });
    const result = await requestHooks(page, 'BeforeTool', call);
    expect(result.finalOutput).toMatchObject({ decision: 'deny', reason: 'no' });
    expect(result.errors[0]?.message).toContain('broken');
    const wrong = await requestHooks(page, 'SessionStart', { source: JSON.parse('"accident"') });
    expect(wrong.errors[0]).toMatchObject({ code: 'validation_failure' });
  });

  test('is refused at once where it may not ask, and the agent has an error event', async () => {
    const { page, refused } = await linked();
    const result = await requestHooks(page, 'BeforeTool', call);
    expect(result.errors[0]?.message).toContain('mayAsk');
    expect(refused).toMatchObject([{ code: 'invalid_message', message: expect.stringContaining('mayAsk') }]);
  });

  test('answers questions where it may answer; elsewhere it gets none', async () => {
    const question = { eventName: 'BeforeTool', reason: 'sure?' } as const;
    const answering = await linked({ mayAnswer: true });
    answering.page.subscribe('hook-confirmation-request', ({ correlationId }) =>
      answering.page.publish({ type: 'hook-confirmation-response', correlationId, approved: true }),
    );
    expect(await confirmOverBus(answering.agent.bus, { timeoutMs: 2_000 })(question)).toBe(true);
    const watching = await linked({ mayAsk: true });
    const seen: HookMessage[] = [];
    watching.page.subscribe('hook-confirmation-request', (message) => void seen.push(message));
    const why: unknown[] = [];
    const confirm = confirmOverBus(watching.agent.bus, { timeoutMs: 2_000 });
    expect(await confirm(question, { onUnanswered: (word) => void why.push(word) })).toBe(false);
    expect(why).toEqual(['no-listener']);
    watching.page.publish({ type: 'hook-confirmation-response', correlationId: 'q', approved: true });
    await settled();
    expect(watching.refused).toMatchObject([{ message: expect.stringContaining('mayAnswer') }]);
  });

  test('holds nothing back from an engine that is created after the link', async () => {
    const [inAgent, inPage] = portPair();
    const bus = new MessageBus();
    linkBus(bus, inAgent);
    linkBus(new MessageBus(), inPage);
    const agent = await createHooks({ bus });
    onTestFinished(() => agent.close());
    agent.on('BeforeTool', () => ({ decision: 'deny', reason: 'no' }));
    expect((await requestHooks(bus, 'BeforeTool', call)).finalOutput).toMatchObject({ decision: 'deny' });
  });

  test('lives in a worker, and its requests survive the way', async () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const agent = await createHooks();
    onTestFinished(() => agent.close());
    agent.on('BeforeTool', () => ({ decision: 'deny', reason: 'not here' }));
    linkBus(agent.bus, port1, { mayAsk: true });
    const code = `
      import { linkBus, MessageBus, requestHooks } from ${JSON.stringify(new URL('../../dist/bus.js', import.meta.url).href)};
      import { parentPort, workerData } from 'node:worker_threads';
      const bus = new MessageBus();
      linkBus(bus, workerData);
      const { finalOutput } = await requestHooks(bus, 'BeforeTool', ${JSON.stringify(call)});
      parentPort.postMessage(finalOutput.reason);
      workerData.close();`;
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
      workerData: port2,
      transferList: [port2],
    });
    onTestFinished(async () => void (await worker.terminate()));
    const said = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    expect(said).toBe('not here');
  });

  test('waits for a socket that is not open yet, and learns that it was closed', async () => {
    const { port1, port2 } = new MessageChannel();
    const socket = new SocketOverPort(port1);
    const agent = await createHooks();
    onTestFinished(() => agent.close());
    linkBus(agent.bus, port2, { mayAsk: true });
    const page = new MessageBus();
    const errors = collectErrors(page);
    linkBus(page, socket);
    const result = requestHooks(page, 'SessionStart', { source: 'startup' });
    socket.open();
    expect(await result).toMatchObject({ success: true });
    port2.close();
    await settled();
    expect(errors).toMatchObject([{ code: 'transport_failed', message: expect.stringContaining('closed') }]);
    const after = await requestHooks(page, 'SessionStart', { source: 'startup' });
    expect(after.errors[0]).toMatchObject({ code: 'no_handler' });
  });
});

/** The members that a WebSocket of a page has: it sends once it is open. */
class SocketOverPort extends EventTarget implements BusPort {
  readyState = 0;
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    super();
    this.#port = port;
    port.on('message', (data) => this.dispatchEvent(new MessageEvent('message', { data })));
    port.on('close', () => this.dispatchEvent(new Event('close')));
    port.start();
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  send(text: string): void {
    if (this.readyState !== 1) throw new Error('InvalidStateError');
    this.#port.postMessage(text);
  }
}

describe('R1223 what enters an agent by a link', () => {
  const isUpward = (type: string): boolean =>
    ['hook-execution-request', 'ability-event-request', 'hook-execution-cancel', 'hook-confirmation-response'].includes(
      type,
    );

  test.each(Object.values(MessageBusType).filter((type) => !isUpward(type)))(
    'is never a %s, whatever the other end may do',
    async (type) => {
      const { agent, inPage, refused } = await linked({ mayAsk: true, mayAnswer: true });
      const seen: HookMessage[] = [];
      agent.bus.stream().subscribe((message) => void seen.push(message));
      inPage.postMessage(JSON.stringify({ type, correlationId: 'x', eventName: 'BeforeTool' }));
      await settled();
      expect(seen).toEqual([]);
      expect(refused).toMatchObject([{ code: 'invalid_message', message: expect.stringContaining(type) }]);
    },
  );

  test.each([
    ['no JSON', '{'],
    ['no message', 17],
    ['of an unknown type', '{"type":"hook-executed","correlationId":"x"}'],
    ['without an id', '{"type":"hook-execution-request","eventName":"BeforeTool"}'],
    ['without its event', '{"type":"hook-execution-request","correlationId":"x"}'],
    ['approved by a word', '{"type":"hook-confirmation-response","correlationId":"x","approved":"yes"}'],
  ])('is refused as an error event if it is %s', async (_title, data) => {
    const { inPage, refused } = await linked({ mayAsk: true, mayAnswer: true });
    inPage.postMessage(data);
    await settled();
    expect(refused).toMatchObject([{ code: 'invalid_message' }]);
  });

  test('cannot have the id of a request of the agent, and cancels nothing of it', async () => {
    const { agent, inPage } = await linked({ mayAsk: true });
    agent.on('BeforeTool', async () => {
      await settled();
      return { decision: 'deny', reason: 'no' };
    });
    const answer = agent.bus.request(
      { type: 'hook-execution-request', correlationId: 'one', eventName: 'BeforeTool', payload: call },
      'hook-execution-response',
    );
    const forged = { correlationId: 'one', eventName: 'SessionStart', payload: { source: 'startup' } };
    inPage.postMessage(JSON.stringify({ type: 'hook-execution-cancel', correlationId: 'one' }));
    inPage.postMessage(JSON.stringify({ type: 'hook-execution-request', ...forged }));
    expect(await answer).toMatchObject({ eventName: 'BeforeTool', success: true, output: { decision: 'deny' } });
  });

  test.each(Object.values(MessageBusType))('has every member that a %s needs', async (type) => {
    const needed = Object.entries(messageSchemas()[type].shape)
      .filter(([name, schema]) => !['type', 'correlationId'].includes(name) && !schema.safeParse(undefined).success)
      .map(([name]) => name);
    const { agent, page, inAgent, inPage, errors, refused } = await linked({ mayAsk: true, mayAnswer: true });
    const [from, told] = isUpward(type) ? [inPage, refused] : [inAgent, errors];
    onTestFinished(() => agent.close());
    expect(page.stats().invalidMessages).toBe(0);
    from.postMessage(JSON.stringify({ type, correlationId: 'x' }));
    await settled();
    expect(told).toHaveLength(needed.length === 0 ? 0 : 1);
  });
});
