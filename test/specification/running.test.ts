import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  Config,
  type HookConfig,
  HookEventName,
  type HookInput,
  HookRunner,
  HookSystem,
  type PayloadOf,
} from '../../src/index.ts';
import { all, answering, answeringAfter, engineOf, keeping, payloads } from './engine.ts';

const events = Object.values(HookEventName);

/** Notes when it starts and when it ends. */
const noting = (notes: string[], name: string, ms: number): HookConfig => ({
  type: 'runtime',
  name,
  action: async () => {
    notes.push(`${name} starts`);
    await sleep(ms);
    notes.push(`${name} ends`);
    return { reason: name };
  },
});

const toolInput = (config: Config): HookInput<'BeforeTool'> => ({
  session_id: config.getSessionId(),
  transcript_path: '',
  cwd: config.getWorkingDir(),
  hook_event_name: 'BeforeTool',
  timestamp: new Date(0).toISOString(),
  ...payloads.BeforeTool,
});

describe('the hooks of one event', () => {
  test('R115 R126 C48 run at once, and their results are in configured order', async () => {
    const notes: string[] = [];
    const { handler } = await engineOf({ BeforeTool: all(noting(notes, 'slow', 50), noting(notes, 'fast', 1)) });
    const { allOutputs } = await handler.fireBeforeToolEvent('read_file', {});
    expect(notes).toEqual(['slow starts', 'fast starts', 'fast ends', 'slow ends']);
    expect(allOutputs).toEqual([{ reason: 'slow' }, { reason: 'fast' }]);
  });

  test('R116 R126 R230 run one after another when one of them asks for it, and in no other case', async () => {
    const notes: string[] = [];
    const { handler } = await engineOf({
      BeforeTool: [{ sequential: true, hooks: [noting(notes, 'first', 5)] }, { hooks: [noting(notes, 'second', 1)] }],
    });
    const { allOutputs } = await handler.fireBeforeToolEvent('read_file', {});
    expect(notes).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
    expect(allOutputs).toEqual([{ reason: 'first' }, { reason: 'second' }]);
  });

  test.each([false, true])(
    'R118 R121 R186 R187 R326 R328 go on when one fails (sequential: %j)',
    async (sequential) => {
      const breaks: HookConfig = {
        type: 'runtime',
        name: 'breaks',
        action: () => {
          throw new Error('out of order');
        },
      };
      const hooks = [answering('a', { reason: 'a' }), breaks, answering('c', { systemMessage: 'c' })];
      const { handler } = await engineOf({ BeforeTool: [{ sequential, hooks }] });
      const result = await handler.fireBeforeToolEvent('read_file', {});
      expect(result).toMatchObject({ success: false, allOutputs: [{ reason: 'a' }, { systemMessage: 'c' }] });
      expect(result.errors.map(({ message }) => message)).toEqual(['Hook "breaks": out of order']);
      expect(result.finalOutput).toMatchObject({ reason: 'a', systemMessage: 'c' });
    },
  );

  test('R100 C58 a command line means what a shell makes of it', async () => {
    const { handler } = await engineOf({ BeforeTool: all({ command: 'echo not here | tr a-z A-Z >&2 && exit 2' }) });
    const { finalOutput } = await handler.fireBeforeToolEvent('read_file', {});
    expect(finalOutput?.getBlockingError()).toEqual({ blocked: true, reason: 'NOT HERE' });
  });
});

describe('R117 in a sequence the answer of one hook changes the input of the next', () => {
  const secondInput = async (eventName: HookEventName, answer: object): Promise<unknown> => {
    const kept: unknown[] = [];
    const { handler } = await engineOf({
      [eventName]: [{ sequential: true, hooks: [answering('first', answer), keeping(kept)] }],
    });
    await handler.fire(eventName, payloads[eventName]);
    return kept[0];
  };

  test('the arguments of a tool', async () => {
    const answer = { hookSpecificOutput: { tool_input: { path: 'b', mode: 'r' } } };
    expect(await secondInput('BeforeTool', answer)).toMatchObject({ tool_input: { path: 'b', mode: 'r' } });
  });

  test('the prompt', async () => {
    const answer = { hookSpecificOutput: { additionalContext: 'It is Monday.' } };
    expect(await secondInput('BeforeAgent', answer)).toMatchObject({ prompt: 'do it\n\nIt is Monday.' });
  });

  test('the request to the model', async () => {
    const answer = { hookSpecificOutput: { llm_request: { model: 'other', config: { temperature: 0 } } } };
    expect(await secondInput('BeforeModel', answer)).toMatchObject({
      llm_request: { model: 'other', messages: [{ role: 'user', content: 'hi' }], config: { temperature: 0 } },
    });
  });

  test('but not that of a hook that failed or printed text', async () => {
    const kept: unknown[] = [];
    const failed = { command: `echo '{"hookSpecificOutput":{"tool_input":{"path":"b"}}}'; exit 1` };
    const text = { command: 'echo "tool_input: b"' };
    const { handler } = await engineOf({ BeforeTool: [{ sequential: true, hooks: [failed, text, keeping(kept)] }] });
    await handler.fireBeforeToolEvent('read_file', { path: 'a' });
    expect(kept).toMatchObject([{ tool_input: { path: 'a' } }]);
  });
});

describe('the result of a hook', () => {
  const config = new Config({ sessionId: 'session-1' });
  const run = (hook: HookConfig) => new HookRunner(config).executeHook(hook, 'BeforeTool', toolInput(config));

  test('R102 R103 R105 R125 says how it ended, what it printed and how long it took', async () => {
    const hook: HookConfig = { type: 'command', command: `sleep 0.1; echo a note >&2; echo '{"reason":"ok"}'` };
    const result = await run(hook);
    expect(result).toEqual({
      hookConfig: hook,
      eventName: 'BeforeTool',
      success: true,
      output: { reason: 'ok' },
      outputFormat: 'json',
      stdout: '{"reason":"ok"}\n',
      stderr: 'a note\n',
      exitCode: 0,
      duration: expect.any(Number),
    });
    expect(result.duration).toBeGreaterThanOrEqual(100);
  });

  test('R101 R123 the process reads the input as one JSON document, and then the end of its input', async () => {
    const { stderr } = await run({ command: 'cat >&2' });
    expect(JSON.parse(stderr ?? '')).toEqual(toolInput(config));
  });

  test('R114 the process finds the environment of the host', async () => {
    process.env.HOOKWRIGHT_TEST_VALUE = 'as it was';
    const { stderr } = await run({
      command: 'echo "$HOOKWRIGHT_TEST_VALUE; $GEMINI_SESSION_ID; $CLAUDE_PROJECT_DIR" >&2',
    });
    delete process.env.HOOKWRIGHT_TEST_VALUE;
    expect(stderr).toBe(`as it was; session-1; ${process.cwd()}\n`);
  });

  test('C21 of a plugin without a function is a fault, not an exception', async () => {
    expect(await run({ type: 'plugin', name: 'p' })).toMatchObject({ success: false, code: 'not-supported' });
  });
});

describe('what a hook reads', () => {
  /** What hooks of these events were given. */
  const inputOf = async <E extends HookEventName>(
    eventName: E,
    payload: PayloadOf<E>,
    options: ConstructorParameters<typeof Config>[0] = {},
  ): Promise<unknown> => {
    const kept: unknown[] = [];
    const { handler } = await engineOf({ [eventName]: all(keeping(kept)) }, options);
    await handler.fire(eventName, payload);
    return kept[0];
  };

  test.each(events)('R130 R131 R133 R134 R135 R144 %s has the base fields', async (eventName) => {
    const now = Date.parse('2026-01-02T03:04:05.678Z');
    const options = {
      sessionId: 'session-1',
      workingDir: '/work',
      transcriptPath: '/work/log.json',
      deps: { clock: { now: () => now } },
    };
    expect(await inputOf(eventName, payloads[eventName], options)).toMatchObject({
      session_id: 'session-1',
      transcript_path: '/work/log.json',
      cwd: '/work',
      hook_event_name: eventName,
      timestamp: '2026-01-02T03:04:05.678Z',
    });
  });

  test('R135 R136 C07 without a transcript its path is empty', async () => {
    expect(await inputOf('BeforeAgent', { prompt: 'hi' })).toMatchObject({ transcript_path: '' });
  });

  test('R132 C09 the directory is the working one, else the target one, else that of the process', async () => {
    const cwdWith = async (places: { getWorkingDir?: () => string; getTargetDir?: () => string }) => {
      const kept: unknown[] = [];
      const hooks = { BeforeAgent: all(keeping(kept)) };
      const system = new HookSystem({ getSessionId: () => '', getHooks: () => hooks, ...places });
      await system.initialize();
      await system.getEventHandler().fireBeforeAgentEvent('hi');
      return kept[0];
    };
    const getWorkingDir = () => '/working';
    const getTargetDir = () => '/target';
    expect(await cwdWith({ getWorkingDir, getTargetDir })).toMatchObject({ cwd: '/working' });
    expect(await cwdWith({ getTargetDir })).toMatchObject({ cwd: '/target' });
    expect(await cwdWith({})).toMatchObject({ cwd: process.cwd() });
  });

  test('R145 the base fields are ours: a payload that brings its own does not replace them', async () => {
    const payload = { prompt: 'hi', session_id: 'forged', hook_event_name: 'BeforeTool', cwd: '/etc' };
    expect(await inputOf('BeforeAgent', payload, { sessionId: 'real', workingDir: '/work' })).toMatchObject({
      session_id: 'real',
      hook_event_name: 'BeforeAgent',
      cwd: '/work',
    });
  });

  const stableRequest = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const stableResponse = { text: 'hello', candidates: [{ content: { role: 'model', parts: ['hello'] } }] };
  test.each<[rules: string, eventName: HookEventName, fields: object]>([
    ['R137', 'BeforeTool', { tool_name: 'read_file', tool_input: { path: 'a' } }],
    ['R138', 'AfterTool', payloads.AfterTool],
    ['R139 R146 C19', 'BeforeModel', { llm_request: stableRequest }],
    ['R140 R146', 'AfterModel', { llm_request: stableRequest, llm_response: stableResponse }],
    ['R141 R146', 'BeforeToolSelection', { llm_request: stableRequest }],
    ['R142 C20', 'SessionStart', { source: 'startup', trigger: 'startup' }],
    ['R143 C20', 'SessionEnd', { reason: 'exit' }],
  ])('%s %s has fields of its own', async (_rules, eventName, fields) => {
    expect(await inputOf(eventName, payloads[eventName])).toEqual({
      session_id: '',
      transcript_path: '',
      cwd: process.cwd(),
      hook_event_name: eventName,
      timestamp: expect.any(String),
      ...fields,
    });
  });

  test.each(['startup', 'resume', 'clear', 'compress'] as const)('R142 a session starts by %s', async (source) => {
    expect(await inputOf('SessionStart', { source })).toMatchObject({ source, trigger: source });
  });

  test.each(['exit', 'clear', 'logout', 'prompt_input_exit', 'other', 'error', 'timeout'] as const)(
    'R143 C20 a session ends by %s, in any case',
    async (reason) => {
      const { handler } = await engineOf({
        SessionEnd: [{ matcher: reason, hooks: [answering('a', { reason: 'seen' })] }],
      });
      const shouted: Record<string, unknown> = { reason: reason.toUpperCase() };
      const { finalOutput } = await handler.fire('SessionEnd', { reason, ...shouted });
      expect(finalOutput).toMatchObject({ reason: 'seen' });
    },
  );

  test('R236 is its own: what it does to it reaches neither the next hook nor the caller', async () => {
    const kept: unknown[] = [];
    const vandal: HookConfig = {
      type: 'runtime',
      name: 'vandal',
      action: (input: { tool_input: { list: string[] } }) => {
        input.tool_input.list.push('x');
      },
    };
    const { handler } = await engineOf({ BeforeTool: [{ sequential: true, hooks: [vandal, keeping(kept)] }] });
    const given = { list: ['a'] };
    await handler.fireBeforeToolEvent('read_file', given);
    expect(given).toEqual({ list: ['a'] });
    expect(kept).toMatchObject([{ tool_input: { list: ['a'] } }]);
  });
});

test('R108 a hook that never answers is not waited for', async () => {
  const hangs = { ...answeringAfter(60_000, 'hangs', {}), timeout: 50 };
  const { handler } = await engineOf({ BeforeTool: all(hangs, answering('a', { decision: 'deny' })) });
  const result = await handler.fireBeforeToolEvent('read_file', {});
  expect(result).toMatchObject({ success: false, finalOutput: { decision: 'deny' } });
  expect(result.errors.map(({ message }) => message)).toEqual(['Hook "hangs": no answer within 50 ms']);
});
