import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { dialectNamed } from '../../src/agents/index.ts';
import { createHooks, type Hooks, MessageBus, MessageBusType } from '../../src/index.ts';
import { heard } from '../support/engine.ts';
import { project } from './project.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const hooksOf = (event: string, ...handlers: object[]) => ({ hooks: { [event]: [{ hooks: handlers }] } });

const started = async (place: object, dialect = 'claude-code', bus = new MessageBus()): Promise<Hooks> => {
  const hooks = await createHooks({
    ...place,
    bus,
    dialects: { [dialect]: { mode: 'faithful' } },
    tools: 'claude-code',
    deps: { trustCheck: () => true },
  });
  ends.unshift(() => hooks.close());
  return hooks;
};

/** An endpoint that keeps what it reads and answers with one document. */
const endpoint = async (answer: object, status = 200): Promise<{ url: string; read: unknown[] }> => {
  const read: unknown[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      read.push(JSON.parse(text));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ends.push(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`, read };
};

const call = { tool: 'Bash', input: { command: 'rm' }, id: 'call-7' };

describe('R867 an HTTP handler of another agent', () => {
  test('gets the body it would get there, and its answer is read as there', async () => {
    const { url, read } = await endpoint({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'not by http',
      },
    });
    const place = project({ 'home/.claude/settings.json': hooksOf('PreToolUse', { type: 'http', url }) });
    const hooks = await started(place);
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'deny', reason: 'not by http' });
    expect(read).toEqual([
      {
        session_id: expect.any(String),
        transcript_path: '',
        cwd: place.cwd,
        permission_mode: 'default',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: 'rm' },
        tool_use_id: 'call-7',
      },
    ]);
  });

  test('is asked about each file of a patch', async () => {
    const { url, read } = await endpoint({});
    const place = project({ 'home/.claude/settings.json': hooksOf('PreToolUse', { type: 'http', url }) });
    const hooks = await createHooks({
      ...place,
      dialects: { 'claude-code': true },
      tools: 'codex',
      deps: { trustCheck: () => true },
    });
    ends.push(() => hooks.close());
    const command = '*** Begin Patch\n*** Add File: /a\n+x\n*** Delete File: /b\n*** Add File: /c\n+y\n*** End Patch';
    await hooks.beforeTool({ tool: 'apply_patch', input: { command } });
    expect(read).toMatchObject([
      { tool_input: { file_path: '/a' } },
      { tool_name: 'Edit', tool_input: { file_path: '/b' } },
      { tool_input: { file_path: '/c' } },
    ]);
  });

  test('that fails lets through, and blocks where it asks for that', async () => {
    const { url } = await endpoint({}, 500);
    const settings = (onFailure: string) => hooksOf('PreToolUse', { type: 'http', url, onFailure });
    const open = await started(project({ 'home/.claude/settings.json': settings('continue') }));
    expect(await open.beforeTool(call)).toMatchObject({ verdict: 'none', faults: [{ code: 'http-error' }] });
    const closed = await started(project({ 'home/.claude/settings.json': settings('block') }));
    expect(await closed.beforeTool(call)).toMatchObject({ verdict: 'deny' });
  });
});

describe('R868 a hook of another agent', () => {
  test('that says async is not waited for, decides nothing, and ends with the engine', async () => {
    const place = project({
      'home/.claude/settings.json': hooksOf('PreToolUse', {
        type: 'command',
        command: 'cat > seen; sleep 20; exit 2',
        async: true,
      }),
    });
    const bus = new MessageBus();
    const traces = heard(bus, MessageBusType.HOOK_EXECUTION_TRACE);
    const hooks = await started(place, 'claude-code', bus);
    const before = performance.now();
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'none', faults: [] });
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(traces[0]?.rows).toMatchObject([{ planned: 'run', outcome: 'background' }]);
    await vi.waitFor(() => expect(existsSync(join(place.cwd, 'seen'))).toBe(true), { timeout: 10_000 });
    await vi.waitFor(() => expect(readFileSync(join(place.cwd, 'seen'), 'utf8')).toContain('call-7'), {
      timeout: 10_000,
    });
    const closing = performance.now();
    await hooks.close({ graceMs: 100 });
    expect(performance.now() - closing).toBeLessThan(5_000);
  });

  test('is one with its copy where its agent makes one of them, and two where it runs each', async () => {
    const handler = { type: 'command', command: 'echo x >> count; cat > /dev/null' };
    const file = hooksOf('PreToolUse', handler, handler);
    const countOf = async (dialect: string, path: string): Promise<number> => {
      const place = project({ [`home/${path}`]: file });
      const hooks = await started(place, dialect);
      await hooks.beforeTool(call);
      return readFileSync(join(place.cwd, 'count'), 'utf8').trim().split('\n').length;
    };
    expect(await countOf('claude-code', '.claude/settings.json')).toBe(1);
    expect(await countOf('codex', '.codex/hooks.json')).toBe(2);
  });

  test('whose matcher runs out of time on a call is a fault, and blocks where it asks for that', async () => {
    const entry = { command: 'true', matcher: '^(a|a?)+$', failClosed: true };
    const place = project({ 'home/.cursor/hooks.json': { version: 1, hooks: { beforeShellExecution: [entry] } } });
    const hooks = await started(place, 'cursor');
    const verdict = await hooks.beforeTool({ tool: 'Bash', input: { command: `${'a'.repeat(40)}!` } });
    expect(verdict).toMatchObject({ verdict: 'deny', faults: [{ code: 'matcher-timeout' }] });
  });

  test('is matched by the name of the server that the call names, whatever its own name looks like', async () => {
    const file = {
      hooks: {
        PreToolUse: [{ matcher: 'mcp__my_server__.*', hooks: [{ type: 'command', command: 'echo no >&2; exit 2' }] }],
      },
    };
    const place = project({ 'home/.claude/settings.json': file });
    const hooks = await createHooks({ ...place, dialects: { 'claude-code': true }, tools: 'gemini' });
    ends.unshift(() => hooks.close());
    const tool = { tool: 'mcp_my_server_write', input: {} };
    expect(await hooks.beforeTool({ ...tool, mcpContext: { server_name: 'my_server' } })).toMatchObject({
      verdict: 'deny',
    });
    expect(await hooks.beforeTool({ ...tool, mcpContext: { server_name: 'my' } })).toMatchObject({ verdict: 'none' });
  });
});

test('an approval of the user, merged as its agent does, stands with the user and not with a project that said nothing', async () => {
  const says = (answer: object) => ({ type: 'command', command: `echo '${JSON.stringify(answer)}'` });
  const inside = (hookEventName: string, more: object) => says({ hookSpecificOutput: { hookEventName, ...more } });
  const asking = inside('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'it deletes files' });
  const allowing = inside('PermissionRequest', { decision: { behavior: 'allow' } });
  const place = project({
    'home/.claude/settings.json': {
      hooks: { PreToolUse: [{ hooks: [asking] }], PermissionRequest: [{ hooks: [allowing] }] },
    },
    'project/.claude/settings.json': hooksOf('PermissionRequest', says({ systemMessage: 'hm' })),
  });
  const hooks = await started(place);
  const { output, asked } = await hooks.callTool('Bash', { command: 'rm' }, async () => 'ran');
  expect([output, asked]).toEqual(['ran', expect.objectContaining({ approved: true, by: 'hook' })]);
});

describe('R962 an allow of a hook', () => {
  const says = (answer: object) => ({ type: 'command', command: `echo '${JSON.stringify(answer)}'` });
  const inside = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
  const claude = hooksOf('PreToolUse', says(inside));
  const plain = says({ decision: 'allow' });
  const copilot = { version: 1, hooks: { preToolUse: [says({ permissionDecision: 'allow' })] } };

  test.each<[string, string | undefined, string, object, string]>([
    ['claude-code', undefined, '.claude/settings.json', claude, 'allow'],
    ['vscode', undefined, '.github/hooks/h.json', claude, 'allow'],
    ['copilot', undefined, '.github/hooks/h.json', copilot, 'allow'],
    ['copilot', '1.0.17', '.github/hooks/h.json', copilot, 'none'],
    ['qwen-code', undefined, '.qwen/settings.json', claude, 'allow'],
    ['qwen-code', '0.22', '.qwen/settings.json', claude, 'none'],
    ['gemini', undefined, '.gemini/settings.json', hooksOf('BeforeTool', plain), 'none'],
    [
      'llxprt',
      undefined,
      '.llxprt/settings.json',
      { hooksConfig: { enabled: true }, ...hooksOf('BeforeTool', plain) },
      'none',
    ],
    ['antigravity', undefined, '.agents/hooks.json', { mine: { PreToolUse: [{ hooks: [plain] }] } }, 'none'],
  ])('of %s at version %s approves what it approves there', async (dialect, version, path, file, verdict) => {
    const place = project({ [`project/${path}`]: file });
    const shell = dialectNamed(dialect)?.tools.tools.find(({ kind }) => kind === 'shell')?.names[0] ?? '';
    for (const mode of ['strict', 'faithful'] as const) {
      const hooks = await createHooks({
        ...place,
        dialects: { [dialect]: { mode, version } },
        tools: dialect,
        deps: { trustCheck: () => true },
      });
      ends.unshift(() => hooks.close());
      const answer = await hooks.beforeTool({ tool: shell, input: { command: 'ls' } });
      expect([answer.verdict, answer.faults]).toEqual([verdict, []]);
    }
  });
});
