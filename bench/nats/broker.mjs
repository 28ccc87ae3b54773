// A broker for measuring, on a free port of this machine; nothing leaves it.
import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { NotMeasured } from '../support.mjs';

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
  child.once('error', () => {});
  if (child.pid === undefined) throw new NotMeasured('there is no nats-server here');
  while (!(await isUp(port))) {
    if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { url: `nats://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
};
