import { expect, test } from 'vitest';
import type { HookConfig } from '../../../src/protocol/index.ts';
import { HookRunner } from '../../../src/runners/index.ts';
import { untyped } from '../../support/untyped.ts';

const answering = (decision: string): string => `echo '{"decision":"${decision}"}'`;

test.each<[string, HookConfig, (hook: HookConfig) => void]>([
  [
    'its arguments',
    { type: 'command', command: 'sh', args: ['-c', answering('allow')] },
    ({ args }) => args?.splice(1, 1, answering('deny')),
  ],
  [
    'its line',
    { type: 'command', command: answering('allow') },
    (hook) => Object.assign(hook, { command: answering('deny') }),
  ],
])('a config made in code runs as it stands when %s were changed in place', async (_what, hook, change) => {
  const runner = new HookRunner({ getSessionId: () => 'session', getHooks: () => ({}) });
  const run = async () => (await runner.executeHook(hook, 'BeforeTool', untyped({}))).output;
  expect(await run()).toEqual({ decision: 'allow' });
  change(hook);
  expect(await run()).toEqual({ decision: 'deny' });
  await runner.dispose();
});
