import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { commands } from '../src/cli/index.ts';

const page = readFileSync('CONTRIBUTING.md', 'utf8');
const toAdd = page.slice(page.indexOf('## To add'), page.indexOf('## Where a change goes'));
const whereTo = page.slice(page.indexOf('## Where a change goes'), page.indexOf('## Habits'));
const sections = toAdd.split(/^### /m).slice(1);

/** Paths in a list; of one that has a part to fill in, the folder that it would lie in. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`((?:src|test|docs|scripts|examples)\/[^`\s]*)`/g)].map(([, path = '']) =>
    path.includes('<') ? `${path.slice(0, path.indexOf('<'))}` : path,
  );

test('what can be added is listed', () => {
  expect(sections.map((section) => section.split('\n', 1)[0]?.split(',', 1)[0])).toEqual([
    'An event',
    'A hook type',
    'A command',
    'A translator',
    'An adapter',
    'A dialect',
    'A broker',
    'An entry point',
  ]);
});

test('where a change begins is there, and every room of the engine is named somewhere on the page or on the map', () => {
  const paths = pathsIn(whereTo);
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  const map = readFileSync('docs/architecture.md', 'utf8') + page;
  const rooms = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(rooms.map(({ name }) => `src/${name}`).filter((room) => !map.includes(room))).toEqual([]);
});

test('the list for an event names the files in which a new event is written', () => {
  const written = [...readFileSync('test/new-event.test.ts', 'utf8').matchAll(/replaceOnce\('([^']+)'/g)];
  expect(written.length).toBeGreaterThan(1);
  for (const [, path = ''] of written) expect(sections[0]).toContain(path);
});

test('what stays as it is is said of every entry point', () => {
  const { exports: entries } = z
    .object({ exports: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  const subpaths = Object.keys(entries).filter((entry) => /^\.\/[a-z-]+$/.test(entry));
  expect(subpaths.length).toBeGreaterThan(10);
  const stability = readFileSync('docs/stability.md', 'utf8');
  expect(subpaths.filter((entry) => !stability.includes(`\`${entry.slice(1)}\``))).toEqual([]);
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

test.each(commands.map(({ spec }) => spec.name))('the command %s is made of the files of the list', (command) => {
  const [name = '', form = 'run'] = command.replace(/^_+/, '').split(/ (?:--)?/);
  expect(
    [`src/cli/commands/${name}/spec.ts`, `src/cli/commands/${name}/${form}.ts`].filter((file) => !existsSync(file)),
  ).toEqual([]);
});

interface NamedMutant {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly was: string }[];
  readonly test?: { readonly file: string };
}

test('each patch of scripts/named-mutants.mjs fits one place of the source, and the test that it names is there', async () => {
  const { namedMutants }: { namedMutants: readonly NamedMutant[] } = await import(
    pathToFileURL(resolve('scripts/named-mutants.mjs')).href
  );
  const placesOf = (file: string, text: string): number =>
    existsSync(file) ? readFileSync(file, 'utf8').split(text).length - 1 : 0;
  const broken = namedMutants.filter(
    ({ edits, test: noticer }) =>
      edits.some(({ file, was }) => placesOf(file, was) !== 1) || (noticer !== undefined && !existsSync(noticer.file)),
  );
  expect(broken.map(({ name }) => name)).toEqual([]);
});
