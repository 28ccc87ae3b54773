import { describe, expect, test } from 'vitest';
import { type ExecuteToolOptions, executeToolWithHooks, type HooksByEvent, type ToolResult } from '../../src/index.ts';
import { configWith, hook, listening, recording } from './support.ts';

const tail = (name: string, args: Record<string, unknown> = {}) => ({
  hookSpecificOutput: { tailToolCallRequest: { name, args } },
});

/** Calls the tool `first`; other tools answer with their own name and their arguments. */
const call = async (hooksByEvent: HooksByEvent, options: ExecuteToolOptions = {}) => {
  const { warnings, logger } = listening();
  const ran: string[] = [];
  const runTool = (name: string, args: Record<string, unknown>): ToolResult => {
    ran.push(name);
    return { llmContent: `${name} ${JSON.stringify(args)}` };
  };
  const config = configWith(hooksByEvent, { deps: { logger } });
  const result = await executeToolWithHooks(config, 'first', {}, () => ({ llmContent: 'first' }), {
    runTool,
    ...options,
  });
  return { result, ran, warnings };
};

const onFirst = { matcher: '^first$' };

describe('a tool that an AfterTool hook asks for', () => {
  test('runs, and its result takes the place of the first', async () => {
    const { result, ran } = await call({ AfterTool: [hook(tail('lint', { fix: true }), onFirst)] });
    expect(ran).toEqual(['lint']);
    expect(result.llmContent).toBe('lint {"fix":true}');
  });

  test('has hooks of its own, which learn what was asked for first', async () => {
    const before = recording();
    const after = recording();
    await call(
      { BeforeTool: [before.definition], AfterTool: [after.definition, hook(tail('lint', { fix: true }), onFirst)] },
      { mcpContext: { server_name: 'files' } },
    );
    expect(before.seen).toMatchObject([
      { tool_name: 'first', mcp_context: { server_name: 'files' } },
      { tool_name: 'lint', tool_input: { fix: true }, original_request_name: 'first' },
    ]);
    expect(before.seen[1]).not.toHaveProperty('mcp_context');
    expect(after.seen).toMatchObject([
      { tool_name: 'first' },
      { tool_name: 'lint', original_request_name: 'first', tool_response: { llmContent: 'lint {"fix":true}' } },
    ]);
  });

  test('is called with the arguments its own hooks changed', async () => {
    const { result } = await call({
      BeforeTool: [hook({ hookSpecificOutput: { tool_input: { fix: false } } }, { matcher: 'lint' })],
      AfterTool: [hook(tail('lint', { fix: true }), onFirst)],
    });
    expect(result.llmContent).toBe(
      'lint {"fix":false}\n\n[System] A hook changed the arguments of this tool call before it ran: fix',
    );
  });

  test('may be followed by another, and the first name stays the first', async () => {
    const { seen, definition } = recording();
    const { result, ran } = await call({
      BeforeTool: [definition],
      AfterTool: [hook(tail('lint'), onFirst), hook(tail('test'), { matcher: 'lint' })],
    });
    expect(ran).toEqual(['lint', 'test']);
    expect(result.llmContent).toBe('test {}');
    expect(seen.map(({ original_request_name }) => original_request_name)).toEqual([undefined, 'first', 'first']);
  });

  test('takes along what hooks said about the first', async () => {
    const { result } = await call({
      BeforeTool: [hook({ systemMessage: 'careful' }, onFirst)],
      AfterTool: [
        hook({ ...tail('lint'), systemMessage: 'linting' }, onFirst),
        hook({ systemMessage: 'linted', hookSpecificOutput: { warnings: 2 } }, { matcher: 'lint' }),
      ],
    });
    expect(result.llmContent).toBe('lint {}\n\n[System] linted\n\n[System] careful\n\n[System] linting');
    expect(result.metadata).toEqual({
      hookMessages: ['linting', 'linted'],
      hookData: { tailToolCallRequest: { name: 'lint', args: {} }, warnings: 2 },
    });
  });
});

describe('a chain that never ends', () => {
  const again = { AfterTool: [hook(tail('again'))] };

  test('ends after three calls, and says so', async () => {
    const { result, ran, warnings } = await call(again);
    expect(ran).toEqual(['again', 'again', 'again']);
    expect(result.llmContent).toContain('too many tools have followed one another');
    expect(warnings).toHaveLength(1);
  });

  test.each([
    [0, 0],
    [1, 1],
    [5, 5],
    [Number.NaN, 0],
    [-1, 0],
  ])('with maxTailCalls %d it ends after %d', async (maxTailCalls, calls) => {
    expect((await call(again, { maxTailCalls })).ran).toHaveLength(calls);
  });
});

describe('a tool that comes to nothing leaves the first result standing', () => {
  const asked = hook(tail('lint'), onFirst);

  test('because the agent runs no tools for hooks', async () => {
    const { result, warnings } = await call({ AfterTool: [asked] }, { runTool: undefined });
    const note = 'A hook asked for the tool lint, which was not run: this agent does not run tools on behalf of hooks';
    expect(result.llmContent).toBe(`first\n\n[System] ${note}`);
    expect(warnings).toEqual([note]);
  });

  test('because a hook is against it', async () => {
    const { result, ran } = await call({
      BeforeTool: [hook({ decision: 'deny', reason: 'no linting' }, { matcher: 'lint' })],
      AfterTool: [asked],
    });
    expect(ran).toEqual([]);
    expect(result.llmContent).toMatch(
      /^first\n\n\[System\] .*lint, which was not run: Tool call blocked by hook: no linting$/,
    );
    expect(result.error).toBeUndefined();
  });

  test('because a hook stops the agent: the stop holds', async () => {
    const { result } = await call({
      BeforeTool: [hook({ continue: false, stopReason: 'enough' }, { matcher: 'lint' })],
      AfterTool: [asked],
    });
    expect(result.llmContent).toMatch(/^first\n\n.*Execution stopped by hook: enough$/);
    expect(result.metadata).toMatchObject({ stopExecution: true });
  });

  test('because it throws', async () => {
    const runTool = (): never => {
      throw new Error('no linter here');
    };
    const { result } = await call({ AfterTool: [asked] }, { runTool });
    expect(result.llmContent).toBe('first\n\n[System] A hook asked for the tool lint, which failed: no linter here');
  });

  test.each<[string, object]>([
    ['blocks', { decision: 'deny' }],
    ['stops', { continue: false }],
  ])('because the answer that asks for it also %s', async (_how, verdict) => {
    const { ran } = await call({ AfterTool: [hook({ ...tail('lint'), ...verdict })] });
    expect(ran).toEqual([]);
  });
});

test.each<[string, unknown]>([
  ['without a name', { args: {} }],
  ['with an empty name', { name: '', args: {} }],
  ['with arguments that are no object', { name: 'lint', args: ['--fix'] }],
  ['that is a text', 'lint'],
])('a request for a tool %s is malformed and asks for nothing', async (_what, tailToolCallRequest) => {
  const { result, ran } = await call({ AfterTool: [hook(() => ({ hookSpecificOutput: { tailToolCallRequest } }))] });
  expect(ran).toEqual([]);
  expect(result.llmContent).toBe('first');
});

test('a result that hooks withhold from the tool of a tail call takes the place of the first as well', async () => {
  const { result } = await call({
    AfterTool: [hook(tail('lint'), onFirst), hook({ decision: 'deny', reason: 'secret' }, { matcher: 'lint' })],
  });
  expect(result.llmContent).toMatch(/^Tool call blocked by hook: secret/);
  expect(result.error?.type).toBe('hook_blocked');
});
