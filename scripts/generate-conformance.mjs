// Writes docs/conformance.md from the cases in conformance/.
//   node scripts/generate-conformance.mjs [--check]
// With --check nothing is written; it fails when the page is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSource } from './load-source.mjs';
import { root } from './tools.mjs';

const { dialects } = await loadSource("export { dialects } from './src/agents/agent-table.ts';");
const folder = join(root, 'conformance');
const page = join(root, 'docs/conformance.md');

const casesOf = (name) =>
  readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({ file, ...JSON.parse(readFileSync(join(folder, name, file), 'utf8')) }));
const agents = dialects.map(({ name, title }) => ({ name, title, cases: casesOf(name) }));

const endsBadly = ({ exit = 0, timedOut, notStarted }) => exit !== 0 || timedOut === true || notStarted !== undefined;
const answersOf = ({ answers = {} }) => Object.values(answers);

/** What a case is about; a case may be about several things. */
const kinds = [
  ['which hooks run', ({ runs }) => runs !== undefined],
  ['what a hook reads on stdin', ({ sees, neverSees }) => sees !== undefined || neverSees !== undefined],
  ['what an answer says', (one) => one.comes !== undefined && answersOf(one).some((answer) => !endsBadly(answer))],
  ['exit codes, crashes, time limits', (one) => one.comes !== undefined && answersOf(one).some(endsBadly)],
  ['several hooks', (one) => answersOf(one).length > 1],
  ['how long a hook may take', ({ timeoutMs }) => timeoutMs !== undefined],
  [
    'files, switches and what is reported',
    ({ problem, off, void: isVoid }) => [problem, off, isVoid].some((it) => it !== undefined),
  ],
  ['releases that differ', ({ version }) => version !== undefined],
  ['strict mode', ({ mode }) => mode === 'strict'],
];
const moments = [...new Set(agents.flatMap(({ cases }) => cases.flatMap(({ moment }) => moment ?? [])))].sort();

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const counted = (fits) => agents.map(({ cases }) => String(cases.filter(fits).length || '–'));
const titles = agents.map(({ title }) => title);

const text = `# Conformance: other agents, case by case

Each statement about how an agent treats its hooks is a case in \`conformance/<agent>/\`: a settings file as its users write it, an
event, how each script ends and what it prints, and what has to come of it. The cases are published with the package as data, and
\`conformance/README.md\` describes their form. The tests play each in the rules of its agent, in a whole engine, and with
real scripts in real processes. [Hooks of other agents](dialects.md) says how the agents differ.

## By subject

${table(['Cases', ...titles], [...kinds.map(([name, fits]) => [name, ...counted(fits)]), ['**all**', ...agents.map(({ cases }) => `**${cases.length}**`)]])}

## By event

${table(
  ['Event', ...titles],
  moments.map((moment) => [`\`${moment}\``, ...counted((one) => one.moment === moment)]),
)}

${agents
  .map(
    ({ name, title, cases }) =>
      `## ${title}\n\n${cases.map(({ file, title: what, fact }) => `- \`${name}/${file}\`: ${what} (${fact})`.replace(/<(?=[^`]*$)/g, '\\<')).join('\n')}`,
  )
  .join('\n\n')}
`;

if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') === text) process.exit(0);
  console.error('docs/conformance.md is stale: node scripts/generate-conformance.mjs');
  process.exit(1);
}
writeFileSync(page, text);
console.log('docs/conformance.md written');
