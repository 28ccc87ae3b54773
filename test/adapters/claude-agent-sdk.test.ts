import { describe, expect, test } from 'vitest';
import { type ClaudeHooks, hooksOption } from '../../src/adapters/claude-agent-sdk/index.ts';
import { createHooks } from '../../src/index.ts';
import { withHooks } from './support.ts';

/** What the SDK does with the option: it calls the callbacks of an event with its input. */
const ask = (option: ClaudeHooks, event: keyof ClaudeHooks, input: object, signal = new AbortController().signal) => {
  const callback = option[event][0]?.hooks[0];
  if (callback === undefined) throw new Error(`no callback for ${event}`);
  return callback({ hook_event_name: event, ...input }, 'call-1', { signal });
};

const bash = { tool_name: 'Bash', tool_input: { command: 'rm' } };

describe('R952 hooks as the option of query()', () => {
  test.each([
    ['deny', { decision: 'deny', reason: 'no' }, { permissionDecision: 'deny', permissionDecisionReason: 'no' }],
    ['ask', { decision: 'ask', reason: 'sure?' }, { permissionDecision: 'ask', permissionDecisionReason: 'sure?' }],
    ['allow', { decision: 'allow', reason: 'fine' }, { permissionDecision: 'allow', permissionDecisionReason: 'fine' }],
    ['a change', { hookSpecificOutput: { tool_input: { command: 'ls' } } }, { updatedInput: { command: 'ls' } }],
    ['context', { hookSpecificOutput: { additionalContext: 'be brief' } }, { additionalContext: 'be brief' }],
  ] as const)('%s before a tool', async (_what, answer, said) => {
    const hooks = await withHooks();
    hooks.on('BeforeTool', () => answer);
    expect(await ask(hooksOption(hooks), 'PreToolUse', bash)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...said },
    });
  });

  test('no opinion is an empty answer, for every event', async () => {
    const option = hooksOption(await withHooks());
    const inputs: Record<keyof ClaudeHooks, object> = {
      PreToolUse: bash,
      PostToolUse: { ...bash, tool_response: 'done' },
      PostToolUseFailure: { ...bash, error: 'oh' },
      PermissionRequest: bash,
      UserPromptSubmit: { prompt: 'hi' },
      Stop: { stop_hook_active: false, last_assistant_message: 'done' },
      SubagentStart: { agent_type: 'explore' },
      SubagentStop: { agent_type: 'explore', stop_hook_active: false },
      SessionStart: { source: 'startup' },
      SessionEnd: { reason: 'other' },
      PreCompact: { trigger: 'auto' },
      Notification: { message: 'waiting' },
    };
    for (const event of Object.keys(option) as (keyof ClaudeHooks)[]) {
      expect(await ask(option, event, inputs[event]), event).toEqual({});
    }
  });

  test('a stop ends the agent, a message reaches the user', async () => {
    const hooks = await withHooks();
    hooks.on('BeforeTool', () => ({ continue: false, stopReason: 'out of budget', systemMessage: 'that was it' }));
    expect(await ask(hooksOption(hooks), 'PreToolUse', bash)).toMatchObject({
      continue: false,
      stopReason: 'out of budget',
      systemMessage: 'that was it',
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  test('a refused prompt, result or end is a block', async () => {
    const hooks = await withHooks();
    for (const event of ['BeforeAgent', 'AfterTool', 'AfterAgent'] as const) {
      hooks.on(event, () => ({ decision: 'deny', reason: 'not yet' }));
    }
    const option = hooksOption(hooks);
    const block = { decision: 'block', reason: 'not yet' };
    expect(await ask(option, 'UserPromptSubmit', { prompt: 'hi' })).toMatchObject(block);
    expect(await ask(option, 'PostToolUse', { ...bash, tool_response: 'x' })).toMatchObject(block);
    expect(await ask(option, 'Stop', { last_assistant_message: 'done' })).toMatchObject(block);
  });

  test('a withheld result is replaced in its shape, for a block alone shows it to the model', async () => {
    const hooks = await withHooks();
    hooks.on('AfterTool', () => ({ decision: 'deny', reason: 'it holds a key' }));
    const replaced = async (tool_response: unknown) =>
      (await ask(hooksOption(hooks), 'PostToolUse', { ...bash, tool_response })).hookSpecificOutput.updatedToolOutput;
    const reason = 'The result is withheld: it holds a key';
    expect(await replaced('sk-1')).toBe(reason);
    expect(await replaced({ stdout: 'sk-1', stderr: 'sk-2', interrupted: false })).toEqual({
      stdout: reason,
      stderr: '',
      interrupted: false,
    });
    expect(await replaced([{ type: 'text', text: 'sk-1' }])).toEqual([{ type: 'text', text: reason }]);
    expect(await replaced({ ok: true })).toBe(reason);
  });

  test('a result that a hook replaces is replaced in its shape', async () => {
    const answers: unknown[] = [
      'clean',
      { llmContent: 'clean' },
      { stdout: 'clean', stderr: 'own', interrupted: true },
    ];
    const hooks = await withHooks((all) =>
      all.on('AfterTool', () => ({
        hookSpecificOutput: { updatedOutput: answers.shift(), additionalContext: 'mind' },
      })),
    );
    const tool_response = { stdout: 'sk-1', stderr: 'sk-2', interrupted: false };
    const replaced = async () => {
      const { hookSpecificOutput, ...rest } = await ask(hooksOption(hooks), 'PostToolUse', { ...bash, tool_response });
      expect([rest, hookSpecificOutput.additionalContext]).toEqual([{}, 'mind']);
      return hookSpecificOutput.updatedToolOutput;
    };
    expect(await replaced()).toEqual({ stdout: 'clean', stderr: '', interrupted: false });
    expect(await replaced()).toEqual({ stdout: 'clean', stderr: '', interrupted: false });
    expect(await replaced()).toEqual({ stdout: 'clean', stderr: 'own', interrupted: true });
  });

  test('hooks answer a request for a permission in place of the person', async () => {
    const hooks = await withHooks();
    const said: Record<string, unknown>[] = [
      { decision: 'allow', hookSpecificOutput: { tool_input: { command: 'ls' } } },
      { decision: 'deny', reason: 'no' },
      { continue: false, stopReason: 'enough' },
    ];
    hooks.on('PermissionRequest', () => said.shift());
    const decided = async () => (await ask(hooksOption(hooks), 'PermissionRequest', bash)).hookSpecificOutput.decision;
    expect(await decided()).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } });
    expect(await decided()).toEqual({ behavior: 'deny', message: 'no' });
    expect(await decided()).toEqual({ behavior: 'deny', message: 'enough', interrupt: true });
  });

  test('an end is told what the session worked on', async () => {
    const hooks = await withHooks();
    const seen: unknown[] = [];
    hooks.on('AfterAgent', ({ prompt }) => void seen.push(prompt));
    const option = hooksOption(hooks);
    for (const session_id of ['a', 'b'])
      await ask(option, 'UserPromptSubmit', { session_id, prompt: `for ${session_id}` });
    for (const session_id of ['a', 'b', 'c']) await ask(option, 'Stop', { session_id, last_assistant_message: 'done' });
    expect(seen).toEqual(['for a', 'for b', '']);
  });

  test('the signal of the SDK ends the hooks', async () => {
    const hooks = await withHooks();
    hooks.on(
      'BeforeTool',
      (_input, { signal }) =>
        new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined))),
    );
    const left = new AbortController();
    const asked = ask(hooksOption(hooks), 'PreToolUse', bash, left.signal);
    left.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
  });

  test('R1976 a question about a prompt refuses it: the SDK asks its user about calls alone', async () => {
    const hooks = await withHooks((all) => all.on('BeforeAgent', () => ({ decision: 'ask', reason: 'really?' })));
    expect(await ask(hooksOption(hooks), 'UserPromptSubmit', { prompt: 'hi' })).toEqual({
      decision: 'block',
      reason: 'really?, and no person can be asked',
    });
  });

  test('R1978 a call, a prompt and a result are refused when their hooks cannot be asked', async () => {
    const hooks = await withHooks();
    const option = hooksOption(hooks);
    const reason = expect.stringContaining('Hooks could not be asked: ');
    const before = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: reason };
    expect(await ask(option, 'PreToolUse', { tool_input: {} })).toEqual({ hookSpecificOutput: before });
    await hooks.close();
    expect(await ask(option, 'PreToolUse', bash)).toEqual({ hookSpecificOutput: before });
    expect(await ask(option, 'PermissionRequest', bash)).toEqual({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: reason } },
    });
    expect(await ask(option, 'PostToolUse', { ...bash, tool_response: { stdout: 'sk-1' } })).toMatchObject({
      decision: 'block',
      hookSpecificOutput: { updatedToolOutput: { stdout: expect.stringContaining('The result is withheld: Hooks') } },
    });
    expect(await ask(option, 'UserPromptSubmit', { prompt: 'hi' })).toEqual({ decision: 'block', reason });
    await expect(ask(option, 'Notification', { message: 'hi' })).rejects.toThrow('closed');
  });

  test('the promise of createHooks is refused', () => {
    // @ts-expect-error the likeliest mistake
    expect(() => hooksOption(createHooks())).toThrow('await createHooks() first');
  });
});
