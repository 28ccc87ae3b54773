import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { untyped } from '../support/untyped.ts';

const root = temporaryFolder('start');
const project = join(root, 'project');
const home = join(root, 'home');

interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
}

/** How the hook of a file is started; nothing is. */
const startOf = async (
  dialect: string,
  files: Readonly<Record<string, unknown>>,
  tool: string,
  { version, env = {}, input = {} }: { version?: string; env?: Readonly<Record<string, string>>; input?: object } = {},
): Promise<Start> => {
  mkdirSync(join(project, '.git'), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), JSON.stringify(content));
  }
  const starts: Start[] = [];
  const before = { ...process.env };
  Object.assign(process.env, env);
  const hooks = await createHooks({
    cwd: project,
    home,
    sessionId: 'session-1',
    dialects: { [dialect]: { mode: 'faithful', ...(version === undefined ? {} : { version }) } },
    tools: dialect,
    deps: {
      trustCheck: () => true,
      executor: async ({ file, args, cwd, env: given, stdin }) => {
        starts.push(untyped({ file, args, cwd, env: given, stdin: String(stdin) }));
        return { exitCode: 0, stdout: '', stderr: '' };
      },
    },
  });
  try {
    await hooks.beforeTool({ tool, input: untyped(input) });
  } finally {
    await hooks.close();
    for (const name of Object.keys(env)) if (before[name] === undefined) delete process.env[name];
  }
  const [first] = starts;
  if (first === undefined) throw new Error('nothing was started');
  return first;
};

const grouped = (event: string, handler: object): object => ({ hooks: { [event]: [{ hooks: [handler] }] } });
const line = { type: 'command', command: './guard.sh' };

/** Names that agents of all kinds set, so that one shows up where another would not have it. */
const agentNames = /^(?:GEMINI|CLAUDE|LLXPRT|QWEN|CURSOR|COPILOT|CODEX|ANTIGRAVITY|PLUGIN)/;

const told: readonly (readonly [
  string,
  Readonly<Record<string, unknown>>,
  string,
  Readonly<Record<string, string>>,
])[] = [
  [
    'claude-code',
    { 'project/.claude/settings.json': grouped('PreToolUse', line) },
    'Bash',
    { CLAUDE_PROJECT_DIR: project, CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'session-1' },
  ],
  ['codex', { 'project/.codex/hooks.json': grouped('PreToolUse', line) }, 'Bash', {}],
  [
    'qwen-code',
    { 'project/.qwen/settings.json': grouped('PreToolUse', line) },
    'run_shell_command',
    {
      GEMINI_PROJECT_DIR: project,
      CLAUDE_PROJECT_DIR: project,
      QWEN_PROJECT_DIR: project,
      QWEN_CODE_PROJECT_DIR: project,
      QWEN_CODE_SESSION_ID: 'session-1',
      QWEN_CODE_CLI: '1',
    },
  ],
  [
    'cursor',
    { 'project/.cursor/hooks.json': { version: 1, hooks: { preToolUse: [{ command: './guard.sh' }] } } },
    'Shell',
    { CURSOR_PROJECT_DIR: project, CLAUDE_PROJECT_DIR: project, CURSOR_VERSION: '3.9.16' },
  ],
  [
    'copilot',
    { 'project/.github/hooks/a.json': { version: 1, hooks: { preToolUse: [line] } } },
    'bash',
    { COPILOT_CLI: '1' },
  ],
  ['vscode', { 'project/.github/hooks/a.json': { hooks: { PreToolUse: [line] } } }, 'run_in_terminal', {}],
  [
    'llxprt',
    { 'project/.llxprt/settings.json': { hooksConfig: { enabled: true }, ...grouped('BeforeTool', line) } },
    'run_shell_command',
    { LLXPRT_PROJECT_DIR: project },
  ],
  [
    'antigravity',
    { 'project/.agents/hooks.json': { mine: { PreToolUse: [{ hooks: [line] }] } } },
    'run_command',
    { ANTIGRAVITY_CONVERSATION_ID: 'session-1' },
  ],
];

describe('the environment', () => {
  test.each(told)(
    'of %s is what its scripts find there, and nothing that only others set',
    async (name, files, tool, expected) => {
      const { env } = await startOf(name, files, tool);
      const ofAgents = Object.entries(env).filter(([key]) => agentNames.test(key) && process.env[key] === undefined);
      expect(Object.fromEntries(ofAgents)).toEqual(expected);
      expect(env.HOOKWRIGHT_DIALECT).toBe(name);
      expect(env.HOOKWRIGHT_DIALECT_EVENT).toMatch(/tool/i);
    },
  );

  test('names the version that was asked for', async () => {
    const files = { 'project/.cursor/hooks.json': { version: 1, hooks: { preToolUse: [{ command: './guard.sh' }] } } };
    const { env } = await startOf('cursor', files, 'Shell', { version: '3.5.38' });
    expect(env.CURSOR_VERSION).toBe('3.5.38');
  });

  test('of Claude Code has no OTEL_ variables since 2.1.128', async () => {
    const files = { 'project/.claude/settings.json': grouped('PreToolUse', line) };
    const env = { OTEL_EXPORTER: 'http' };
    expect((await startOf('claude-code', files, 'Bash', { version: '2.1.127', env })).env).toMatchObject(env);
    const { env: later } = await startOf('claude-code', files, 'Bash', { version: '2.1.128', env });
    expect(Object.keys(later)).not.toContain('OTEL_EXPORTER');
  });

  test('a variable of a Copilot hook may name another, but no secret where the file is of the project', async () => {
    const handler = {
      ...line,
      env: { WHERE: '$HW_PLACE/x', WHAT: '${HW_PLACE}', NONE: '$HW_NONE', LEAK: '$HW_API_TOKEN' },
    };
    const files = { 'project/.github/hooks/a.json': { hooks: { preToolUse: [handler] } } };
    const env = { HW_PLACE: '/there', HW_API_TOKEN: 'abcdefghijklmnop' };
    expect((await startOf('copilot', files, 'bash', { env })).env).toMatchObject({
      WHERE: '/there/x',
      WHAT: '/there',
      NONE: '$HW_NONE',
      LEAK: '$HW_API_TOKEN',
    });
  });
});

describe('the start', () => {
  test('of a Codex hook is by a login shell', async () => {
    const files = { 'project/.codex/hooks.json': grouped('PreToolUse', { ...line, command: 'echo a' }) };
    const { file, args } = await startOf('codex', files, 'Bash', { env: { SHELL: '/bin/sh' } });
    expect([file, ...args]).toEqual(['/bin/sh', '-lc', 'echo a']);
  });

  test.skipIf(process.platform === 'win32')(
    'variables are left to the shell of Claude Code, and filled in where Qwen Code did',
    async () => {
      const command = '$CLAUDE_PROJECT_DIR/guard.sh "a b"';
      const claude = { 'project/.claude/settings.json': grouped('PreToolUse', { type: 'command', command }) };
      expect((await startOf('claude-code', claude, 'Bash')).args.at(-1)).toBe(command);
      const qwen = { 'project/.qwen/settings.json': grouped('PreToolUse', { type: 'command', command }) };
      const older = await startOf('qwen-code', qwen, 'run_shell_command', { version: '0.22' });
      expect([older.file, ...older.args].join(' ')).toContain(`'${project}'/guard.sh`);
      expect((await startOf('qwen-code', qwen, 'run_shell_command')).args.at(-1)).toBe(command);
    },
  );

  test('arguments of Claude Code have its placeholders filled in, without a shell', async () => {
    const handler = { type: 'command', command: 'node', args: ['${CLAUDE_PROJECT_DIR}/a b.js', '$NOT'] };
    const files = { 'project/.claude/settings.json': grouped('PreToolUse', handler) };
    const { file, args } = await startOf('claude-code', files, 'Bash');
    expect([file, ...args]).toEqual(['node', `${project}/a b.js`, '$NOT']);
  });

  test('is in the directory that the agent would start it in', async () => {
    const copilot = { 'project/.github/hooks/a.json': { hooks: { preToolUse: [{ ...line, cwd: 'sub' }] } } };
    expect((await startOf('copilot', copilot, 'bash')).cwd).toBe(join(project, 'sub'));
    const entry = { version: 1, hooks: { preToolUse: [{ command: './guard.sh' }] } };
    expect((await startOf('cursor', { 'project/.cursor/hooks.json': entry }, 'Shell')).cwd).toBe(project);
    rmSync(root, { recursive: true, force: true });
    expect((await startOf('cursor', { 'home/.cursor/hooks.json': entry }, 'Shell')).cwd).toBe(join(home, '.cursor'));
  });

  test('of a hook of Cursor before a file is read tells what stands in the file', async () => {
    const entry = { version: 1, hooks: { beforeReadFile: [{ command: './guard.sh' }] } };
    const files = { 'project/.cursor/hooks.json': entry, 'project/a.txt': 'a secret' };
    const read = async (path: string): Promise<unknown> =>
      JSON.parse((await startOf('cursor', files, 'Read', { input: { file_path: path } })).stdin);
    expect(await read('a.txt')).toMatchObject({ file_path: 'a.txt', content: '"a secret"' });
    expect(await read('none.txt')).toMatchObject({ content: '' });
    expect(await read('.')).toMatchObject({ content: '' });
  });
});
