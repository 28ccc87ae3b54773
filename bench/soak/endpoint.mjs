// One server of this machine; what it does is the path of the url.
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';

const bomb = gzipSync(Buffer.alloc(16 << 20, 120));
const json = (response, value, status = 200) => response.writeHead(status).end(JSON.stringify(value));

const deeds = {
  allow: (response) => json(response, { decision: 'allow' }),
  deny: (response) => json(response, { decision: 'deny', reason: 'by http' }),
  ask: (response) => json(response, { decision: 'ask', reason: 'by http' }),
  silent: (response) => response.writeHead(204).end(),
  'deny with status 403': (response) => json(response, { decision: 'deny', reason: 'by http' }, 403),
  broken: (response) => json(response, { decision: 'allow' }, 500),
  redirect: (response) => response.writeHead(307, { location: '/allow' }).end(),
  reset: (response) => response.socket.resetAndDestroy(),
  half: (response) => response.writeHead(200).end('{"decision":"al'),
  bomb: (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  hang: () => undefined,
  drip: (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  },
};

export const openEndpoint = async () => {
  const server = createServer((request, response) => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.resume().on('end', () => deeds[decodeURIComponent(request.url.slice(1))](response));
  });
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return { url: `http://127.0.0.1:${server.address().port}`, close };
};
