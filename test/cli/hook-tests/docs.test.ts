import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTests } from '../../../src/cli/hook-tests/read-tests.ts';
import { hookTestSchema } from './support.ts';

const page = readFileSync('docs/hook-tests.md', 'utf8');
const blocks = [...page.matchAll(/^```jsonc\n(.*?)^```$/gms)].map(([, text = '']) => text);

test('the tests on the page about tests can be read', () => {
  expect(blocks).toHaveLength(2);
  for (const text of blocks) expect(readTests('page', text).problems).toEqual([]);
});

test('the page names every key of a test', async () => {
  const { $schema: _forEditors, ...fields } = (await hookTestSchema()).properties;
  for (const key of [...Object.keys(fields), ...Object.keys(fields.expect.properties)]) {
    expect(page).toMatch(new RegExp(`^\\| .*\`${key}\`.* \\|`, 'm'));
  }
});
