import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { createConsumer } from './consumer.ts';

const MAX_BYTES = 12_000;

test('all of hookwright/bus bundles for browsers in 12 kB, without a trace of Node', async () => {
  const { directory } = await createConsumer();
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: directory,
    stdin: { contents: `export * from 'hookwright/bus';`, resolveDir: directory },
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  expect(warnings).toEqual([]);
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.filter((path) => !path.startsWith('node_modules/hookwright/'))).toEqual([]);
  const code = outputFiles.map(({ text }) => text).join('');
  expect(code).not.toMatch(/\b(?:Buffer|process|require|__dirname)\b[.(]/);
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
});
