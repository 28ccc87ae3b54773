import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { importHooks } from '../../src/agents/index.ts';
import { type AskModel, createHooks, type HookDeps, type ModelQuestion } from '../../src/index.ts';
import { project } from './project.ts';

const asked = async (
  agent: string,
  path: string,
  hooks: unknown,
  deps: HookDeps,
  { mode = 'strict', command = 'rm -rf /' }: { mode?: 'strict' | 'faithful'; command?: string } = {},
) => {
  const place = project({ [`project/${path}`]: { version: 1, hooks } });
  const engine = await createHooks({
    ...place,
    agents: { [agent]: { mode } },
    tools: 'claude-code',
    warnings: false,
    deps: { trustCheck: () => true, ...deps },
  });
  onTestFinished(() => engine.close());
  return { engine, place, result: await engine.beforeTool({ tool: 'Bash', input: { command } }) };
};

const claude = (handler: object) => ({ PreToolUse: [{ matcher: 'Bash', hooks: [handler] }] });

const refuses: AskModel = () => ({ ok: false, reason: 'it deletes a lot' });

describe('R1456 prompt handlers of other agents ask the model of the host', () => {
  const prompt = { type: 'prompt', prompt: 'Is it safe? $ARGUMENTS', timeout: 5 };
  const agents: [string, string, unknown][] = [
    ['claude-code', '.claude/settings.json', claude(prompt)],
    ['qwen-code', '.qwen/settings.json', claude(prompt)],
    ['cursor', '.cursor/hooks.json', { beforeShellExecution: [prompt] }],
  ];

  test.each(agents)('of %s, in strict and in faithful mode', async (agent, path, hooks) => {
    for (const mode of ['strict', 'faithful'] as const) {
      const { result } = await asked(agent, path, hooks, { askModel: refuses }, { mode });
      expect(result).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('it deletes a lot') });
      expect((await asked(agent, path, hooks, { askModel: () => '{"ok": true}' }, { mode })).result.verdict).toBe(
        'none',
      );
    }
  });

  test('the event is what the agent would hand over', async () => {
    const questions: ModelQuestion[] = [];
    const askModel: AskModel = (question) => {
      questions.push(question);
      return { ok: true };
    };
    await asked('claude-code', '.claude/settings.json', claude(prompt), { askModel });
    expect(questions[0]?.prompt).toContain('"hook_event_name":"PreToolUse"');
    expect(questions[0]?.prompt).toContain('"tool_name":"Bash"');
  });

  test.each<[string, unknown]>([
    ['prose', 'It is fine.'],
    ['an answer of our hooks', { decision: 'deny' }],
  ])('%s is malformed output, and blocks where the handler says so', async (_title, answer) => {
    const hooks = claude({ ...prompt, onFailure: 'block' });
    const { result } = await asked('claude-code', '.claude/settings.json', hooks, { askModel: () => answer });
    expect(result.verdict).toBe('deny');
    expect(result.faults).toMatchObject([{ code: 'malformed-output' }]);
  });

  test('without a model they are problems at load and faults', async () => {
    const { engine, result } = await asked('claude-code', '.claude/settings.json', claude(prompt), {});
    expect(engine.problems).toMatchObject([
      { code: 'not-supported', message: expect.stringContaining('deps.askModel') },
    ]);
    expect(result).toMatchObject({ verdict: 'none', faults: [{ code: 'not-supported' }] });
  });

  test('agent handlers are refused at load, in words', async () => {
    const hooks = claude({ ...prompt, type: 'agent' });
    const { engine } = await asked('claude-code', '.claude/settings.json', hooks, { askModel: refuses });
    expect(engine.problems).toMatchObject([{ message: expect.stringContaining('it is an agent of its own') }]);
  });

  test('an imported one stays what it is', async () => {
    const { place } = await asked('claude-code', '.claude/settings.json', claude(prompt), { askModel: refuses });
    const [change] = (await importHooks({ from: 'claude-code', ...place })).changes;
    mkdirSync(join(place.cwd, '.hookwright'));
    writeFileSync(join(place.cwd, '.hookwright/settings.json'), change?.after ?? '');
    const engine = await createHooks({
      ...place,
      load: true,
      warnings: false,
      tools: 'claude-code',
      deps: { askModel: refuses, trustCheck: () => true },
    });
    onTestFinished(() => engine.close());
    expect(await engine.beforeTool({ tool: 'Bash', input: { command: 'rm -rf /' } })).toMatchObject({
      verdict: 'deny',
      reason: 'it deletes a lot',
    });
  });
});

describe('R1457 mcp_tool handlers of other agents call the servers of the host', () => {
  const connected = async (): Promise<Client> => {
    const server = new McpServer({ name: 'policy', version: '1.0.0' });
    const said = (command: string) => ({ decision: 'block', reason: `no ${command}` });
    server.registerTool('check', { inputSchema: { command: z.string() } }, ({ command }) => ({
      content: [{ type: 'text', text: JSON.stringify(said(command)) }],
    }));
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(there), client.connect(here)]);
    onTestFinished(() => client.close());
    return client;
  };

  const handler = {
    type: 'mcp_tool',
    server: 'policy',
    tool: 'check',
    input: { command: '${tool_input.command}' },
  };

  test.each([
    ['claude-code', '.claude/settings.json'],
    ['codex', '.codex/hooks.json'],
  ])('of %s: the text of the tool is read as the stdout of a command there', async (agent, path) => {
    const { result } = await asked(agent, path, claude(handler), { mcp: { policy: await connected() } });
    expect(result).toMatchObject({ verdict: 'deny', reason: 'no rm -rf /', faults: [] });
  });

  test('a server that the host does not bring is a problem at load', async () => {
    const { engine } = await asked('claude-code', '.claude/settings.json', claude(handler), {});
    expect(engine.problems).toMatchObject([{ code: 'not-supported', message: expect.stringContaining('"policy"') }]);
  });
});
