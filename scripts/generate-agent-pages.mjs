// Writes docs/coming-from/: a page for the users of each agent whose hooks are read, made from its pack.
//   node scripts/generate-agent-pages.mjs [--check]
// With --check nothing is written; it fails when something is stale.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { loadSource } from './load-source.mjs';
import { root } from './tools.mjs';

const { dialects, listOutcomeRules, importHooks } = await loadSource(
  "export * from './src/agents/agent-table.ts'; export * from './src/agents/judging/outcome-rules.ts'; export { importHooks } from './src/agents/import.ts';",
);

const code = (text) => `\`${text}\``;
const cell = (text) => text.replaceAll('|', '\\|');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const section = (title, ...paragraphs) => [`## ${title}`, ...paragraphs].join('\n\n');

const orders = {
  parallel: 'all at once',
  sequential: 'one after another',
  'as-asked': 'all at once, or one after another if a file says so',
};

/** Its name for a moment of ours that concerns every tool, and for the shell. */
const wordsOf = (dialect) => {
  const events = Object.entries(dialect.events(dialect.latest));
  const [event] = events.find(([, { moment, kinds }]) => moment === 'BeforeTool' && kinds === undefined);
  const { names } = dialect.tools.tools.find(({ kind }) => kind === 'shell');
  return { events, event, tool: names[0] };
};

/** Commands, each below what it is for: beside it, a page would cut that off. */
const commands = (lines) => ['```text', ...lines.flatMap(([line, what]) => [`# ${what}`, line]), '```'].join('\n');

const look = ({ name, title, files }, { event, tool }) => {
  const paths = files.map(({ path }) => code(typeof path === 'string' ? path : (path.linux ?? Object.values(path)[0])));
  return section(
    'Look at the hooks you have',
    'Run these in your project. They run no hook and change nothing.',
    commands([
      [`npx hookwright list --agent ${name}`, 'every hook and its file'],
      [
        `npx hookwright explain ${event} --tool ${tool} --agent ${name}`,
        'which hooks run before that tool, and why the others do not',
      ],
      [`npx hookwright doctor --agent ${name}`, 'what keeps hooks from working'],
    ]),
    `You can omit \`--agent\` if only ${title} has hooks here. Files that are read, on Linux: ${paths.join(', ')}.`,
  );
};

const run = ({ name, title }, { event, tool }) =>
  section(
    'Run one, without the agent',
    commands([
      [`npx hookwright trust --agent ${name}`, 'approve the hooks of the project first'],
      [`npx hookwright run ${event} --tool ${tool} --agent ${name}`, 'fires the event; --input is the payload'],
    ]),
    `The script gets the stdin that ${title} would send, and its answer means what it means in ${title}.`,
  );

const embed = ({ name, title }) =>
  section(
    'In an agent of your own',
    `\`createHooks({ load: true, agents: { '${name}': true }, tools: … })\` runs these files unchanged; \`tools\` maps the names of
your agent's tools. [examples/dialects.mjs](../../examples/dialects.mjs) is a whole agent that does this for Claude Code. By default the
stricter of two rules counts, ${title}'s and hookwright's: [an explicit block is never lost](../dialects.md#strict-and-faithful).`,
  );

/** The agent to import from: VS Code has no files of its own, it reads those of other agents. */
const ownerOf = ({ name, files }) => (files.every(({ of }) => of !== undefined) ? files[0].of : name);

const take = (dialect) => {
  const { name, title } = dialect;
  return section(
    'Move to hookwright, or connect it',
    commands([
      [
        `npx hookwright import --from ${ownerOf(dialect)} --dry-run`,
        "copies the hooks into hookwright's settings; lists the losses",
      ],
      [`npx hookwright install --into ${name} --dry-run`, `or: ${title} runs the hooks of hookwright`],
    ]),
    `An imported hook is approved with \`npx hookwright trust\`. A call goes on if its hook fails, as in ${title}, and
also if the hook changed after its approval. Write \`"onFault": "deny"\` beside its \`"command"\` to make it a guard: then both calls are
refused.`,
    `\`--dry-run\` only shows the change; \`npx hookwright undo\` reverts it. Your scripts stay unchanged in both cases.
[Three ways to bring your hooks](../dialects.md#three-ways-to-bring-your-hooks) compares them.`,
  );
};

const block = (language, text) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

/** The project of examples/agents/ with hooks of this agent: its settings file and its scripts. */
const exampleOf = ({ name }) => {
  const project = join(root, 'examples/agents', name);
  const files = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(project, join(entry.parentPath, entry.name)))
    .sort();
  const read = (file) => ({ file, text: readFileSync(join(project, file), 'utf8') });
  const settings = files.filter((file) => file.endsWith('.json')).map(read);
  const scripts = files.filter((file) => file.endsWith('.sh')).map(read);
  if (settings.length !== 1) throw new Error(`${project}: expected one hook file, found ${settings.length}`);
  return { project, settings: settings[0], scripts };
};

/** What `import` makes of the example. Nothing is written, and no other hooks are read. */
const imported = async (dialect, project, rewrite) => {
  const { changes, losses } = await importHooks({
    from: ownerOf(dialect),
    cwd: project,
    home: join(project, 'home'),
    env: {},
    rewrite,
  });
  return { settings: JSON.parse(changes[0].after), losses };
};

const entriesOf = ({ hooks }) =>
  Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group) => group.hooks.map((hook) => ({ event, matcher: group.matcher, ...hook }))),
  );

const rewritten = ({ title }, { settings, losses }) => {
  const stay = entriesOf(settings).filter(({ agent }) => agent !== undefined);
  const head = 'With `--rewrite` they become hooks of hookwright, and read and answer its JSON.';
  const rest =
    stay.length === 0
      ? ''
      : ` ${stay.map(({ command }) => code(command)).join(', ')} would keep the format of ${title}.`;
  const lines = losses.map(({ path, message }) => `- ${code(path)}: ${message}`);
  return `${head}${rest} It reports:\n\n${lines.join('\n')}`;
};

const beforeAndAfter = async (dialect) => {
  const { name, title } = dialect;
  const owner = ownerOf(dialect);
  const { project, settings, scripts } = exampleOf(dialect);
  const kept = await imported(dialect, project, false);
  const ours = await imported(dialect, project, true);
  return section(
    'A hook file, before and after',
    `${code(settings.file)}, as ${title} reads it:`,
    block('json', settings.text),
    ...scripts.flatMap(({ file, text }) => [`${code(file)} answers in the format of ${title}:`, block('sh', text)]),
    `${owner === name ? '' : `${title} has no hook files of its own, so import those of ${code(owner)}. `}\`npx hookwright import --from ${owner}\` writes \`.hookwright/settings.json\`:`,
    block('json', JSON.stringify(kept.settings, null, 2)),
    `The differences: events have the names of hookwright, a timeout is in milliseconds and always stated, and \`"agent": "${owner}"\` keeps
the rules of that agent for the matcher, the script's stdin and environment, and its answer. The scripts are the same files.`,
    ...(dialect.isOurs === true
      ? [
          `hookwright reads the files of ${title} without an import, too. After an import, remove the hooks from ${code(settings.file)}, or each
runs twice.`,
        ]
      : []),
    ...(ours.losses.length === 0 ? [] : [rewritten(dialect, ours)]),
    `[This example](../../examples/agents/${name}/${settings.file}) is tested before and after the import.`,
  );
};

const formatEventsTable = (dialect, { events }) => {
  const rows = events
    .filter(([, { moment }]) => moment !== undefined)
    .map(([event, { moment, kinds }]) => [
      kinds === undefined ? code(event) : `${code(event)} (${kinds.join(', ')})`,
      `[${code(moment)}](${existsSync(join(root, 'docs/events', `${moment}.md`)) ? `../events/${moment}.md` : '../embedding.md#events-of-your-own'})`,
    ]);
  return section(
    'Names of events and tools',
    table([dialect.title, 'hookwright'], rows),
    table(
      ['Kind of tool', `Name in ${dialect.title}`],
      dialect.tools.tools.map(({ kind, names }) => [kind, names.map(code).join(', ')]),
    ),
  );
};

const differences = (dialect, { event, events }) => {
  const { title, order, remarks } = dialect;
  const rows = listOutcomeRules(dialect, event).map(({ when, effect, isLost }) => [
    when,
    isLost ? `**${effect}**` : effect,
  ]);
  const missing = events.filter(([, { moment }]) => moment === undefined).map(([name]) => code(name));
  const lines = [
    `- **Blocks**: before a tool, every exit code 2 and every denial blocks, even if ${title} would lose it (bold in the
  table). The mode \`faithful\` decides as ${title} does.`,
    `- **Approval**: hooks of the project do not run until you approve them with \`npx hookwright trust\`; a changed script ends the
  approval. Yours, in your home directory, need none.`,
    `- **Environment**: hooks of the project get no variables that [look like secrets](../trust.md#environment).`,
    `- **Switches** in a file of the project affect only hooks of the project.`,
    ...(missing.length === 0
      ? []
      : [`- **Events**: hooks for these do not run, and a problem names the line: ${missing.join(', ')}.`]),
  ];
  return section(
    'What behaves differently here',
    lines.join('\n'),
    'More details:',
    [`- Several hooks of an event run ${orders[order]}.`, ...remarks.map((line) => `- ${line}`)].join('\n'),
    `How a hook before a tool can end, and what ${title} does. Bold: the author probably meant to block, but the call goes ahead.`,
    table(['The hook ends with', `The call in ${title}`], rows),
  );
};

const versions = ({ title, latest, versions: notes }) =>
  notes.length === 0
    ? []
    : [
        section(
          'By version',
          `hookwright follows the rules of ${title} ${latest}. Choose another version with \`--agent-version\`, or \`version\` in \`agents\`.`,
          table(
            ['Since', 'Change'],
            notes.map(({ version, what, thin }) => [version, `${what}${thin === true ? ' (one source only)' : ''}`]),
          ),
        ),
      ];

/** In a sentence VS Code is its own name, without that of the feature. */
const named = (dialect) => ({ ...dialect, title: dialect.title.replace(/ agent hooks$/, '') });

const pageOf = async (dialect) => {
  const words = wordsOf(dialect);
  const { title } = dialect;
  const intro = `Your hooks for ${title} run with hookwright unchanged: each script gets the names, arguments and stdin of ${title}. hookwright then
explains why a hook did not fire, tests hooks, and records and replays their decisions.

<!-- Made by scripts/generate-agent-pages.mjs from the pack of ${title}. -->`;
  const parts = await Promise.all(
    [look, run, beforeAndAfter, take, embed, differences, formatEventsTable].map((part) => part(dialect, words)),
  );
  const more = 'More about all agents: [Hooks of other agents](../dialects.md).';
  return `${[`# Coming from ${title}`, intro, ...parts, ...versions(dialect), more].join('\n\n')}\n`;
};

const folder = 'docs/coming-from';
const wanted = new Map(
  await Promise.all(dialects.map(async (dialect) => [`${dialect.name}.md`, await pageOf(named(dialect))])),
);
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
