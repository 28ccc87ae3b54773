/** `hookwright mcp-proxy`: runs hooks around the tool calls between an MCP client and a server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createHooks, type Hooks } from '../../../facade/index.ts';
import { describeThrown, onAbort } from '../../../kit/index.ts';
import { type RecordedLine, RecordedLineSplitter } from '../../../sessions/index.ts';
import { watchConfig } from '../../../settings/index.ts';
import type { CommandValues } from '../../arguments/spec.ts';
import type { CommandMain } from '../../command.ts';
import type { CommandOutcome } from '../../command-outcome.ts';
import { type Context, waitForInterrupt } from '../../context.ts';
import { formatProblems } from '../../rendering/problem-lines.ts';
import { createSpan } from '../../rendering/text.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { UsageError } from '../../usage-error.ts';
import {
  createRequestKey,
  HookedCalls,
  type InvalidMessage,
  MAX_MESSAGE_BYTES,
  type McpEnvelope,
  readCancelledRequestId,
  readEnvelopes,
  writeMessage,
} from './hooked-calls.ts';
import { HttpProxy } from './http-proxy.ts';
import type { mcpProxySpec } from './spec.ts';

type ProxyOptions = CommandValues<typeof mcpProxySpec>;

export const run: CommandMain<typeof mcpProxySpec> = async (options, context) => {
  checkOptions(options);
  const url = options.url === undefined ? undefined : parseAddress(options.url);
  const { config, problems } = await loadSettings(context, undefined, { deps: { warnings: true } });
  context.note(formatProblems(problems, context));
  if (!config.getEnableHooks()) context.note(['no hook is enabled here, so all calls pass']);
  const hooks = await createHooks({ config });
  const watch = watchConfig(config, {
    onProblem: (problem) => context.note(formatProblems([problem], context)),
  });
  try {
    return await (url === undefined
      ? proxyOverStdio(options, hooks, context)
      : proxyOverHttp(options, url, hooks, context));
  } finally {
    await watch.close();
    await hooks.close();
  }
};

const parseAddress = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`--url is not an address: ${JSON.stringify(text)}`, 'https://example.com/mcp');
};

const checkOptions = ({ command, url, port, server }: ProxyOptions): void => {
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

const readToken = ({ env: { HOOKWRIGHT_PROXY_TOKEN: token } }: Context): string | undefined => {
  if (token === undefined || /^[\w-]{16,}$/.test(token)) return token;
  throw new UsageError('HOOKWRIGHT_PROXY_TOKEN: expected at least 16 letters, digits, "_" or "-"');
};

const proxyOverHttp = async (
  { server, port }: ProxyOptions,
  url: URL,
  hooks: Hooks,
  context: Context,
): Promise<CommandOutcome> => {
  const proxy = new HttpProxy({ hooks, server, url, token: readToken(context), note: (text) => context.note([text]) });
  let address: URL;
  try {
    address = await proxy.listen(port);
  } catch (error) {
    throw new UsageError(`cannot listen on port ${port}: ${describeThrown(error)}`, 'leave --port out');
  }
  context.note([
    ['give the client ', createSpan('bold', address.href), ` in place of ${url.origin}${url.pathname}`],
    [createSpan('dim', 'Ctrl-C ends it')],
  ]);
  await waitForInterrupt(context);
  await proxy.close();
  return { data: { url: address.href }, text: () => [] };
};

const proxyOverStdio = async (
  { command, server }: ProxyOptions,
  hooks: Hooks,
  context: Context,
): Promise<CommandOutcome> => {
  const [program = '', ...args] = command;
  const { cwd, env, signal } = context;
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new UsageError(`${program} could not be started: ${describeThrown(error)}`);
  }
  const endServer = (): void => {
    child.kill('SIGTERM');
    const force = (): void => {
      child.kill('SIGKILL');
      // A process that the server started may still hold the other end.
      child.stdout.destroy();
    };
    setTimeout(force, KILL_GRACE_MS).unref();
  };
  onAbort(signal, endServer);
  // Writing to a process that has ended fails. The `exit` event reports its end.
  child.stdin.on('error', () => undefined);
  const note = (text: string): void => context.note([text]);
  const calls = new HookedCalls({ hooks, server, note });
  const keyOfId = (id: unknown): string => createRequestKey('', id);
  const toServer = (text: string): unknown => child.stdin.write(`${text}\n`);
  const toClient = (text: string | undefined): unknown => text !== undefined && process.stdout.write(`${text}\n`);
  const fromClient = (envelope: McpEnvelope | InvalidMessage): void => {
    if (envelope.kind === 'invalid') {
      toClient(envelope.refusal);
    } else if (envelope.kind === 'request') {
      const answer = calls.open(keyOfId(envelope.id), envelope, toServer);
      if (typeof answer === 'string') toClient(answer);
      else void answer?.then(toClient);
    } else {
      if (envelope.kind === 'notification') calls.cancel(keyOfId(readCancelledRequestId(envelope)));
      toServer(writeMessage(envelope.raw));
    }
  };
  const fromServer = (envelope: McpEnvelope | InvalidMessage): void => {
    const text = calls.receive(envelope, keyOfId);
    if (typeof text === 'string') toClient(text);
  };
  let hasClientEnded = false;
  const readClient = async (): Promise<void> => {
    await readMessages(process.stdin, 'client', fromClient);
    await calls.waitForDecisions();
    hasClientEnded = true;
    child.stdin.end();
  };
  void readClient().catch((error: unknown) => {
    note(describeThrown(error));
    endServer();
  });
  let failure: string | undefined;
  try {
    await readMessages(child.stdout, 'server', fromServer);
  } catch (error) {
    if (!signal.aborted) {
      failure = describeThrown(error);
      note(failure);
    }
    endServer();
  }
  await calls.end(new Error(failure ?? 'the server ended before it answered'));
  const [code] = await ended;
  process.stdin.destroy();
  return {
    findings: failure !== undefined || (!hasClientEnded && code !== 0 && !signal.aborted),
    data: { exitCode: code },
    text: () => [],
  };
};

/** The client of the MCP SDK kills the proxy after two seconds, and the server must not outlive it. */
const KILL_GRACE_MS = 1_500;

const readMessages = async (
  from: Readable,
  side: string,
  take: (envelope: McpEnvelope | InvalidMessage) => void,
): Promise<void> => {
  const splitter = new RecordedLineSplitter(MAX_MESSAGE_BYTES);
  const readLine = ({ text }: RecordedLine): void => {
    if (text === undefined) throw new Error(`the ${side} sent more than ${MAX_MESSAGE_BYTES} bytes in one message`);
    if (text.trim() !== '') for (const envelope of readEnvelopes(text)) take(envelope);
  };
  for await (const piece of from) {
    splitter.push(Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece))).forEach(readLine);
  }
  const last = splitter.end();
  if (last !== undefined) readLine(last);
};
