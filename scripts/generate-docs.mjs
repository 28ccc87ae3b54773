// Writes the table of docs/hooks.md that says what hooks of each event can change, and how several answers become one.
//   node scripts/generate-docs.mjs [--check]
// With --check nothing is written; it fails when something is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

/** The catalogue as it is in the source: it is not exported from the package. */
const loadEvents = async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export * from './catalogue.ts';`,
      resolveDir: join(root, 'src/events'),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
};

/** Words for a thing of the code. What has none yet stops the generator: it is to be described, not to be left out. */
const wordsFor = (words, key, what) => {
  const found = words.get(key);
  if (found === undefined) throw new Error(`${what} has no words yet: add them to scripts/generate-docs.mjs`);
  return found;
};

const changes = new Map([
  ['tool_input', "the tool's input"],
  ['additionalContext', 'context for the model'],
  ['tailToolCallRequest', 'a tool to call next'],
  ['updatedOutput', "the tool's result"],
  ['clearContext', 'whether the conversation is forgotten'],
  ['llm_request', 'the model request'],
  ['llm_response', "the model's answer"],
  ['toolConfig', 'which tools may be called'],
]);

const merges = new Map([
  ['keep-everything', 'reasons are joined; any other field is that of the last hook'],
  ['keep-result', 'reasons are joined; any other field is that of the last hook'],
  ['keep-permissions', 'reasons and permissions are joined; any other field is that of the last hook'],
  ['keep-variables', 'reasons and variables are joined; any other field is that of the last hook'],
  ['replace-fields', 'each field is that of the last hook that sets it'],
  ['unite-tools', 'the strictest mode, and the tool names of all hooks'],
  ['last-wins', 'the last hook wins'],
]);

const tableOfChanges = ({ catalogue, hookEventNames }) => {
  const rowOf = (name) => {
    const { supports, merge } = catalogue[name];
    const changed = supports.map((field) => `${wordsFor(changes, field, field)} (\`${field}\`)`);
    const link = `[\`${name}\`](events/${name}.md)`;
    return [link, changed.join(', ') || '–', wordsFor(merges, merge, `the merge of ${name}`)];
  };
  const head = ['Event', 'What a hook can change', 'If several hooks answer'];
  const lines = [head, head.map(() => '---'), ...hookEventNames.map(rowOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

const withSection = (text, name, content) => {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of generated: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/hooks.md has no section between "${begin}" and "${end}"`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
};

const file = join(root, 'docs/hooks.md');
const before = readFileSync(file, 'utf8');
const after = withSection(before, 'changes', tableOfChanges(await loadEvents()));
if (after === before) {
  console.log('docs/hooks.md is up to date');
} else if (process.argv.includes('--check')) {
  console.error('docs/hooks.md is stale: run node scripts/generate-docs.mjs');
  process.exitCode = 1;
} else {
  writeFileSync(file, after);
  console.log('docs/hooks.md written');
}
