// npm test: builds, checks and runs every test. The last line on stdout is `N passed, N failed` (`, N skipped`).
//   node scripts/test.mjs [--only-vitest] [--project <of vitest.config.ts>] [--node <path to the Node that runs the tests>]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandOf, root, run } from './tools.mjs';

const { values: options } = parseArgs({
  options: {
    'only-vitest': { type: 'boolean', default: false },
    project: { type: 'string', default: '*' },
    node: { type: 'string', default: process.execPath },
  },
});
const work = mkdtempSync(join(tmpdir(), 'hookwright-test-'));
const count = { passed: 0, failed: 0, skipped: 0 };
/** What stands by name above the count: whoever reads only the end of a long log is to see what failed. */
const told = [];
const heading = (title) => console.log(`\n── ${title}`);

const script = (path, ...args) => run(process.execPath, [join(root, path), ...args]);
const tool = (packageName, command, ...args) => run(process.execPath, [commandOf(packageName, command), ...args]);

/** One check is one passed or one failed; what it said is shown only when it failed. */
const check = async (title, start) => {
  heading(title);
  const started = performance.now();
  const { code, stdout, output } = await start();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (code === 0) count.passed += 1;
  else count.failed += 1;
  if (code !== 0) told.push(`FAILED: ${title}`);
  console.log(code === 0 ? `ok (${seconds} s)` : `${output.trimEnd()}\nFAILED (${seconds} s)`);
  return stdout.trim();
};

const checkEverything = async () => {
  await check('build', () => script('scripts/build.mjs', '--quiet'));
  await check('biome: format and lint', () => tool('@biomejs/biome', 'biome', 'check', '.'));
  await check('tsc: src, test, bench, examples', () => tool('typescript', 'tsc', '-p', 'tsconfig.json'));
  await check('tsc: the page of the inspector', () =>
    tool('typescript', 'tsc', '-p', 'src/inspector/page/tsconfig.json'),
  );
  await check('knip: nothing unused', () => tool('knip', 'knip'));
  await check('jscpd: little stands twice', () => tool('jscpd', 'jscpd'));
  const tarball = await check('npm pack', () => script('scripts/pack.mjs', work));
  await check('publint: the package', () => tool('publint', 'publint', 'run', '--strict', tarball));
  await check('are the types wrong: the package', () =>
    tool('@arethetypeswrong/cli', 'attw', '--profile', 'esm-only', '--no-definitely-typed', tarball),
  );
};

const readResults = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { testResults: [] };
  }
};

/** Runs Vitest, on everything or on these files; gives its exit code and what its report says of each file. */
const vitest = async (...files) => {
  const node = resolve(options.node);
  const report = join(work, 'vitest.json');
  rmSync(report, { force: true });
  const { code } = await run(
    node,
    [
      ...[commandOf('vitest', 'vitest'), 'run', ...files, `--project=${options.project}`, '--reporter=default'],
      ...['--reporter=json', `--outputFile.json=${report}`],
    ],
    // Fixtures that start with `#!/usr/bin/env node` are to find the same Node.
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
    },
  );
  return { code, files: readResults(report).testResults };
};

/** What failed in a file, by name. A file that could not be loaded has no test that failed. */
const failuresOf = ({ name, status, assertionResults }) => {
  const file = relative(root, name);
  const failed = assertionResults
    .filter((test) => test.status === 'failed')
    .map(({ fullName }) => `${file}: ${fullName}`);
  return failed.length === 0 && status === 'failed' ? [`${file}: could not be run`] : failed;
};

/** As many files as a busy machine breaks; where more fail, something is wrong with what they test. */
const MOST_FILES_RUN_AGAIN = 5;

/**
 * On a shared machine a test that measures time can fail for what ran beside it. There the files that failed run once more,
 * alone: what fails again has failed, and what passes is named.
 */
const withSecondRun = async (first) => {
  const failed = first.files.filter((file) => failuresOf(file).length > 0);
  if (process.env.CI === undefined || failed.length === 0 || failed.length > MOST_FILES_RUN_AGAIN) return first;
  heading('vitest: the files that failed, alone');
  const names = failed.map(({ name }) => name);
  const second = await vitest(...names, '--maxWorkers=1');
  const failedAgain = new Set(second.files.flatMap(failuresOf));
  for (const failure of failed.flatMap(failuresOf)) {
    if (!failedAgain.has(failure)) told.push(`passed only alone: ${failure}`);
  }
  const again = new Map(second.files.map((file) => [file.name, file]));
  return { code: second.code, files: first.files.map((file) => again.get(file.name) ?? file) };
};

const runTests = async () => {
  heading('vitest');
  const { code, files } = await withSecondRun(await vitest());
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failures = files.flatMap(failuresOf);
  told.push(...failures.map((failure) => `FAILED: ${failure}`));
  count.passed += passed;
  count.skipped += tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
  count.failed += failures.length;
  if (failures.length > 0) return;
  if (code !== 0) {
    told.push('FAILED: vitest ended with an error that belongs to no test, see above');
    count.failed += 1;
  } else if (passed === 0) {
    told.push('FAILED: no test ran');
    count.failed += 1;
  }
};

try {
  if (!options['only-vitest']) await checkEverything();
  await runTests();
} finally {
  rmSync(work, { recursive: true, force: true });
}

if (told.length > 0) console.log(`\n${told.join('\n')}`);
console.log(`\n${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}`);
if (count.failed > 0) process.exitCode = 1;
