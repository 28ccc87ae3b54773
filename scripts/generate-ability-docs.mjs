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
      contents: `export { abilityContexts } from './events/abilities/ability-catalogue.ts';
        export {
          AbilityCode, signalPayloadSchemas, resultFields, signalKinds, signalSeverities,
        } from './protocol/results/ability-result.ts';
        export { abilityStatuses } from './events/index.ts';
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

const oneOf = (values) => values.map((value) => `'${value}'`).join(' | ');

const typeOf = ({ type, enum: values, items, properties, anyOf, required = [] }) => {
  if (values !== undefined) return oneOf(values);
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ');
  if (type === 'array') {
    const item = typeOf(items ?? {});
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (properties === undefined) return type ?? 'any JSON';
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(member)}`,
  );
  return `{ ${members.join('; ')} }`;
};

const row = (name, type, isAlways) =>
  `| \`${name}\` | ${type.startsWith('[') ? type : `\`${type.replaceAll('|', '\\|')}\``} | ${isAlways ? 'yes' : ''} |`;

const rowsOf = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(([name, schema]) => row(name, typeOf(schema), required.includes(name)));

const table = (title, rows) => [`### ${title}`, '', '| Field | Type | Always |', '| --- | --- | --- |', ...rows, ''];

const { AbilityCode, abilityContexts, abilityStatuses, signalPayloadSchemas, resultFields, signalKinds, ...loaded } =
  await load();
const schemaOf = (schema) => loaded.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

/** The text of an interface or of a type in a file of the source. */
const declarationOf = (file, name) => {
  const source = readFileSync(join(root, 'src', file), 'utf8');
  const [, body] = new RegExp(`(?:interface|type) ${name}\\b(.*?)(?:^\\}|;\\n\\n)`, 'ms').exec(source) ?? [];
  if (body === undefined) throw new Error(`${file} has no ${name}`);
  return body;
};

/** Its members, and whether each is always there: in a union, where every part has it. */
const membersOf = (file, name) => {
  // An object within is the type of its member, in one line.
  const body = declarationOf(file, name).replaceAll(/: \{([^{}]*)\}/g, (_whole, inner) => {
    const members = inner.replaceAll('readonly ', '').split(/[;\n]/);
    return `: ⟨ ${members
      .map((one) => one.trim())
      .filter(Boolean)
      .join(', ')} ⟩`;
  });
  const parts = Math.max(1, body.split('\n').filter((line) => /^ +\| /.test(line)).length);
  const found = new Map();
  for (const [, field, optional, type] of body.matchAll(/readonly (\w+)(\??): (.+?);?(?:$| (?=readonly|\}))/gm)) {
    const before = found.get(field) ?? { types: new Set(), times: 0 };
    before.types.add(type.replace('⟨', '{').replace('⟩', '}'));
    before.times += optional === '' ? 1 : 0;
    found.set(field, before);
  }
  return [...found].map(([field, { types, times }]) => ({
    field,
    type: [...types].join(' | '),
    isAlways: times >= parts,
  }));
};

const memberType = (file, name, member) => membersOf(file, name).find(({ field }) => field === member).type;

const taskCodes = memberType('abilities/tools/store/task-store.ts', 'TaskRefusal', 'code');
const refusals = Object.values(AbilityCode).filter((code) => !/AVAILABLE$|ALLOWED$/.test(code) || /UNAV/.test(code));
const inline = (file, name) =>
  `{ ${membersOf(file, name)
    .map(({ field, type, isAlways }) => `${field}${isAlways ? '' : '?'}: ${type}`)
    .join('; ')} }`;
const eventResults = 'protocol/results/ability-result.ts';

/** What the names of types stand for, in the words of somebody who has not read the source. */
const meanings = [
  ["NonNullable<AbilityEventResult['error']>", inline(eventResults, 'AbilityEventError')],
  ['AbilityEventError', inline(eventResults, 'AbilityEventError')],
  ["PreflightOutcome['outcome']", memberType('events/abilities/ability-outcome.ts', 'PreflightOutcome', 'outcome')],
  ['RunRefusalCode', `${oneOf(refusals)} | ${taskCodes} | 'cancelled'`],
  ['SignalKind', oneOf(signalKinds)],
  ['SignalSeverity', oneOf(loaded.signalSeverities)],
  ['AbilityStatus', oneOf(abilityStatuses)],
  ['AbilityCode', oneOf(Object.values(AbilityCode))],
  ['AbilityRef', typeOf(schemaOf(abilityContexts.PreAbilityCreate()).properties.ability_ref)],
  ['readonly HookLog[]', '(string | object)[]'],
  ['Readonly<Record<string, unknown>>', 'object'],
  ['readonly HookSignal[]', '[signals](#a-signal)'],
  ['readonly AbilityHookRun[]', '[hooks](#one-of-its-hooks)'],
  ['readonly AbilityListing[]', 'object[]'],
  ['readonly ActionAnswer[]', '[answers](#answers-to-an-ai-answers)'],
  ['PreflightResult', '[preflight](#result-of-the-checks-before-a-task-preflight)'],
  ['StartControl', '[control](#input-of-a-planner-control)'],
  ['TurnContext', '[context](#input-of-a-planner-context)'],
  ['readonly string[]', 'string[]'],
  [/\bunknown\b(?!-)/g, 'any JSON'],
  [/^Plan$/, 'what the planner returned'],
];

const plainType = (type) => {
  const plain = meanings.reduce(
    (text, [name, meaning]) => text.replaceAll(name instanceof RegExp ? new RegExp(name, 'g') : name, meaning),
    type,
  );
  const unexplained = /\b[A-Z][a-z]\w*/.exec(plain.replaceAll(/'[^']*'|\[.*?\]\(.*?\)/g, ''));
  if (unexplained !== null) throw new Error(`${unexplained[0]} in "${type}": say in meanings what it stands for`);
  return plain;
};

const typeRows = (file, name) =>
  membersOf(file, name).map(({ field, type, isAlways }) => row(field, plainType(type), isAlways));

const results = [
  ['tools/results.ts', 'CreateTaskResult', 'Result of creating a task'],
  ['tools/results.ts', 'Executed', 'Result of a run'],
  ['tools/execution.ts', 'Execution', 'Result of a run: how it ended'],
  ['tools/results.ts', 'NotExecuted', 'Result of a run that was refused'],
  ['tools/results.ts', 'HookMembers', 'In every result of a task or a run'],
  ['tools/results.ts', 'PreflightResult', 'Result of the checks before a task: `preflight`'],
  ['runtime/turn-planner.ts', 'StartControl', 'Input of a planner: `control`'],
  ['runtime/turn-planner.ts', 'TurnContext', 'Input of a planner: `context`'],
  ['runtime/agent-session.ts', 'TurnResult', 'Result of a turn'],
];

/** An answer picks members of the results of runs: those that its own text names. */
const answerRows = () => {
  const file = 'abilities/runtime/answers.ts';
  const own = membersOf(file, 'ActionAnswer');
  const picks = `${declarationOf(file, 'RunSummary')}${declarationOf(file, 'ActionAnswer')}`.matchAll(
    /Pick<[^,]+,([^>]+)>/g,
  );
  const picked = [...picks].flatMap(([, names]) => [...names.matchAll(/'(\w+)'/g)].map(([, name]) => name));
  const known = [
    ...membersOf('abilities/tools/results.ts', 'Executed'),
    ...membersOf('abilities/tools/execution.ts', 'Execution'),
    ...membersOf('abilities/tools/results.ts', 'NotExecuted'),
    ...membersOf('abilities/tools/results.ts', 'HookMembers'),
  ];
  const others = [...new Set([...picked, 'hook_signals'])].filter((name) => own.every(({ field }) => field !== name));
  const rest = others.map((name) => ({ ...known.find(({ field }) => field === name), isAlways: false }));
  return [...own, ...rest].map(({ field, type, isAlways }) => row(field, plainType(type), isAlways));
};

const fields = Object.entries(resultFields()).map(([name, schema]) => row(name, typeOf(schemaOf(schema)), false));
const lines = [
  'Contexts, as scripts read them; `event_type` is in each of them too.',
  '',
  ...Object.entries(abilityContexts).flatMap(([event, schema]) => table(event, rowsOf(schemaOf(schema())))),
  ...table('Answer of a hook', [...fields, row('hook_signals', '[signals](#a-signal)', false)]),
  ...table('A signal', typeRows(eventResults, 'HookSignal')),
  ...Object.entries(signalPayloadSchemas()).flatMap(([kind, schema]) =>
    table(`Payload of ${kind}`, rowsOf(schemaOf(schema))),
  ),
  ...table('Result of an event', typeRows(eventResults, 'AbilityEventResult')),
  ...table('One of its hooks', typeRows(eventResults, 'AbilityHookRun')),
  ...results.flatMap(([file, name, title]) => table(title, typeRows(`abilities/${file}`, name))),
  ...table('Answers to an AI: `answers`', answerRows()),
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
