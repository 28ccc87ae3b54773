// Packs what npm would publish and prints where the tarball is.
//   node scripts/pack.mjs <directory>
// Works offline, and expects that dist/ is built.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from './tools.mjs';

const directory = resolve(process.argv[2] ?? '.');
// npm does not make it.
mkdirSync(directory, { recursive: true });
// --ignore-scripts, because `prepack` builds and would print between us and npm's answer.
const { code, stdout, output } = await run(
  'npm',
  ['pack', '--json', '--ignore-scripts', '--pack-destination', directory],
  { shell: process.platform === 'win32', env: { ...process.env, npm_config_update_notifier: 'false' } },
);
if (code === 0) {
  const [{ filename }] = JSON.parse(stdout);
  console.log(join(directory, filename));
} else {
  console.error(output);
  process.exitCode = 1;
}
