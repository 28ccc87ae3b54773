// Writes the table of commands in docs/cli.md and a page per command in docs/cli, from the records of the commands.
//   node scripts/generate-cli-docs.mjs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

/** Keeps the code of the commands out, which `commands.ts` loads when a command runs. */
const withoutRuns = {
  name: 'without-runs',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/commands\// }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
};

/** The records as they are in the source. */
const loadCli = async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { commands } from './commands.ts'; export { formatCommandPages, formatCommandsMarkdown } from './event-pages/page-markdown.ts';`,
      resolveDir: join(root, 'src/cli'),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    plugins: [withoutRuns],
    write: false,
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
};

const file = join(root, 'docs/cli.md');
const [begin, end] = ['<!-- generated: commands -->', '<!-- end of generated: commands -->'];
const before = readFileSync(file, 'utf8');
const [from, to] = [before.indexOf(begin), before.indexOf(end)];
if (from === -1 || to < from) throw new Error(`docs/cli.md has no section between "${begin}" and "${end}"`);
const { commands, formatCommandPages, formatCommandsMarkdown } = await loadCli();
writeFileSync(file, `${before.slice(0, from)}${begin}\n${formatCommandsMarkdown(commands)}\n${before.slice(to)}`);

const folder = join(root, 'docs/cli');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const pages = Object.entries(formatCommandPages(commands));
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`docs/cli.md and ${pages.length} pages in docs/cli written`);
