import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../examples/support.ts';
import { attacks, call, initialize, overHttp, type Wish } from './mcp-proxy-support.ts';

describe.skipIf(process.platform === 'win32')('R1213 over HTTP', () => {
  beforeAll(buildPackage, 60_000);

  test('R1210 no call in another form reaches the server, and each is answered with an error', async () => {
    const { send, received } = await overHttp();
    await send({ body: initialize() });
    const known = received.length;
    for (const [form, body] of [...attacks, ['in a batch', `[${call()}]`] as const]) {
      const { status, text } = await send({ body });
      expect({ status, text }, form).toMatchObject({
        status: 400,
        text: expect.stringContaining('"error":{"code":-32'),
      });
    }
    expect(await send({ body: call() })).toMatchObject({ status: 200, text: expect.stringContaining('not that one') });
    expect(received).toHaveLength(known);
  });

  test('the URL is the server’s own, whatever the request line says; its query stays with the proxy', async () => {
    const { send, received, otherPort, url, said } = await overHttp();
    const headers = { authorization: 'Bearer of the client' };
    for (const path of [`//127.0.0.1:${otherPort}/x`, `http://127.0.0.1:${otherPort}/x`, '/x', '/mcp/../x', '/']) {
      for (const method of ['GET', 'POST']) {
        const wish = {
          method,
          path: `${path}${url.search}`,
          headers,
          ...(method === 'GET' ? {} : { body: initialize() }),
        };
        expect((await send(wish)).status, `${method} ${path}`).toBe(404);
      }
    }
    expect(received).toEqual([]);
    await send({ headers, path: `http://127.0.0.1:${otherPort}/mcp${url.search}`, body: initialize() });
    expect(received).toEqual([`server POST /mcp?key=1 Bearer of the client ${initialize()}`]);
    expect(said).not.toContain('key=1');
  });

  test.each(['PUT', 'PATCH', 'OPTIONS', 'HEAD'])('a call does not pass as %s', async (method) => {
    const { send, received } = await overHttp();
    expect((await send({ method, body: call() })).status).toBe(405);
    expect(received).toEqual([]);
  });

  test('a redirect is an error: the client would follow it past the hooks', async () => {
    const { send } = await overHttp();
    const { status, text } = await send({ body: '{"jsonrpc":"2.0","id":1,"method":"x/moved"}' });
    expect(status).toBe(502);
    expect(text).toContain('the server redirects to /elsewhere; start the proxy with that address');
  });

  test('of a stream of events those with messages pass, and no other address is told', async () => {
    const { send } = await overHttp();
    const { text } = await send({ body: '{"jsonrpc":"2.0","id":1,"method":"x/streamed"}' });
    const message = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"did it"}]}}';
    expect(text).toBe(`event: endpoint\n\n: here\n\nid: 1\ndata: \n\nid: 2\ndata: ${message}\n\n`);
  });

  test('no call passes before the server has said its name through this proxy', async () => {
    const { send, received } = await overHttp();
    expect((await send({ body: call() })).text).toContain('send initialize first');
    expect(received).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('R1214 over HTTP the proxy admits whom the inspector would', () => {
  beforeAll(buildPackage, 60_000);

  test.each<[string, Wish, number]>([
    ['without the token', { path: '/mcp' }, 401],
    ['with another token', { path: '/mcp?token=0123456789abcdef' }, 401],
    [
      'with the token as that of the server',
      { path: '/mcp', headers: { authorization: 'Bearer fixed-fixed-fixed' } },
      401,
    ],
    ['of a page of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['of a page at another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403],
    ['from another origin', { headers: { origin: 'https://example.com' } }, 403],
    ['for another host', { headers: { host: 'example.com' } }, 421],
    ['of another type', { headers: { 'content-type': 'text/plain' } }, 415],
  ])('a request %s is refused', async (_title, wish, status) => {
    const { send, received } = await overHttp({ HOOKWRIGHT_PROXY_TOKEN: 'fixed-fixed-fixed' });
    expect((await send({ ...wish, body: initialize() })).status).toBe(status);
    expect(received).toEqual([]);
  });

  test('the token is part of the address, and may be fixed', async () => {
    const { url, send } = await overHttp({ HOOKWRIGHT_PROXY_TOKEN: 'fixed-fixed-fixed' });
    expect(url.search).toBe('?token=fixed-fixed-fixed');
    expect((await send({ body: initialize() })).status).toBe(200);
    const { url: made } = await overHttp();
    expect(made.searchParams.get('token')).toMatch(/^[\w-]{32}$/);
  });
});
