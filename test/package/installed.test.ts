import { readdirSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Consumer, createConsumer } from './consumer.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (directory: string): Manifest => JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
const dependenciesOf = (directory: string): string[] => {
  const { dependencies, optionalDependencies } = manifestOf(directory);
  return Object.keys({ ...dependencies, ...optionalDependencies });
};

/** What `npm install hookwright` puts beside it: its dependencies and theirs, peers that are optional left out. */
const installedWith = (names: readonly string[], installed = new Set<string>()): string[] => {
  for (const name of names) {
    if (installed.has(name)) continue;
    installed.add(name);
    installedWith(dependenciesOf(join('node_modules', name)), installed);
  }
  return [...installed].sort();
};

const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const bytesOf = (directory: string): number => filesIn(directory).reduce((sum, file) => sum + statSync(file).size, 0);

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The packages that files name in their imports; in code that is written for others there are some of our own. */
const importedBy = (files: readonly string[]): string[] => {
  const specifiers = files.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /(?:^(?:import|export|\})[^'"\n]*\sfrom|^import|\b(?:import|require)\()\s*["'`]([@a-z][\w@./:-]*)["']/gm,
      ),
    ].map(([, specifier = '']) => specifier),
  );
  const packages = new Set(specifiers.filter((each) => !isBuiltin(each)).map(packageOf));
  return [...packages].filter((name) => name !== 'hookwright').sort();
};

const home = ({ directory }: Consumer): string => join(directory, 'node_modules', 'hookwright');

test('each dependency is imported by what is published, and nothing else is', async () => {
  const published = home(await createConsumer());
  const { dependencies = {}, peerDependencies = {} } = manifestOf(published);
  const files = filesIn(join(published, 'dist')).filter((file) => /\.(?:c?js|d\.ts)$/.test(file));
  const imported = importedBy(files);
  expect(imported.filter((name) => !(name in peerDependencies))).toEqual(Object.keys(dependencies).sort());
});

test('at run time nothing is loaded but the package itself, Node, and peers that are there anyway', async () => {
  const published = home(await createConsumer());
  const { peerDependencies = {} } = manifestOf(published);
  const scripts = filesIn(join(published, 'dist')).filter((file) => /\.c?js$/.test(file));
  expect(importedBy(scripts).filter((name) => !(name in peerDependencies))).toEqual([]);
});

test('three packages are installed, and take at most 12 MB', async () => {
  const consumer = await createConsumer();
  const others = installedWith(dependenciesOf(home(consumer)));
  expect(others).toEqual(['rxjs', 'tslib']);
  const bytes = others.reduce((sum, name) => sum + bytesOf(join('node_modules', name)), bytesOf(home(consumer)));
  expect(bytes / 1_000_000).toBeLessThan(12);
});
