// Random plans of hooks that misbehave, random deadlines, cancels, reloads and disposes, and every promise checked as it goes.
//   npm run soak -- [--requests 5000] [--seed 1] [--kinds functions,commands,workers,http] [--at-once 32] [--seconds 900] [--first]
// The same seed gives the same plans. Ends with 1 when a promise was broken.
import { parseArgs } from 'node:util';
import { createId, Soak } from './soak/soak.mjs';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    kinds: { type: 'string', default: 'functions,commands,workers,http' },
    'at-once': { type: 'string', default: '32' },
    seconds: { type: 'string', default: '900' },
    // Ends at the first promise that was broken.
    first: { type: 'boolean', default: false },
  },
});

const soak = new Soak({
  requests: Number(values.requests),
  seed: Number(values.seed),
  kinds: values.kinds.split(','),
  atOnce: Number(values['at-once']),
  seconds: Number(values.seconds),
  endsAtFirst: values.first,
  marker: createId(),
});
const { lines, broken } = await soak.run();
for (const line of lines) console.log(line);
for (const what of broken.slice(0, 20)) console.error(`broken: ${what}`);
if (broken.length > 20) console.error(`and ${broken.length - 20} more`);
process.exitCode = broken.length === 0 ? 0 : 1;
