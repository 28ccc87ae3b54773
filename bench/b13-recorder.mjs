// B13: what does a publisher pay for a recorder on its bus, and an event for its trace?
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHooks, MessageBus, MessageBusType } from 'hookwright';
import { record } from 'hookwright/recorder';
import { hookInput, payloadAt } from './payloads.mjs';
import { addedCalls, addedRow, alternate, manyCalls, scaledRow } from './support.mjs';

const message = (index) => ({
  type: MessageBusType.HOOK_EXECUTION_REQUEST,
  correlationId: `call-${index}`,
  eventName: 'BeforeTool',
  payload: { ...payloadAt(index) },
});

const BURST = 100;
const BURSTS = 60;

const recorded = (bus) => {
  const directory = mkdtempSync(join(tmpdir(), 'hookwright-bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  record(bus, { file: join(directory, 'session.jsonl'), maxFiles: 2 });
};

/** How long `publish` takes; what a recorder does in later turns of the loop is no delay of the publisher. */
const publishing = (prepare) => async () => {
  const bus = new MessageBus();
  bus.subscribe(MessageBusType.HOOK_EXECUTION_REQUEST, () => {});
  prepare(bus);
  const round = async () => {
    let took = 0;
    for (let burst = 0; burst < BURSTS; burst += 1) {
      const messages = Array.from({ length: BURST }, (_, index) => message(index));
      const started = performance.now();
      for (const one of messages) bus.publish(one);
      took += performance.now() - started;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return (took * 1_000) / (BURST * BURSTS);
  };
  for (let warmUp = 0; warmUp < 10; warmUp += 1) await round();
  return round;
};

const FLOOD = 20_000;

/** All in one go: a recorder has to write while it lasts. */
const flooding = (prepare) => async () => {
  const bus = new MessageBus();
  bus.subscribe(MessageBusType.HOOK_EXECUTION_REQUEST, () => {});
  prepare(bus);
  const round = async () => {
    const started = performance.now();
    for (let index = 0; index < FLOOD; index += 1) bus.publish(message(index));
    const took = performance.now() - started;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return (took * 1_000) / FLOOD;
  };
  for (let warmUp = 0; warmUp < 3; warmUp += 1) await round();
  return round;
};

const firing = async (count, deps) => {
  const list = Array.from({ length: count }, (_, index) => ({
    type: 'runtime',
    name: `hook-${index}`,
    action: () => ({ decision: 'allow' }),
  }));
  const { system } = await createHooks({ hooks: { BeforeTool: [{ hooks: list }] }, deps });
  const handler = system.getEventHandler();
  return (index) => handler.fire('BeforeTool', payloadAt(index));
};

/** Two engines, of which one is listened to. */
const tracing = (count) => async () => addedCalls(await firing(count, { onTrace: () => {} }), await firing(count, {}));

export const variants = {
  bare: () => manyCalls(() => JSON.stringify(hookInput)),
  'publish, off': publishing(() => {}),
  'publish, on': publishing(recorded),
  'flood, off': flooding(() => {}),
  'flood, on': flooding(recorded),
  'trace, 1': tracing(1),
  'trace, 20': tracing(20),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 25 });
  const bare = { bare: figures.bare, bareInDocument: 1.4 };
  const added = (what, on, off, budget) =>
    addedRow({ id: 'B13', what, ours: figures[on], without: figures[off], ...bare, budget });
  const trace = (count) =>
    scaledRow({
      id: 'B13',
      what: `a trace of ${count} ${count === 1 ? 'row' : 'rows'}`,
      ours: figures[`trace, ${count}`],
      ...bare,
      budget: 1.3 + count * 0.5,
    });
  return [
    added('a recorder delays a publisher, a message', 'publish, on', 'publish, off', 5),
    added('a recorder in a flood of 20,000, a message of 1 kB', 'flood, on', 'flood, off'),
    trace(1),
    trace(20),
  ];
};
