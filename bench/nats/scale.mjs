// How many requests do 1, 2 and 4 hosts answer, for 500 callers with 10,000 in flight; and what comes of hosts that are
// killed and added meanwhile? `node bench/nats/scale.mjs [seconds]`; the figures of docs/scale.md come from here.
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startBroker } from './broker.mjs';

const [seconds = '5'] = process.argv.slice(2);
const CALLERS = '500';
const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const start = async (name, env, ...args) => {
  const child = fork(path(name), args, { env: { ...process.env, ...env } });
  await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
  child.removeAllListeners('exit');
  return child;
};

const run = async (what, { hosts, inFlight, waitMs = 0, meanwhile }) => {
  const env = { HOOKWRIGHT_BENCH_WAIT: String(waitMs) };
  const broker = await startBroker();
  const serving = await Promise.all(Array.from({ length: hosts }, () => start('host.mjs', env, broker.url)));
  const asking = await start('callers.mjs', {}, broker.url, CALLERS, String(inFlight), seconds);
  const figures = new Promise((resolve) => asking.once('message', resolve));
  const stop = meanwhile?.(serving, () => start('host.mjs', env, broker.url));
  const { perSecond, p50, p99, asked, answered, wrong, lost, duplicates, unanswered, rss } = await figures;
  await stop?.();
  for (const host of serving) host.kill('SIGKILL');
  broker.stop();
  const row = { what, 'answers/s': perSecond, 'p50 ms': p50, 'p99 ms': p99, asked, answered, wrong, twice: duplicates };
  return { ...row, unanswered, lost: JSON.stringify(lost), 'callers MB': rss };
};

/** Every two seconds a host is added, and the oldest killed without a word. */
const killAndAdd = (serving, add) => {
  let killed = 0;
  let isOver = false;
  const doing = (async () => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      if (isOver) return;
      serving.push(await add());
      serving.shift().kill('SIGKILL');
      killed += 1;
    }
  })();
  return async () => {
    isOver = true;
    await doing;
    console.log(`${killed} hosts were killed and added`);
  };
};

const rows = [];
const keep = (row) => {
  rows.push(row);
  console.log(JSON.stringify(row));
};
for (const hosts of [1, 2, 4]) {
  keep(
    await run(`${hosts} host(s), a hook that waits 20 ms, 8 at a time; 500 in flight`, {
      hosts,
      inFlight: 500,
      waitMs: 20,
    }),
  );
}
for (const hosts of [1, 2, 4])
  keep(await run(`${hosts} host(s), a hook that only computes; 500 in flight`, { hosts, inFlight: 500 }));
keep(await run('4 hosts; 10,000 in flight', { hosts: 4, inFlight: 10_000 }));
keep(
  await run('the same, a host killed and one added every 2 s', { hosts: 4, inFlight: 10_000, meanwhile: killAndAdd }),
);
const [{ model } = { model: 'unknown processor' }] = cpus();
console.log(
  `Node ${process.version}, ${model.trim()}, ${cpus().length} cores; broker, hosts and callers on this machine`,
);
console.table(rows);
if (rows.some(({ wrong, unanswered, twice }) => wrong + unanswered + twice > 0)) process.exitCode = 1;
