// B19: how soon is there an answer when the hook printed a whole one, and somebody else holds its pipe?
// A promise like those of B10: it holds everywhere and nothing is converted.
import { spawn } from 'node:child_process';
import { createHooks } from 'hookwright';
import { payloads } from './payloads.mjs';
import { absoluteRow, alternate, fewCalls } from './support.mjs';

const LINE = `printf '{"decision":"deny"}'; sleep 30 & exit 0`;

const fire = async () => {
  const { system } = await createHooks({ hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: LINE }] }] } });
  const handler = system.getEventHandler();
  return fewCalls(async () => {
    const { finalOutput } = await handler.fire('BeforeTool', payloads[0]);
    if (finalOutput?.decision !== 'deny') throw new Error(`expected deny, got ${finalOutput?.decision}`);
  }, 1);
};

/** When the hook itself is gone; what it put into the background is ended by us afterwards. */
const exitByHand = () =>
  fewCalls(
    () =>
      new Promise((resolve) => {
        const child = spawn('bash', ['--norc', '--noprofile', '-c', LINE], { detached: true });
        child.on('exit', () => {
          resolve();
          process.kill(-child.pid, 'SIGKILL');
        });
      }),
    1,
  );

export const variants = { ours: fire, 'exit by hand': exitByHand };

export const measure = async () => {
  const { ours, 'exit by hand': exit } = await alternate(import.meta.url, Object.keys(variants), { rounds: 9 });
  const late = ours.map((took, round) => took - exit[round]);
  return [
    absoluteRow({ id: 'B19', what: 'a whole answer, a held pipe: after the exit', ours: late, unit: 'ms', budget: 30 }),
  ];
};
