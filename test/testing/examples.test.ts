import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage, type Run, runNode } from '../examples/support.ts';

const directory = 'examples/testing';
const files = readdirSync(directory);
const testFiles = files.filter((file) => file.endsWith('.test.mjs'));
const scripts = files.filter((file) => file.endsWith('.expected.txt')).map((file) => file.replace('.expected.txt', ''));

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

beforeAll(buildPackage, 60_000);

describe.skipIf(process.platform === 'win32')('examples of tests', () => {
  let run: Run;
  let results: readonly TestFile[];

  // One vitest for all of them: to start it takes longer than the tests.
  beforeAll(async () => {
    run = await runNode('node_modules/vitest/vitest.mjs', { args: ['run', '--root', directory, '--reporter=json'] });
    results = JSON.parse(run.stdout).testResults;
  }, 60_000);

  test.each(testFiles)('%s passes in a vitest of its own', (file) => {
    const result = results.find(({ name }) => name.endsWith(`/${file}`));
    const failed = result?.assertionResults.filter(({ status }) => status === 'failed');
    expect(failed, run.stderr).toEqual([]);
    expect(result).toMatchObject({ status: 'passed', message: '' });
    expect(result?.assertionResults.some(({ status }) => status === 'passed')).toBe(true);
  });

  test('there is no other file of tests', () => {
    expect(results).toHaveLength(testFiles.length);
    expect(testFiles.length).toBeGreaterThan(4);
  });

  test.each(scripts)('%s.mjs prints what the file beside it says', async (name) => {
    const { code, stdout, stderr } = await runNode(`${directory}/${name}.mjs`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(`${directory}/${name}.expected.txt`, 'utf8'));
  });
});
