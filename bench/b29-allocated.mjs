// B29: how many bytes does an event allocate? What is allocated is collected, some other time, while the host waits.
import { createHooks, requestHooks } from 'hookwright';
import { payloadAt } from './payloads.mjs';
import { absoluteRow, alternate } from './support.mjs';

const EVENTS = 2_000;

/**
 * Between two collections of a space that holds all of it, the heap grows by exactly what is allocated. Only new objects are
 * collected: after a full collection V8 discards optimised code, and until it has compiled it again events allocate half as much again.
 */
const allocatedBy = async (call) => {
  for (let index = 0; index < 20_000; index += 1) await call(index);
  return async () => {
    globalThis.gc({ type: 'minor' });
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < EVENTS; index += 1) await call(index);
    return (process.memoryUsage().heapUsed - before) / EVENTS / 1_000;
  };
};

const hooksOf = (count) =>
  createHooks({
    hooks: {
      BeforeTool: [
        {
          hooks: Array.from({ length: count }, (_, index) => ({
            type: 'runtime',
            name: `hook-${index}`,
            action: () => ({ decision: 'allow' }),
          })),
        },
      ],
    },
  });

const direct = (count) => async () => {
  const handler = (await hooksOf(count)).system.getEventHandler();
  return allocatedBy((index) => handler.fire('BeforeTool', payloadAt(index)));
};

const overBus = (count) => async () => {
  const { bus } = await hooksOf(count);
  return allocatedBy((index) => requestHooks(bus, 'BeforeTool', payloadAt(index)));
};

const questions = [
  { name: 'none', what: 'no hook', variant: direct(0), budget: 0.8 },
  { name: 'one', what: '1 function hook', variant: direct(1), budget: 3 },
  { name: 'twenty', what: '20 function hooks', variant: direct(20), budget: 15 },
  { name: 'bus', what: 'bus, no hook', variant: overBus(0), budget: 3 },
  { name: 'busOne', what: 'bus, 1 function hook', variant: overBus(1), budget: 6.5 },
];

export const variants = Object.fromEntries(questions.map(({ name, variant }) => [name, variant]));

export const measure = async () => {
  const execArgv = ['--expose-gc', '--max-semi-space-size=256', '--min-semi-space-size=256'];
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 9, execArgv });
  return questions.map(({ name, what, budget }) =>
    absoluteRow({ id: 'B29', what: `allocated by an event, ${what}`, ours: figures[name], unit: 'kB', budget }),
  );
};
