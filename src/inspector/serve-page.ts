/** Serves the inspector's page and its JSON routes over HTTP. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createInvalidArgument } from '../errors.ts';
import { attempt, describeThrown, once, parseJson } from '../kit/index.ts';
import {
  findRequestRefusal,
  type LocalServer,
  readBody,
  readRequestUrl,
  type ServerAccess,
  serveLocally,
} from '../kit/node.ts';

/** `undefined` if the route keeps the connection open. */
export type RouteResponse = { readonly status: number; readonly body: unknown } | undefined;

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (
    query: URLSearchParams,
    body: unknown,
    response: ServerResponse,
  ) => RouteResponse | Promise<RouteResponse>;
}

const MAX_BODY_BYTES = 16_384;

/** A Content-Security-Policy: only the page's own script runs, and no other server can be reached. */
const createContentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const securityHeaders = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
};

const sendPage = (response: ServerResponse): void => {
  const nonce = randomBytes(18).toString('base64');
  response.setHeader('content-security-policy', createContentPolicy(nonce));
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(readInspectorPage().replaceAll('%NONCE%', nonce));
};

const readJsonBody = async (
  request: IncomingMessage,
): Promise<{ value: unknown } | { status: number; message: string }> => {
  if (request.method !== 'POST') return { value: undefined };
  const body = await readBody(request, MAX_BODY_BYTES);
  if (body === undefined) return { status: 413, message: `expected at most ${MAX_BODY_BYTES} bytes` };
  const read = parseJson(body.toString('utf8'));
  return read.ok ? { value: read.value } : { status: 400, message: 'expected JSON' };
};

const serveRequest = async (
  routes: readonly Route[],
  admission: ServerAccess,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const refused = findRequestRefusal(request, admission);
  if (refused !== undefined) {
    response.setHeader('connection', 'close');
    sendJson(response, refused.status, { error: refused.message });
    return;
  }
  const { pathname, searchParams } = readRequestUrl(request);
  if (pathname === '/' && request.method === 'GET') {
    sendPage(response);
    return;
  }
  const at = routes.filter(({ path }) => path === pathname);
  const route = at.find(({ method }) => method === request.method);
  if (route === undefined) {
    sendJson(response, at.length > 0 ? 405 : 404, { error: at.length > 0 ? 'not this way' : 'there is nothing here' });
    return;
  }
  const body = await readJsonBody(request);
  if ('status' in body) {
    sendJson(response, body.status, { error: body.message });
    return;
  }
  const answer = await route.answer(searchParams, body.value, response);
  if (answer !== undefined) sendJson(response, answer.status, answer.body);
};

export const servePage = async (routes: readonly Route[], token: string, wanted: number): Promise<LocalServer> => {
  let port = wanted;
  const served = await serveLocally((request, response) => {
    response.on('error', () => response.destroy());
    serveRequest(routes, { name: 'hookwright inspect', port, token }, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: describeThrown(error) });
    });
  }, wanted);
  port = served.port;
  return served;
};

/** Paths of the page relative to the bundled library, the bundled binary and the source file. */
const pageLocations = ['./inspector.html', '../inspector.html', '../../dist/inspector.html'];

/** Script and style are inline, so each response needs a fresh nonce in place of `%NONCE%`. */
const readInspectorPage = once((): string => {
  for (const location of pageLocations) {
    const page = attempt(() => readFileSync(new URL(location, import.meta.url), 'utf8'));
    if (page !== undefined) return page;
  }
  throw createInvalidArgument(
    'the page of the inspector is not in this installation: expected dist/inspector.html; install hookwright anew, or run npm run build in a checkout',
  );
});
