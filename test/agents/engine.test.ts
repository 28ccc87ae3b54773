import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type CreateHooksOptions, createHooks, type HookRow, type Hooks, loadConfig } from '../../src/index.ts';
import { project } from './project.ts';

const started = async (options: CreateHooksOptions): Promise<Hooks> => {
  const hooks = await createHooks({ deps: { trustCheck: () => true }, ...options });
  onTestFinished(() => hooks.close());
  return hooks;
};

/** Writes what it reads beside itself, and denies what removes everything. */
const guard = `#!/bin/sh
cat > "$CLAUDE_PROJECT_DIR/seen.json"
grep -q 'rm -rf' "$CLAUDE_PROJECT_DIR/seen.json" || exit 0
echo 'no rm here' >&2
exit 2
`;

const claudeSettings = (command = './guard.sh', matcher = 'Bash'): unknown => ({
  hooks: { PreToolUse: [{ matcher, hooks: [{ type: 'command', command }] }] },
});

const seenIn = (cwd: string): unknown => JSON.parse(readFileSync(join(cwd, 'seen.json'), 'utf8'));

describe('a hook of Claude Code in a host of ours', () => {
  const files = { 'project/.claude/settings.json': claudeSettings(), 'project/guard.sh': guard };

  test('runs unchanged: the names, the arguments and the stdin it was written for', async () => {
    const place = project(files);
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'gemini' });
    const verdict = await hooks.beforeTool({
      tool: 'run_shell_command',
      input: { command: 'rm -rf /', dir_path: 'src' },
    });
    expect(verdict).toMatchObject({ verdict: 'deny', reason: 'no rm here' });
    expect(seenIn(place.cwd)).toMatchObject({
      hook_event_name: 'PreToolUse',
      permission_mode: 'default',
      tool_name: 'Bash',
      tool_input: { command: 'rm -rf /' },
    });
    expect(seenIn(place.cwd)).not.toHaveProperty('timestamp');
    expect(await hooks.beforeTool({ tool: 'run_shell_command', input: { command: 'ls' } })).toMatchObject({
      verdict: 'none',
    });
  });

  test('is not there unless somebody asks for it', async () => {
    const place = project(files);
    const hooks = await started({ ...place, load: true });
    expect(await hooks.explain('BeforeTool')).toEqual([]);
  });

  test('has a row that says whose it is, and a matcher of that agent', async () => {
    const place = project(files);
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'gemini' });
    const rows = await hooks.explain('BeforeTool', { toolName: 'run_shell_command' });
    expect(rows).toMatchObject([
      { dialect: 'claude-code', planned: 'run', matcher: 'Bash', source: { kind: 'project', line: 7 } },
    ]);
    expect(await hooks.explain('BeforeTool', { toolName: 'write_file' })).toMatchObject([
      { planned: 'skip', reason: 'matcher-mismatch' },
    ]);
  });

  test('waits for an approval like ours', async () => {
    const place = project(files);
    const { config } = await loadConfig({ ...place, dialects: { 'claude-code': true } });
    const rows = await config.getHookSystem()?.explain('BeforeTool');
    expect(rows).toMatchObject([{ planned: 'skip', reason: 'untrusted', dialect: 'claude-code' }]);
  });

  test('changes arguments in the words of the host', async () => {
    const rewrite = `#!/bin/sh
cat > /dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"file_path":"b.txt","old_string":"x","new_string":"y"}}}'
`;
    const place = project({
      'project/.claude/settings.json': claudeSettings('./rewrite.sh', 'Edit'),
      'project/rewrite.sh': rewrite,
    });
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'copilot' });
    const verdict = await hooks.beforeTool({ tool: 'edit', input: { path: 'a.txt', old_str: 'x', new_str: 'y' } });
    expect(verdict).toMatchObject({ verdict: 'allow', input: { path: 'b.txt', old_str: 'x', new_str: 'y' } });
  });

  test('whose change cannot be said here is a fault, and the call is not changed by half', async () => {
    const rewrite = `#!/bin/sh
cat > /dev/null
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"file_path":"b.txt","old_string":"x","new_string":"y","replace_all":true}}}'
`;
    const place = project({
      'project/.claude/settings.json': claudeSettings('./rewrite.sh', 'Edit'),
      'project/rewrite.sh': rewrite,
    });
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'copilot' });
    const verdict = await hooks.beforeTool({ tool: 'edit', input: { path: 'a.txt', old_str: 'x', new_str: 'y' } });
    expect(verdict.faults).toMatchObject([{ code: 'malformed-output' }]);
    expect(verdict.input).toEqual({ path: 'a.txt', old_str: 'x', new_str: 'y' });
  });

  test('that fails closed where it asks for it', async () => {
    const settings = {
      hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh', onFailure: 'block' }] }] },
    };
    const place = project({ 'project/.claude/settings.json': settings, 'project/guard.sh': '#!/bin/sh\nexit 1\n' });
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'claude-code' });
    expect(await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } })).toMatchObject({ verdict: 'deny' });
  });
});

describe('what another agent would lose', () => {
  const deny =
    '#!/bin/sh\ncat > /dev/null\necho \'{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"kept"}}\'\n';
  const files = { 'project/.claude/settings.json': claudeSettings(), 'project/guard.sh': deny };

  test('counts in strict mode, and the row says so', async () => {
    const place = project(files);
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'claude-code' });
    const seen: unknown[] = [];
    hooks.bus.subscribe('hook-execution-trace', ({ rows }) => {
      seen.push(...rows);
    });
    expect(await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } })).toMatchObject({
      verdict: 'deny',
      reason: 'kept',
    });
    expect(seen).toMatchObject([
      {
        dialect: 'claude-code',
        warnings: expect.arrayContaining([
          expect.objectContaining({ code: 'dialect', message: expect.stringContaining('this would pass') }),
        ]),
      },
    ]);
  });

  test('is lost in faithful mode as it is there', async () => {
    const place = project(files);
    const hooks = await started({ ...place, dialects: { 'claude-code': { mode: 'faithful' } }, tools: 'claude-code' });
    expect(await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } })).toMatchObject({ verdict: 'none' });
  });
});

test('hooks of several agents run side by side, each in its own words', async () => {
  const place = project({
    'project/.claude/settings.json': claudeSettings('cat > claude.json'),
    'project/.cursor/hooks.json': {
      version: 1,
      hooks: { beforeShellExecution: [{ command: 'cat > cursor.json', matcher: 'git' }] },
    },
    'project/.github/hooks/mine.json': {
      version: 1,
      hooks: { preToolUse: [{ type: 'command', bash: 'cat > copilot.json' }] },
    },
  });
  const hooks = await started({
    ...place,
    dialects: { 'claude-code': true, cursor: true, copilot: true },
    tools: 'claude-code',
  });
  await hooks.beforeTool({ tool: 'Bash', input: { command: 'git status' } });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(place.cwd, name), 'utf8'));
  expect(read('claude.json')).toMatchObject({ tool_name: 'Bash' });
  expect(read('cursor.json')).toMatchObject({ hook_event_name: 'beforeShellExecution', command: 'git status' });
  expect(read('copilot.json')).toMatchObject({ toolName: 'bash', toolArgs: '{"command":"git status"}' });
});

test('a matcher that is tried on the command itself leaves other commands alone', async () => {
  const place = project({
    'project/.cursor/hooks.json': {
      version: 1,
      hooks: { beforeShellExecution: [{ command: 'exit 2', matcher: 'git push' }] },
    },
  });
  const hooks = await started({ ...place, dialects: { cursor: true }, tools: 'cursor' });
  expect(await hooks.beforeTool({ tool: 'Shell', input: { command: 'git status' } })).toMatchObject({
    verdict: 'none',
  });
  expect(await hooks.beforeTool({ tool: 'Shell', input: { command: 'git push' } })).toMatchObject({ verdict: 'deny' });
});

describe('a broken file of another agent', () => {
  test('is a problem with its line, what was found, and that nobody there is told', async () => {
    const place = project({ 'project/.claude/settings.json': '{\n  // guards\n  "hooks": {}\n}\n' });
    const hooks = await started({ ...place, dialects: { 'claude-code': true } });
    expect(hooks.problems).toMatchObject([
      {
        code: 'unreadable-file',
        severity: 'error',
        file: join(place.cwd, '.claude', 'settings.json'),
        line: 2,
        message: expect.stringContaining('without comments'),
      },
    ]);
  });

  test('with an entry that is none keeps a row that says why', async () => {
    const settings = {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              { type: 'agent', prompt: 'safe?' },
              { type: 'command', command: 'true' },
            ],
          },
        ],
      },
    };
    const place = project({ 'project/.claude/settings.json': settings });
    const hooks = await started({ ...place, dialects: { 'claude-code': true } });
    expect(await hooks.explain('BeforeTool')).toMatchObject([
      { planned: 'skip', reason: 'invalid-config', hint: expect.stringContaining('it is an agent of its own') },
      { planned: 'run' },
    ]);
  });

  test('that Codex would drop whole runs in strict mode and not in faithful mode', async () => {
    const settings = { $schema: 'x', hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'true' }] }] } };
    const place = project({ 'project/.codex/hooks.json': settings });
    const strict = await started({ ...place, dialects: { codex: true } });
    expect(await strict.explain('BeforeTool')).toMatchObject([{ planned: 'run' }]);
    const faithful = await started({ ...place, dialects: { codex: { mode: 'faithful' } } });
    expect(await faithful.explain('BeforeTool')).toMatchObject([
      { planned: 'skip', reason: 'hooks-disabled', hint: expect.stringContaining('Codex runs no hook of this file') },
    ]);
  });
});

describe('options that mean nothing', () => {
  test.each([
    [{ agents: { claude: true } }, 'agents: no agent is called "claude"; did you mean "claude-code"?'],
    [{ agents: { codex: { mode: 'lax' } } }, 'agents.codex.mode must be "strict" or "faithful"'],
    [{ agents: { codex: true }, tools: 'claud-code' }, 'tools: no agent is called "claud-code"'],
    [{ dialects: { codex: true }, tools: { run: 'shel' } }, 'tools has kinds that do not exist: run: "shel"'],
    [
      { dialects: { codex: true }, tools: { patch: { kind: 'edit', args: { file_path: 'target' } } } },
      'tools: patch: kind "edit" has no argument "file_path"; did you mean "path"? (it has path, before, after, all)',
    ],
    [
      { dialects: { codex: true }, tools: { patch: { kind: 'edit', args: { pathh: 'target' } } } },
      'tools: patch: kind "edit" has no argument "pathh"; did you mean "path"?',
    ],
    [
      { dialects: { codex: true }, tools: { plan: { kind: 'todo', args: { path: 'list' } } } },
      'tools: plan: kind "todo" has no argument "path" (it has none)',
    ],
  ])('%j is refused', async (options, message) => {
    const place = project({});
    await expect(createHooks({ ...place, ...(options as CreateHooksOptions) })).rejects.toThrow(message);
  });

  test('R1689 an argument that its kind does not have is refused beside an imported hook, too', async () => {
    const hook = { type: 'command', command: 'exit 2', agent: 'claude-code' };
    const settings = JSON.stringify({ hooks: { BeforeTool: [{ matcher: 'Edit', hooks: [hook] }] } });
    const tools = { patch: { kind: 'edit', args: { file_path: 'target' } } };
    const options = { ...project({ 'project/.hookwright/settings.json': settings }), load: true, tools };
    await expect(createHooks(options)).rejects.toThrow('kind "edit" has no argument "file_path"; did you mean "path"?');
  });
});

test('a host names its own tools', async () => {
  const place = project({ 'project/.claude/settings.json': claudeSettings('cat > seen.json') });
  const tools = { terminal: { kind: 'shell', args: { command: 'line' } } };
  const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools });
  await hooks.beforeTool({ tool: 'terminal', input: { line: 'ls' } });
  expect(seenIn(place.cwd)).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'ls' } });
});

describe('several hooks of one agent that are judged as there', () => {
  const answer = (decision: string): string =>
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: decision,
        permissionDecisionReason: decision,
      },
    });
  const files = {
    'project/.qwen/settings.json': {
      hooks: {
        PreToolUse: [
          {
            hooks: [
              { type: 'command', command: `echo '${answer('deny')}'` },
              { type: 'command', command: `echo '${answer('allow')}'` },
            ],
          },
        ],
      },
    },
  };

  test('lose a denial where that agent loses it', async () => {
    const hooks = await started({ ...project(files), dialects: { 'qwen-code': { mode: 'faithful' } } });
    expect(await hooks.beforeTool({ tool: 'run_shell_command', input: { command: 'ls' } })).toMatchObject({
      verdict: 'allow',
    });
  });

  test('keep it in strict mode', async () => {
    const hooks = await started({ ...project(files), dialects: { 'qwen-code': true } });
    expect(await hooks.beforeTool({ tool: 'run_shell_command', input: { command: 'ls' } })).toMatchObject({
      verdict: 'deny',
      reason: 'deny',
    });
  });

  test('lose nothing to hooks of ours', async () => {
    const own = { hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: 'exit 2' }] }] } };
    const hooks = await started({
      ...project({ ...files, 'home/.hookwright/settings.json': own }),
      dialects: { 'qwen-code': { mode: 'faithful' } },
    });
    expect(await hooks.beforeTool({ tool: 'run_shell_command', input: { command: 'ls' } })).toMatchObject({
      verdict: 'deny',
    });
  });
});

describe('R1550 hooks of another agent that are merged as there', () => {
  const say = (answer: object): string => `echo '${JSON.stringify({ hookSpecificOutput: answer })}'`;
  const of = (...commands: readonly string[]): unknown => ({
    hooks: { PreToolUse: [{ hooks: commands.map((command) => ({ type: 'command', command })) }] },
  });
  const rowsOf = async (dialect: string, files: Readonly<Record<string, unknown>>) => {
    const dialects = { [dialect]: { mode: 'faithful' } } as const;
    const hooks = await started({ ...project(files), dialects, tools: dialect });
    const rows: HookRow[] = [];
    hooks.bus.subscribe('hook-execution-trace', (trace) => {
      rows.push(...trace.rows);
    });
    const verdict = await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
    return { verdict, rows };
  };

  test('each keep a row with their own answer, and the merged one stands in its warning', async () => {
    const PreToolUse = { hookEventName: 'PreToolUse' };
    const { verdict, rows } = await rowsOf('claude-code', {
      'project/.claude/settings.json': of(
        say({ ...PreToolUse, permissionDecision: 'ask', permissionDecisionReason: 'sure?' }),
        'true',
        say({ ...PreToolUse, permissionDecision: 'deny', permissionDecisionReason: 'never', additionalContext: 'c' }),
      ),
    });
    expect(verdict).toMatchObject({ verdict: 'deny', reason: 'never', context: 'c' });
    expect(rows.map(({ outcome }) => outcome)).toEqual(['answered', 'silent', 'answered']);
    const [first, , third] = rows;
    expect(first?.output).toMatchObject({ decision: 'ask', reason: 'sure?' });
    expect(third?.output).toMatchObject({ decision: 'deny', reason: 'never' });
    const lost = { fate: 'overridden', by: third?.hookId };
    expect(first?.fields).toMatchObject({ decision: lost, reason: lost });
    expect(third?.fields).toMatchObject({
      decision: { fate: 'applied' },
      reason: { fate: 'applied' },
      'hookSpecificOutput.additionalContext': { fate: 'applied' },
    });
    const [told] = first?.warnings?.filter(({ detail }) => detail !== undefined) ?? [];
    expect(told).toMatchObject({ code: 'dialect', detail: { answer: { decision: 'deny', reason: 'never' } } });
    expect(told?.message).toContain('those of 2 hooks; it stands at the first');
  });

  test('count with what their agent joins', async () => {
    const context = (additionalContext: string): string => say({ hookEventName: 'PreToolUse', additionalContext });
    const { verdict, rows } = await rowsOf('claude-code', {
      'project/.claude/settings.json': of(context('one'), context('two')),
    });
    expect(verdict).toMatchObject({ context: 'one\ntwo' });
    const field = 'hookSpecificOutput.additionalContext';
    expect(rows.map(({ fields }) => fields?.[field])).toEqual([{ fate: 'applied' }, { fate: 'applied' }]);
  });

  test('say what their agent drops, and that Codex takes the new input that comes last', async () => {
    const rewrite = (command: string): string =>
      say({ hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command } });
    const { verdict, rows } = await rowsOf('codex', {
      'project/.codex/hooks.json': of(rewrite('one'), rewrite('two')),
    });
    expect(verdict.input).toEqual({ command: 'two' });
    const field = 'hookSpecificOutput.tool_input.command';
    expect(rows.map(({ fields }) => fields?.[field])).toEqual([
      { fate: 'overridden', by: rows[1]?.hookId },
      { fate: 'applied' },
    ]);
    expect(rows[0]?.warnings?.map(({ message }) => message).join()).toContain('the last configured one counts');
    const deny = say({ hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' });
    const denied = await rowsOf('codex', { 'project/.codex/hooks.json': of(rewrite('one'), deny) });
    expect(denied.rows[0]?.fields?.[field]).toMatchObject({
      fate: 'unsupported',
      note: expect.stringContaining('agent'),
    });
  });
});

describe('R872 a plain text', () => {
  const answering = (event: string): unknown => ({
    hooks: { [event]: [{ hooks: [{ type: 'command', command: 'echo all fine' }] }] },
  });

  test.each([
    ['qwen-code', 'PermissionRequest', '.qwen/settings.json'],
    ['qwen-code', 'PreToolUse', '.qwen/settings.json'],
  ])('of a hook of %s answers no question, though its own output says allow (%s)', async (name, event, file) => {
    const place = project({ [`project/${file}`]: answering(event) });
    const dialects = { [name]: { mode: 'faithful', version: '0.22' } } as const;
    const hooks = await started({ ...place, dialects, tools: name });
    const call = { tool: 'run_shell_command', input: { command: 'ls' } };
    const { verdict, messages } =
      event === 'PreToolUse' ? await hooks.beforeTool(call) : await hooks.permissionRequest(call);
    expect([verdict, messages]).toEqual(['none', ['all fine']]);
  });
});

describe('a patch of several files in a host like Codex', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: a.ts',
    '@@',
    '-x',
    '+y',
    '*** Add File: .env',
    '+z',
    '*** End Patch',
  ];
  const look = (script: string) => ({
    'project/.claude/settings.json': claudeSettings('./look.sh', 'Edit|Write'),
    'project/look.sh': `#!/bin/sh\ncat >> seen.txt\necho >> seen.txt\n${script}`,
  });
  const call = { tool: 'apply_patch', input: { command: patch.join('\n') } };

  test('is asked about file by file: what is refused of one is refused', async () => {
    const place = project(look("tail -n 1 seen.txt | grep -q '[.]env' || exit 0\necho 'no .env' >&2\nexit 2\n"));
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'codex' });
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'deny', reason: 'no .env' });
    const seen = readFileSync(join(place.cwd, 'seen.txt'), 'utf8').trim().split('\n');
    expect(seen.map((line) => JSON.parse(line))).toMatchObject([
      { tool_name: 'Edit', tool_input: { file_path: join(place.cwd, 'a.ts') } },
      { tool_name: 'Write', tool_input: { file_path: join(place.cwd, '.env'), content: 'z' } },
    ]);
  });

  test('is not put together again of a change of one', async () => {
    const answer = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { file_path: '/b', content: '' },
    };
    const place = project(look(`echo '${JSON.stringify({ hookSpecificOutput: answer })}'\n`));
    const hooks = await started({ ...place, dialects: { 'claude-code': true }, tools: 'codex' });
    const { faults, input } = await hooks.beforeTool(call);
    expect(input).toEqual(call.input);
    expect(faults.map(({ code }) => code)).toEqual(['malformed-output']);
  });
});

test.skipIf(process.platform === 'win32')(
  'a script that is not there is what a shell says of it, to each agent',
  async () => {
    const gemini = {
      'project/.gemini/settings.json': {
        hooks: { BeforeTool: [{ hooks: [{ type: 'command', command: './none.sh' }] }] },
      },
    };
    const codex = {
      'project/.codex/hooks.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './none.sh' }] }] } },
    };
    const verdictOf = async (name: string, files: Readonly<Record<string, unknown>>, tool: string) => {
      const dialects = { [name]: { mode: 'faithful' } } as const;
      const hooks = await started({ ...project(files), dialects, tools: name });
      return (await hooks.beforeTool({ tool, input: { command: 'ls' } })).verdict;
    };
    expect(await verdictOf('codex', codex, 'Bash')).toBe('none');
    expect(await verdictOf('gemini', gemini, 'run_shell_command')).toBe('deny');
  },
);

test('R1257 a question that Qwen Code loses beside a second hook counts in strict mode, and the row says so', async () => {
  const place = project({
    'project/.qwen/settings.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './ask.sh' }] }] } },
    'project/ask.sh': `#!/bin/sh\necho '{"decision":"ask","reason":"sure?"}'\n`,
  });
  const hooks = await createHooks({ ...place, dialects: { 'qwen-code': true }, deps: { trustCheck: () => true } });
  const { results } = await hooks.system
    .getEventHandler()
    .fireDetailed('BeforeTool', { tool_name: 'run_shell_command', tool_input: { command: 'ls' } });
  await hooks.close();
  expect(results[0]?.output).toMatchObject({ decision: 'ask', reason: 'sure?' });
  expect(results[0]?.warnings?.map(({ message }) => message).join()).toContain('"ask" is lost there as soon as');
});
