// B7: how long is the event loop of a large host held when many hooks start, and how long does one command take there?
// The stall is a promise that holds everywhere; what one costs is compared with the same start in this very host.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { ours, plainLine, startPlainly } from './commands.mjs';
import { absoluteRow, alternate, fewCalls, ratioRow } from './support.mjs';

const HOOKS = 20;
const MEGABYTES = 510;
/** Enough for the helper to have been started, and to be used. */
const WARM_UP_MS = 1_500;

const ballast = [];

/** A host of some 585 MB, none of it in the heap. */
const grow = () => {
  while (ballast.length < MEGABYTES) ballast.push(Buffer.alloc(1 << 20, 1));
};

const warmed = async (fire) => {
  grow();
  for (const until = performance.now() + WARM_UP_MS; performance.now() < until; await sleep(50)) await fire();
  return fire;
};

/** The longest time that nothing else could happen, while one event starts them all. */
const stall = (createFire) => async () => {
  const fire = await warmed(await createFire());
  return async () => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    // What is recorded is the time between two looks, so there has to have been one.
    await sleep(20);
    const started = performance.now();
    const running = fire();
    const heldMs = performance.now() - started;
    await running;
    await sleep(20);
    delay.disable();
    return Math.max(heldMs, delay.max / 1e6);
  };
};

const one = (createFire) => async () => fewCalls(await warmed(await createFire()), 3);

const startMany = async () => () => Promise.all(Array.from({ length: HOOKS }, startPlainly));

export const variants = {
  'stall, ours': stall(() => ours(HOOKS, plainLine)),
  'stall, by hand': stall(startMany),
  'one, ours': one(() => ours(1, plainLine)),
  'one, by hand': one(async () => startPlainly),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 9 });
  const what = `${HOOKS} hooks start in a host with ${MEGABYTES} MB of buffers: longest stall`;
  return [
    {
      ...absoluteRow({ id: 'B7', what, ours: figures['stall, ours'], unit: 'ms', budget: 10 }),
      bare: absoluteRow({ id: '', what, ours: figures['stall, by hand'], unit: 'ms', budget: 0 }).measured,
    },
    ratioRow({
      id: 'B7',
      what: 'one command in that host, beside a start by hand',
      ours: figures['one, ours'],
      bare: figures['one, by hand'],
      budget: 0.5,
    }),
  ];
};
