import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../src/cli/index.ts';

const page = readFileSync('CONTRIBUTING.md', 'utf8');
const toAdd = page.slice(page.indexOf('## To add'), page.indexOf('## Habits'));
const sections = toAdd.split(/^### /m).slice(1);

/** Paths in a list; of one that has a part to fill in, the folder that it would lie in. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|docs|scripts|examples)\/[^`\s]*)`/g)].map(([, path = '']) =>
    path.includes('<') ? `${path.slice(0, path.indexOf('<'))}` : path,
  );

test('what can be added is listed: an event, a hook type, a command, a translator, a dialect', () => {
  expect(sections.map((section) => section.split('\n', 1)[0]?.split(',', 1)[0])).toEqual([
    'An event',
    'A hook type',
    'A command',
    'A translator',
    'A dialect',
  ]);
});

test.each(sections.map((section) => [section.split('\n', 1)[0], section]))(
  '%s: every file of the list is there',
  (_, section) => {
    const paths = pathsIn(section ?? '');
    expect(paths.length).toBeGreaterThan(2);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    const links = [...page.matchAll(/\]\(([^):#]+)\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  },
);

test.each(commands.map(({ spec }) => spec.name.replaceAll(' ', '-').replace(/^_+/, '')))(
  'the command %s is made of the files of the list',
  (name) => {
    expect(
      [`src/cli/commands/${name}/spec.ts`, `src/cli/commands/${name}/run.ts`].filter((file) => !existsSync(file)),
    ).toEqual([]);
  },
);
