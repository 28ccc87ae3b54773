import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { hookEventNames } from '../../src/events/index.ts';

test('the diagrams of the documentation are up to date (node scripts/generate-diagrams.mjs)', async () => {
  const { lifecycle, messagePath } = await import(pathToFileURL(resolve('scripts/generate-diagrams.mjs')).href);
  expect(readFileSync('docs/images/lifecycle.svg', 'utf8')).toBe(lifecycle());
  expect(readFileSync('docs/images/message.svg', 'utf8')).toBe(messagePath());
});

test('the diagram of a turn shows every event once', () => {
  const shown = [...readFileSync('docs/images/lifecycle.svg', 'utf8').matchAll(/class="event">(\w+)</g)];
  expect(shown.map(([, name]) => name).sort()).toEqual([...hookEventNames].sort());
});
