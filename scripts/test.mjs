// npm test: builds, checks and runs every test. The last line on stdout is `N passed, N failed` (`, N skipped`).
//   node scripts/test.mjs [--only-vitest] [--node <path to the Node that runs the tests>]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandOf, root, run } from './tools.mjs';

const { values: options } = parseArgs({
  options: { 'only-vitest': { type: 'boolean', default: false }, node: { type: 'string', default: process.execPath } },
});
const work = mkdtempSync(join(tmpdir(), 'hookwright-test-'));
const count = { passed: 0, failed: 0, skipped: 0 };
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

const runTests = async () => {
  heading('vitest');
  const node = resolve(options.node);
  const file = join(work, 'vitest.json');
  const { code } = await run(
    node,
    [
      ...[commandOf('vitest', 'vitest'), 'run', '--reporter=default'],
      ...['--reporter=json', `--outputFile.json=${file}`],
    ],
    // Fixtures that start with `#!/usr/bin/env node` are to find the same Node.
    {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
    },
  );
  const files = readResults(file).testResults;
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  // A file that could not be loaded has no test that failed.
  const failedFiles = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((result) => result.status === 'failed'),
  ).length;
  const failed = tests.filter(({ status }) => status === 'failed').length + failedFiles;
  count.passed += passed;
  count.skipped += tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
  count.failed += failed;
  if (failed > 0) return;
  if (code !== 0) {
    console.log('FAILED: vitest ended with an error that belongs to no test, see above');
    count.failed += 1;
  } else if (passed === 0) {
    console.log('FAILED: no test ran');
    count.failed += 1;
  }
};

try {
  if (!options['only-vitest']) await checkEverything();
  await runTests();
} finally {
  rmSync(work, { recursive: true, force: true });
}

console.log(`\n${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ''}`);
if (count.failed > 0) process.exitCode = 1;
