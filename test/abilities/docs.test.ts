import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync('docs/abilities.md', 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);

const sources = readdirSync('examples/abilities', { recursive: true, encoding: 'utf8' })
  .map((name) => join('examples/abilities', name))
  .filter((file) => statSync(file).isFile())
  .map((file) => readFileSync(file, 'utf8'));

test.each(blocks('yaml'))('the page about abilities shows files that are there:\n%s', (block) => {
  expect(sources).toContain(block);
});

test.each(blocks('text'))('the page about abilities shows what the example prints:\n%s', (block) => {
  expect(readFileSync('examples/abilities.expected.txt', 'utf8')).toContain(block);
});

test('there are blocks to check', () => {
  expect([blocks('yaml').length, blocks('text').length]).toEqual([2, 3]);
});
