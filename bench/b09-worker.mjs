// B9: a worker, one request after another and many at once, beside the same lines written and read by hand.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HookRunner } from 'hookwright';
import { hookInput } from './payloads.mjs';
import { absoluteRow, alternate, fewCalls, manyCalls, scaledRow } from './support.mjs';

const fixture = (name) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const AT_ONCE = 1_000;

const rawAsk = () => {
  const child = spawn(process.execPath, [fixture('lines.mjs')]);
  const waiting = new Map();
  let rest = '';
  let ids = 0;
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, output } = JSON.parse(line);
      waiting.get(id)(output);
      waiting.delete(id);
    }
  });
  return () =>
    new Promise((resolve) => {
      ids += 1;
      waiting.set(ids, resolve);
      child.stdin.write(`${JSON.stringify({ id: ids, input: hookInput })}\n`);
    });
};

const ourAsk = () => {
  const runner = new HookRunner(
    { getSessionId: () => 'bench', getHooks: () => ({}) },
    { limits: { concurrency: AT_ONCE } },
  );
  const hook = { type: 'worker', command: process.execPath, args: [fixture('exports.mjs')] };
  return () => runner.executeHook(hook, 'BeforeTool', hookInput);
};

const many = (ask) => () => Promise.all(Array.from({ length: AT_ONCE }, ask));
/** Each call is a thousand requests: a few of them are enough, and what one takes is told in µs of a request. */
const eachOf = async (ask) => {
  const round = await fewCalls(many(ask), 9);
  return async () => ((await round()) * 1_000) / AT_ONCE;
};

export const variants = {
  'ours, one': () => manyCalls(ourAsk()),
  'raw, many': () => eachOf(rawAsk()),
  'ours, many': () => eachOf(ourAsk()),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 5 });
  return [
    // By hand it takes 21 to 34 µs, from run to run: divided by that, the figure would say more of it than of ours.
    absoluteRow({ id: 'B9', what: 'worker, round trip', ours: figures['ours, one'], unit: 'µs', budget: 75 }),
    scaledRow({
      id: 'B9',
      what: `worker, ${AT_ONCE} at once, each`,
      ours: figures['ours, many'],
      bare: figures['raw, many'],
      bareInDocument: 8,
      budget: 20,
    }),
  ];
};
