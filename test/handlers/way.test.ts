import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the way of a request is no longer than the page about it says, and leads through no file three times', {
  timeout: 60_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/count-files.mjs']);
  const page = readFileSync('docs/architecture.md', 'utf8').replaceAll('\n', ' ');
  const counted = /(\d+) files lead/.exec(stdout)?.[1];
  const said = /(\d+) files lead/.exec(page)?.[1];
  expect(Number(counted)).toBeGreaterThan(20);
  expect(Number(counted)).toBeLessThanOrEqual(Number(said));
  expect(Number(said)).toBeLessThanOrEqual(30);
  const called = /(\d+) files have a function that is called/.exec(stdout)?.[1];
  const saidCalled = /a function is called in fewer than (\d+) files/.exec(page)?.[1];
  expect(Number(called)).toBeGreaterThan(60);
  expect(Number(called)).toBeLessThan(Number(saidCalled));
  expect(stdout).toContain('entered more than twice on one of these ways: none');
});
