// B18: what does the first command of a process cost beside its second, more than it does for whoever starts it by hand?
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addedRow } from './support.mjs';

const run = promisify(execFile);
const script = fileURLToPath(new URL('first-command.mjs', import.meta.url));
const ROUNDS = 15;

const firstAndSecond = async (who) => JSON.parse((await run(process.execPath, [script, who])).stdout);

export const measure = async () => {
  const figures = { ours: [], byHand: [], second: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const [ourFirst, ourSecond] = await firstAndSecond('ours');
    const [first, second] = await firstAndSecond('by hand');
    figures.ours.push(ourFirst - ourSecond);
    figures.byHand.push(first - second);
    figures.second.push(second);
  }
  return [
    addedRow({
      id: 'B18',
      what: 'the first command of a process, over the second, adds to a start by hand',
      ours: figures.ours,
      without: figures.byHand,
      bare: figures.second,
      bareInDocument: 1.77,
      unit: 'ms',
      budget: 2,
    }),
  ];
};
