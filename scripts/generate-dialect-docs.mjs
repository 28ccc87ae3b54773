// Writes the tables of docs/dialects.md and the pages of docs/coming-from from the packs.
//   node scripts/generate-dialect-docs.mjs [--check]
// With --check nothing is written; it fails when the page is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const { outputFiles } = await build({
  absWorkingDir: root,
  stdin: {
    contents:
      "export * from './src/agents/agent-table.ts'; export * from './src/agents/judging/outcome-rules.ts'; export { toolKinds } from './src/agents/tools/vocabulary.ts';",
    resolveDir: root,
  },
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
  logLevel: 'silent',
});
const source = Buffer.from(outputFiles[0].contents).toString('base64');
const { dialects, listOutcomeRules, toolKinds } = await import(`data:text/javascript;base64,${source}`);

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll('|', '\\|');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const path = ({ path: where }) => (typeof where === 'string' ? where : (where.linux ?? Object.values(where)[0]));
const orders = {
  parallel: 'all at once',
  sequential: 'one after another',
  'as-asked': 'all at once, or in order when asked to',
};

const agents = () =>
  table(
    ['Agent', 'Name', 'Read at version', 'Files, on Linux', 'Several hooks'],
    dialects.map(({ title, name, latest, files, order }) => [
      title,
      code(name),
      latest,
      files.map((file) => code(path(file))).join(', '),
      orders[order],
    ]),
  );

const events = () => {
  const moments = new Map();
  for (const dialect of dialects) {
    for (const [event, { moment, kinds }] of Object.entries(dialect.events(dialect.latest))) {
      if (moment === undefined) continue;
      const row = moments.get(moment) ?? new Map();
      const names = row.get(dialect.name) ?? [];
      row.set(dialect.name, [...names, kinds === undefined ? code(event) : `${code(event)} (${kinds.join(', ')})`]);
      moments.set(moment, row);
    }
  }
  const rows = [...moments].map(([moment, row]) => [
    code(moment),
    ...dialects.map(({ name }) => (row.get(name) ?? ['–']).join(', ')),
  ]);
  return table(['Ours', ...dialects.map(({ title }) => title)], rows);
};

const missing = () =>
  dialects
    .map((dialect) => {
      const names = Object.entries(dialect.events(dialect.latest)).filter(([, { moment }]) => moment === undefined);
      return names.length === 0 ? '' : `- **${dialect.title}**: ${names.map(([name]) => code(name)).join(', ')}`;
    })
    .filter((line) => line !== '')
    .join('\n');

const tools = () => {
  const kinds = [...new Set(dialects.flatMap((dialect) => dialect.tools.tools.map(({ kind }) => kind)))];
  const named = (dialect, kind) => {
    const names = dialect.tools.tools.filter((tool) => tool.kind === kind).map((tool) => tool.names[0]);
    return names.length === 0 ? '–' : [...new Set(names)].map(code).join(', ');
  };
  return table(
    ['Kind', 'Arguments', ...dialects.map(({ title }) => title)],
    kinds.map((kind) => [
      kind,
      toolKinds[kind].map(code).join(', ') || '–',
      ...dialects.map((dialect) => named(dialect, kind)),
    ]),
  );
};

const versions = () =>
  dialects
    .filter(({ versions: notes }) => notes.length > 0)
    .map(({ title, versions: notes }) => {
      const lines = notes.map(
        ({ version, what, thin }) => `  - ${version}: ${what}${thin === true ? ' (one source only)' : ''}`,
      );
      return `- **${title}**\n${lines.join('\n')}`;
    })
    .join('\n');

const remarks = () =>
  dialects
    .map(({ title, remarks: lines }) => `- **${title}**\n${lines.map((line) => `  - ${line}`).join('\n')}`)
    .join('\n');

/** What comes of each way to end before a tool, in a word. */
const endings = () => {
  const columns = dialects.map((dialect) => {
    const [event] =
      Object.entries(dialect.events(dialect.latest)).find(([, { moment }]) => moment === 'BeforeTool') ?? [];
    return new Map(listOutcomeRules(dialect, event).map((ending) => [ending.when, ending]));
  });
  const rows = [...columns[0].keys()].map((when) => [
    when,
    ...columns.map((column) => {
      const { effect, isLost } = column.get(when) ?? { effect: '–', isLost: false };
      const [short] = effect.split(/[:,(]/);
      return isLost ? `**${short.trim()}**` : short.trim();
    }),
  ]);
  return table(['A hook before a tool ends with', ...dialects.map(({ title }) => title)], rows);
};

const page = join(root, 'docs/dialects.md');
const before = readFileSync(page, 'utf8');
const sections = { agents, events, missing, tools, versions, remarks, endings };
const after = Object.entries(sections).reduce((text, [name, make]) => {
  const pattern = new RegExp(`<!-- generated: ${name} -->\\n[\\s\\S]*?<!-- end -->`);
  if (!pattern.test(text)) throw new Error(`docs/dialects.md has no place for ${name}`);
  return text.replace(pattern, () => `<!-- generated: ${name} -->\n${make()}\n<!-- end -->`);
}, before);
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/dialects.md is stale: node scripts/generate-dialect-docs.mjs');
    process.exitCode = 1;
  }
} else if (after !== before) {
  writeFileSync(page, after);
  console.log('docs/dialects.md written');
}

// The pages for users of each agent are made of the same packs.
await import('./generate-agent-pages.mjs');
