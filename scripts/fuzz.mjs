// npm run fuzz -- [--seconds <number>] [--seed <number>] [--cases <number>] [--only <kind>]
// Feeds everything that takes somebody else's text with broken ones: settings, hook output, session files, messages, command
// lines, YAML. Nothing may crash or wait; the same seed makes the same texts. "denials" and "no denials" are outputs of hooks around
// a denial and without one: the first may never be silent or an allow, the second never a denial. In full that is
//   npm run fuzz -- --only denials --cases 200000 --seconds 600
//   npm run fuzz -- --only 'no denials' --cases 100000 --seconds 600
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    cases: { type: 'string', default: '100000' },
    only: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const outfile = join(root, 'node_modules', '.fuzz.mjs');
await build({
  entryPoints: [join(root, 'test/support/fuzz/fuzz.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  logLevel: 'error',
});
const { fuzz } = await import(pathToFileURL(outfile).href);
rmSync(outfile);
const msEach = (Number(values.seconds) * 1_000) / (values.only === undefined ? 8 : 1);
const reports = await fuzz({ seed, cases: Number(values.cases), msEach, only: values.only });
for (const { name, cases, slowestMs, findings } of reports) {
  console.log(
    `${name.padEnd(14)} ${String(cases).padStart(7)} cases, the slowest ${slowestMs} ms, ${findings.length} findings`,
  );
  for (const finding of findings) console.log(`  ${finding}`);
}
console.log(`seed ${seed}`);
process.exit(reports.some(({ findings }) => findings.length > 0) ? 1 : 0);
