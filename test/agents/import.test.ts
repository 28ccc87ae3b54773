import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importHooks } from '../../src/agents/index.ts';
import { createHooks } from '../../src/index.ts';
import { project } from './project.ts';

const claude = {
  hooks: {
    PreToolUse: [
      { matcher: 'Edit|Write', hooks: [{ type: 'command', command: './format.sh', timeout: 5 }] },
      { matcher: 'Bash', hooks: [{ type: 'command', command: './guard.sh', onFailure: 'block' }] },
    ],
    Stop: [{ hooks: [{ type: 'command', command: './done.sh' }] }],
    PostToolBatch: [{ hooks: [{ type: 'command', command: './batch.sh' }] }],
  },
};

const kept = { type: 'command', agent: 'claude-code' };

describe('hooks of Claude Code in settings of ours', () => {
  test('R1122 an entry keeps its agent, its matcher and its line, and what cannot come along is listed', async () => {
    const place = project({ 'project/.claude/settings.json': claude });
    const { changes, losses, files } = await importHooks({ from: 'claude-code', ...place });
    expect(files).toEqual([join(place.cwd, '.claude', 'settings.json')]);
    expect(changes).toMatchObject([{ path: join(place.cwd, '.hookwright', 'settings.json'), hooks: 3 }]);
    expect(JSON.parse(changes[0]?.after ?? '')).toEqual({
      hooks: {
        BeforeTool: [
          { matcher: 'Edit|Write', hooks: [{ ...kept, command: './format.sh', timeout: 5_000 }] },
          { matcher: 'Bash', hooks: [{ ...kept, command: './guard.sh', timeout: 600_000, onFault: 'deny' }] },
        ],
        AfterAgent: [{ hooks: [{ ...kept, command: './done.sh', timeout: 600_000 }] }],
      },
    });
    expect(losses).toMatchObject([
      { kind: 'left-out', message: 'hookwright has no event like PostToolBatch', line: expect.any(Number) },
    ]);
  });

  test('nothing is written, and what stands in a file stays there, comments too', async () => {
    const own =
      '{\n  // mine\n  "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./own.sh"}]}]}\n}\n';
    const place = project({ 'project/.claude/settings.json': claude, 'project/.hookwright/settings.json': own });
    const { changes } = await importHooks({ from: 'claude-code', ...place });
    expect(changes[0]?.before).toBe(own);
    expect(changes[0]?.after).toContain('// mine');
    expect(changes[0]?.after).toContain('./own.sh');
    expect(changes[0]?.after).toContain('./guard.sh');
    expect(readFileSync(join(place.cwd, '.hookwright', 'settings.json'), 'utf8')).toBe(own);
  });

  test('what is there already does not come twice', async () => {
    const place = project({ 'project/.claude/settings.json': claude });
    const [first] = (await importHooks({ from: 'claude-code', ...place })).changes;
    mkdirSync(join(place.cwd, '.hookwright'));
    writeFileSync(join(place.cwd, '.hookwright', 'settings.json'), first?.after ?? '');
    expect((await importHooks({ from: 'claude-code', ...place })).changes).toEqual([]);
  });

  test('R1683 an import of a file that hookwright reads anyway warns that its hooks would run twice', async () => {
    const hooks = { BeforeTool: [{ hooks: [{ type: 'command', command: './guard.sh' }] }] };
    const place = project({ 'project/.gemini/settings.json': { hooks }, 'project/.llxprt/settings.json': { hooks } });
    const { problems } = await importHooks({ from: 'gemini', ...place });
    expect(problems).toMatchObject([
      {
        severity: 'warning',
        file: join(place.cwd, '.gemini', 'settings.json'),
        message: expect.stringContaining('each of these hooks runs twice'),
        fix: expect.stringContaining('remove the hooks from this file'),
      },
    ]);
    expect((await importHooks({ from: 'gemini', to: 'cursor', ...place })).problems).toEqual([]);
  });

  test('hooks of the user go into the settings of the user', async () => {
    const place = project({ 'home/.claude/settings.json': claude });
    const { changes } = await importHooks({ from: 'claude-code', ...place });
    expect(changes.map(({ path }) => path)).toEqual([join(place.home, '.hookwright', 'settings.json')]);
  });
});

test('R1611 hooks of a plugin are brought with its folders, and a warning names the version they stay with', async () => {
  const root = 'home/.claude/plugins/cache/tools/watch/1.2.0';
  const command = 'node "${CLAUDE_PLUGIN_ROOT}/watch.mjs"';
  const handlers = [
    { type: 'command', command },
    { type: 'command', command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/watch.mjs'] },
  ];
  const place = project({
    'home/.claude/settings.json': { enabledPlugins: { 'watch@tools': true } },
    [`${root}/.claude-plugin/plugin.json`]: { name: 'watch', version: '1.2.0' },
    [`${root}/hooks/hooks.json`]: { hooks: { Stop: [{ hooks: handlers }] } },
  });
  const folder = join(place.home, '.claude/plugins/cache/tools/watch/1.2.0');
  const data = join(place.home, '.claude/plugins/data/watch-tools');
  const { changes, problems, dataFolders } = await importHooks({ from: 'claude-code', ...place });
  const env = { CLAUDE_PLUGIN_ROOT: folder, CLAUDE_PLUGIN_DATA: data };
  expect(JSON.parse(changes[0]?.after ?? '').hooks.AfterAgent[0].hooks).toMatchObject([{ command, env }]);
  expect(JSON.parse(changes[0]?.after ?? '').hooks.AfterAgent[1].hooks).toMatchObject([
    { command: 'node', args: [`${folder}/watch.mjs`], env },
  ]);
  expect(dataFolders).toEqual([data]);
  expect(problems).toMatchObject([
    {
      severity: 'warning',
      message: `hooks of the plugin watch@tools 1.2.0 are brought as it is now, with its files in ${folder}`,
      fix: 'import them again after Claude Code has updated it',
    },
  ]);
  const { losses } = await importHooks({ from: 'claude-code', to: 'cursor', ...place });
  expect(losses.map(({ message }) => message)).toContain('Cursor cannot express "env"');
});

test('R1123 with rewrite they become hooks of ours, but for those that would lose something', async () => {
  const settings = {
    hooks: {
      PreToolUse: [
        { matcher: 'Edit|Write', hooks: [{ type: 'command', command: './format.sh', timeout: 5 }] },
        { matcher: 'Bash', hooks: [{ type: 'command', command: './guard.sh', if: 'Bash(git push *)' }] },
      ],
      UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo be brief' }] }],
    },
  };
  const script =
    '[ "$(jq -r .hook_event_name)" = PreToolUse ] && [ "$(jq -r .tool_name)" = "Write" ] && jq .permission_mode';
  const place = project({ 'project/.claude/settings.json': settings, 'project/format.sh': script });
  const { changes, losses } = await importHooks({ from: 'claude-code', rewrite: true, ...place });
  expect(JSON.parse(changes[0]?.after ?? '')).toEqual({
    hooks: {
      BeforeTool: [
        { matcher: '^(?:Edit|Write)$', hooks: [{ type: 'command', command: './format.sh', timeout: 5_000 }] },
        { matcher: 'Bash', hooks: [{ ...kept, command: './guard.sh', timeout: 600_000, if: 'Bash(git push *)' }] },
      ],
      BeforeAgent: [{ hooks: [{ type: 'command', command: 'echo be brief', timeout: 30_000 }] }],
    },
  });
  expect(losses.map(({ kind, line, message }) => [kind, line, message])).toEqual([
    ['changed', expect.any(Number), expect.stringContaining('"permission_mode"')],
    ['changed', expect.any(Number), expect.stringContaining('PreToolUse, which is BeforeTool here')],
    ['changed', expect.any(Number), expect.stringContaining('"Write"')],
    ['kept', expect.any(Number), expect.stringContaining('it stays a hook of Claude Code')],
    ['changed', expect.any(Number), expect.stringContaining('goes to the user here, not to the model')],
  ]);
});

describe.skipIf(process.platform === 'win32')('R1554 with rewrite a hook that sets variables of the session', () => {
  const settings = (start: string) => ({
    hooks: {
      SessionStart: [{ hooks: [{ type: 'command', command: start }] }],
      PreToolUse: [{ hooks: [{ type: 'command', command: '[ "$LEVEL" != strict ] || { echo strict >&2; exit 2; }' }] }],
    },
  });

  test('becomes a hook of ours, and sets them as before', async () => {
    const place = project({
      'project/.claude/settings.json': settings('echo "export LEVEL=strict" >> "$CLAUDE_ENV_FILE"'),
    });
    const { changes, losses } = await importHooks({ from: 'claude-code', rewrite: true, ...place });
    const { hooks: written } = JSON.parse(changes[0]?.after ?? '');
    expect(written.SessionStart[0].hooks[0].command).toBe('echo "export LEVEL=strict" >> "$HOOKWRIGHT_ENV_FILE"');
    expect(losses.filter(({ kind }) => kind === 'kept')).toEqual([]);
    const hooks = await createHooks({ hooks: written, home: place.home, cwd: place.cwd });
    await hooks.sessionStart({ source: 'startup' });
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'deny', reason: 'strict' });
    await hooks.close();
  });

  test('is named if its script writes them to the file of its agent', async () => {
    const place = project({
      'project/.claude/settings.json': settings('sh ./level.sh'),
      'project/level.sh': 'echo "export LEVEL=strict" >> "$CLAUDE_ENV_FILE"',
    });
    const { losses } = await importHooks({ from: 'claude-code', rewrite: true, ...place });
    expect(losses.map(({ kind, message }) => `${kind}: ${message}`)).toContain(
      'changed: its script names CLAUDE_ENV_FILE, which is HOOKWRIGHT_ENV_FILE here',
    );
  });

  test('loses that in another agent, which is said', async () => {
    const place = project({ 'project/.claude/settings.json': settings('sh ./level.sh') });
    const { losses } = await importHooks({ from: 'claude-code', to: 'codex', ...place });
    expect(losses.map(({ message }) => message)).toContain(
      'Codex sets no CLAUDE_ENV_FILE: variables that a script writes there are lost',
    );
  });
});

test('R1122 an entry of an earlier import that starts the same is a problem with its line', async () => {
  const own = '{\n  "hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]}\n}\n';
  const place = project({ 'project/.claude/settings.json': claude, 'project/.hookwright/settings.json': own });
  const { problems } = await importHooks({ from: 'claude-code', ...place });
  expect(problems.filter(({ path }) => path === 'hooks.AfterAgent')).toMatchObject([
    { line: 2, message: expect.stringContaining('it would run twice'), fix: expect.stringContaining('"agent"') },
  ]);
});

test.each([
  ['nothing', { hooks: { PostToolBatch: [{ hooks: [{ type: 'command', command: './batch.sh' }] }] } }, 0],
  ['what is there', claude, 3],
])('R1122 the import says whether there is anything to bring: %s', async (_what, settings, convertible) => {
  const place = project({ 'project/.claude/settings.json': settings });
  expect(await importHooks({ from: 'claude-code', ...place })).toMatchObject({ convertible });
});

describe('hooks of one agent as hooks of another', () => {
  test('names of tools and units change, and what the other has not is said', async () => {
    const place = project({ 'project/.claude/settings.json': claude });
    const { changes, losses } = await importHooks({ from: 'claude-code', to: 'cursor', ...place });
    expect(changes.map(({ path }) => path)).toEqual([join(place.cwd, '.cursor', 'hooks.json')]);
    expect(JSON.parse(changes[0]?.after ?? '')).toEqual({
      version: 1,
      hooks: {
        preToolUse: [
          { matcher: '^(?:Write)$', command: './format.sh', timeout: 5 },
          { matcher: '^(?:Shell)$', command: './guard.sh', timeout: 600, failClosed: true },
        ],
        stop: [{ command: './done.sh', timeout: 600 }],
      },
    });
    expect(losses.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      "changed: a denial in the format of Claude Code blocks in Claude Code; Cursor goes on (hookSpecificOutput is read of Claude Code's hooks alone)",
      'changed: a denial in the format of Claude Code blocks in Claude Code; Cursor goes on',
      'left-out: Cursor has no event like PostToolBatch',
    ]);
  });
});

test('a dialect nobody knows is refused with the nearest name', async () => {
  await expect(importHooks({ from: 'claude' })).rejects.toThrow('no agent is called "claude"');
});

describe('R1730 an import names what its hooks let pass', () => {
  const hooks = {
    PreToolUse: [
      { matcher: 'Bash', hooks: [{ type: 'command', command: './guard.sh' }] },
      { hooks: [{ type: 'command', command: './log.sh', async: true }] },
    ],
    PostToolUse: [{ hooks: [{ type: 'command', command: './format.sh', async: true }] }],
  };

  test('those before a tool whose failure lets the call go on, and no other', async () => {
    const place = project({ 'project/.claude/settings.json': JSON.stringify({ hooks }) });
    expect((await importHooks({ ...place, from: 'claude-code' })).open).toEqual(['./guard.sh']);
    expect((await importHooks({ ...place, from: 'claude-code', to: 'cursor' })).open).toEqual([]);
  });

  test('R1731 with rewrite, a hook that its agent does not wait for runs in the background', async () => {
    const place = project({ 'project/.claude/settings.json': JSON.stringify({ hooks }) });
    const { changes, losses } = await importHooks({ ...place, from: 'claude-code', rewrite: true });
    expect(losses.filter(({ kind }) => kind === 'kept')).toEqual([]);
    expect(JSON.parse(changes[0]?.after ?? '')).toMatchObject({
      hooks: { AfterTool: [{ hooks: [{ command: './format.sh', background: true }] }] },
    });
  });

  test('R1732 hooks that an earlier import brought are named where a rewrite would add them again', async () => {
    const place = project({ 'project/.claude/settings.json': JSON.stringify({ hooks }) });
    const { changes } = await importHooks({ ...place, from: 'claude-code' });
    mkdirSync(join(place.cwd, '.hookwright'), { recursive: true });
    writeFileSync(join(place.cwd, '.hookwright/settings.json'), changes[0]?.after ?? '');
    const again = await importHooks({ ...place, from: 'claude-code', rewrite: true });
    expect(again.problems).toContainEqual(
      expect.objectContaining({
        message: 'hooks.BeforeTool has ./guard.sh already, as a hook of claude-code: it would run twice',
        fix: 'remove the older entry, which has "agent": "claude-code"',
      }),
    );
  });
});
