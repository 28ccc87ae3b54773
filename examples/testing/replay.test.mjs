// A regression test from a session: record it once, keep the file, and ask the hooks of today.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHooks, defineHook } from 'hookwright';
import { readSession, record } from 'hookwright/recorder';
import { replayInto } from 'hookwright/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const guard = (secret) =>
  defineHook({
    event: 'BeforeTool',
    name: 'guard',
    run: ({ tool_input }) => (secret.test(tool_input.path) ? { decision: 'deny', reason: 'a secret' } : undefined),
  });

const directory = mkdtempSync(join(tmpdir(), 'session-'));
const file = join(directory, 'last-week.jsonl');

beforeAll(async () => {
  const hooks = await createHooks({ hooks: [guard(/\.env$/)] });
  const recording = record(hooks.bus, { file });
  for (const path of ['.env', 'key.pem', 'README.md']) await hooks.beforeTool({ tool: 'read_file', input: { path } });
  await recording.close();
  await hooks.close();
});

afterAll(() => rmSync(directory, { recursive: true }));

test('the same hooks decide the same', async () => {
  const hooks = await createHooks({ hooks: [guard(/\.env$/)] });
  const replayed = await replayInto(file, hooks);
  expect(replayed.changed, replayed.toText()).toEqual([]);
  await hooks.close();
});

test('the stricter guard changes one decision of last week', async () => {
  const hooks = await createHooks({ hooks: [guard(/\.(env|pem)$/)] });
  const replayed = await replayInto(readSession(file), hooks);
  expect(replayed.changed).toHaveLength(1);
  expect(replayed.toText()).toContain('Replay: 2 of 3 requests are answered as they were.');
  expect(replayed.traffic).toHaveBlocked('BeforeTool', { tool: 'read_file', reason: 'a secret' });
  await hooks.close();
});
