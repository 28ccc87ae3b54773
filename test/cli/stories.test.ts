import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/index.ts';
import { envelopeSchema, itemSchema } from '../../src/cli/rendering/json-envelope.ts';
import { readStory, tellStory } from './support/story.ts';

const directory = join(import.meta.dirname, 'stories');
const stories = readdirSync(directory)
  .filter((name) => name.endsWith('.txt'))
  .sort()
  .map((name) => readStory(join(directory, name)));

/** `UPDATE_STORIES=1` writes what happens into the files instead; what changed is then to be read before it is kept. */
const isUpdate = process.env.UPDATE_STORIES === '1';

const titled = stories.map((story) => [story.title, story] as const);

test.concurrent.each(titled)('%s', { timeout: 60_000 }, async (_title, story) => {
  const told = await tellStory(story);
  if (isUpdate) writeFileSync(story.file, told);
  expect(told).toBe(readFileSync(story.file, 'utf8'));
});

/** What the commands with `--json` print in all stories: envelopes and items, a line each. */
const jsonLines = stories.flatMap(({ title, steps }) =>
  steps.flatMap(({ expected }) =>
    expected
      .split('\n')
      .filter((line) => line.startsWith('{"hookwright":1,') && line.endsWith('}'))
      .map((line) => [title, line] as const),
  ),
);

test.each(jsonLines)('%s: what --json prints is what its schema says', (_title, line) => {
  const value: unknown = JSON.parse(line);
  const schema = line.includes('"item":') ? itemSchema() : envelopeSchema();
  expect(schema.safeParse(value).error).toBeUndefined();
});

test('there are envelopes of answers and of refusals among them', () => {
  const lines = jsonLines.map(([, line]) => line).join('\n');
  expect(lines).toContain('"data":');
  expect(lines).toContain('"error":');
  expect(lines).toContain('"item":');
});

const told = stories.flatMap(({ steps }) => steps.map(({ command }) => command)).join('\n');
const names = commands.filter(({ spec }) => !spec.hidden).map(({ spec }) => spec.name);

test.each(names)('%s has a story', (name) => {
  expect(told).toMatch(new RegExp(`hookwright ${name}\\b`));
});
