// B8: an unchanged trivial hook of Node that is warm, beside the same script started cold and raw.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { HookSystem } from 'hookwright';
import { hookInput } from './payloads.mjs';
import { alternate, median, scaledRow } from './support.mjs';

const script = fileURLToPath(new URL('fixtures/trivial.mjs', import.meta.url));
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const raw = () =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [script]);
    child.stdout.resume();
    child.on('close', resolve);
    child.stdin.end(JSON.stringify(hookInput));
  });

const CALLS = 3;
const REST_MS = 400;

/** A machine that has rested takes longer for whatever comes next: the start by hand rests as long as ours does. */
const rested = () => async () => {
  const times = [];
  while (times.length < CALLS) {
    await sleep(REST_MS);
    const started = performance.now();
    await raw();
    times.push(performance.now() - started);
  }
  return median(times);
};

/** Between two events of an agent lies more than the start of an interpreter; without that time there is no hit. */
const hits = async () => {
  const hooks = [{ name: 'trivial', command: process.execPath, args: [script], warm: true }];
  const traces = [];
  const system = new HookSystem(
    { getSessionId: () => 'bench', getHooks: () => ({ BeforeTool: [{ hooks }] }) },
    undefined,
    { onTrace: ({ rows: [row] }) => traces.push(row.warm) },
  );
  await system.initialize();
  const fire = () => system.getEventHandler().fireBeforeToolEvent('write_file', hookInput.tool_input);
  await fire();
  return async () => {
    const times = [];
    for (let tries = 0; times.length < CALLS; tries += 1) {
      if (tries > 4 * CALLS) throw new Error('the spare was not used');
      await sleep(REST_MS);
      const started = performance.now();
      await fire();
      if (traces.at(-1) === 'hit') times.push(performance.now() - started);
    }
    return median(times);
  };
};

export const variants = { raw: rested, ours: hits };

export const measure = async () => {
  const { raw: bare, ours } = await alternate(import.meta.url, ['raw', 'ours'], { rounds: 10 });
  return [
    scaledRow({
      id: 'B8',
      what: 'warm hit, trivial node hook',
      ours,
      bare,
      bareInDocument: 50.7,
      unit: 'ms',
      budget: 5,
    }),
  ];
};
