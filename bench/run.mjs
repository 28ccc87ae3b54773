// Measures the budgets: all of them, or the questions named on the command line. Ends non-zero when one is missed.
//   npm run bench                 npm run bench -- b02 b03
import { readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { table } from './support.mjs';

const wanted = process.argv.slice(2);
const questions = readdirSync(new URL('.', import.meta.url)).filter((file) => /^b\d\d-.*\.mjs$/.test(file));
const chosen = questions.filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)));

const started = performance.now();
const rows = [];

const attempt = async (file) => {
  process.stderr.write(`${file}\n`);
  try {
    const { measure } = await import(new URL(file, import.meta.url));
    return await measure();
  } catch (error) {
    const what = `could not be measured: ${error.message.split('\n', 1)}`;
    return [{ id: file.slice(0, 3).toUpperCase(), what, ok: false }];
  }
};

// Everything is measured once: a second try for what missed, and none for what passed, would let a row in that is as often
// over its budget as under it.
for (const file of chosen) rows.push(...(await attempt(file)));

const missed = rows.filter(({ ok }) => !ok).length;
const judged = rows.filter(({ ok, budget }) => !ok || budget !== undefined).length;
const [{ model } = { model: 'unknown processor' }] = cpus();
console.log(`\nNode ${process.version}, ${process.platform}, ${model.trim()}, ${cpus().length} cores`);
console.log(`others wanted the processors too: a load of ${loadavg()[2].toFixed(1)} over 15 minutes`);
console.log(
  'measured, bare: median (middle half) of alternating rounds; figure: a ratio, or the time here divided by scale',
);
console.log(`\n${table(rows)}\n`);
console.log(
  `${judged - missed} within budget, ${missed} missed, ${((performance.now() - started) / 1_000).toFixed(0)} s`,
);
if (missed > 0 || rows.length === 0) process.exitCode = 1;
