import { expect, test } from 'vitest';
import { createHooks } from '../../src/index.ts';

test('R1251 an argument that a rewrite leaves out is gone from the call, and the model is told that it changed', async () => {
  const hooks = await createHooks();
  hooks.on('BeforeTool', () => ({ hookSpecificOutput: { tool_input: { dir: undefined, command: 'ls -a' } } }));
  const { input } = await hooks.beforeTool({ tool: 'shell', input: { command: 'ls', dir: '/' } });
  expect(Object.keys(input)).toEqual(['command']);
  const seen: unknown[] = [];
  await hooks.callTool('shell', { command: 'ls', dir: '/' }, (args) => {
    seen.push(Object.keys(args));
    return 'done';
  });
  await hooks.close();
  expect(seen).toEqual([['command']]);
});
