import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { createConsumer, packedFiles } from './consumer.ts';

test('the tarball holds the build, the schemas, the documentation with its examples, and nothing else', async () => {
  const files = await packedFiles();
  expect(files.filter((file) => !/^(?:dist|schemas|docs|examples|conformance)\//.test(file)).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'package.json',
  ]);
  const schemas = files.filter((file) => file.startsWith('schemas/'));
  expect(schemas).toContain('schemas/settings.schema.json');
  expect(schemas.filter((file) => !file.endsWith('.schema.json'))).toEqual([]);
  const built = files.filter((file) => file.startsWith('dist/'));
  expect(built).toContain('dist/third-party-licenses.txt');
  expect(built.filter((file) => !/\.(?:c?js|d\.ts)$/.test(file))).toEqual([
    'dist/inspector.html',
    'dist/third-party-licenses.txt',
  ]);
});

test('every link between pages leads to something that is in the tarball', async () => {
  const { directory } = await createConsumer();
  const published = join(directory, 'node_modules', 'hookwright');
  const files = readdirSync(published, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  const there = new Set(files);
  const pages = files.filter((file) => file.endsWith('.md'));
  const linksIn = (page: string): string[] =>
    [
      ...readFileSync(join(published, page), 'utf8')
        .replaceAll(/```.*?```/gs, '')
        .matchAll(/\]\(([^)#\s]+)[^)]*\)/g),
    ]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link));
  const dead = pages.flatMap((page) =>
    linksIn(page)
      .filter((link) => !there.has(posix.join(dirname(page), link).replace(/\/$/, '')))
      .map((link) => `${page}: ${link}`),
  );
  expect(pages.flatMap(linksIn).length).toBeGreaterThan(50);
  expect(dead).toEqual([]);
});
