import { expect, test } from 'vitest';
import { HookSystem, type HooksByEvent, MessageBus } from '../../src/index.ts';

const command = (name: string, line = 'true') => ({ name, command: line });

test('a reload tells the bus which hooks are new, gone and changed', async () => {
  let hooks: HooksByEvent = { BeforeTool: [{ hooks: [command('stays'), command('goes'), command('changes')] }] };
  const bus = new MessageBus();
  const system = new HookSystem({ getSessionId: () => '', getHooks: () => hooks }, bus);
  await system.initialize();
  const reloads: unknown[] = [];
  bus.subscribe('hooks-reloaded', ({ added, removed, changed }) => reloads.push({ added, removed, changed }));

  hooks = { BeforeTool: [{ hooks: [command('changes', 'false'), command('stays'), command('comes')] }] };
  await system.reload();
  await system.reload();

  expect(reloads).toEqual([
    {
      added: ['project/BeforeTool/comes'],
      removed: ['project/BeforeTool/goes'],
      changed: ['project/BeforeTool/changes'],
    },
    { added: [], removed: [], changed: [] },
  ]);
});

test('a reload that fails tells nothing', async () => {
  let isBroken = false;
  const getHooks = () => {
    if (isBroken) throw new Error('the disk is gone');
    return {};
  };
  const bus = new MessageBus();
  const system = new HookSystem({ getSessionId: () => '', getHooks }, bus);
  await system.initialize();
  const reloads: unknown[] = [];
  bus.subscribe('hooks-reloaded', (message) => reloads.push(message));
  isBroken = true;
  await expect(system.reload()).rejects.toThrow('the disk is gone');
  expect(reloads).toEqual([]);
});
