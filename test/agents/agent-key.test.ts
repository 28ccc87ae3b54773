import { expect, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { project } from './project.ts';

const opened = async (settings: unknown, scripts: Readonly<Record<string, string>> = {}) => {
  const files = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`project/${name}`, text]));
  const place = project({ 'project/.hookwright/settings.json': settings, ...files });
  const hooks = await createHooks({ ...place, load: true, deps: { trustCheck: () => true } });
  return { ...place, hooks };
};

const one = (event: string, entry: object, matcher?: string) => ({
  hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', ...entry }] }] },
});

const readsCursor = `#!/bin/sh
node -e '
const call = JSON.parse(require("fs").readFileSync(0));
const answer = /rm -rf/.test(call.command) ? {permission: "deny", user_message: "no rm"} : {permission: "allow"};
console.log(JSON.stringify(answer));
'
`;

test('R1120 an entry that names Cursor reads the stdin of Cursor and is heard as there', async () => {
  const entry = { command: './guard.sh', agent: 'cursor', agentEvent: 'beforeShellExecution' };
  const { hooks } = await opened(one('BeforeTool', entry), { 'guard.sh': readsCursor });
  expect(hooks.problems).toEqual([]);
  expect(await hooks.beforeTool({ tool: 'run_shell_command', input: { command: 'rm -rf /' } })).toMatchObject({
    verdict: 'deny',
    reason: 'no rm',
  });
  expect((await hooks.beforeTool({ tool: 'run_shell_command', input: { command: 'ls' } })).verdict).not.toBe('deny');
  const rows = await hooks.explain('BeforeTool', { toolName: 'read_file' });
  expect(rows).toMatchObject([{ planned: 'skip', reason: 'matcher-mismatch', dialect: 'cursor' }]);
  await hooks.close();
});

test('R1120 its matcher and its condition are read as the agent reads them', async () => {
  const entry = { command: 'echo no >&2; exit 2', agent: 'claude-code', if: 'Bash(git push *)' };
  const { hooks } = await opened(one('BeforeTool', entry, '^(?:Bash)$'));
  const push = { tool: 'run_shell_command', input: { command: 'git push --force' } };
  expect((await hooks.beforeTool(push)).verdict).toBe('deny');
  expect((await hooks.beforeTool({ ...push, input: { command: 'ls' } })).verdict).toBe('none');
  expect((await hooks.beforeTool({ tool: 'write_file', input: { file_path: 'a' } })).verdict).toBe('none');
  await hooks.close();
});

test.each([
  ['an agent that does not exist', { agent: 'claude' }, 'unknown-name', 'claude-code'],
  ['an event of another moment', { agent: 'cursor', agentEvent: 'stop' }, 'invalid-value', 'beforeShellExecution'],
  ['a condition where hooks have none', { agent: 'cursor', if: 'Bash(ls)' }, 'invalid-value', 'no condition'],
])('R1121 %s is an error with its line, and the hook has a row that says so', async (_what, more, code, words) => {
  const { hooks } = await opened(one('BeforeTool', { command: './guard.sh', ...more }), { 'guard.sh': 'exit 2' });
  expect(hooks.problems).toMatchObject([
    { code, severity: 'error', skipped: true, line: expect.any(Number), message: expect.stringContaining(words) },
  ]);
  const rows = await hooks.explain('BeforeTool', { toolName: 'Bash' });
  expect(rows).toMatchObject([{ planned: 'skip', reason: 'invalid-config', hint: expect.stringContaining(words) }]);
  await hooks.close();
});

test('R1121 fields of an agent without the agent are reported, and so is an agent in code', async () => {
  const { hooks } = await opened(one('BeforeTool', { command: 'true', agentEvent: 'PreToolUse' }));
  expect(hooks.problems.map(({ code, path }) => [code, path])).toEqual([
    ['no-effect', 'hooks.BeforeTool[0].hooks[0].agentEvent'],
  ]);
  await hooks.close();
  const inCode = await createHooks({
    hooks: { BeforeTool: [{ hooks: [{ command: 'exit 2', agent: 'cursor' }] }] },
  });
  expect(inCode.problems).toMatchObject([{ code: 'not-supported', skipped: true }]);
  await inCode.close();
});

test.each(['run_shell', 'shell', 'execute_command', 'run-in-terminal', 'exec_bash'])(
  'R1133 a host that told nothing of its tools does not pass a guard of the shell by calling it %s',
  async (tool) => {
    const entry = { command: 'echo no >&2; exit 2', agent: 'claude-code' };
    const { hooks } = await opened(one('BeforeTool', entry, '^(?:Bash)$'));
    expect((await hooks.beforeTool({ tool, input: { command: 'ls' } })).verdict).toBe('deny');
    expect((await hooks.beforeTool({ tool: 'command_palette', input: {} })).verdict).toBe('none');
    await hooks.close();
  },
);

test('R1133 a host that names its tools decides what they are', async () => {
  const place = project({
    'project/.hookwright/settings.json': one('BeforeTool', { command: 'exit 2', agent: 'claude-code' }, 'Bash'),
  });
  const tools = { run_shell: 'read', zsh: 'shell' };
  const hooks = await createHooks({ ...place, load: true, tools, deps: { trustCheck: () => true } });
  expect((await hooks.beforeTool({ tool: 'run_shell', input: {} })).verdict).toBe('none');
  expect((await hooks.beforeTool({ tool: 'zsh', input: { command: 'ls' } })).verdict).toBe('deny');
  await hooks.close();
});

test('R1121 what is wrong with a member of such an entry is reported as for every hook', async () => {
  const { hooks } = await opened(one('BeforeTool', { command: 'true', agent: 'claude-code', timeout: -5, shell: 7 }));
  expect(hooks.problems.map(({ path }) => path)).toEqual([
    'hooks.BeforeTool[0].hooks[0].timeout',
    'hooks.BeforeTool[0].hooks[0].shell',
  ]);
  await hooks.close();
});
