import { expect, test } from 'vitest';
import { runNode } from '../examples/support.ts';

test('docs/dialects.md and docs/coming-from are those of the packs (node scripts/generate-dialect-docs.mjs)', async () => {
  const { code, stderr } = await runNode('scripts/generate-dialect-docs.mjs', { args: ['--check'] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('R1250 docs/conformance.md is that of the cases (node scripts/generate-conformance.mjs)', async () => {
  const { code, stderr } = await runNode('scripts/generate-conformance.mjs', { args: ['--check'] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});
