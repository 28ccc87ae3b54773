// Testing an agent: what does it do when hooks do this or that? The hooks are fixtures.
import { Config, executeToolWithHooks, MessageBus } from 'hookwright';
import { captureTraffic, fixtureHook } from 'hookwright/testing';
import { afterEach, expect, test } from 'vitest';

afterEach(() => fixtureHook.dispose());

const agentWith = (...hooks) => {
  const bus = new MessageBus();
  const config = new Config({ enableHooks: true, bus, hooks: { BeforeTool: [{ hooks }] } });
  const readFile = (input) => executeToolWithHooks(config, 'read_file', input, () => ({ llmContent: 'hello' }));
  return { readFile, traffic: captureTraffic(bus) };
};

test('a block is told to the model', async () => {
  const guard = fixtureHook.answers({ decision: 'deny', reason: '.env holds secrets' }, { name: 'guard' });
  const { readFile, traffic } = agentWith(guard);
  const { llmContent } = await readFile({ path: '.env' });
  expect(llmContent).toBe('Tool call blocked by hook: .env holds secrets');
  expect(traffic).toHaveBlocked('BeforeTool', { by: 'guard' });
});

test('a command that fails, one that hangs and one that prints rubbish are not in the way', async () => {
  const { readFile, traffic } = agentWith(
    fixtureHook.command({ name: 'fails', exit: 1, stderr: 'out of order' }),
    fixtureHook.command({ name: 'hangs', sleepMs: 60_000, timeout: 1_000 }),
    fixtureHook.command({ name: 'babbles', prints: '{"decision": "den' }),
    fixtureHook.throws(new Error('out of order'), { name: 'throws' }),
  );
  expect((await readFile({ path: 'a.txt' })).llmContent).toMatch(/^hello/);
  for (const name of ['fails', 'hangs', 'babbles', 'throws']) {
    expect(traffic).toHaveRun(name, { outcome: 'faulted' });
  }
});

test('a hook is told which tool is meant', async () => {
  const watches = fixtureHook.command({ name: 'watches' });
  const { readFile } = agentWith(watches);
  await readFile({ path: 'a.txt' });
  expect(watches.received).toMatchObject([{ tool_name: 'read_file', tool_input: { path: 'a.txt' } }]);
});
