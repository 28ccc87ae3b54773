import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage, runNode } from '../examples/support.ts';

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

/** Starts a vitest for all of them; to run them itself takes the smaller part of the time. */
const runTests = (): Promise<{ readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', directory, '--reporter=json'];
    execFile(process.execPath, args, { timeout: 60_000 }, (_error, stdout, stderr) => resolve({ stdout, stderr }));
  });

beforeAll(buildPackage, 60_000);

describe.skipIf(process.platform === 'win32')('examples of tests', () => {
  let results: readonly TestFile[];
  let errors: string;

  beforeAll(async () => {
    const { stdout, stderr } = await runTests();
    errors = stderr;
    results = JSON.parse(stdout).testResults;
  }, 70_000);

  test.each(testFiles)('%s passes in a vitest of its own', (file) => {
    const result = results.find(({ name }) => name.endsWith(`/${file}`));
    const failed = result?.assertionResults.filter(({ status }) => status === 'failed');
    expect(failed, errors).toEqual([]);
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
