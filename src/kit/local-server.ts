// Runs an HTTP server that only programs on this machine can reach, and checks its requests.
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

interface RequestRefusal {
  readonly status: number;
  readonly message: string;
}

export interface ServerAccess {
  readonly name: string;
  readonly port: number;
  readonly token: string;
  /** True if the `Authorization` header is meant for another server, so that the token is read from the URL only. */
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
  await listenOn(first, wanted, '127.0.0.1');
  const address = first.address();
  const port = typeof address === 'object' && address !== null ? address.port : wanted;
  await listenOn(second, port, '::1').catch(() => second.close());
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

const listenOn = async (server: Server, port: number, host: string): Promise<void> => {
  server.listen({ port, host, ipv6Only: true });
  await once(server, 'listening');
};

const isSameToken = (given: string, token: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** A `Host` header that is not listed here indicates DNS rebinding: a web page's domain resolves to this machine. */
const listLocalHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

/** A request line with an absolute URL may contain any host, so callers must not use the host of the result. */
export const readRequestUrl = ({ url = '/' }: IncomingMessage): URL => {
  const base = 'http://127.0.0.1';
  // A URL that starts with two slashes would be parsed as a host name.
  return new URL(url.startsWith('/') ? `${base}${url}` : url, base);
};

const readToken = (request: IncomingMessage, onlyInAddress: boolean): string => {
  const [, bearer] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
  return (onlyInAddress ? undefined : bearer) ?? readRequestUrl(request).searchParams.get('token') ?? '';
};

const methodsWithoutContent: readonly string[] = ['GET', 'HEAD', 'DELETE'];

/**
 * `undefined` if the request may be served. Any web page can send requests to local ports, so a request must have a
 * local `Host` and the token, and must not come from a page of another origin.
 */
export const findRequestRefusal = (request: IncomingMessage, admission: ServerAccess): RequestRefusal | undefined => {
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
  if (!methodsWithoutContent.includes(request.method ?? '') && !/^application\/json\s*(?:;|$)/i.test(type)) {
    return { status: 415, message: 'expected content of type application/json' };
  }
  if (!isSameToken(readToken(request, onlyInAddress), token)) {
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
