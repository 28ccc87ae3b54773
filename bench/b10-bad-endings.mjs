// B10: how soon is there an answer when a hook runs out of time, leaves its pipe to somebody else, or floods us?
// These are promises, not budgets of a machine: they hold everywhere and nothing is converted.
import { spawn } from 'node:child_process';
import { createHooks } from 'hookwright';
import { payloads } from './payloads.mjs';
import { absoluteRow, alternate, fewCalls } from './support.mjs';

const TIMEOUT_MS = 300;

const heldPipe = `printf '{"decision":"block"}'; sleep 30 & exit 2`;

/** Answers with how long it took until there was an answer, and makes sure that it is the right one. */
const fire =
  (command, { timeout, expected: { code, decision } }) =>
  async () => {
    let ended;
    const { system } = await createHooks({
      hooks: { BeforeTool: [{ hooks: [{ type: 'command', command, timeout }] }] },
      deps: {
        telemetry: (call) => {
          ended = call;
        },
      },
    });
    const handler = system.getEventHandler();
    return fewCalls(async () => {
      const { finalOutput } = await handler.fire('BeforeTool', payloads[0]);
      if (ended.code !== code || finalOutput?.decision !== decision) {
        throw new Error(`${command}: expected ${code ?? decision}, got ${ended.code} and ${finalOutput?.decision}`);
      }
    }, 1);
  };

const faults = (code, timeout) => ({ timeout, expected: { code, decision: undefined } });

/** When the hook itself is gone; what it put into the background is ended by us afterwards. */
const exitByHand = () =>
  fewCalls(
    () =>
      new Promise((resolve) => {
        const child = spawn('bash', ['--norc', '--noprofile', '-c', heldPipe], { detached: true });
        child.on('exit', () => {
          resolve();
          process.kill(-child.pid, 'SIGKILL');
        });
      }),
    1,
  );

export const variants = {
  timeout: fire('sleep 30', faults('timeout', TIMEOUT_MS)),
  'timeout, SIGTERM ignored': fire(`trap '' TERM; sleep 30; sleep 30`, faults('timeout', TIMEOUT_MS)),
  'timeout, pipe held': fire('sleep 30; echo {}', faults('timeout', TIMEOUT_MS)),
  'held pipe': fire(heldPipe, { expected: { decision: 'block' } }),
  'exit by hand': exitByHand,
  'flood of stdout': fire('yes', faults('output-too-large')),
  'flood of stderr': fire('yes >&2', faults('output-too-large')),
  'flood, signals ignored': fire(`trap '' TERM PIPE; yes`, faults('output-too-large')),
};

export const measure = async () => {
  const figures = await alternate(import.meta.url, Object.keys(variants), { rounds: 6 });
  const exit = figures['exit by hand'];
  const row = (name, limit, ours = figures[name]) =>
    absoluteRow({ id: 'B10', what: name, ours, unit: 'ms', budget: limit });
  const answersLate = ['timeout', 'timeout, SIGTERM ignored', 'timeout, pipe held'].map((name) =>
    row(
      `${name}: answer after the timeout`,
      100,
      figures[name].map((took) => took - TIMEOUT_MS),
    ),
  );
  const floods = ['flood of stdout', 'flood of stderr', 'flood, signals ignored'].map((name) => row(name, 200));
  const held = figures['held pipe'].map((took, round) => took - exit[round]);
  return [...answersLate, row('held pipe: answer after the exit', 150, held), ...floods];
};
