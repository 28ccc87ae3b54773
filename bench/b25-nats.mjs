// B25: what does a request over a broker cost, over bare NATS request and reply of the same JSON? At most 1.3 times.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startBroker } from './nats/broker.mjs';
import { BARE, BARE_HOOKS, requestOf } from './nats/questions.mjs';
import { alternate, manyCalls, ratioRow } from './support.mjs';

const url = () => process.env.HOOKWRIGHT_BENCH_BROKER;

const bareAt = async (subject) => {
  const { connect } = await import('@nats-io/transport-node');
  const connection = await connect({ servers: url() });
  return manyCalls(async (index) => {
    const answer = await connection.request(subject, JSON.stringify(requestOf(index)), { timeout: 5_000 });
    return JSON.parse(answer.string());
  });
};

const busAt = async (prefix) => {
  const [{ MessageBus }, { natsTransport }] = await Promise.all([import('hookwright'), import('hookwright/nats')]);
  const transport = natsTransport({ servers: url(), prefix });
  await transport.ready();
  return new MessageBus({ transport });
};

const bus = async () => {
  const joined = await busAt('bench-plain');
  return manyCalls((index) =>
    joined.request(
      { ...requestOf(index), correlationId: joined.createCorrelationId() },
      'hook-execution-response',
      5_000,
    ),
  );
};

const hooks = async () => {
  const joined = await busAt('bench');
  const { requestHooks } = await import('hookwright');
  return manyCalls((index) => requestHooks(joined, 'BeforeTool', requestOf(index).payload));
};

export const variants = { bare: () => bareAt(BARE), bus, bareHooks: () => bareAt(BARE_HOOKS), hooks };

const startHost = (broker) =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('nats/host.mjs', import.meta.url)), [broker, 'bench']);
    child.once('message', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the host ended with ${code}`)));
  });

export const measure = async () => {
  const broker = await startBroker();
  process.env.HOOKWRIGHT_BENCH_BROKER = broker.url;
  const host = await startHost(broker.url);
  host.removeAllListeners('exit');
  try {
    const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 25 });
    const row = (what, ours, bare) => ratioRow({ id: 'B25', what, ours, bare, unit: 'µs', budget: 1.3 });
    return [
      row('bus.request over NATS', figures.bus, figures.bare),
      row('requestHooks over NATS; bare: the same engine behind it', figures.hooks, figures.bareHooks),
    ];
  } finally {
    host.kill('SIGKILL');
    broker.stop();
  }
};
