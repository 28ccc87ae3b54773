// Writes docs/coming-from/: a page for the users of each agent whose hooks are read, made from its pack.
//   node scripts/generate-agent-pages.mjs [--check]
// With --check nothing is written; it fails when something is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSource } from './load-source.mjs';
import { root } from './tools.mjs';

const { dialects, endingsOf } = await loadSource(
  "export * from './src/agents/table.ts'; export * from './src/agents/judging/endings.ts';",
);

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll('|', '\\|');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const section = (title, ...paragraphs) => [`## ${title}`, ...paragraphs].join('\n\n');

const orders = {
  parallel: 'all at once',
  sequential: 'one after another',
  'as-asked': 'all at once, or one after another where a file asks for it',
};

/** Its name for a moment of ours that concerns every tool, and for the shell. */
const wordsOf = (dialect) => {
  const events = Object.entries(dialect.events(dialect.latest));
  const [event] = events.find(([, { moment, kinds }]) => moment === 'BeforeTool' && kinds === undefined);
  const { names } = dialect.tools.tools.find(({ kind }) => kind === 'shell');
  return { events, event, tool: names[0] };
};

/** Commands with what each is for behind them, one below the other. */
const commands = (lines) => {
  const width = Math.max(...lines.map(([line]) => line.length));
  return ['```text', ...lines.map(([line, what]) => `${line.padEnd(width)}   # ${what}`), '```'].join('\n');
};

const look = ({ name, title, files }, { event, tool }) => {
  const paths = files.map(({ path }) => code(typeof path === 'string' ? path : (path.linux ?? Object.values(path)[0])));
  return section(
    'Look at the hooks you have',
    'In your project. Nothing is run, and nothing is changed.',
    commands([
      [`npx hookwright list --agent ${name}`, 'every hook, and the file it stands in'],
      [
        `npx hookwright explain ${event} --tool ${tool} --agent ${name}`,
        'which run before that tool, and why not the others',
      ],
      [`npx hookwright doctor --agent ${name}`, 'what keeps them from doing their work'],
    ]),
    `\`--agent\` can be left out where only ${title} has hooks. Files that are read, on Linux: ${paths.join(', ')}.`,
  );
};

const run = ({ name, title }, { event, tool }) =>
  section(
    'Run one, without the agent',
    commands([
      [`npx hookwright trust --agent ${name}`, 'hooks of a project run once you have approved them'],
      [
        `npx hookwright run ${event} --tool ${tool} --agent ${name}`,
        'fires the event; --input says what the tool gets',
      ],
    ]),
    `The script gets the stdin ${title} would send, and its answer is read as ${title} reads it.`,
  );

const embed = ({ name, title }) =>
  section(
    'In an agent of your own',
    `\`createHooks({ load: true, dialects: { '${name}': true }, tools: … })\` runs these files as they are; \`tools\` says how your agent
calls its tools. [examples/dialects.mjs](../../examples/dialects.mjs) is a whole agent that does so for Claude Code. By default the
stricter of two rules counts, ${title}'s and hookwright's: [an explicit block is never lost](../dialects.md#strict-and-faithful).`,
  );

const take = ({ name, title }) =>
  section(
    'Take them over, or stay',
    commands([
      [`npx hookwright import --from ${name} --dry-run`, "as hookwright's own settings; says what cannot come along"],
      [`npx hookwright install --into ${name} --dry-run`, `or ${title} stays, and asks the hooks of hookwright`],
    ]),
    `Without \`--dry-run\` it is done; \`npx hookwright undo\` takes it back. Your scripts stay as they are either way.`,
  );

const eventsTable = (dialect, { events }) => {
  const rows = events
    .filter(([, { moment }]) => moment !== undefined)
    .map(([event, { moment, kinds }]) => [
      kinds === undefined ? code(event) : `${code(event)} (${kinds.join(', ')})`,
      `[${code(moment)}](${existsSync(join(root, 'docs/events', `${moment}.md`)) ? `../events/${moment}.md` : '../embedding.md#events-of-your-own'})`,
    ]);
  const missing = events.filter(([, { moment }]) => moment === undefined).map(([event]) => code(event));
  return section(
    'What is called what',
    table([dialect.title, 'hookwright'], rows),
    ...(missing.length === 0
      ? []
      : [`Hooks for these do not run, and a problem names the line: ${missing.join(', ')}.`]),
    table(
      ['Tools that', `are called in ${dialect.title}`],
      dialect.tools.tools.map(({ kind, names }) => [kind, names.map(code).join(', ')]),
    ),
  );
};

const differences = (dialect, { event }) => {
  const rows = endingsOf(dialect, event).map(({ when, effect, isLost }) => [when, isLost ? `**${effect}**` : effect]);
  return section(
    'What to know',
    `- Several hooks of an event run ${orders[dialect.order]}.\n${dialect.remarks.map((line) => `- ${line}`).join('\n')}`,
    `The ways in which a hook before a tool can end, and what ${dialect.title} does then. What stands in bold was probably meant to
block, and does not. hookwright blocks on every exit code 2 and every denial among them, unless you choose \`faithful\`.`,
    table(['The hook ends with', 'The call'], rows),
  );
};

const versions = ({ title, latest, versions: notes }) =>
  notes.length === 0
    ? []
    : [
        section(
          'By version',
          `Read as ${title} ${latest} does. \`--agent-version\`, or \`version\` in \`dialects\`, names another.`,
          table(
            ['Since', 'What'],
            notes.map(({ version, what, thin }) => [version, `${what}${thin === true ? ' (one source only)' : ''}`]),
          ),
        ),
      ];

const pageOf = (dialect) => {
  const words = wordsOf(dialect);
  const { title } = dialect;
  const intro = `Your hooks for ${title} run with hookwright as they are: each script sees the names, the arguments and the stdin it was written
for. In return you can ask why one did not fire, test it, and record and replay what it decided.

<!-- Made by scripts/generate-agent-pages.mjs from the pack of ${title}. -->`;
  const parts = [look, run, embed, take, eventsTable, differences].map((part) => part(dialect, words));
  const more = 'Everything about all agents is in [Hooks that people already have](../dialects.md).';
  return `${[`# Coming from ${title}`, intro, ...parts, ...versions(dialect), more].join('\n\n')}\n`;
};

const folder = 'docs/coming-from';
const wanted = new Map(dialects.map((dialect) => [`${dialect.name}.md`, pageOf(dialect)]));
mkdirSync(join(root, folder), { recursive: true });
const there = readdirSync(join(root, folder));
const left = there.filter((file) => !wanted.has(file));
const stale = [...wanted].filter(
  ([file, text]) => !there.includes(file) || readFileSync(join(root, folder, file), 'utf8') !== text,
);

if (left.length + stale.length === 0) {
  console.log('the pages of the agents are up to date');
} else if (process.argv.includes('--check')) {
  console.error(
    `stale: ${[...left, ...stale.map(([file]) => file)].join(', ')}; run node scripts/generate-agent-pages.mjs`,
  );
  process.exitCode = 1;
} else {
  for (const file of left) rmSync(join(root, folder, file));
  for (const [file, text] of stale) writeFileSync(join(root, folder, file), text);
  console.log(`${stale.length} pages written`);
}
