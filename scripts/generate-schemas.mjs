// Writes schemas/, what editors check settings by, and the tables that docs/configuration.md takes from them.
//   node scripts/generate-schemas.mjs [--check]
// With --check nothing is written; it fails when something is stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { root } from './tools.mjs';

/** One line per schema: where its function is in the source. */
const sources = {
  'settings.schema.json': { module: './settings/schema/settings-schema.ts', name: 'settingsJsonSchema' },
  'extension-hooks.schema.json': { module: './settings/schema/settings-schema.ts', name: 'extensionJsonSchema' },
  'ability-hook.schema.json': {
    module: './abilities/declaration/ability-hook-schema.ts',
    name: 'abilityHookJsonSchema',
  },
  'hook-test.schema.json': { module: './cli/commands/events/schema.ts', name: 'createHookTestJsonSchema' },
};

/** The schemas as they are in the source: the package exports the files, not the functions. */
const loadSchemas = async () => {
  const contents = Object.values(sources).map(({ module, name }) => `export { ${name} } from '${module}';`);
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: contents.join('\n'), resolveDir: join(root, 'src') },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  });
  const functions = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return Object.fromEntries(Object.entries(sources).map(([file, { name }]) => [file, functions[name]()]));
};

const typeOf = ({ type, enum: choices, anyOf, items, $ref, additionalProperties }) => {
  if (choices) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if ($ref) return 'object';
  if (type === 'array') return items?.type === 'string' ? 'list of strings' : 'list';
  if (type === 'object' && additionalProperties?.type === 'string') return 'object of strings';
  return type;
};

const code = (value) => `\`${JSON.stringify(value)}\``;

const tableOf = (properties, prefix = '') => {
  const rows = Object.entries(properties).map(([key, member]) => [
    `\`${prefix}${key}\``,
    typeOf(member),
    member.default === undefined ? '' : code(member.default),
    member.description.replaceAll('`hookwright ', '`npx hookwright ') +
      (member.examples === undefined ? '' : ` For example ${member.examples.map(code).join(' or ')}.`),
  ]);
  const head = ['Key', 'Type', 'Default', 'Meaning'];
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
};

const tablesOf = ({ properties, definitions }) => {
  const { hooksConfig, tools, ...top } = properties;
  return {
    settings: [
      tableOf(top),
      tableOf(hooksConfig.properties, 'hooksConfig.'),
      tableOf(tools.properties, 'tools.'),
    ].reduce((all, table) => `${all}\n${table.split('\n').slice(2).join('\n')}`),
    definition: tableOf(definitions.definition.properties),
    hook: tableOf(definitions.hook.properties),
  };
};

const withSection = (text, name, content) => {
  const [begin, end] = [`<!-- generated: ${name} -->`, `<!-- end of generated: ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/configuration.md has no section between "${begin}" and "${end}"`);
  return `${text.slice(0, from)}${begin}\n${content}\n${text.slice(to)}`;
};

const read = (path) => {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
};

const schemas = await loadSchemas();
const page = 'docs/configuration.md';
const tables = Object.entries(tablesOf(schemas['settings.schema.json']));
const wanted = {
  ...Object.fromEntries(
    Object.entries(schemas).map(([file, schema]) => [`schemas/${file}`, `${JSON.stringify(schema, null, 2)}\n`]),
  ),
  [page]: tables.reduce((text, [name, table]) => withSection(text, name, table), read(page)),
};
const stale = Object.keys(wanted).filter((path) => read(path) !== wanted[path]);

if (stale.length === 0) {
  console.log('schemas and their tables are up to date');
} else if (process.argv.includes('--check')) {
  console.error(`stale: ${stale.join(', ')}; run node scripts/generate-schemas.mjs`);
  process.exitCode = 1;
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), wanted[path]);
    console.log(`${path} written`);
  }
}
