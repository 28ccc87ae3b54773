import { describe, expect, test } from 'vitest';
import { findAgent } from '../../src/agents/cli-api.ts';
import { dialects, importHooks } from '../../src/agents/index.ts';
import { createHooks } from '../../src/index.ts';
import { project } from './project.ts';

const guard = { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh' }] }] } };
const files = { 'project/.claude/settings.json': guard, 'project/guard.sh': '#!/bin/sh\necho no >&2\nexit 2\n' };

const loaded = async (place: { cwd: string; home: string }, more: object = {}) => {
  const hooks = await createHooks({ ...place, deps: { trustCheck: () => true }, ...more });
  const answer = await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
  await hooks.close();
  return { problems: hooks.problems.map(({ message }) => message).join('\n'), verdict: answer.verdict };
};

describe('R1255 a version whose rules are not known any more', () => {
  const told = 'rules of Claude Code 2.0.9 are not known any more; its hooks are read by those of 2.1.49';

  test('is a problem of the load, and the guard runs by the oldest rules that are known', async () => {
    const dialects = { 'claude-code': { version: '2.0.9' } };
    const { problems, verdict } = await loaded(project(files), { dialects });
    expect(problems).toContain(told);
    expect(verdict).toBe('deny');
  });

  test('is one in the settings of the user as well', async () => {
    const settings = { 'home/.hookwright/settings.json': { dialects: { 'claude-code': { version: '2.0.9' } } } };
    const { problems, verdict } = await loaded(project({ ...files, ...settings }), { load: true });
    expect(problems).toContain(told);
    expect(verdict).toBe('deny');
  });

  test('is refused where an agent is judged at it', async () => {
    const where = { ...project(files), env: {} };
    await expect(findAgent('claude-code', where, '2.0.9')).rejects.toThrow('the oldest are those of 2.1.49');
  });

  test('that is newer than the known rules is a warning of the load, and the guard runs', async () => {
    const newer =
      'rules of Claude Code 9.1 are not known yet; its hooks are read by those of 2.1.296, the newest that are';
    const dialects = { 'claude-code': { version: '9.1' } };
    const inCode = await loaded(project(files), { dialects });
    expect(inCode.problems).toContain(newer);
    expect(inCode.verdict).toBe('deny');
    const settings = { 'home/.hookwright/settings.json': { dialects } };
    const inSettings = await loaded(project({ ...files, ...settings }), { load: true });
    expect(inSettings.problems).toContain(newer);
    expect(inSettings.verdict).toBe('deny');
  });

  test('of an entry of our settings that is newer than the known rules is a warning, and the guard runs', async () => {
    const entry = { type: 'command', command: './guard.sh', agent: 'claude-code', agentVersion: '9.1' };
    const settings = { 'project/.hookwright/settings.json': { hooks: { BeforeTool: [{ hooks: [entry] }] } } };
    const { problems, verdict } = await loaded(project({ ...files, ...settings }), { load: true });
    expect(problems).toContain('hooks.BeforeTool[0].hooks[0].agentVersion: rules of Claude Code 9.1 are not known yet');
    expect(verdict).toBe('deny');
  });

  test('that is newer is refused where an agent is judged at it, and where its hooks are imported', async () => {
    const where = { ...project(files), env: {} };
    await expect(findAgent('claude-code', where, '9.1')).rejects.toThrow('the newest are those of 2.1.296');
    for (const version of ['2.0.9', '9.1'])
      await expect(importHooks({ from: 'claude-code', ...where, version })).rejects.toThrow(
        `Rules of Claude Code ${version} are not known`,
      );
  });

  test.each(['latest', '', 'v2', '2.1.x'])('that is none is a mistake: %j', async (version) => {
    await expect(createHooks({ ...project(files), agents: { 'claude-code': { version } } })).rejects.toThrow(
      'agents.claude-code.version must be a text such as',
    );
  });

  test.each(dialects)('$name knows the rules of its latest version', ({ oldest, latest, versions }) => {
    const numbers = (version: string) =>
      version
        .split('.')
        .map((part) => part.padStart(6, '0'))
        .join('.');
    expect(numbers(oldest) <= numbers(latest)).toBe(true);
    expect(versions.filter(({ version }) => numbers(version) < numbers(oldest))).toEqual([]);
  });
});
