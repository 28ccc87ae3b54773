import { describe, expect, test } from 'vitest';
import { createHooks, type HookDefinition, type HooksByEvent } from '../../src/index.ts';
import { hook, recording } from '../triggers/support.ts';

const withHooks = (hooks: HooksByEvent) => createHooks({ hooks });
const call = { tool: 'shell', input: { command: 'ls' } };
const request = { model: 'm', contents: 'hi', config: { tools: [{ functionDeclarations: [{ name: 'read' }] }] } };
const response = { candidates: [{ content: { role: 'model', parts: [{ text: 'sk-1' }] } }] };
const saying = { systemMessage: 'M', hookSpecificOutput: { additionalContext: 'C' } };

describe('what comes back is the very thing that went in when no hook changed it', () => {
  const silent: HooksByEvent = Object.fromEntries(
    ['BeforeTool', 'AfterTool', 'BeforeModel', 'AfterModel', 'BeforeToolSelection'].map((name) => [name, [hook({})]]),
  );

  test.each<[string, HooksByEvent]>([
    ['without hooks', {}],
    ['with silent ones', silent],
  ])('%s', async (_which, hooksByEvent) => {
    const hooks = await withHooks(hooksByEvent);
    const output = { llmContent: 'done' };
    expect((await hooks.beforeTool(call)).input).toBe(call.input);
    expect((await hooks.afterTool({ ...call, output })).output).toBe(output);
    expect((await hooks.beforeModel({ request })).request).toBe(request);
    expect((await hooks.afterModel({ request, response })).response).toBe(response);
    expect((await hooks.beforeToolSelection({ request })).tools).toBe(request.config.tools);
  });
});

describe('beforeTool', () => {
  test('gives the input with the changes of the hooks', async () => {
    const hooks = await withHooks({ BeforeTool: [hook({ hookSpecificOutput: { tool_input: { cwd: '/safe' } } })] });
    expect((await hooks.beforeTool(call)).input).toEqual({ command: 'ls', cwd: '/safe' });
    expect(call.input).toEqual({ command: 'ls' });
  });

  test('tells hooks where the tool comes from', async () => {
    const { seen, definition } = recording();
    const hooks = await withHooks({ BeforeTool: [definition] });
    await hooks.beforeTool({ ...call, mcpContext: { server_name: 'files' }, originalName: 'list' });
    expect(seen).toMatchObject([{ mcp_context: { server_name: 'files' }, original_request_name: 'list' }]);
  });
});

describe('afterTool', () => {
  const afterTool = async (answer: Parameters<typeof hook>[0], output: unknown) => {
    const hooks = await withHooks({ AfterTool: [hook(answer)] });
    return hooks.afterTool({ ...call, output });
  };

  test.each<[string, unknown, unknown]>([
    ['a text', 'done', 'done\n\nC\n\n[System] M'],
    [
      'a result',
      { llmContent: [{ text: 'done' }], exitCode: 0 },
      {
        llmContent: [{ text: 'done' }, { text: '\n\nC' }, { text: '\n\n[System] M' }],
        exitCode: 0,
        metadata: { hookMessages: ['M'], hookData: { additionalContext: 'C' } },
      },
    ],
    ['something else, to which nothing can be added', { rows: 3 }, { rows: 3 }],
    ['nothing', undefined, undefined],
  ])('appends what hooks say to %s', async (_what, output, expected) => {
    const result = await afterTool(saying, output);
    expect(result.output).toEqual(expected);
    expect(result).toMatchObject({ context: 'C', messages: ['M'] });
  });

  test.each<[string, unknown, unknown]>([
    ['a text', 'sk-1', expect.stringMatching(/^Tool call blocked by hook: secret/)],
    ['a result', { llmContent: 'sk-1' }, { error: { type: 'hook_blocked' } }],
    ['something else', { key: 'sk-1' }, { error: { type: 'hook_blocked' } }],
    ['a list', ['sk-1'], { error: { type: 'hook_blocked' } }],
  ])('withholds %s when a hook denies', async (_what, output, expected) => {
    const result = await afterTool({ decision: 'deny', reason: 'secret' }, output);
    expect({ output: result.output }).toMatchObject({ output: expected });
    expect(JSON.stringify(result)).not.toContain('sk-1');
  });

  test.each<[string, unknown, unknown]>([
    ['a text', 'done', { llmContent: 'done' }],
    ['a result', { llmContent: 'done', error: new Error('boom') }, { llmContent: 'done', error: { message: 'boom' } }],
    ['something else', { rows: 3, at: new Date(0) }, { rows: 3, at: '1970-01-01T00:00:00.000Z' }],
    ['a list', [1, 2], [1, 2]],
    ['nothing', undefined, null],
  ])('shows hooks %s', async (_what, output, shown) => {
    const { seen, definition } = recording<{ tool_response: unknown }>();
    const hooks = await withHooks({ AfterTool: [definition] });
    await hooks.afterTool({ ...call, output });
    expect(seen[0]?.tool_response).toEqual(shown);
  });

  test.each<[string, unknown, unknown, unknown]>([
    ['a text', 'sk-1', '[redacted]', '[redacted]'],
    ['a text by a result', 'sk-1', { llmContent: '[redacted]' }, '[redacted]'],
    ['a text by something else', 'sk-1', { rows: 3 }, '{"rows":3}'],
    ['a result by a text', { llmContent: 'sk-1', returnDisplay: 'sk-1', id: 7 }, 'x', { llmContent: 'x', id: 7 }],
    ['a result', { llmContent: 'sk-1', returnDisplay: 'sk-1' }, { llmContent: ['x'] }, { llmContent: ['x'] }],
    ['something else', { key: 'sk-1', rows: 3 }, { rows: 3 }, { rows: 3 }],
  ])('R1090 gives what a hook put in place of %s', async (_what, output, updatedOutput, expected) => {
    const result = await afterTool({ hookSpecificOutput: { updatedOutput } }, output);
    expect(result).toMatchObject({ output: expected });
    expect(JSON.stringify(result)).not.toContain('sk-1');
    const denied = await afterTool({ decision: 'deny', hookSpecificOutput: { updatedOutput } }, output);
    expect(JSON.stringify(denied.output)).toContain('blocked by hook');
  });

  test('says whether the display is to be left out, and which tool a hook wants next', async () => {
    const next = { name: 'lint', args: { fix: true } };
    const result = await afterTool({ suppressOutput: true, hookSpecificOutput: { tailToolCallRequest: next } }, 'done');
    expect(result).toMatchObject({ suppressDisplay: true, tailToolCall: next, output: 'done' });
    const denied = await afterTool({ decision: 'deny', hookSpecificOutput: { tailToolCallRequest: next } }, 'done');
    expect(denied.tailToolCall).toBeUndefined();
  });
});

describe('beforeAgent', () => {
  test('gives the prompt with what hooks add', async () => {
    const hooks = await withHooks({ BeforeAgent: [hook(saying)] });
    expect((await hooks.beforeAgent({ prompt: 'Fix it.' })).prompt).toBe('Fix it.\n\nC\n\n[System] M');
  });

  test('takes an empty prompt, and leaves a denied one alone', async () => {
    const hooks = await withHooks({ BeforeAgent: [hook({ ...saying, decision: 'deny' })] });
    expect(await hooks.beforeAgent({ prompt: '' })).toMatchObject({ verdict: 'deny', prompt: '' });
  });
});

describe('afterAgent', () => {
  test('says whether to work on, three times in a row at most, and whether to forget', async () => {
    const answer = { decision: 'block' as const, reason: 'run the tests', hookSpecificOutput: { clearContext: true } };
    const hooks = await withHooks({ AfterAgent: [hook(answer)] });
    const retries: boolean[] = [];
    for (const stopHookActive of [false, true, true, true]) {
      const result = await hooks.afterAgent({ prompt: 'Fix it.', response: 'Fixed.', stopHookActive });
      retries.push(result.retry);
      expect(result).toMatchObject({ verdict: 'deny', reason: 'run the tests', clearContext: true });
    }
    expect(retries).toEqual([true, true, true, false]);
  });

  test('without an opinion lets the answer stand', async () => {
    const hooks = await withHooks({});
    const result = await hooks.afterAgent({ prompt: '', response: '' });
    expect(result).toMatchObject({ verdict: 'none', retry: false, clearContext: false });
  });
});

describe('beforeModel', () => {
  const beforeModel = async (...definitions: HookDefinition[]) =>
    (await withHooks({ BeforeModel: definitions })).beforeModel({ request });

  test('gives the request with changes and messages', async () => {
    const result = await beforeModel(
      hook({ systemMessage: 'Be brief.', hookSpecificOutput: { llm_request: { config: { temperature: 0 } } } }),
    );
    expect(result.request).toMatchObject({ config: { temperature: 0, tools: request.config.tools } });
    expect(JSON.stringify(result.request)).toContain('Be brief.');
    expect(result.response).toBeUndefined();
  });

  test('gives the answer a hook has in the place of the model', async () => {
    const result = await beforeModel(hook({ decision: 'deny', hookSpecificOutput: { llm_response: { text: '42' } } }));
    expect(result.verdict).toBe('deny');
    expect(result.response?.text).toBe('42');
    expect(result.request).toBe(request);
  });

  test('keeps the message of a request that is not sent for the next', async () => {
    let decision: 'deny' | 'allow' = 'deny';
    const hooks = await withHooks({
      BeforeModel: [hook(() => ({ decision, systemMessage: `said with ${decision}` }))],
    });
    expect((await hooks.beforeModel({ request })).request).toBe(request);
    decision = 'allow';
    const texts = JSON.stringify((await hooks.beforeModel({ request })).request.contents).match(/said with \w+/g);
    expect(texts).toEqual(['said with deny', 'said with allow']);
  });

  test('takes along the messages of the moments before that had nothing to ride on', async () => {
    const hooks = await withHooks({
      BeforeTool: [hook({ systemMessage: 'from BeforeTool' })],
      AfterModel: [hook({ systemMessage: 'from AfterModel' })],
      SessionStart: [hook({ systemMessage: 'from SessionStart' })],
      AfterTool: [hook({ systemMessage: 'from AfterTool' })],
      BeforeAgent: [hook({ systemMessage: 'from BeforeAgent' })],
    });
    await hooks.sessionStart({ source: 'startup' });
    await hooks.beforeAgent({ prompt: 'hi' });
    await hooks.beforeTool(call);
    await hooks.afterTool({ ...call, output: 'a text, on which its message rides' });
    await hooks.afterTool({ ...call, output: 5 });
    await hooks.afterModel({ request, response });
    const texts = JSON.stringify((await hooks.beforeModel({ request })).request.contents).match(/from \w+/g);
    expect(texts).toEqual(['from SessionStart', 'from BeforeTool', 'from AfterTool', 'from AfterModel']);
    expect((await hooks.beforeModel({ request })).request).toBe(request);
  });
});

test('afterModel gives the response to keep', async () => {
  const answer = { candidates: [{ content: { role: 'model', parts: ['[redacted]'] } }] };
  const hooks = await withHooks({ AfterModel: [hook({ hookSpecificOutput: { llm_response: answer } })] });
  const result = await hooks.afterModel({ request, response });
  expect(result.response.candidates[0]?.content.parts).toEqual([{ text: '[redacted]' }]);
});

test('beforeToolSelection gives the tools to offer', async () => {
  const toolConfig = { mode: 'ANY' as const, allowedFunctionNames: ['read'] };
  const hooks = await withHooks({ BeforeToolSelection: [hook({ hookSpecificOutput: { toolConfig } })] });
  const result = await hooks.beforeToolSelection({ request });
  expect(result).toMatchObject({ verdict: 'none', toolConfig: { functionCallingConfig: toolConfig } });
  expect(result.tools).toBe(request.config.tools);
});

test('sessionStart, sessionEnd, preCompress and notify tell hooks what happened', async () => {
  const { seen, definition } = recording();
  const hooks = await withHooks({
    SessionStart: [definition],
    SessionEnd: [definition],
    PreCompress: [definition],
    Notification: [definition],
  });
  await hooks.sessionStart({ source: 'resume' });
  await hooks.sessionEnd({ reason: 'logout' });
  await hooks.preCompress({ trigger: 'auto' });
  await hooks.notify({ type: 'ToolPermission', message: 'May I?', details: { tool: 'shell' } });
  await hooks.notify({ type: 'Idle', message: '' });
  expect(seen).toMatchObject([
    { hook_event_name: 'SessionStart', source: 'resume' },
    { hook_event_name: 'SessionEnd', reason: 'logout' },
    { hook_event_name: 'PreCompress', trigger: 'auto' },
    {
      hook_event_name: 'Notification',
      notification_type: 'ToolPermission',
      message: 'May I?',
      details: { tool: 'shell' },
    },
    { hook_event_name: 'Notification', notification_type: 'Idle', message: '', details: {} },
  ]);
});

test('what hooks said for a request that never came is not told in the next session', async () => {
  const hooks = await withHooks({ SessionStart: [hook({ systemMessage: 'M' })] });
  await hooks.sessionStart({ source: 'startup' });
  await hooks.sessionEnd({ reason: 'clear' });
  expect((await hooks.beforeModel({ request })).request).toBe(request);
});
