import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { HookConfig, HookExecutionResult } from '../../src/index.ts';
import { ConfigSource, withOrigin } from '../../src/protocol/index.ts';
import { runHttp } from '../../src/runners/lanes/http/http-lane.ts';
import { answersJson, endpoint, rawEndpoint } from '../support/endpoints.ts';
import { sleep } from '../support/engine.ts';
import { atMost, expectNothingLeft, type Holdings, holdings, watchTroubles } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type HttpContext = Parameters<typeof runHttp>[3];
type ResolveHost = NonNullable<HttpContext['resolve']>;

const T = 500;
const input = { tool_name: 'write_file', tool_input: { path: 'a' } };
const foreign = { source: ConfigSource.Project, position: { file: '/p/settings.json', line: 1, column: 1 } };

interface Run {
  readonly result: HookExecutionResult;
  readonly ms: number;
}

const run = async (hook: HookConfig, context: Partial<HttpContext> = {}): Promise<Run> => {
  const startedAt = performance.now();
  const result = await runHttp({ type: 'http', timeout: T, ...hook }, 'BeforeTool', input, {
    limits: { stdoutBytes: 1_048_576 },
    environment: {},
    ...context,
  });
  return { result, ms: performance.now() - startedAt };
};

const named =
  (addresses: readonly string[]): ResolveHost =>
  (_name, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

let before: Holdings;

beforeEach(() => {
  watchTroubles();
  before = holdings();
});

const nothingLeft = (): Promise<void> => expectNothingLeft({ before, runIds: [], withinMs: 1_000 });

describe('an endpoint that does its work', () => {
  test('R770 gets the input as JSON and is heard', async () => {
    const { url, bodies, requests } = await answersJson({ decision: 'deny', reason: 'no' });
    const { result } = await run({ url });
    expect(result).toMatchObject({ success: true, outputFormat: 'json', output: { decision: 'deny', reason: 'no' } });
    expect(result).not.toHaveProperty('exitCode');
    expect(JSON.parse(bodies[0] ?? '')).toEqual(input);
    expect(requests[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  });

  test('R771 gets headers, with the variables that the hook names and no others', async () => {
    const { url, requests } = await answersJson({});
    const headers = {
      Authorization: 'Bearer $TOKEN',
      'X-Other': '${SECRET}-$MISSING!',
      Host: 'elsewhere',
      'X-Bad': '$LINES',
    };
    const { result } = await run(
      { url, headers, allowedEnvVars: ['TOKEN', 'MISSING', 'LINES'] },
      { environment: { TOKEN: 't0', SECRET: 's', LINES: 'a\r\nx-evil: 1' } },
    );
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer t0', 'x-other': '-!' });
    expect(requests[0]?.headers.host).toMatch(/^127\.0\.0\.1:/);
    expect(requests[0]?.headers).not.toHaveProperty('x-evil');
    expect(requests[0]?.headers).not.toHaveProperty('x-bad');
    expect(JSON.stringify(result.warnings)).toMatch(/SECRET, MISSING left empty.*Host, X-Bad not sent/);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('may pack its answer with %s', async (encoding, pack) => {
    const { url } = await endpoint((response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(pack('{"decision":"deny"}'));
    });
    expect((await run({ url })).result.output).toMatchObject({ decision: 'deny' });
  });
});

describe('F53 a redirect is not followed', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const elsewhere = await answersJson({ decision: 'allow' });
    const { url } = await endpoint((response) => {
      response.writeHead(status, { location: elsewhere.url }).end('{"decision":"allow"}');
    });
    const { result } = await run({ url });
    expect(result).toMatchObject({ success: false, code: 'http-error' });
    expect(result.error?.message).toContain('redirect');
    expect(elsewhere.connections()).toBe(0);
  });
});

describe('F54 F55 P12 no connection to an address out of bounds', () => {
  test.each(['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::ffff:7f00:1]', '0.0.0.0', 'localhost.'])(
    'spelled %s',
    async (host) => {
      const canary = await answersJson({ decision: 'allow' });
      const { result } = await run({ url: `http://${host}:${canary.port}/` });
      expect(result.code).toBe('blocked-address');
      await sleep(20);
      expect(canary.connections()).toBe(0);
    },
  );

  test('a name that leads inward, alone or beside a good address', async () => {
    const canary = await answersJson({ decision: 'allow' });
    const url = `http://hooks.example.com:${canary.port}/`;
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      const { result } = await run({ url }, { resolve: named(addresses) });
      expect(result.code).toBe('blocked-address');
    }
    expect(canary.connections()).toBe(0);
  });

  test('a name that was good before and leads inward now: each connection is checked', async () => {
    const canary = await answersJson({ decision: 'allow' });
    const url = `http://localhost:${canary.port}/`;
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1']];
    const resolve: ResolveHost = (name, callback) => named(answers.shift() ?? [])(name, callback);
    const codes = [];
    for (let round = 0; round < 3; round += 1) codes.push((await run({ url }, { resolve })).result.code);
    expect(codes).toEqual([undefined, 'blocked-address', undefined]);
    expect(canary.connections()).toBe(2);
  });

  test('a hook of a project goes inward only when the user approved its URL', async () => {
    const canary = await answersJson({ decision: 'deny' });
    const unapproved = withOrigin({ type: 'http', url: canary.url }, foreign);
    const approved = withOrigin({ type: 'http', url: canary.url }, { ...foreign, approved: true });
    const context = { limits: { stdoutBytes: 1_000 }, environment: {} };
    expect((await runHttp(unapproved, 'BeforeTool', input, context)).code).toBe('blocked-address');
    expect(canary.connections()).toBe(0);
    expect((await runHttp(approved, 'BeforeTool', input, context)).output?.decision).toBe('deny');
  });
});

describe('F56 an endpoint that takes its time', () => {
  const drip = (head: string) => () =>
    rawEndpoint((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write('x'), 100);
      socket.on('close', () => clearInterval(timer));
    });

  test.each([
    ['never answers', () => rawEndpoint(() => undefined)],
    ['sends its headers drop by drop', drip('HTTP/1.1 200 OK\r\nx: ')],
    ['sends its body drop by drop', drip('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n')],
  ])('%s: out of time', async (_what, start) => {
    const { url } = await start();
    const { result, ms } = await run({ url });
    expect(result.code).toBe('timeout');
    expect(ms).toBeGreaterThanOrEqual(T - 5);
    expect(ms).toBeLessThan(T + atMost(100));
  });

  test.each([
    ['resets the connection', () => rawEndpoint((socket) => socket.resetAndDestroy())],
    ['hangs up', () => rawEndpoint((socket) => socket.end())],
    [
      'sends less than it said',
      () => rawEndpoint((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"decision":"allow"}')),
    ],
    [
      'breaks off in a chunk',
      () =>
        rawEndpoint((socket) =>
          socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n13\r\n{"decision":"allow"'),
        ),
    ],
    [
      'breaks off within packed data',
      () =>
        endpoint((response) =>
          response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"decision":"allow"}').subarray(0, 15)),
        ),
    ],
    ['does not speak HTTP', () => rawEndpoint((socket) => socket.end('hello\r\n\r\n'))],
    [
      'wants another protocol',
      () =>
        rawEndpoint((socket) =>
          socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
        ),
    ],
  ])('%s: an error at once, and no verdict', async (_what, start) => {
    const { url } = await start();
    const { result, ms } = await run({ url });
    expect(result).toMatchObject({ success: false, code: 'http-error' });
    expect(result.output?.decision).toBeUndefined();
    expect(ms).toBeLessThan(atMost(200));
  });

  test('F74 a cancelled request ends its connection', async () => {
    const { url, connections } = await rawEndpoint(() => undefined);
    before = holdings();
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const { result, ms } = await run({ url, timeout: 5_000 }, { signal: controller.signal });
    expect(result.code).toBe('cancelled');
    expect(ms).toBeLessThan(50 + atMost(50));
    expect(connections()).toBe(1);
    await nothingLeft();
  });
});

describe('F57 an endpoint that sends too much', () => {
  const chunk = Buffer.alloc(1 << 20, 120);

  test.each([
    [
      'three hundred megabytes',
      () =>
        endpoint((response) => {
          let left = 300;
          const more = (): void => {
            while (left > 0 && response.write(chunk)) left -= 1;
            if (left > 0) response.once('drain', more);
            else response.end();
          };
          more();
        }),
    ],
    [
      'a little that unfolds to two hundred megabytes',
      () => {
        const bomb = gzipSync(Buffer.alloc(200 << 20, 120));
        return endpoint((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
      },
    ],
  ])('%s', async (_what, start) => {
    const { url } = await start();
    await run({ url, timeout: 5_000 });
    globalThis.gc?.();
    const rss = process.memoryUsage().rss;
    const { result } = await run({ url, timeout: 5_000 });
    expect(result.code).toBe('output-too-large');
    expect(process.memoryUsage().rss - rss).toBeLessThan(16 << 20);
  });

  test('twenty kilobytes in one header', async () => {
    const { url } = await rawEndpoint((socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n{}`));
    const { result } = await run({ url });
    expect(result.code).toBe('http-error');
    expect(result.error?.message).toContain('HPE_HEADER_OVERFLOW');
  });
});

describe('F58 statuses and bodies', () => {
  test.each([400, 401, 404, 418, 500, 503])(
    '%i is an error whatever the body says, and a denial in it counts',
    async (status) => {
      for (const decision of ['allow', 'deny']) {
        const { url } = await answersJson({ decision }, status);
        const { result } = await run({ url });
        expect(result).toMatchObject({ success: false, code: 'http-error' });
        expect(result.error?.message).toContain(String(status));
        expect(result.output?.decision).toBe(decision === 'deny' ? 'deny' : undefined);
      }
    },
  );

  test.each([
    ['204', 204, ''],
    ['an empty body', 200, ''],
    ['blanks', 200, ' \n'],
  ])('%s is no opinion', async (_what, status, body) => {
    const { url } = await endpoint((response) => response.writeHead(status).end(body));
    const { result } = await run({ url });
    expect(result.success).toBe(true);
    expect(result.output).toBeUndefined();
    expect(result.code).toBeUndefined();
  });

  test.each([
    ['HTML', '<html>hello</html>'],
    ['text', 'all is well'],
  ])('%s is a message', async (_what, body) => {
    const { url } = await endpoint((response) => response.writeHead(200).end(body));
    const { result } = await run({ url });
    expect(result).toMatchObject({ success: true, outputFormat: 'text', output: { systemMessage: body } });
  });

  test('JSON that is cut off is malformed', async () => {
    const { url } = await endpoint((response) => response.writeHead(200).end('{"decision":"de'));
    expect((await run({ url })).result.code).toBe('malformed-output');
  });

  test('bytes that are no UTF-8 are replaced, and said so, whatever the header calls them', async () => {
    const { url } = await endpoint((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=latin1' });
      response.end(Buffer.concat([Buffer.from('{"decision":"deny","reason":"'), Buffer.of(0xe9), Buffer.from('"}')]));
    });
    const { result } = await run({ url });
    expect(result.output).toMatchObject({ decision: 'deny', reason: '\ufffd' });
    expect(JSON.stringify(result.warnings)).toContain('UTF-8');
  });

  test('packed in a way we did not ask for', async () => {
    const { url } = await endpoint((response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'));
    const { result } = await run({ url });
    expect(result.code).toBe('http-error');
    expect(result.error?.message).toContain('zstd');
  });
});

describe('F59 no connection', () => {
  test('refused', async () => {
    const { url } = await rawEndpoint(() => undefined);
    const { result } = await run({ url: url.replace(/:\d+/, ':1') });
    expect(result.code).toBe('http-error');
    expect(result.error?.message).toContain('ECONNREFUSED');
  });

  test('a name nobody knows', async () => {
    const resolve: ResolveHost = (_name, callback) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), []);
    const { result } = await run({ url: 'http://nowhere.invalid/' }, { resolve });
    expect(result.code).toBe('http-error');
    expect(result.error?.message).toContain('ENOTFOUND');
  });

  test('a certificate nobody vouches for, whatever the hook says', async () => {
    const directory = temporaryFolder('tls');
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        cert,
        '-days',
        '1',
        '-subj',
        '/CN=localhost',
      ],
      { stdio: 'ignore' },
    );
    let heard = 0;
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
      heard += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { result } = await run({ url: `https://localhost:${port}/`, env }, { environment: env });
    expect(result.code).toBe('http-error');
    expect(result.error?.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(heard).toBe(0);
  });

  test('two hundred at once', async () => {
    const { url } = await answersJson({ decision: 'deny' });
    const runs = await Promise.all(Array.from({ length: 200 }, () => run({ url, timeout: 10_000 })));
    expect(runs.filter(({ result }) => result.output?.decision === 'deny')).toHaveLength(200);
  });
});
