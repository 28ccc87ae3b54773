import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatCommandPages, formatCommandsMarkdown } from '../../src/cli/event-pages/page-markdown.ts';
import { commands } from '../../src/cli/index.ts';

test('the table of commands in docs/cli.md is up to date (node scripts/generate-cli-docs.mjs)', () => {
  const [, section] = /<!-- generated: commands -->\n(.*)\n<!-- end/s.exec(readFileSync('docs/cli.md', 'utf8')) ?? [];
  expect(section).toBe(formatCommandsMarkdown(commands));
});

test('docs/cli has an up-to-date page for each command and no other (node scripts/generate-cli-docs.mjs)', () => {
  const written = readdirSync('docs/cli').map((name) => [name, readFileSync(`docs/cli/${name}`, 'utf8')]);
  expect(Object.fromEntries(written)).toEqual(formatCommandPages(commands));
});
