import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { confirmOverBus, createHooks, defineHook, MessageBus } from '../../../src/index.ts';
import { natsTransport, recordStream } from '../../../src/transports/index.ts';
import { hasNatsServer, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';
import { temporaryDirectory } from './support.ts';

const binary = join(import.meta.dirname, '../../../dist/cli.js');

describe.skipIf(!hasNatsServer || process.platform === 'win32')(withNats('hookwright inspect --nats'), () => {
  let broker: NatsServer;
  beforeAll(async () => {
    broker = await startNatsServer('jetstream: { store_dir: "STORE" }');
  });
  afterAll(() => broker.stop());

  const inspect = async (...words: string[]): Promise<{ child: ChildProcess; url: URL }> => {
    const child = spawn(process.execPath, [binary, 'inspect', '--nats', broker.url, '--json', ...words], {
      cwd: temporaryDirectory(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for await (const piece of child.stdout ?? []) {
      said += String(piece);
      const [, url] = /"url":"([^"]+)"/.exec(said) ?? [];
      if (url !== undefined) return { child, url: new URL(url) };
    }
    throw new Error(`it ended, and said: ${said}`);
  };

  /** What the stream of a page says, from its beginning on. */
  const reader = async (url: URL) => {
    const response = await fetch(`${url.origin}/events${url.search}`);
    const pieces = response.body?.getReader();
    onTestFinished(() => pieces?.cancel());
    let text = '';
    return async (wanted: RegExp): Promise<string> => {
      for (;;) {
        const [, found] = wanted.exec(text) ?? [];
        if (found !== undefined) return found;
        const piece = await pieces?.read();
        if (piece?.value === undefined) throw new Error(`the stream ended, and said: ${text}`);
        text += new TextDecoder().decode(piece.value);
      }
    };
  };

  const askingHost = async () => {
    const transport = natsTransport({ servers: broker.url });
    onTestFinished(() => transport.close());
    const bus = new MessageBus({ transport });
    const asks = defineHook({
      event: 'BeforeTool',
      name: 'asks',
      run: () => ({ decision: 'ask', reason: 'push to main?' }),
    });
    const hooks = await createHooks({ hooks: [asks], bus, deps: { confirm: confirmOverBus(bus) } });
    onTestFinished(() => hooks.close());
    await transport.flush();
    return hooks;
  };

  test('R942 shows what goes over the broker, and with --answer a question is answered on the page', async () => {
    const hooks = await askingHost();
    const { child, url } = await inspect('--answer');
    const until = await reader(url);
    await until(/event: hello\ndata: .*"answers":(true)/);
    const asked = hooks.beforeTool({ tool: 'git', input: { command: 'git push' } });
    const id = await until(/\{"id":"([^"]+)"[^{}]*"state":"asking"/);
    const answered = await fetch(`${url.origin}/answer${url.search}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id, approved: true }),
    });
    expect(answered.status).toBe(200);
    expect(await asked).toMatchObject({ verdict: 'allow' });
    await until(/"gist":"git push"[^{}]*"state":"done","verdict":"(ask)"/);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  test('R942 shows a session that was recorded into a stream', async () => {
    const hooks = await createHooks({
      hooks: [defineHook({ event: 'BeforeTool', name: 'no', run: () => ({ decision: 'deny', reason: 'not here' }) })],
    });
    onTestFinished(() => hooks.close());
    const recording = await recordStream(hooks.bus, { servers: broker.url, session: 'one' });
    await hooks.beforeTool({ tool: 'sh', input: {} });
    await recording.close();
    const { url } = await inspect('--stream', 'one');
    const until = await reader(url);
    await until(/"verdict":"deny","reason":"(not here)"/);
    await until(/"isOver":(true)/);
  });
});
