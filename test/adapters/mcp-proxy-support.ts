import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');

const cli = join(root, 'dist/cli.js');

export type Message = Record<string, unknown>;

const folder = (): string => temporaryFolder('proxy');

/** A folder whose user has a guard that denies every call of a tool; without settings when there is to be none. */
export const settled = (settings: object | undefined) => {
  const cwd = folder();
  const home = join(cwd, 'home');
  mkdirSync(join(home, '.hookwright'), { recursive: true });
  if (settings !== undefined) writeFileSync(join(home, '.hookwright/settings.json'), JSON.stringify(settings));
  return { cwd, env: { PATH: process.env.PATH ?? '', HOME: home } };
};

export const hook = (command: string, event = 'BeforeTool', matcher = '^mcp__files__') => ({
  hooks: { [event]: [{ matcher, hooks: [{ command, name: 'guard' }] }] },
});

export const denies = hook(`printf '{"decision":"deny","reason":"not that one"}'`);

export const silent = hook('true');

export interface Started {
  /** Writes exactly this, and resolves to the next line that the client gets. */
  readonly say: (text: string) => Promise<Message>;
  readonly write: (text: string) => void;
  readonly next: () => Promise<string>;
  readonly received: () => string;
  readonly stderr: () => string;
  /** Writes the settings of the user. */
  readonly configure: (text: string) => void;
  readonly end: () => Promise<number | null>;
  readonly stop: () => Promise<number | null>;
  readonly exited: Promise<number | null>;
}

export const started = (
  settings: object | undefined,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Started => {
  const where = settled(settings);
  const file = join(where.cwd, 'received');
  const child = spawn(
    process.execPath,
    [cli, 'mcp-proxy', ...args, '--', process.execPath, join(root, 'test/fixtures/mcp/lenient.mjs')],
    { cwd: where.cwd, env: { ...where.env, RECEIVED: file, ...env }, stdio: 'pipe' },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (piece) => {
    stderr += String(piece);
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const write = (text: string): void => void child.stdin.write(`${text}\n`);
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    next,
    write,
    say: async (text) => {
      write(text);
      return z.record(z.string(), z.unknown()).parse(JSON.parse(await next()));
    },
    received: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    stderr: () => stderr,
    configure: (text) => writeFileSync(join(where.env.HOME, '.hookwright/settings.json'), text),
    end: () => {
      child.stdin.end();
      return exited;
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    exited,
  };
};

export const initialize = (id: number = 0): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params: { protocolVersion: '2025-06-18' } });

export const call = (extra: object = {}, params: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
    params: { name: 'read', arguments: { path: 'a' }, ...params },
    ...extra,
  });

export const attacks: readonly [string, string][] = [
  ['without an id', call({ id: undefined })],
  ['with null as its id', call({ id: null })],
  ['with true as its id', call({ id: true })],
  ['with an object as its id', call({ id: { a: 1 } })],
  ['with an id that is not kept', call().replace('"id":7', '"id":12345678901234567890')],
  ['in an empty batch', '[]'],
  ['in a nested batch', `[[${call()}]]`],
  ['with params in a list', call({ params: ['read', { path: 'a' }] })],
  ['without params', call({ params: undefined })],
  ['with a list as its name', call({}, { name: ['read'] })],
  ['with arguments in a list', call({}, { arguments: ['a'] })],
  ['with NaN in it', call().replace('"a"', 'NaN')],
  ['behind a byte order mark', `\ufeff${call()}`],
  ['parted from another message by CR', `{"jsonrpc":"2.0","method":"notifications/initialized"}\r${call()}`],
  ['as "Method"', call().replace('"method"', '"Method"')],
  ['as "Method" beside another method', call().replace('"method"', '"method":"ping","Method"')],
  ['as "method" in letters that fold', call().replace('"params"', '"params":{},"param\u017f"')],
  ['with "Name" beside its name', call({}, { Name: 'write' })],
  ['as tools/Call', call({ method: 'tools/Call' })],
  ['as "tools/call "', call({ method: 'tools/call ' })],
  ['as a task', call({}, { task: { ttl: 1 } })],
  ['of another version of JSON-RPC', call({ jsonrpc: '1.0' })],
  ['with a result beside its method', call({ result: {} })],
];

/** A server over HTTP that takes whatever comes for a call and keeps it, and a second one that nothing may reach. */
const lenientServers = async () => {
  const received: string[] = [];
  const take = (host: string) => (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (piece) => {
      body += String(piece);
    });
    request.on('end', () => {
      received.push(`${host} ${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`);
      const { id = 0, method = '' } = body === '' ? {} : JSON.parse(body);
      if (method === 'x/moved') return void response.writeHead(307, { location: '/elsewhere' }).end();
      const serverInfo = { name: 'files', version: '1' };
      const result = method === 'initialize' ? { serverInfo } : { content: [{ type: 'text', text: 'did it' }] };
      if (method !== 'x/streamed') {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const endpoint = 'event: endpoint\ndata: /messages?session=1\n\n';
      response.end(
        `${endpoint}: here\r\rid: 1\ndata:\n\r\nid: 2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\r\n`,
      );
    });
  };
  const open = async (host: string): Promise<number> => {
    const server = createServer(take(host));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  return { received, port: await open('server'), otherPort: await open('other') };
};

export interface Wish {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export const overHttp = async (env: Record<string, string> = {}) => {
  const servers = await lenientServers();
  const where = settled(denies);
  const args = [cli, 'mcp-proxy', '--url', `http://127.0.0.1:${servers.port}/mcp?key=1`];
  const child = spawn(process.execPath, args, {
    cwd: where.cwd,
    env: { ...where.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for await (const piece of child.stderr) {
    said += String(piece);
    if (said.includes(' in place of ')) break;
  }
  const [, address = ''] = /give the client (\S+) in place of/.exec(said) ?? [];
  const url = new URL(address);
  /** A request line and headers exactly as given, which `fetch` would mend. */
  const send = ({ method = 'POST', path = `${url.pathname}${url.search}`, headers = {}, body }: Wish) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = httpRequest(
        {
          host: '127.0.0.1',
          port: url.port,
          method,
          path,
          headers: { 'content-type': 'application/json', ...headers },
        },
        (response) => {
          let text = '';
          response.on('data', (piece) => {
            text += String(piece);
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
      request.on('error', reject);
      request.end(body);
    });
  return { ...servers, url, send, said };
};
