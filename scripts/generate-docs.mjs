// Writes what the documentation takes from the code: the table of events in the README.
//   node scripts/generate-docs.mjs [--check]
// With --check nothing is written; it fails when something is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

/** The catalogue and the merge rules as they are in the source: neither is exported from the package. */
const loadEvents = async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export * from './catalogue.ts'; export * from './merge/merge-rules.ts';`,
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

const comparisons = new Map([
  ['pattern', 'a pattern'],
  ['exact', 'the whole word'],
]);

/** Which field of the payload a matcher sees. */
const subjectField = ({ of }) => of(new Proxy({}, { get: (_payload, field) => field }));

const tableOfEvents = ({ catalogue, hookEventNames, ...rules }) => {
  const { keepEverything, keepPermissions, keepResult, keepVariables, replaceFields, uniteTools, lastWins } = rules;
  const merges = new Map([
    [keepEverything, 'reasons are joined, of two other values the later counts'],
    [keepResult, 'reasons are joined, of two other values the later counts'],
    [keepPermissions, 'reasons and permissions are joined, of two other values the later counts'],
    [keepVariables, 'reasons and variables are joined, of two other values the later counts'],
    [replaceFields, 'a later field replaces an earlier one'],
    [uniteTools, 'the strictest mode, and the names of all'],
    [lastWins, 'the last value counts'],
  ]);
  const rowOf = (name) => {
    const { when, subject, supports, merge } = catalogue[name];
    const compared =
      subject === undefined
        ? 'nothing: all match'
        : `\`${subjectField(subject)}\`, ${wordsFor(comparisons, subject.compare, subject.compare)}`;
    const changed = supports.map((field) => `${wordsFor(changes, field, field)} (\`${field}\`)`);
    return [`\`${name}\``, when, compared, changed.join(', ') || '–', wordsFor(merges, merge, `the merge of ${name}`)];
  };
  const head = [
    'Event',
    'When',
    'What matchers compare with',
    'What a hook can change',
    'How several answers become one',
  ];
  const lines = [head, head.map(() => '---'), ...hookEventNames.map(rowOf)];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};

const withSection = (text, name, content) => {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of generated: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`README.md has no section between "${begin}" and "${end}"`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
};

const file = join(root, 'README.md');
const before = readFileSync(file, 'utf8');
const after = withSection(before, 'events', tableOfEvents(await loadEvents()));
if (after === before) {
  console.log('README.md is up to date');
} else if (process.argv.includes('--check')) {
  console.error('README.md is stale: run node scripts/generate-docs.mjs');
  process.exitCode = 1;
} else {
  writeFileSync(file, after);
  console.log('README.md written');
}
