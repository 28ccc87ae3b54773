import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClaudeHooks, hooksOption } from '../../src/adapters/claude-agent-sdk/index.ts';
import { createHooks, type Hooks } from '../../src/index.ts';

const engine = async (): Promise<Hooks> => {
  const hooks = await createHooks();
  onTestFinished(() => hooks.close());
  return hooks;
};

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
    [
      'a change',
      { hookSpecificOutput: { tool_input: { command: 'ls' } } },
      { permissionDecision: 'allow', updatedInput: { command: 'ls' } },
    ],
    ['context', { hookSpecificOutput: { additionalContext: 'be brief' } }, { additionalContext: 'be brief' }],
  ] as const)('%s before a tool', async (_what, answer, said) => {
    const hooks = await engine();
    hooks.on('BeforeTool', () => answer);
    expect(await ask(hooksOption(hooks), 'PreToolUse', bash)).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', ...said },
    });
  });

  test('no opinion is an empty answer, for every event', async () => {
    const option = hooksOption(await engine());
    const inputs: Record<keyof ClaudeHooks, object> = {
      PreToolUse: bash,
      PostToolUse: { ...bash, tool_response: 'done' },
      PostToolUseFailure: { ...bash, error: 'oh' },
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
    const hooks = await engine();
    hooks.on('BeforeTool', () => ({ continue: false, stopReason: 'out of budget', systemMessage: 'that was it' }));
    expect(await ask(hooksOption(hooks), 'PreToolUse', bash)).toMatchObject({
      continue: false,
      stopReason: 'out of budget',
      systemMessage: 'that was it',
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  test('a refused prompt, result or end is a block', async () => {
    const hooks = await engine();
    for (const event of ['BeforeAgent', 'AfterTool', 'AfterAgent'] as const) {
      hooks.on(event, () => ({ decision: 'deny', reason: 'not yet' }));
    }
    const option = hooksOption(hooks);
    const block = { decision: 'block', reason: 'not yet' };
    expect(await ask(option, 'UserPromptSubmit', { prompt: 'hi' })).toMatchObject(block);
    expect(await ask(option, 'PostToolUse', { ...bash, tool_response: 'x' })).toMatchObject(block);
    expect(await ask(option, 'Stop', { last_assistant_message: 'done' })).toMatchObject(block);
  });

  test('the signal of the SDK ends the hooks', async () => {
    const hooks = await engine();
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

  test('the promise of createHooks is refused', () => {
    // @ts-expect-error the likeliest mistake
    expect(() => hooksOption(createHooks())).toThrow('await createHooks() first');
  });
});
