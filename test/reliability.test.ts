import { expect, test } from 'vitest';
import { runNode } from './examples/support.ts';

test('every fault that could break a promise has a test that is named after it, and the page names them all', async () => {
  const { code, stdout, stderr } = await runNode('scripts/generate-reliability.mjs', { args: ['--check'] });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'every fault has a test\n', stderr: '' });
});
