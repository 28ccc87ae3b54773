import { describe, expect, test } from 'vitest';
import {
  type Config,
  fireAfterAgentHook,
  fireBeforeAgentHook,
  fireNotificationHook,
  firePreCompressHook,
  fireSessionEndHook,
  fireSessionStartHook,
  type HookDefinition,
  type HookExecutionTrace,
  type HookOutput,
  NotificationType,
  PreCompressTrigger,
  SessionEndReason,
  SessionStartHookOutput,
  SessionStartSource,
} from '../../src/index.ts';
import { untyped } from '../support/untyped.ts';
import { configWith, hook, recording, throwing } from './support.ts';

describe('BeforeAgent', () => {
  const prompting = (...definitions: HookDefinition[]) =>
    fireBeforeAgentHook(configWith({ BeforeAgent: definitions }), 'Fix it.');

  test.each<[string, HookDefinition[]]>([
    ['there are no hooks', []],
    ['hooks say nothing', [hook({})]],
    ['hooks fail', [throwing()]],
  ])('hands back the prompt as it is when %s', async (_why, definitions) => {
    expect(await prompting(...definitions)).toEqual({ blocked: false, prompt: 'Fix it.' });
  });

  test('adds what hooks have for the model: context, escaped, then messages with a marker', async () => {
    const result = await prompting(
      hook({ systemMessage: 'Be careful.', hookSpecificOutput: { additionalContext: '<branch> main' } }),
      hook({ hookSpecificOutput: { additionalContext: 'CI is red' } }),
    );
    expect(result.prompt).toBe('Fix it.\n\n&lt;branch&gt; main\nCI is red\n\n[System] Be careful.');
  });

  test('R175 leaves what the user wrote as it is, whatever a hook does to the prompt, and tells the hook so', async () => {
    const traces: HookExecutionTrace[] = [];
    const { seen, definition } = recording();
    const rewrites = hook((input: never) => {
      const given = untyped<{ prompt: string }>(input);
      given.prompt = 'Delete it.';
      return untyped<HookOutput>({
        prompt: 'Delete it.',
        hookSpecificOutput: { prompt: 'Delete it.', additionalContext: 'CI is red' },
      });
    });
    const config = configWith(
      { BeforeAgent: [rewrites, definition] },
      { deps: { onTrace: (trace) => traces.push(trace) } },
    );
    expect(await fireBeforeAgentHook(config, 'Fix it.')).toEqual({ blocked: false, prompt: 'Fix it.\n\nCI is red' });
    expect(seen).toMatchObject([{ prompt: 'Fix it.' }]);
    expect(traces[0]?.rows[0]?.fields).toMatchObject({
      prompt: { fate: 'unsupported' },
      'hookSpecificOutput.prompt': { fate: 'unsupported' },
      'hookSpecificOutput.additionalContext': { fate: 'applied' },
    });
  });

  test.each<[string, HookDefinition, object]>([
    ['a block', hook({ decision: 'block', reason: 'no prompts at night' }), { reason: 'no prompts at night' }],
    ['a stop', hook({ continue: false, stopReason: 'enough' }), { stopped: true, reason: 'enough' }],
  ])('%s keeps the agent from working on it', async (_what, definition, verdict) => {
    expect(await prompting(definition)).toEqual({ blocked: true, prompt: 'Fix it.', ...verdict });
  });

  test('shows the next hook of a sequence the prompt with the context of the one before', async () => {
    const { seen, definition } = recording();
    await prompting(hook({ hookSpecificOutput: { additionalContext: 'CI is red' } }, { sequential: true }), definition);
    expect(seen).toMatchObject([{ prompt: 'Fix it.\n\nCI is red' }]);
  });
});

describe('AfterAgent', () => {
  const blocking = hook({ decision: 'block', reason: 'run the tests' });

  test('tells hooks the prompt, the answer, and whether this answer was their wish', async () => {
    const { seen, definition } = recording();
    const config = configWith({ AfterAgent: [definition] });
    await fireAfterAgentHook(config, 'Fix it.', 'Fixed.');
    await fireAfterAgentHook(config, 'Fix it.', 'Fixed.', true);
    expect(seen).toMatchObject([
      { prompt: 'Fix it.', prompt_response: 'Fixed.', stop_hook_active: false },
      { stop_hook_active: true },
    ]);
  });

  test.each<[string, HookDefinition[]]>([
    ['there are no hooks', []],
    ['hooks agree', [hook({ decision: 'allow' })]],
    ['hooks fail', [throwing()]],
  ])('lets the answer stand when %s', async (_why, definitions) => {
    const config = configWith({ AfterAgent: definitions });
    expect(await fireAfterAgentHook(config, 'Fix it.', 'Fixed.')).toEqual({ retry: false, clearContext: false });
  });

  test('a block sends the agent back to work with its reason', async () => {
    const config = configWith({ AfterAgent: [blocking] });
    expect(await fireAfterAgentHook(config, 'Fix it.', 'Fixed.')).toEqual({
      retry: true,
      reason: 'run the tests',
      clearContext: false,
    });
  });

  test('a hook that is never content sends it back three times in a row, not for ever', async () => {
    const config = configWith({ AfterAgent: [blocking] });
    const turn = async (): Promise<number> => {
      for (let retries = 0; retries < 20; retries += 1) {
        const { retry, reason } = await fireAfterAgentHook(config, 'Fix it.', 'Fixed.', retries > 0);
        if (!retry) {
          expect(reason).toBe('run the tests (not retried again after 3 times)');
          return retries;
        }
      }
      return Number.POSITIVE_INFINITY;
    };
    expect(await turn()).toBe(3);
    expect(await turn()).toBe(3);
  });

  test('a hook that is content in between starts the count anew', async () => {
    let content = false;
    const config = configWith({ AfterAgent: [hook(() => (content ? {} : { decision: 'block' }))] });
    const fire = async () => (await fireAfterAgentHook(config, 'Fix it.', 'Fixed.', true)).retry;
    expect([await fire(), await fire()]).toEqual([true, true]);
    content = true;
    expect(await fire()).toBe(false);
    content = false;
    expect([await fire(), await fire(), await fire(), await fire()]).toEqual([true, true, true, false]);
  });

  test('a stop ends the work of the agent, even beside a block', async () => {
    const config = configWith({ AfterAgent: [blocking, hook({ continue: false, stopReason: 'enough' })] });
    expect(await fireAfterAgentHook(config, 'Fix it.', 'Fixed.')).toEqual({
      retry: false,
      stopped: true,
      reason: 'enough',
      clearContext: false,
    });
  });

  test('says that the conversation is to be forgotten, and what hooks have for the model', async () => {
    const config = configWith({
      AfterAgent: [hook({ systemMessage: 'm', hookSpecificOutput: { clearContext: true } })],
    });
    expect(await fireAfterAgentHook(config, 'Fix it.', 'Fixed.')).toEqual({
      retry: false,
      clearContext: true,
      systemMessage: 'm',
    });
  });
});

describe('the session and its moments', () => {
  test.each(Object.values(SessionStartSource))(
    'SessionStart tells its source, under both names: %s',
    async (source) => {
      const { seen, definition } = recording({ hookSpecificOutput: { additionalContext: 'welcome' } });
      const output = await fireSessionStartHook(configWith({ SessionStart: [definition] }), source);
      expect(seen).toMatchObject([{ source, trigger: source }]);
      expect(output).toBeInstanceOf(SessionStartHookOutput);
      expect(output?.getAdditionalContext()).toBe('welcome');
    },
  );

  test.each(Object.values(SessionEndReason))('SessionEnd tells its reason: %s', async (reason) => {
    const { seen, definition } = recording();
    await fireSessionEndHook(configWith({ SessionEnd: [definition] }), reason);
    expect(seen).toMatchObject([{ reason }]);
  });

  test.each(Object.values(PreCompressTrigger))('PreCompress tells its trigger: %s', async (trigger) => {
    const { seen, definition } = recording({ systemMessage: 'keep the plan' });
    const output = await firePreCompressHook(configWith({ PreCompress: [definition] }), trigger);
    expect(seen).toMatchObject([{ trigger }]);
    expect(output?.systemMessage).toBe('keep the plan');
  });

  test('Notification tells its type, its message and its details', async () => {
    const { seen, definition } = recording();
    const config = configWith({ Notification: [definition] });
    await fireNotificationHook(config, NotificationType.ToolPermission, 'May I?', {
      tool: 'shell',
      since: new Date(0),
    });
    await fireNotificationHook(config, 'Idle', 'Still there?');
    expect(seen).toMatchObject([
      {
        notification_type: 'ToolPermission',
        message: 'May I?',
        details: { tool: 'shell', since: '1970-01-01T00:00:00.000Z' },
      },
      { notification_type: 'Idle', message: 'Still there?', details: {} },
    ]);
  });

  test('matchers are compared with the source, the reason and the trigger', async () => {
    const deny = (matcher: string) => [hook({ decision: 'deny' }, { matcher })];
    const config = configWith({ SessionStart: deny('resume'), SessionEnd: deny('exit'), PreCompress: deny('auto') });
    expect(await fireSessionStartHook(config, 'startup')).toBeUndefined();
    expect(await fireSessionStartHook(config, 'resume')).toBeDefined();
    expect(await fireSessionEndHook(config, 'prompt_input_exit')).toBeUndefined();
    expect(await fireSessionEndHook(config, 'exit')).toBeDefined();
    expect(await firePreCompressHook(config, 'manual')).toBeUndefined();
    expect(await firePreCompressHook(config, 'auto')).toBeDefined();
  });

  test.each<[string, (config: Config) => Promise<unknown>]>([
    ['SessionStart', (config) => fireSessionStartHook(config, 'startup')],
    ['SessionEnd', (config) => fireSessionEndHook(config, 'exit')],
    ['PreCompress', (config) => firePreCompressHook(config, 'auto')],
    ['Notification', (config) => fireNotificationHook(config, 'Idle', 'Still there?')],
  ])('%s says nothing when hooks are off, absent, or broken', async (eventName, fire) => {
    const definitions = { [eventName]: [hook({ decision: 'deny' })] };
    expect(await fire(configWith(definitions, { enableHooks: false }))).toBeUndefined();
    expect(await fire(configWith({}))).toBeUndefined();
    expect(await fire(configWith({ [eventName]: [throwing()] }))).toBeUndefined();
  });
});
