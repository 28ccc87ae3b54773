// Writes the table of docs/reliability.md: what is promised, what could break it, and the tests that try.
//   node scripts/generate-reliability.mjs [--check]
// It fails when a fault has no test that is named after it, or a fault of a hook none with `onFault`; with --check also when
// the page is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { faults, faultsOfHooks, promises, toCome } from './reliability-data.mjs';
import { root } from './tools.mjs';

const page = join(root, 'docs/reliability.md');
const [begin, end] = ['<!-- generated: promises -->', '<!-- end of generated: promises -->'];

const filesIn = (directory, isWanted) =>
  readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter(isWanted)
    .map((file) => `${directory}/${file.replaceAll('\\', '/')}`)
    .sort();

/** The suite that every transport passes is part of the package, so it lies among the sources. */
const testFiles = [
  ...filesIn('test', (file) => file.endsWith('.test.ts')),
  ...filesIn('src/testing/bus', (file) => file.endsWith('.ts')),
];

/** The numbers in the titles of a file: a title is the text that a test begins with, or that a table has for it. */
const titlesIn = (file) =>
  readFileSync(join(root, file), 'utf8').match(/(['"`])[^'"`\n]*\b[FP]\d{1,2}\b[^'"`\n]*/g) ?? [];
const numbersIn = (titles) => new Set(titles.flatMap((title) => title.match(/\b[FP]\d{1,2}\b/g) ?? []));

const files = testFiles.map((file) => ({ file, numbers: numbersIn(titlesIn(file)) }));
/** In the table of the matrix each fault is tried with both; elsewhere the title says so. */
const withOnFault = numbersIn(
  testFiles.flatMap((file) =>
    titlesIn(file).filter((title) => file.endsWith('/faults/matrix.test.ts') || title.includes('onFault')),
  ),
);
const testsOf = (number) => files.filter(({ numbers }) => numbers.has(number)).map(({ file }) => file);
const link = (file) => `\`${file.replace(/^test\/|^src\/|(?:\.test)?\.ts$/g, '')}\``;

const rowsOf = ([promise, [says, among]]) => {
  const own = testsOf(promise).map(link).join(', ') || 'by its faults';
  const rows = among.split(' ').map((fault) => {
    const tests = testsOf(fault).map(link).join(', ') || (toCome.has(fault) ? 'to come' : 'none');
    return `| | ${fault} | ${faults[fault]} | ${tests} |`;
  });
  return [`| **${promise}** | | **${says}** | ${own} |`, ...rows];
};

const missing = Object.keys(faults).filter((fault) => !toCome.has(fault) && testsOf(fault).length === 0);
const named = Object.values(promises).flatMap(([, among]) => among.split(' '));
const unnamed = Object.keys(faults).filter((fault) => !named.includes(fault));

const table = [
  '| Promise | Fault | What | Tests |',
  '| --- | --- | --- | --- |',
  ...Object.entries(promises).flatMap(rowsOf),
];
const before = readFileSync(page, 'utf8');
const [head] = before.split(begin);
const [, tail] = before.split(end);
const after = `${head}${begin}\n${table.join('\n')}\n${end}${tail}`;

const untried = faultsOfHooks.split(' ').filter((fault) => !withOnFault.has(fault));

const problems = [
  ...untried.map((fault) => `${fault} (${faults[fault]}) is not tried with onFault "allow" and "deny"`),
  ...missing.map((fault) => `${fault} (${faults[fault]}) has no test that is named after it`),
  ...unnamed.map((fault) => `${fault} stands under no promise`),
];
if (process.argv.includes('--check')) {
  if (before !== after) problems.push('docs/reliability.md is stale: run node scripts/generate-reliability.mjs');
} else {
  writeFileSync(page, after);
}
for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log('every fault has a test');
process.exitCode = problems.length === 0 ? 0 : 1;
