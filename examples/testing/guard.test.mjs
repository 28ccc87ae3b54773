// Testing a hook: the real script, run by the real engine.
import { createHooks } from 'hookwright';
import { captureTraffic } from 'hookwright/testing';
import { beforeEach, expect, test } from 'vitest';

let hooks;
let traffic;

beforeEach(async () => {
  const noRm = { name: 'no-rm', command: '../hooks/no-rm.sh' };
  hooks = await createHooks({
    cwd: import.meta.dirname,
    hooks: { BeforeTool: [{ matcher: 'run_shell', hooks: [noRm] }] },
  });
  traffic = captureTraffic(hooks.bus);
  return () => hooks.close();
});

test('it blocks what deletes recursively', async () => {
  await hooks.beforeTool({ tool: 'run_shell', input: { command: 'rm -rf build' } });
  expect(traffic).toHaveBlocked('BeforeTool', { tool: 'run_shell', reason: /recursively/, by: 'no-rm' });
});

test('it has no opinion about the rest', async () => {
  await hooks.beforeTool({ tool: 'run_shell', input: { command: 'rm build.log' } });
  expect(traffic).not.toHaveBlocked('BeforeTool');
  expect(traffic).toHaveRun('no-rm', { outcome: 'silent', times: 1 });
});

test('it is not asked about other tools', async () => {
  await hooks.beforeTool({ tool: 'read_file', input: { path: 'build.log' } });
  expect(traffic).toHaveSkipped('no-rm', { reason: 'matcher-mismatch' });
});
