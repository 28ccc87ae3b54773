// A process of its own for b18: the first command that it starts, and the median of a few later ones, in ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { ours, plainLine, startPlainly } from './commands.mjs';

const call = process.argv[2] === 'by hand' ? startPlainly : await ours(1, plainLine);
// A host has other things to do between its start and the first tool.
await sleep(100);
const times = [];
for (let count = 0; count < 8; count += 1) {
  const started = performance.now();
  await call();
  times.push(performance.now() - started);
  await sleep(20);
}
const [first, ...later] = times;
console.log(JSON.stringify([first, later.sort((one, other) => one - other)[3]]));
