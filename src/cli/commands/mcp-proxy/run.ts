import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHooks, type Hooks } from '../../../facade/index.ts';
import { describeThrown, onAbort } from '../../../kit/index.ts';
import type { Given } from '../../arguments/spec.ts';
import { UsageError } from '../../arguments/usage-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { problemsText } from '../../rendering/problem-lines.ts';
import { loadSettings } from '../../sources/load-settings.ts';
import { styled } from '../../terminal/text.ts';
import { HttpProxy } from './http-proxy.ts';
import type { mcpProxySpec } from './spec.ts';
import { StdioProxy } from './stdio-proxy.ts';

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
  const { config, problems } = await loadSettings(context);
  context.note(problemsText(problems, context.screen.width, context.cwd));
  if (!config.getEnableHooks()) context.note(['no hook is enabled here, so all calls pass']);
  const hooks = await createHooks({ config });
  try {
    return await (url === undefined ? overStdio(given, hooks, context) : overHttp(given, url, hooks, context));
  } finally {
    await hooks.close();
  }
};
