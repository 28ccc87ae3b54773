import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The number in front of these words. */
const numberBefore = (words: string, text: string): number => {
  const found = new RegExp(`(\\d+) ${words}`).exec(text.replaceAll('\n', ' '))?.[1];
  expect(found, `"<number> ${words}"`).toBeDefined();
  return Number(found);
};

test('the way of a request is no longer than the page about it says', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/count-files.mjs']);
  const page = readFileSync('docs/architecture.md', 'utf8');
  expect(numberBefore('files have a function that is called', stdout)).toBeLessThanOrEqual(
    numberBefore('files are called', page),
  );
  expect(numberBefore('frames lie above', stdout)).toBeLessThanOrEqual(numberBefore('stack frames are above', page));
  expect(numberBefore('functions in all', stdout)).toBeGreaterThan(0);
});
