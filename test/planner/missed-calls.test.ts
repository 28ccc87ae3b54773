import { expect, test } from 'vitest';
import { dialects } from '../../src/agents/index.ts';
import { listCalledTools } from '../../src/agents/tools/vocabulary.ts';
import { findContradiction, findMissedCalls } from '../../src/planner/index.ts';

const behind = (name: string) => {
  const agent = dialects.find((one) => one.name === name);
  return {
    title: agent?.title ?? '',
    tools: agent === undefined ? [] : listCalledTools(agent.tools),
    mcpNames: agent?.tools.mcp,
  };
};

const hook = (matcher: string | undefined, condition?: string | string[]) => ({
  eventName: 'BeforeTool',
  ...(matcher === undefined ? {} : { matcher }),
  config: { command: 'true', ...(condition === undefined ? {} : { if: condition }) },
});

const written = (agent: string, matcher: string | undefined, condition?: string | string[]) =>
  findMissedCalls(hook(matcher, condition), behind(agent)).map(({ message, fix }) => `${message}; ${fix}`);

test.each([
  ['claude-code', 'Bsh', 'Bsh', 'if Bash is meant, write Bash'],
  ['claude-code', 'bash', 'bash', 'if Bash is meant, write Bash'],
  ['claude-code', 'shell', 'shell', 'add Bash, as Claude Code calls it'],
  ['claude-code', 'bash|Write', 'bash', 'if Bash is meant, write Bash'],
  ['claude-code', '^run_shell_.*$', '^run_shell_.*$', 'add Bash, as Claude Code calls it'],
  ['gemini', 'Bash', 'Bash', 'add run_shell_command, as Gemini CLI calls it'],
  ['gemini', 'Write|Edit', 'Write', 'add write_file, as Gemini CLI calls it'],
  ['codex', 'Write', 'Write', 'add apply_patch, as Codex calls it'],
])('R1900 behind %s, the matcher %s misses a tool that has another name there', (agent, matcher, part, fix) => {
  expect(written(agent, matcher)[0]).toBe(
    `the matcher ${JSON.stringify(part)} matches no tool of ${behind(agent).title}; ${fix}`,
  );
});

test.each([
  ['claude-code', 'bash(rm *)', 'bash', 'if Bash is meant, write Bash'],
  ['claude-code', 'run_shell_command(rm *)', 'run_shell_command', 'add Bash, as Claude Code calls it'],
  ['gemini', ['Bash(rm *)', 'Write(*)', 'write_file(*)'], 'Bash', 'add run_shell_command, as Gemini CLI calls it'],
])('R1900 behind %s, the `if` %j names a tool that has another name there', (agent, condition, tool, fix) => {
  expect(written(agent, undefined, condition)).toEqual([
    `its \`if\` names the tool "${tool}", which ${behind(agent).title} does not have; ${fix}`,
  ]);
});

test.each([
  ['claude-code', 'Bash', undefined],
  ['claude-code', 'Bash|run_shell_command', undefined],
  ['gemini', 'Bash|run_shell_command', ['Bash(rm *)', 'run_shell_command(rm *)']],
  ['claude-code', 'deploy', undefined],
  ['claude-code', 'deploy_command', undefined],
  ['claude-code', 'NotebookEdit|KillShell', undefined],
  ['claude-code', 'mcp__github__.*', undefined],
  ['claude-code', '*', '*(*)'],
  ['claude-code', undefined, undefined],
])('R1900 behind %s, nothing is said of the matcher %s and the `if` %j', (agent, matcher, condition) => {
  expect(written(agent, matcher, condition)).toEqual([]);
});

test.each([
  ['Write', 'Bash(rm *)'],
  ['^Write$', 'Bash(rm *)'],
  ['Write|Edit', ['Bash(rm *)', 'Read(/etc/**)']],
  ['Bash', 'mcp__github__*'],
  ['Bash', 'mcp__github'],
  ['mcp__github__.*', 'Bash(rm *)'],
])('R1902 the matcher %s and the `if` %j exclude each other', (matcher, condition) => {
  expect(findContradiction(hook(matcher, condition))?.message).toMatch(/fit no tool together, so it never runs$/);
});

test.each([
  ['Bash', 'Bash(rm *)'],
  ['Write', 'Edit(/etc/**)'],
  ['Agent', 'Task(reviewer)'],
  ['Bash', '*(rm *)'],
  ['mcp__.*', 'mcp__github__*'],
  ['mcp__github__create', 'mcp__github'],
  ['deploy', 'deploy_now(*)'],
  ['*', 'Bash(rm *)'],
  ['Bash, Write', '*(*)'],
  ['Write', undefined],
])('R1902 the matcher %s and the `if` %j do not', (matcher, condition) => {
  expect(findContradiction(hook(matcher, condition))).toBeUndefined();
});

test.each([
  ['mcp__github__.*', 'mcp__gitlab'],
  ['^mcp__github__create$', 'mcp__gitlab__*'],
  ['mcp__github__.*|mcp__jira__.*', ['mcp__gitlab', 'mcp__linear__*']],
])('R1941 the matcher %s and the `if` %j are about different MCP servers', (matcher, condition) => {
  expect(findContradiction(hook(matcher, condition))?.message).toMatch(/fit no tool together, so it never runs$/);
});

test.each([
  ['mcp__github__.*', 'mcp__github__*'],
  ['mcp__git.*', 'mcp__gitlab__*'],
  ['mcp__(github|gitlab)__.*', 'mcp__gitlab'],
  ['mcp__github__.*', 'mcp__git*'],
  ['mcp__github__.*|create', 'mcp__gitlab__*'],
  ['mcp__github__.*', ['mcp__gitlab', 'mcp__github__create']],
])('R1941 the matcher %s and the `if` %j may be about one', (matcher, condition) => {
  expect(findContradiction(hook(matcher, condition))).toBeUndefined();
});

test.each([
  ['claude-code', 'mcp_github_create', undefined, 'mcp__{server}__{tool}'],
  ['claude-code', '^mcp_github_.*$', undefined, 'mcp__{server}__{tool}'],
  ['claude-code', undefined, 'mcp_github_create(*)', 'mcp__{server}__{tool}'],
  ['gemini', 'Bash|mcp__github__create', undefined, 'mcp_{server}_{tool}'],
  ['cursor', undefined, 'mcp__github', 'MCP:{tool}'],
])('R1940 behind %s, the matcher %s and the `if` %s name MCP tools in the form of another agent', (...row) => {
  const [agent, matcher, condition, form] = row;
  expect(written(agent, matcher, condition).at(-1)).toContain(`; ${behind(agent).title} calls such tools ${form}`);
});

test.each([
  ['claude-code', 'mcp_github_create|mcp__github__create', undefined],
  ['claude-code', 'mcp_.*', undefined],
  ['claude-code', 'mcp__?github.*', undefined],
  ['claude-code', undefined, ['mcp_github_create', 'mcp__github__create']],
  ['gemini', 'mcp_github_create', 'mcp_github_*'],
  ['cursor', 'mcp__github__create|MCP:create', undefined],
])('R1940 behind %s, nothing is said of the matcher %s and the `if` %j', (agent, matcher, condition) => {
  expect(written(agent, matcher, condition)).toEqual([]);
});

test('R1902 and neither is about an event without a tool', () => {
  expect(findContradiction({ ...hook('Write', 'Bash(rm *)'), eventName: 'SessionStart' })).toBeUndefined();
});
