import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { findAgentsStartingHookwrightTwice } from '../../src/agents/cli-api.ts';
import type { DialectsOption } from '../../src/agents/index.ts';
import { createHooks, loadConfig } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const place = (files: Readonly<Record<string, unknown>>): { cwd: string; home: string } => {
  const root = temporaryFolder('double');
  for (const [path, content] of Object.entries({ 'project/.git/HEAD': '', 'home/.keep': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return { cwd: join(root, 'project'), home: join(root, 'home') };
};

const counting = (event: string, more: object = {}) => ({
  hooks: { [event]: [{ ...more, hooks: [{ type: 'command', command: 'echo ran >> count' }] }] },
});

const countOf = async (files: Readonly<Record<string, unknown>>, dialects: DialectsOption) => {
  const { cwd, home } = place(files);
  const hooks = await createHooks({ cwd, home, dialects, deps: { trustCheck: () => true } });
  await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
  await hooks.close();
  const count = join(cwd, 'count');
  const runs = existsSync(count) ? readFileSync(count, 'utf8').split('\n').length - 1 : 0;
  return { runs, told: hooks.problems.map(({ message }) => message).join('\n') };
};

describe('R960 a file that several of the agents read', () => {
  const file = { 'project/.claude/settings.json': counting('PreToolUse') };

  test.each<[string, DialectsOption]>([
    ['Copilot CLI', { 'claude-code': true, copilot: true }],
    ['Copilot CLI, whoever is named first', { copilot: true, 'claude-code': true }],
    ['VS Code agent hooks', { 'claude-code': true, vscode: { mode: 'faithful' } }],
  ])('is run once where Claude Code is one of them and the other is %s, which is told', async (title, dialects) => {
    const { runs, told } = await countOf(file, dialects);
    expect(runs).toBe(1);
    expect(told).toContain(`${title.split(',')[0]} reads this file, too`);
    expect(told).toContain('as a hook of Claude Code');
  });

  test('is run by one of two whose own it is not', async () => {
    expect((await countOf(file, { copilot: true, vscode: true })).runs).toBe(1);
  });

  test('is run by another where its own agent cannot run it', async () => {
    const camel = { 'project/.claude/settings.json': counting('preToolUse') };
    expect((await countOf(camel, { 'claude-code': true, copilot: true })).runs).toBe(1);
  });

  test('is run by another where its own agent has it switched off', async () => {
    const off = { 'project/.claude/settings.local.json': { disableAllHooks: true }, ...file };
    const { runs } = await countOf(off, { 'claude-code': { mode: 'faithful' }, vscode: true });
    expect(runs).toBe(1);
  });

  test('is left to the agent that asks, where that always reads it', async () => {
    const { cwd, home } = place(file);
    const hooksFor = async (askedBy: string): Promise<number> => {
      const options = { cwd, home, dialects: { 'claude-code': true }, askedBy, deps: { trustCheck: () => true } };
      const { config } = await loadConfig(options);
      if (!config.getEnableHooks()) return 0;
      const hooks = await createHooks({ config });
      const rows = await hooks.explain('BeforeTool');
      await hooks.close();
      return rows.length;
    };
    expect(await hooksFor('copilot')).toBe(0);
    // Cursor and VS Code can be told not to read it: a guard that runs twice is better than one that does not.
    expect(await hooksFor('cursor')).toBe(1);
    expect(await hooksFor('vscode')).toBe(1);
    expect(await hooksFor('claude-code')).toBe(0);
  });
});

describe('R961 one line in files of two agents', () => {
  const cursor = (more: object = {}) => ({
    'project/.cursor/hooks.json': { version: 1, hooks: { preToolUse: [{ command: 'echo ran >> count', ...more }] } },
  });
  const claude = (more?: object) => ({ 'project/.claude/settings.json': counting('PreToolUse', more) });

  test('runs for each, and that is told with both places', async () => {
    const { runs, told } = await countOf({ ...claude(), ...cursor() }, { 'claude-code': true, cursor: true });
    expect(runs).toBe(2);
    expect(told).toMatch(/the same line stands for Claude Code at \S+settings\.json:\d+: it runs twice for one call/);
  });

  test('is not told where the two are for different calls, or where one file is not read', async () => {
    const files = { ...claude({ matcher: 'Read' }), ...cursor({ matcher: 'Shell' }) };
    expect((await countOf(files, { 'claude-code': true, cursor: true })).told).toBe('');
    expect((await countOf({ ...claude(), ...cursor() }, { 'claude-code': true })).told).toBe('');
  });

  test('that is our own is found where one agent reads both files', async () => {
    const ours = (dialect: string) => `hookwright run --as-hook --dialect ${dialect}`;
    const files = {
      'project/.claude/settings.json': {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: ours('claude-code') }] }] },
      },
      'project/.cursor/hooks.json': { version: 1, hooks: { preToolUse: [{ command: ours('cursor') }] } },
    };
    const { cwd, home } = place(files);
    expect(await findAgentsStartingHookwrightTwice({ cwd, home, env: {} })).toEqual([
      { title: 'Cursor', files: [join(cwd, '.cursor/hooks.json'), join(cwd, '.claude/settings.json')] },
    ]);
  });
});
