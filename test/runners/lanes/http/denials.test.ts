import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { HookExecutionResult } from '../../../../src/index.ts';
import { runHttp } from '../../../../src/runners/lanes/http/http-lane.ts';
import { endpoint, rawEndpoint } from '../../../support/endpoints.ts';

const deny = '{"decision":"deny","reason":"no"}';
const allow = '{"decision":"allow","reason":"fine"}';

const run = (url: string, signal?: AbortSignal): Promise<HookExecutionResult> =>
  runHttp(
    { type: 'http', timeout: 700, url },
    'BeforeTool',
    {},
    { limits: { stdoutBytes: 1_000 }, environment: {}, signal },
  );

const status = (code: number, body: string) =>
  endpoint((response) => void response.writeHead(code, { location: '/elsewhere' }).end(body));

const raw = (text: string, { ends }: { ends: boolean }) =>
  rawEndpoint((socket) => void (ends ? socket.end(text) : socket.write(text)));

const endings: readonly (readonly [string, string, (body: string) => ReturnType<typeof endpoint>])[] = [
  ['status 403', 'http-error', (body) => status(403, body)],
  ['status 500', 'http-error', (body) => status(500, body)],
  ['a redirect', 'http-error', (body) => status(302, body)],
  ['a body that never ends', 'timeout', (body) => raw(`HTTP/1.1 200 OK\r\n\r\n${body}`, { ends: false })],
  [
    'status 403 and a body that never ends',
    'http-error',
    (body) => raw(`HTTP/1.1 403 No\r\n\r\n${body}`, { ends: false }),
  ],
  [
    'a connection that breaks off',
    'http-error',
    (body) => raw(`HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n${body}`, { ends: true }),
  ],
  [
    'a body that breaks off within packed data',
    'http-error',
    (body) =>
      endpoint((response) => {
        const packed = gzipSync(`${body}\n`, { level: 0 });
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, packed.length - 4));
      }),
  ],
  ['a body that is too long', 'output-too-large', (body) => status(200, body + ' '.repeat(2_000))],
];

describe('R1004 a denial of an endpoint counts, however the exchange ended', () => {
  test.each(endings)('%s: %s', async (_how, code, start) => {
    const { url } = await start(deny);
    expect(await run(url)).toMatchObject({ success: false, code, output: { decision: 'deny', reason: 'no' } });
  });

  test.each(endings)('%s: an allow does not count', async (_how, code, start) => {
    const { url } = await start(allow);
    const result = await run(url);
    expect(result).toMatchObject({ success: false, code });
    expect(result).not.toHaveProperty('output');
  });

  test('the request is cancelled while the endpoint hangs', async () => {
    const { url } = await raw(`HTTP/1.1 200 OK\r\n\r\n${deny}`, { ends: false });
    const result = await run(url, AbortSignal.timeout(300));
    expect(result).toMatchObject({ code: 'cancelled', output: { decision: 'deny' } });
  });

  test('the body of a refused status is waited for a second at most', async () => {
    const { url } = await raw(`HTTP/1.1 403 No\r\n\r\n${allow}`, { ends: false });
    const startedAt = performance.now();
    const result = await runHttp(
      { type: 'http', timeout: 30_000, url },
      'BeforeTool',
      {},
      {
        limits: { stdoutBytes: 1_000 },
        environment: {},
      },
    );
    expect(result.code).toBe('http-error');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
