import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CreateHooksOptions, createHooks, defineHook } from '../../src/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const tools = { shell: 'shell', read_file: 'read', deploy: 'other' };
const rule = { type: 'rule', name: 'guard', if: '*(*)', verdict: 'deny', reason: 'no' } as const;

const problemsOf = async (options: CreateHooksOptions, matcher?: string, more: object = {}) => {
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [{ ...rule, ...more }] };
  const hooks = await createHooks({ ...options, hooks: { BeforeTool: [group] } });
  const found = hooks.problems.map(({ code, message, hint }) => ({ code, message, hint }));
  await hooks.close();
  return found;
};

test.each(['Bash', 'Bahs', 'SHELL'])(
  'R1763 with tools given, a guard of %s that fits none of them is a problem with the right name',
  async (matcher) => {
    expect(await problemsOf({ tools }, matcher)).toEqual([
      {
        code: 'matcher-mismatch',
        message: `BeforeTool hook "guard" runs for none of \`tools\`: its matcher "${matcher}" fits no tool there`,
        hint: 'if shell is meant, write shell',
      },
    ]);
  },
);

test('R1763 and so is an `if` that fits none of them', async () => {
  expect(await problemsOf({ tools }, undefined, { if: ['Bash(git*push*)', 'Write(*)'] })).toMatchObject([
    { code: 'condition-mismatch', hint: 'if shell is meant, write shell' },
  ]);
});

test('R2014 a permission as a matcher has its pattern in the fix', async () => {
  expect(await problemsOf({ tools: { Bash: 'shell' } }, 'Bash(rm *)')).toMatchObject([
    { code: 'invalid-matcher' },
    { code: 'matcher-mismatch', hint: 'write "matcher": "Bash", and in the hook "if": "Bash(rm *)"' },
  ]);
});

test.each([
  ['/Bash/', 'write "matcher": "Bash"'],
  ['{Bash,Write}', 'write "matcher": "Bash|Write"'],
  ['Bash(rm *)', 'write "matcher": "Bash", and in the hook "if": "Bash(rm *)"'],
])(
  'R2082 `on` and defineHook refuse the matcher %j, which no tool has, with the line to write',
  async (matcher, fix) => {
    const hooks = await createHooks();
    onTestFinished(() => hooks.close());
    const run = () => ({ decision: 'deny' }) as const;
    const refusal = expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining(fix) });
    expect(() => hooks.on('BeforeTool', run, { matcher })).toThrow(refusal);
    expect(() => defineHook({ event: 'BeforeTool', name: 'guard', matcher, run })).toThrow(refusal);
  },
);

test('R1763 a name that is near to none has all of them beside it', async () => {
  expect(await problemsOf({ tools }, 'WebFetch')).toMatchObject([
    { hint: 'tools are shell, read_file, deploy; write one of them, or remove the hook' },
  ]);
});

test.each([
  [{ tools }, 'Bash|shell'],
  [{ tools }, 'deploy'],
  [{ tools }, '*'],
  [{ tools }, undefined],
  [{ tools }, 'mcp__github__.*'],
  [{ tools: 'gemini' }, 'Bahs'],
  [{}, 'Bahs'],
] as const)('R1763 and nothing is said with %j of %j', async (options, matcher) => {
  expect(await problemsOf(options, matcher)).toEqual([]);
});

test('R1763 hooks of files have their line, and hooks that are added later are named as well', async () => {
  const [cwd, home] = [temporaryFolder('missed'), temporaryFolder('home')];
  const folder = join(home, '.hookwright');
  mkdirSync(folder, { mode: 0o700 });
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify({ hooks: { BeforeTool: [{ matcher: 'Bahs', hooks: [rule] }] } }), { mode: 0o600 });
  const hooks = await createHooks({ load: true, cwd, home, tools });
  const remove = hooks.on('AfterTool', () => undefined, { name: 'late', matcher: 'Shell' });
  expect(hooks.problems).toMatchObject([
    { code: 'matcher-mismatch', message: expect.stringContaining('"late"') },
    { code: 'matcher-mismatch', file, line: 1 },
  ]);
  remove();
  expect(hooks.problems).toHaveLength(1);
  await hooks.close();
});

const foreign = (settings: object): string => {
  const cwd = temporaryFolder('foreign');
  mkdirSync(join(cwd, '.claude'));
  writeFileSync(join(cwd, '.claude', 'settings.json'), JSON.stringify(settings));
  return cwd;
};

const ofClaude = async (matcher: string, condition?: string) => {
  const guard = { type: 'command', command: 'exit 2', ...(condition === undefined ? {} : { if: condition }) };
  const cwd = foreign({ hooks: { PreToolUse: [{ matcher, hooks: [guard] }] } });
  const deps = { trustCheck: () => 'trusted' as const };
  const home = temporaryFolder('home');
  const hooks = await createHooks({ load: true, cwd, home, tools, agents: { 'claude-code': true }, deps });
  const found = hooks.problems.filter(({ code }) => code.endsWith('-mismatch'));
  await hooks.close();
  return found.map(({ code, message, hint }) => ({ code, message, hint }));
};

test('R1901 a hook of another agent whose matcher fits no tool of the host is a problem in the names of that agent', async () => {
  expect(await ofClaude('Bsh')).toEqual([
    {
      code: 'matcher-mismatch',
      message: 'BeforeTool hook "exit 2" runs for none of `tools`: its matcher "Bsh" fits no tool there',
      hint: 'if Bash is meant, write Bash',
    },
  ]);
  expect(await ofClaude('WebFetch')).toMatchObject([
    { hint: 'tools are Bash, Read, deploy; write one of them, or remove the hook' },
  ]);
});

test('R1901 and so is one whose `if` fits none', async () => {
  expect(await ofClaude('Bash', 'Write(/etc/**)')).toMatchObject([
    {
      code: 'condition-mismatch',
      message: expect.stringContaining('its `if` "Write(/etc/**)" fits no tool there'),
    },
  ]);
});

test.each([
  ['Bash', undefined],
  ['Bash', 'Bash(rm *)'],
  ['deploy', undefined],
  ['mcp__github__.*', undefined],
  ['*', undefined],
])('R1901 and nothing is said of the matcher %s with the `if` %j', async (matcher, condition) => {
  expect(await ofClaude(matcher, condition)).toEqual([]);
});

test('R1902 a matcher and an `if` that exclude each other are a problem without `tools` too', async () => {
  expect(await problemsOf({}, 'Write', { if: 'Bash(rm *)' })).toEqual([
    {
      code: 'condition-mismatch',
      message:
        'BeforeTool hook "guard": its matcher "Write" and its `if` "Bash(rm *)" fit no tool together, so it never runs',
      hint: 'name the same tool in both, or leave out one of them',
    },
  ]);
});

test('R1903 explain of a tool skips a hook whose `if` names another tool', async () => {
  const hooks = await createHooks({ hooks: { BeforeTool: [{ hooks: [{ ...rule, if: 'Bash(rm *)' }] }] } });
  const plannedFor = async (toolName: string) => (await hooks.explain('BeforeTool', { toolName }))[0];
  expect(await plannedFor('Write')).toMatchObject({ planned: 'skip', reason: 'condition-mismatch' });
  expect(await plannedFor('Bash')).toMatchObject({ planned: 'run' });
  await hooks.close();
});

test.each([[['shell']], [{ shell: true }], [7]])(
  'R1763 tools %j are refused with the form that is expected',
  async (given) => {
    const options: object = { tools: given };
    await expect(createHooks(options)).rejects.toThrow(
      'tools must be a record from names of tools to their kinds, such as {run_shell: "shell", deploy: "other"}',
    );
  },
);

test.each([
  ['runShell', 'if run_shell is meant, write run_shell; else add runShell to `tools`'],
  ['browse', 'add browse to `tools`'],
])('R1823 a tool %s that is called and not in `tools` runs, and is reported once', async (name, hint) => {
  const hooks = await createHooks({ tools: { run_shell: 'shell' }, hooks: { BeforeTool: [{ hooks: [rule] }] } });
  hooks.on('BeforeTool', () => ({ decision: 'deny', reason: 'no' }), { matcher: 'run_shell' });
  const errors: string[] = [];
  hooks.bus.on('error', ({ message }) => errors.push(message));
  const warnings: string[] = [];
  const keep = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', keep);
  await hooks.beforeTool({ tool: name, input: {} });
  await hooks.callTool(name, {}, () => 'ran');
  await hooks.callTool('run_shell', {}, () => 'ran');
  await hooks.callTool('mcp__files__read', {}, () => 'ran');
  await hooks.callTool('fetch', {}, () => 'ran', { mcpContext: { server_name: 'web' } });
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', keep);
  const message = `Tool "${name}" is called but not in \`tools\`: hooks for tools of other names do not see its calls`;
  expect(hooks.problems).toMatchObject([{ code: 'unhooked-tool', message, hint }]);
  expect(errors).toEqual([`${message}; ${hint}`]);
  expect(warnings.filter((warning) => warning.startsWith('Tool'))).toEqual([`${message}. ${hint}`]);
  await hooks.close();
});

test('R1823 without `tools` no tool is reported', async () => {
  const hooks = await createHooks();
  await hooks.callTool('runShell', {}, () => 'ran');
  expect(hooks.problems).toEqual([]);
  await hooks.close();
});
