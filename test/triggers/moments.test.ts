import { describe, expect, test } from 'vitest';
import {
  createHooks,
  fireAfterToolFailureHook,
  firePermissionRequestHook,
  fireSubagentStartHook,
  fireSubagentStopHook,
  requestHooks,
} from '../../src/index.ts';
import { configWith, hook, recording } from './support.ts';

describe('R1350 the moments of permission, failure and other agents', () => {
  test('have triggers that hand back what the hooks said', async () => {
    const config = configWith({
      PermissionRequest: [hook({ decision: 'deny', reason: 'no' }, { matcher: '^shell$' })],
      AfterToolFailure: [hook({ hookSpecificOutput: { additionalContext: 'try again' } })],
      SubagentStart: [hook({ hookSpecificOutput: { additionalContext: 'be brief' } }, { matcher: 'reviewer' })],
      SubagentStop: [hook({ decision: 'block', reason: 'no tests' })],
    });
    expect((await firePermissionRequestHook(config, 'shell', {}, { reason: 'asks' }))?.getBlockingError()).toEqual({
      blocked: true,
      reason: 'no',
    });
    expect(await firePermissionRequestHook(config, 'read', {})).toBeUndefined();
    const failure = await fireAfterToolFailureHook(config, 'shell', {}, new Error('gone'));
    expect(failure?.getAdditionalContext()).toBe('try again');
    expect(await fireSubagentStartHook(config, { agentType: 'reviewer' })).toEqual({
      blocked: false,
      context: 'be brief',
    });
    expect(await fireSubagentStartHook(config, { agentType: 'code-reviewer' })).toEqual({ blocked: false });
    expect(await fireSubagentStopHook(config, { agentType: 'reviewer' })).toEqual({
      retry: true,
      clearContext: false,
      reason: 'no tests',
    });
  });

  test('a hook that is against another agent keeps it from starting', async () => {
    const config = configWith({ SubagentStart: [hook({ decision: 'deny', reason: 'not here' })] });
    expect(await fireSubagentStartHook(config, { agentType: 'any' })).toEqual({ blocked: true, reason: 'not here' });
    const stopping = configWith({ SubagentStart: [hook({ continue: false, stopReason: 'enough' })] });
    expect(await fireSubagentStartHook(stopping, { agentType: 'any' })).toEqual({
      blocked: true,
      stopped: true,
      reason: 'enough',
    });
  });

  test('agents that are sent back are counted one by one, three times each', async () => {
    const config = configWith({ SubagentStop: [hook({ decision: 'deny', reason: 'more' })] });
    const stop = async (agentType: string, stopHookActive: boolean) =>
      (await fireSubagentStopHook(config, { agentType, stopHookActive })).retry;
    const one = [await stop('a', false), await stop('a', true), await stop('a', true)];
    const other = await stop('b', false);
    expect([...one, other, await stop('a', true), await stop('b', true)]).toEqual([
      true,
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  test('are methods of createHooks, and requests on its bus', async () => {
    const { seen, definition } = recording();
    const hooks = await createHooks({
      hooks: {
        PermissionRequest: [
          definition,
          hook({ decision: 'allow', hookSpecificOutput: { tool_input: { safe: true } } }),
        ],
        AfterToolFailure: [definition],
        SubagentStart: [definition],
        SubagentStop: [definition, hook({ decision: 'deny', reason: 'more' })],
      },
    });
    const call = { tool: 'shell', input: { command: 'rm' }, id: 'call-1' };
    expect(await hooks.permissionRequest({ ...call, reason: 'asks' })).toMatchObject({
      verdict: 'allow',
      input: { command: 'rm', safe: true },
    });
    expect(await hooks.afterToolFailure({ ...call, error: new Error('gone') })).toMatchObject({ verdict: 'none' });
    expect(await hooks.subagentStart({ agentType: 'reviewer', prompt: 'look' })).toMatchObject({ verdict: 'none' });
    expect(await hooks.subagentStop({ agentType: 'reviewer', response: 'fine' })).toMatchObject({
      verdict: 'deny',
      retry: true,
      clearContext: false,
    });
    const answer = await requestHooks(hooks.bus, 'PermissionRequest', { tool_name: 'shell', tool_input: {} });
    expect(answer.finalOutput?.decision).toBe('allow');
    const tool = { tool_name: 'shell', tool_input: { command: 'rm' }, tool_use_id: 'call-1' };
    expect(seen).toEqual([
      expect.objectContaining({ ...tool, reason: 'asks' }),
      expect.objectContaining({ ...tool, tool_input: { command: 'rm', safe: true }, recheck: true }),
      expect.objectContaining({ ...tool, error: 'gone' }),
      expect.objectContaining({ agent_type: 'reviewer', prompt: 'look' }),
      expect.objectContaining({ agent_type: 'reviewer', response: 'fine', stop_hook_active: false }),
      expect.objectContaining({ tool_name: 'shell', tool_input: {} }),
      expect.objectContaining({ tool_name: 'shell', tool_input: { safe: true }, recheck: true }),
    ]);
    await expect(hooks.subagentStart({ agentType: '' })).rejects.toThrow('subagentStart needs agentType');
    await hooks.close();
  });
});
