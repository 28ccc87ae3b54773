import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createHooks, type Hooks } from '../../../facade/index.ts';
import { describeThrown, onAbort } from '../../../kit/index.ts';
import { RecordedLineSplitter } from '../../../sessions/index.ts';
import type { Given } from '../../arguments/spec.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { styled } from '../../rendering/text.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import {
  type CallParts,
  cancelledBy,
  errorMessage,
  HookedCalls,
  keyOf,
  type McpEnvelope,
  type Misfit,
  readEnvelopes,
  writeMessage,
} from './hooked-calls.ts';
import { HttpProxy } from './http-proxy.ts';
import type { mcpProxySpec } from './spec.ts';

type Wanted = Given<typeof mcpProxySpec>;
type Outcome = Awaited<ReturnType<Run<typeof mcpProxySpec>>>;

const addressOf = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`--url is not an address: ${JSON.stringify(text)}`, 'https://example.com/mcp');
};

const check = ({ command, url, port, server }: Wanted): void => {
  const isCommand = command.length > 0;
  const fix = 'hookwright mcp-proxy -- <server command>, or --url <address>';
  if (isCommand === (url !== undefined)) {
    throw new UsageError(isCommand ? '--url and a command cannot be combined' : 'no server was given', fix);
  }
  if (port !== undefined && url === undefined) throw new UsageError('--port needs --url', fix);
  if (server !== undefined && !/^[\w.-]+$/.test(server)) {
    throw new UsageError(`--server: expected letters, digits, "_", "-" and "."; got ${JSON.stringify(server)}`);
  }
};

/** A client whose settings have the address needs one that stays. */
const tokenIn = ({ env: { HOOKWRIGHT_PROXY_TOKEN: token } }: Context): string | undefined => {
  if (token === undefined || /^[\w-]{16,}$/.test(token)) return token;
  throw new UsageError('HOOKWRIGHT_PROXY_TOKEN: expected at least 16 letters, digits, "_" or "-"');
};

const overHttp = async ({ server, port }: Wanted, url: URL, hooks: Hooks, context: Context): Promise<Outcome> => {
  const proxy = new HttpProxy({ hooks, server, url, token: tokenIn(context), note: (text) => context.note([text]) });
  let address: URL;
  try {
    address = await proxy.listen(port);
  } catch (error) {
    throw new UsageError(`cannot listen on port ${port}: ${describeThrown(error)}`, 'leave --port out');
  }
  context.note([
    ['give the client ', styled('bold', address.href), ` in place of ${url.origin}${url.pathname}`],
    [styled('dim', 'Ctrl-C ends it')],
  ]);
  if (!context.signal.aborted) await new Promise<void>((resolve) => onAbort(context.signal, resolve));
  await proxy.close();
  return { data: { url: address.href }, text: () => [] };
};

const overStdio = async ({ command, server }: Wanted, hooks: Hooks, context: Context): Promise<Outcome> => {
  const [program = '', ...args] = command;
  const { cwd, env, signal } = context;
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new UsageError(`${program} could not be started: ${describeThrown(error)}`);
  }
  onAbort(signal, () => child.kill('SIGTERM'));
  // What is written to a side that is gone goes nowhere; that it is gone is seen by its end.
  child.stdin.on('error', () => undefined);
  const note = (text: string): void => context.note([text]);
  const proxy = new StdioProxy({ hooks, server, toServer: child.stdin, toClient: process.stdout, note });
  let hasClientEnded = false;
  void proxy.readClient(process.stdin).then(
    () => {
      hasClientEnded = true;
      child.stdin.end();
    },
    (error: unknown) => {
      note(describeThrown(error));
      child.kill('SIGTERM');
    },
  );
  await proxy.readServer(child.stdout);
  const [code] = await ended;
  process.stdin.destroy();
  return {
    findings: !hasClientEnded && code !== 0 && !signal.aborted,
    data: { exitCode: code },
    text: () => [],
  };
};

export const run: Run<typeof mcpProxySpec> = async (given, context) => {
  check(given);
  const url = given.url === undefined ? undefined : addressOf(given.url);
  const { config, problems } = await loadSettings(context, undefined, { deps: { warnings: true } });
  context.note(problemsText(problems, context));
  if (!config.getEnableHooks()) context.note(['no hook is enabled here, so all calls pass']);
  const hooks = await createHooks({ config });
  try {
    return await (url === undefined ? overStdio(given, hooks, context) : overHttp(given, url, hooks, context));
  } finally {
    await hooks.close();
  }
};

/** A picture in a message is long; more than this in one message is not MCP. */
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;

interface ProxyParts extends CallParts {
  readonly toServer: Writable;
  readonly toClient: Writable;
}

/** A process has one session. */
const idKey = (id: unknown): string => keyOf('', id);

/** Passes messages on between a client and a server, a line each, and asks hooks about the calls of tools among them. */
class StdioProxy {
  readonly #parts: ProxyParts;
  readonly #calls: HookedCalls;

  constructor(parts: ProxyParts) {
    this.#parts = parts;
    this.#calls = new HookedCalls(parts);
  }

  /** Resolves when the client has ended and all that it sent was passed on. */
  async readClient(from: Readable): Promise<void> {
    await this.#read(from, 'client', (envelope) => this.#fromClient(envelope));
    await this.#calls.decided();
  }

  /** Resolves when the server has ended and the client knows what became of its calls. */
  async readServer(from: Readable): Promise<void> {
    await this.#read(from, 'server', (envelope) => this.#fromServer(envelope));
    await this.#calls.end(new Error('the server ended before it answered'));
  }

  async #read(from: Readable, side: string, take: (envelope: McpEnvelope | Misfit) => void): Promise<void> {
    const splitter = new RecordedLineSplitter(MAX_MESSAGE_BYTES);
    for await (const piece of from) {
      for (const { text } of splitter.push(Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece)))) {
        if (text === undefined) throw new Error(`the ${side} sent more than ${MAX_MESSAGE_BYTES} bytes in one message`);
        if (text.trim() !== '') for (const envelope of readEnvelopes(text)) take(envelope);
      }
    }
  }

  #fromClient(envelope: McpEnvelope | Misfit): void {
    if (envelope.kind === 'misfit') {
      this.#tellClient(errorMessage(envelope.id, envelope.code, envelope.message));
    } else if (envelope.kind === 'request') {
      const answer = this.#calls.open(idKey(envelope.id), envelope, (changed) => this.#tellServer(changed));
      if (typeof answer === 'string') this.#tellClient(answer);
      else void answer?.then((told) => this.#tellClient(told));
    } else {
      if (envelope.kind === 'notification') this.#calls.cancel(idKey(cancelledBy(envelope)));
      this.#tellServer(writeMessage(envelope.raw));
    }
  }

  #fromServer(envelope: McpEnvelope | Misfit): void {
    if (envelope.kind === 'misfit') this.#dropped(envelope);
    else if (envelope.kind !== 'answer' || envelope.id === undefined) this.#tellClient(writeMessage(envelope.raw));
    else {
      const settled = this.#calls.answered(idKey(envelope.id), envelope);
      // What a call is answered with is told by the hooks that see it.
      if (settled?.kind === 'text') this.#tellClient(settled.text);
      if (settled === undefined) this.#parts.note('an answer of the server to no open request was dropped');
    }
  }

  #dropped({ id, message }: Misfit): void {
    this.#parts.note(`a message of the server was not passed on: ${message}`);
    if (id !== undefined) this.#calls.failed(idKey(id), new Error(`the server answered wrongly: ${message}`));
  }

  #tellServer(text: string): void {
    this.#parts.toServer.write(`${text}\n`);
  }

  #tellClient(text: string | undefined): void {
    if (text !== undefined) this.#parts.toClient.write(`${text}\n`);
  }
}
