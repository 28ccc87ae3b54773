import { describe, expect, test } from 'vitest';
import { agentNamed } from '../../src/agents/agents.ts';
import { dialects } from '../../src/agents/index.ts';
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
    await expect(agentNamed('claude-code', where, '2.0.9')).rejects.toThrow('the oldest are those of 2.1.49');
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
