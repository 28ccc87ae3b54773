// Writes the fields of contexts and results into docs/abilities.md, as the source has them.
//   node scripts/generate-ability-docs.mjs [--check]
// With --check nothing is written; it fails when the tables are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

const load = async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { abilityContexts } from './events/abilities/ability-contexts.ts';
        export { payloadSchemas, resultFields } from './protocol/results/ability-result.ts';
        export { toJSONSchema } from 'zod/mini';`,
      resolveDir: join(root, 'src'),
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
};

const typeOf = ({ type, enum: values, items, properties, anyOf }) => {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return `list of ${typeOf(items ?? {})}`;
  if (properties !== undefined) return `{ ${Object.keys(properties).join(', ')} }`;
  return type ?? 'any JSON';
};

const rowsOf = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(
    ([name, schema]) => `| \`${name}\` | ${typeOf(schema)} | ${required.includes(name) ? 'yes' : ''} |`,
  );

const table = (title, rows) => [`### ${title}`, '', '| Field | Type | Always |', '| --- | --- | --- |', ...rows, ''];

/** The members of an interface, as its source declares them. */
const membersOf = (file, name) => {
  const source = readFileSync(join(root, 'src', file), 'utf8');
  const [, body] = new RegExp(`interface ${name}\\b[^{]*\\{\\n(.*?)^\\}`, 'ms').exec(source) ?? [];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  return [...body.matchAll(/^ {2}readonly (\w+)(\??): (.+);$/gm)].map(
    ([, field, optional, type]) =>
      `| \`${field}\` | \`${type.replaceAll('|', '\\|')}\` | ${optional === '' ? 'yes' : ''} |`,
  );
};

const results = [
  ['tools/results.ts', 'Executed', 'Result of a run'],
  ['tools/execute/answer.ts', 'Execution', 'Result of a run: how it ended'],
  ['tools/results.ts', 'NotExecuted', 'Result of a run that was refused'],
  ['tools/results.ts', 'WithHooks', 'In every result of a task or a run'],
  ['tools/results.ts', 'PreflightResult', 'Result of the checks before a task: `preflight`'],
];

const { abilityContexts, payloadSchemas, resultFields, toJSONSchema } = await load();
const schemaOf = (schema) => toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
const fields = Object.entries(resultFields()).map(
  ([name, schema]) => `| \`${name}\` | ${typeOf(schemaOf(schema))} | |`,
);
const lines = [
  'Contexts, as scripts read them; `event_type` stands in each of them as well.',
  '',
  ...Object.entries(abilityContexts).flatMap(([event, schema]) => table(event, rowsOf(schemaOf(schema())))),
  ...table('What a hook answers', [...fields, '| `hook_signals` | list of signals | |']),
  ...table('A signal', membersOf('protocol/results/ability-result.ts', 'HookSignal')),
  ...Object.entries(payloadSchemas()).flatMap(([kind, schema]) =>
    table(`Payload of ${kind}`, rowsOf(schemaOf(schema))),
  ),
  ...table('Result of an event', membersOf('protocol/results/ability-result.ts', 'AbilityEventResult')),
  ...table('One of its hooks', membersOf('protocol/results/ability-result.ts', 'AbilityHookRun')),
  ...results.flatMap(([file, name, title]) => table(title, membersOf(`abilities/${file}`, name))),
];

const file = join(root, 'docs/abilities.md');
const [begin, end] = ['<!-- generated: fields -->', '<!-- end of generated: fields -->'];
const before = readFileSync(file, 'utf8');
const [from, to] = [before.indexOf(begin), before.indexOf(end)];
if (from === -1 || to < from) throw new Error(`docs/abilities.md has no section between "${begin}" and "${end}"`);
const after = `${before.slice(0, from + begin.length)}\n\n${lines.join('\n')}\n${before.slice(to)}`;
if (process.argv.includes('--check')) {
  if (after !== before) {
    console.error('docs/abilities.md is stale: run node scripts/generate-ability-docs.mjs');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, after);
  console.log('docs/abilities.md written');
}
