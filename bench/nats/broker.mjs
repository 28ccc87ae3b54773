// A broker for measuring, on a free port of this machine; nothing leaves it.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const isUp = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('data', () => socket.destroy());
  });

export const startBroker = async () => {
  const port = await freePort();
  const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const failed = new Promise((_, reject) => {
    child.once('error', () => reject(new Error('there is no nats-server to measure with')));
  });
  const listening = async () => {
    while (!(await isUp(port))) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await Promise.race([listening(), failed]);
  return { url: `nats://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
};
