import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  Config,
  HookAggregator,
  type HookCall,
  type HookConfig,
  HookEventHandler,
  HookSystem,
  loadConfig,
  MessageBus,
  MessageBusType,
} from '../../src/index.ts';
import { hostWith, keepLines } from '../support/host.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const toolCall = { tool_name: 'ls', tool_input: {} };

test.skipIf(process.platform === 'win32')(
  'R585 a block by exit code is no failure in the log and in telemetry',
  async () => {
    const calls: HookCall[] = [];
    const { logger, debug } = keepLines();
    const hooks = { BeforeTool: [{ hooks: [{ command: 'echo no >&2; exit 2', name: 'guard', timeout: 20_000 }] }] };
    const system = new HookSystem(hostWith({ hooks, getWorkingDir: () => tmpdir() }), undefined, {
      logger,
      telemetry: (call) => calls.push(call),
    });
    await system.initialize();
    const result = await system.getEventHandler().fire('BeforeTool', toolCall);
    await system.dispose();
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    expect(calls).toMatchObject([{ hookName: 'guard', hookType: 'command', success: true, exitCode: 2 }]);
    expect(debug.filter((line) => line.includes('fired'))).toEqual([expect.stringContaining(', success')]);
  },
);

test('R586 telemetry has the type of a hook and what went wrong, also where the runner of a host tells no ends', async () => {
  const calls: HookCall[] = [];
  const messages: string[] = [];
  const hook: HookConfig = { type: 'plugin', name: 'guard' };
  const ended = { hookConfig: hook, eventName: 'BeforeTool', success: false, duration: 1, code: 'threw' } as const;
  const results = [{ ...ended, error: new Error('boom'), output: { systemMessage: 'heard' } }];
  const handler = new HookEventHandler(
    hostWith(),
    { createExecutionPlan: (eventName) => ({ eventName, hookConfigs: [hook], sequential: false }) },
    { executeHooksParallel: async () => results, executeHooksSequential: async () => results },
    new HookAggregator(),
    undefined,
    { telemetry: (call) => calls.push(call), events: { onSystemMessage: ({ message }) => messages.push(message) } },
  );
  await handler.fire('BeforeTool', toolCall);
  expect(calls).toMatchObject([{ hookName: 'guard', hookType: 'plugin', code: 'threw', error: 'boom' }]);
  expect(messages).toEqual(['heard']);
});

test('R587 a request is modified only where something of it changes', async () => {
  const { logger, debug } = keepLines();
  const action = () => ({ hookSpecificOutput: { llm_request: {} } });
  const hooks = { BeforeModel: [{ hooks: [{ type: 'runtime' as const, name: 'idle', action }] }] };
  const system = new HookSystem(hostWith({ hooks }), undefined, { logger });
  await system.initialize();
  await system.getEventHandler().fire('BeforeModel', { llm_request: { model: 'm', messages: [] } });
  expect(debug.join('\n')).not.toContain('modified request');
});

test('R588 a system that was disposed of is not initialised and not reloaded', async () => {
  const system = new HookSystem(hostWith());
  await system.initialize();
  await system.dispose();
  await expect(system.initialize()).rejects.toMatchObject({ code: 'disposed' });
  await expect(system.reload()).rejects.toMatchObject({ code: 'disposed' });
});

test('R589 a system made of a loaded configuration trusts what the configuration does', async () => {
  const root = temporaryFolder('trust');
  mkdirSync(join(root, 'project/.hookwright'), { recursive: true });
  const hooks = { BeforeTool: [{ hooks: [{ command: 'exit 0', name: 'unapproved' }] }] };
  writeFileSync(join(root, 'project/.hookwright/settings.json'), JSON.stringify({ hooks }));
  const { config } = await loadConfig({ cwd: join(root, 'project'), home: join(root, 'home') });
  expect(config).toBeInstanceOf(Config);
  const own = await new HookSystem(config).explain('BeforeTool');
  const made = await config.getHookSystem()?.explain('BeforeTool');
  expect(own.map(({ reason }) => reason)).toEqual(['untrusted']);
  expect(made?.map(({ reason }) => reason)).toEqual(['untrusted']);
});

test('R590 an extension that does not say that it is active is not', async () => {
  const hooks = { BeforeTool: [{ hooks: [{ command: 'exit 0', name: 'of an extension' }] }] };
  const system = new HookSystem(hostWith({ getExtensions: () => [{ name: 'x', hooks }] }));
  expect(await system.explain('BeforeTool')).toMatchObject([{ planned: 'skip', reason: 'source-inactive' }]);
});

test('a listener that comes after the first event gets the next one, called directly, until it leaves', async () => {
  const bus = new MessageBus();
  const hooks = { BeforeTool: [{ matcher: 'ls', hooks: [{ type: 'runtime' as const, action: () => ({}) }] }] };
  const system = new HookSystem(hostWith({ hooks }), bus);
  await system.initialize();
  const types: string[] = [];
  const fire = async (tool_name: string) => {
    types.length = 0;
    await system.getEventHandler().fire('BeforeTool', { ...toolCall, tool_name });
    return [...types];
  };
  expect([await fire('ls'), await fire('cat')]).toEqual([[], []]);
  const ends = [
    MessageBusType.HOOK_EXECUTION_REQUEST,
    MessageBusType.HOOK_FINISHED,
    MessageBusType.HOOK_EXECUTION_TRACE,
  ].map((type) => bus.subscribe(type, (message) => types.push(message.type)));
  expect(await fire('ls')).toEqual(['hook-execution-request', 'hook-finished', 'hook-execution-trace']);
  expect(await fire('cat')).toEqual(['hook-execution-request', 'hook-execution-trace']);
  for (const end of ends) end();
  expect([await fire('ls'), await fire('cat')]).toEqual([[], []]);
  await system.dispose();
});
