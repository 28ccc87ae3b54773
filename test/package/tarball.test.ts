import { expect, test } from 'vitest';
import { packedFiles } from './consumer.ts';

test('the tarball holds the build, the schemas, the documentation with its examples, and nothing else', async () => {
  const files = await packedFiles();
  expect(files.filter((file) => !/^(?:dist|schemas|docs|examples)\//.test(file)).sort()).toEqual([
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
  expect(built.filter((file) => !/\.(?:js|d\.ts)$/.test(file))).toEqual(['dist/third-party-licenses.txt']);
});
