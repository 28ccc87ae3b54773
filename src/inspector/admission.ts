import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is not served. */
export interface Refused {
  readonly status: number;
  readonly message: string;
}

export interface Admission {
  readonly port: number;
  readonly token: string;
}

const isSame = (given: string, token: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Names of this machine for itself. Anything else in `Host` is a name that somebody made point here. */
const hostsAt = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

const tokenIn = ({ url = '/', headers }: IncomingMessage): string => {
  const [, bearer] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  return bearer ?? new URL(url, 'http://127.0.0.1').searchParams.get('token') ?? '';
};

/**
 * Whether a request may be served. Any page in any browser can send requests to a port of this machine, so none is taken for
 * the user's before it named us, came from our own page or from none, and knows the token.
 */
export const refusalOfRequest = (request: IncomingMessage, { port, token }: Admission): Refused | undefined => {
  const { host = '', origin, 'content-type': type = '', 'sec-fetch-site': site = 'none' } = request.headers;
  const hosts = hostsAt(port);
  if (!hosts.includes(host.toLowerCase())) {
    return { status: 421, message: `this is the inspector of hookwright at ${hosts[0]}, not ${host}` };
  }
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`)) {
    return { status: 403, message: 'pages from other origins have no access' };
  }
  if (site !== 'none' && site !== 'same-origin')
    return { status: 403, message: 'pages from other origins have no access' };
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads && !/^application\/json\s*(?:;|$)/i.test(type)) {
    return { status: 415, message: 'expected content of type application/json' };
  }
  if (!isSame(tokenIn(request), token)) {
    return { status: 401, message: 'the token is missing or wrong: open the address that hookwright inspect printed' };
  }
  return undefined;
};
