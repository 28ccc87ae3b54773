// Writes docs/events/, a page for each event, and the table of docs/hooks.md that leads to them.
//   node scripts/generate-event-docs.mjs [--check]
// With --check nothing is written; it fails when something is stale.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

/** The pages as the source makes them from the catalogue. */
const loadPages = async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: `export * from './page-markdown.ts';`, resolveDir: join(root, 'src/cli/event-pages') },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
};

const read = (path) => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
};

const withSection = (text, content) => {
  const [begin, end] = ['<!-- generated: events -->', '<!-- end of generated: events -->'];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/hooks.md has no section between "${begin}" and "${end}"`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
};

const { createAllPages, formatEventsTable } = await loadPages();
const wanted = {
  ...Object.fromEntries(Object.entries(createAllPages()).map(([file, text]) => [`docs/events/${file}`, text])),
  'docs/hooks.md': withSection(read('docs/hooks.md'), formatEventsTable()),
};
mkdirSync(join(root, 'docs/events'), { recursive: true });
const left = readdirSync(join(root, 'docs/events'))
  .map((file) => `docs/events/${file}`)
  .filter((path) => wanted[path] === undefined);
const stale = [...Object.keys(wanted).filter((path) => read(path) !== wanted[path]), ...left];

if (stale.length === 0) {
  console.log('the pages of the events are up to date');
} else if (process.argv.includes('--check')) {
  console.error(`stale: ${stale.join(', ')}; run node scripts/generate-event-docs.mjs`);
  process.exitCode = 1;
} else {
  for (const path of left) rmSync(join(root, path));
  for (const path of stale.filter((one) => wanted[one] !== undefined)) writeFileSync(join(root, path), wanted[path]);
  console.log(`${stale.length} pages written`);
}
