import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/index.ts';
import { commandsMarkdown } from '../../src/cli/rendering/markdown.ts';

test('what docs/cli.md says about the commands is up to date (node scripts/generate-cli-docs.mjs)', () => {
  const [, section] = /<!-- generated: commands -->\n(.*)\n<!-- end/s.exec(readFileSync('docs/cli.md', 'utf8')) ?? [];
  expect(section).toBe(commandsMarkdown(commands));
});
