import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Endpoint {
  readonly port: number;
  readonly url: string;
  /** Connections that were made, whether or not anything was asked. */
  connections(): number;
  /** Bodies that arrived, as text. */
  readonly bodies: string[];
  readonly requests: IncomingMessage[];
}

const listen = async (server: Server, more: Partial<Endpoint> = {}): Promise<Endpoint> => {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = { port, url: `http://127.0.0.1:${port}/hook`, bodies: [], requests: [], ...more };
  return { ...endpoint, connections: () => connections };
};

/** A server of this machine, for the time of one test. `answer` is called when the body has arrived. */
export const endpoint = (answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<Endpoint> => {
  const bodies: string[] = [];
  const requests: IncomingMessage[] = [];
  const onRequest: RequestListener = (request, response) => {
    let body = '';
    requests.push(request);
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    response.on('error', () => undefined);
    request
      .on('error', () => undefined)
      .on('end', () => {
        bodies.push(body);
        answer(response, request);
      });
  };
  return listen(createServer(onRequest), { bodies, requests });
};

/** A server that speaks whatever it likes. */
export const rawEndpoint = (onSocket: (socket: Socket) => void): Promise<Endpoint> =>
  listen(createRawServer((socket) => onSocket(socket.on('error', () => undefined).resume())));

export const answersJson = (value: unknown, status = 200): Promise<Endpoint> =>
  endpoint((response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  });
