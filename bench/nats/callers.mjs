// Many callers in one process, each with a connection of its own: `<url> <callers> <in flight> <seconds>`
import { MessageBus, requestHooks } from 'hookwright';
import { natsTransport } from 'hookwright/nats';

const [url, callers, inFlight, seconds] = process.argv
  .slice(2)
  .map((word, index) => (index === 0 ? word : Number(word)));
const count = { asked: 0, answered: 0, wrong: 0, lost: {}, duplicates: 0, unanswered: 0 };
const times = [];

const joined = await Promise.all(
  Array.from({ length: callers }, async () => {
    const transport = natsTransport({ servers: url, prefix: 'bench', hostSilenceMs: 20_000 });
    const bus = new MessageBus({ transport });
    bus.on('error', ({ code }) => {
      if (code === 'duplicate_response') count.duplicates += 1;
    });
    await transport.ready();
    return bus;
  }),
);
process.send?.('ready');

const until = performance.now() + seconds * 1_000;
const ask = async (bus, name) => {
  count.asked += 1;
  const command = `${name}-${count.asked}`;
  const startedAt = performance.now();
  const payload = { tool_name: 'shell', tool_input: { command } };
  const { success, finalOutput, errors } = await requestHooks(bus, 'BeforeTool', payload, {
    timeoutMs: 60_000,
    onLost: 'retry',
  });
  times.push(performance.now() - startedAt);
  if (!success) count.lost[errors[0]?.code] = (count.lost[errors[0]?.code] ?? 0) + 1;
  else if (finalOutput?.reason === command) count.answered += 1;
  else count.wrong += 1;
};
const keepAsking = async (bus, name) => {
  while (performance.now() < until) await ask(bus, name);
};
const startedAt = performance.now();
await Promise.all(
  joined.flatMap((bus, caller) =>
    Array.from({ length: inFlight / callers }, (_, place) => keepAsking(bus, `${caller}.${place}`)),
  ),
);
const tookMs = performance.now() - startedAt;
times.sort((one, other) => one - other);
const at = (part) => Math.round(times[Math.floor((times.length - 1) * part)]);
const told = Object.values(count.lost).reduce((sum, one) => sum + one, 0);
count.unanswered = count.asked - count.answered - count.wrong - told;
const rss = Math.round(process.memoryUsage().rss / 2 ** 20);
process.send?.({
  ...count,
  perSecond: Math.round((count.answered * 1_000) / tookMs),
  p50: at(0.5),
  p99: at(0.99),
  rss,
});
process.disconnect?.();
process.exit(0);
