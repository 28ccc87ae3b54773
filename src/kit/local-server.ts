// Runs an HTTP server that only programs on this machine can reach, and checks its requests.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

interface Refused {
  readonly status: number;
  readonly message: string;
}

export interface Admission {
  readonly name: string;
  readonly port: number;
  readonly token: string;
  /** True if the `Authorization` header is meant for another server, so that only the URL has our token. */
  readonly onlyInAddress?: boolean | undefined;
}

export interface LocalServer {
  readonly port: number;
  close(): Promise<void>;
}

export const serveLocally = async (
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  wanted: number,
): Promise<LocalServer> => {
  // Most programs that import the package never start a server, so `node:http` is loaded on demand.
  const { createServer } = await import('node:http');
  const servers = [createServer(onRequest), createServer(onRequest)] as const;
  const [first, second] = servers;
  await listen(first, wanted, '127.0.0.1');
  const address = first.address();
  const port = typeof address === 'object' && address !== null ? address.port : wanted;
  await listen(second, port, '::1').catch(() => second.close());
  return {
    port,
    close: async () => {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((resolve) => {
              if (!server.listening) resolve();
              else server.close(() => resolve());
              server.closeAllConnections();
            }),
        ),
      );
    },
  };
};

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, ipv6Only: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });

const isSame = (given: string, token: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Any other `Host` value indicates DNS rebinding: a web page's domain that resolves to this machine. */
const listLocalHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

/** An absolute request line may contain any host, so callers must not use the host of the URL. */
export const requestUrl = ({ url = '/' }: IncomingMessage): URL => {
  const base = 'http://127.0.0.1';
  // A URL that starts with two slashes would be parsed as a host name.
  return new URL(url.startsWith('/') ? `${base}${url}` : url, base);
};

const readToken = (request: IncomingMessage, onlyInAddress: boolean): string => {
  const [, bearer] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return (onlyInAddress ? undefined : bearer) ?? requestUrl(request).searchParams.get('token') ?? '';
};

const withoutContent: readonly string[] = ['GET', 'HEAD', 'DELETE'];

/**
 * `undefined` if the request may be served. Any web page can send requests to local ports, so a request must have a
 * local `Host` and the token, and must not come from a page of another origin.
 */
export const findRequestRefusal = (request: IncomingMessage, admission: Admission): Refused | undefined => {
  const { name, port, token, onlyInAddress = false } = admission;
  const { host = '', origin, 'content-type': type = '', 'sec-fetch-site': site = 'none' } = request.headers;
  const hosts = listLocalHosts(port);
  if (!hosts.includes(host.toLowerCase())) {
    return { status: 421, message: `this is ${name} at ${hosts[0]}, not ${host}` };
  }
  const isFromElsewhere = origin !== undefined && !hosts.some((one) => origin === `http://${one}`);
  if (isFromElsewhere || (site !== 'none' && site !== 'same-origin')) {
    return { status: 403, message: 'pages from other origins have no access' };
  }
  if (!withoutContent.includes(request.method ?? '') && !/^application\/json\s*(?:;|$)/i.test(type)) {
    return { status: 415, message: 'expected content of type application/json' };
  }
  if (!isSame(readToken(request, onlyInAddress), token)) {
    return { status: 401, message: `the token is missing or wrong: use the address that ${name} printed` };
  }
  return undefined;
};

export const readBody = async (request: IncomingMessage, mostBytes: number): Promise<Buffer | undefined> => {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > mostBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};
