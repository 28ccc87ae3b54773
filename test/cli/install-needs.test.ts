/** A line that `install` writes allows for the hooks that it starts, and `doctor` says when it no longer does. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildPackage } from '../examples/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { approveAllAt, hookwright } from './support/built-cli.ts';

beforeAll(buildPackage, 120_000);

const project = (hooks: object) => {
  const root = temporaryFolder('needs');
  const write = (path: string, content: object): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  };
  const configure = (changed: object): void => write('home/.hookwright/settings.json', { hooks: changed });
  mkdirSync(join(root, '.git'));
  configure(hooks);
  return { root, write, configure };
};

const group = (hook: object, more: object = {}) => [{ ...more, hooks: [{ command: 'exit 0', ...hook }] }];

const program = '/bin/true';
const CLI = `"${process.execPath}" "${resolve('dist/cli.js')}"`;
const install = (root: string, into: string, ...events: string[]) =>
  hookwright(root, 'install', '--into', into, '--program', program, ...events.flatMap((event) => ['--event', event]));

const handlers = z.looseObject({});
const grouped = z.object({ hooks: z.record(z.string(), z.array(z.object({ hooks: z.array(handlers) }))) });
const flat = z.object({ hooks: z.record(z.string(), z.array(handlers)) });

/** Event → the handler that install wrote into `.claude/settings.json`. */
const claudeLines = (root: string) => {
  const read = grouped.parse(JSON.parse(readFileSync(join(root, '.claude/settings.json'), 'utf8')));
  return Object.fromEntries(Object.entries(read.hooks).map(([event, groups]) => [event, groups[0]?.hooks[0]]));
};

const cursorLines = (root: string) => {
  const read = flat.parse(JSON.parse(readFileSync(join(root, '.cursor/hooks.json'), 'utf8')));
  return Object.fromEntries(Object.entries(read.hooks).map(([event, [handler]]) => [event, handler]));
};

describe.skipIf(process.platform === 'win32')('a line that install writes', () => {
  test('R1800 waits longer than the hooks of its event may take, one after another or at once', async () => {
    const slow = { timeout: 120_000 };
    const sequence = {
      sequential: true,
      hooks: [slow, slow, slow].map((more, at) => ({ command: `exit ${at}`, ...more })),
    };
    const { root } = project({
      SessionStart: group(slow),
      AfterTool: [sequence],
      AfterAgent: group({}),
      Notification: group({ timeout: 2_147_483_647 }),
    });
    await install(root, 'claude-code', 'SessionStart', 'PostToolUse', 'Stop', 'PreToolUse', 'Notification');
    expect(claudeLines(root)).toMatchObject({
      SessionStart: { timeout: 125 },
      PostToolUse: { timeout: 365 },
      Stop: { timeout: 65 },
      PreToolUse: { timeout: 65 },
      // A timer that is longer strikes at once.
      Notification: { timeout: 2_147_483 },
    });
  });

  test('R1800 has a number that its agent reads as seconds', async () => {
    const { root } = project({ AfterAgent: group({ timeout: 1_200_000 }) });
    const { said } = await install(root, 'qwen-code', 'Stop');
    expect(said).toContain('"timeout": 999');
    expect(said).toContain(
      'Qwen Code waits 999 s for the hooks of Stop at most, and one of them has a timeout of 1200 s',
    );
  });

  test('R1801 that has become too short is a warning of doctor, until install writes it anew', async () => {
    const { root, configure } = project({ BeforeTool: group({}) });
    await install(root, 'claude-code', 'PreToolUse');
    const short =
      'Claude Code waits 65 s for the hooks of PreToolUse and then goes on without their answer; they may take';
    const before = await hookwright(root, 'doctor', '--agent', 'claude-code');
    expect(before.said).not.toContain(short);
    configure({ BeforeTool: group({ timeout: 120_000 }) });
    for (const words of [['doctor'], ['doctor', '--agent', 'claude-code']]) {
      const { code, said } = await hookwright(root, ...words);
      expect(code).toBe(1);
      expect(said).toContain(short);
      expect(said).toContain('hookwright install --into claude-code --event PreToolUse');
    }
    await install(root, 'claude-code', 'PreToolUse');
    expect((await hookwright(root, 'doctor', '--agent', 'claude-code')).said).not.toContain(short);
  });

  test('R1802 refuses when hookwright cannot start, where the agent waits for leave and a guard is among the hooks', async () => {
    const guard = { BeforeTool: group({ onFault: 'deny' }), AfterAgent: group({ onFault: 'deny' }) };
    const { root, configure } = project(guard);
    await install(root, 'claude-code', 'PreToolUse', 'PostToolUse', 'Stop');
    await install(root, 'cursor', 'preToolUse', 'postToolUse', 'stop');
    const closed = (lines: ReturnType<typeof claudeLines>, key: string) =>
      Object.entries(lines).flatMap(([event, line]) => (line !== undefined && key in line ? [[event, line[key]]] : []));
    expect(closed(claudeLines(root), 'onFailure')).toEqual([['PreToolUse', 'block']]);
    expect(closed(cursorLines(root), 'failClosed')).toEqual([['preToolUse', true]]);
    configure({ BeforeTool: group({}) });
    await install(root, 'cursor', 'preToolUse');
    expect(closed(cursorLines(root), 'failClosed')).toEqual([]);
    configure(guard);
    expect((await hookwright(root, 'doctor', '--agent', 'cursor')).said).toContain(
      'if hookwright cannot start, Cursor goes on at preToolUse, although a guard has "onFault": "deny"',
    );
  });
});

test.skipIf(process.platform === 'win32')(
  'R2053 the command that doctor names for a line that is too short takes no guard away at another event',
  async () => {
    const guard = { BeforeTool: group({ onFault: 'deny' }) };
    const { root, configure } = project(guard);
    await install(root, 'claude-code', 'PreToolUse', 'Stop');
    configure({ ...guard, AfterAgent: group({ timeout: 120_000 }) });
    expect((await hookwright(root, 'doctor')).said).toContain('hookwright install --into claude-code --event Stop');
    await install(root, 'claude-code', 'Stop');
    expect(claudeLines(root)).toMatchObject({
      PreToolUse: { timeout: 65, onFailure: 'block' },
      Stop: { timeout: 125 },
    });
  },
);

const installStarting = (root: string, into: string) => hookwright(root, 'install', '--into', into, '--program', CLI);

test.skipIf(process.platform === 'win32')(
  'R2054 a line in a file that hookwright reads, too, is no hook that the line has to wait for, and none that doctor wants approved',
  async () => {
    const { root } = project({ BeforeTool: group({ timeout: 120_000 }) });
    await installStarting(root, 'gemini');
    const first = readFileSync(join(root, '.gemini/settings.json'), 'utf8');
    expect((await installStarting(root, 'gemini')).said).toContain('Gemini CLI asks hookwright already');
    expect(readFileSync(join(root, '.gemini/settings.json'), 'utf8')).toBe(first);
    const { code, said } = await hookwright(root, 'doctor');
    expect(said).not.toMatch(/untrusted|goes on without/);
    expect(code).toBe(0);
  },
);

/** A project whose path has blanks, as an agent sees it, with hookwright among its dependencies. */
const projectWithBlanks = () => {
  const { root: outer } = project({ BeforeTool: group({}) });
  const root = join(outer, 'a project of "mine"');
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(root, '.git'));
  mkdirSync(join(root, 'home'));
  symlinkSync(resolve('dist/cli.js'), join(root, 'node_modules/.bin/hookwright'));
  return root;
};

test
  .skipIf(process.platform === 'win32')
  .each(['claude-code', 'codex', 'cursor', 'gemini', 'copilot', 'qwen-code', 'vscode', 'llxprt', 'antigravity'])(
  'R2055 install and doctor start the line of %s as that agent does, in a folder with blanks, too',
  async (name) => {
    const root = projectWithBlanks();
    if (name === 'codex') execFileSync('git', ['init', '-q', root]);
    const { code, said } = await hookwright(root, 'install', '--into', name);
    expect(said).toContain('can start it: hookwright');
    expect(code).toBe(0);
    expect((await hookwright(root, 'doctor')).said).toContain('can start hookwright: it answered');
  },
);

test.skipIf(process.platform === 'win32')(
  'R2056 install says why the agent does not find the line in its file',
  async () => {
    const { root } = project({});
    mkdirSync(join(root, '.claude'));
    writeFileSync(join(root, '.claude/settings.json'), '{\n  // mine\n  "hooks": {}\n}\n');
    const { code, said } = await installStarting(root, 'claude-code');
    expect(code).toBe(1);
    expect(said).toContain('error .claude/settings.json:2 Claude Code does not find the line of hookwright');
    expect(said).toContain('this file must be JSON without comments');
  },
);

test.skipIf(process.platform === 'win32')(
  'R2059 no install makes a mistake of the file of another agent, or takes its lines away: VS Code, which has no file of its own, gets one beside those of Copilot CLI',
  async () => {
    const { root } = project({ BeforeTool: group({}) });
    const installForUser = (into: string) =>
      hookwright(root, 'install', '--into', into, '--scope', 'user', '--event', 'PreToolUse', '--program', CLI);
    expect(await installForUser('claude-code')).toMatchObject({ code: 0 });
    const before = readFileSync(join(root, 'home/.claude/settings.json'), 'utf8');
    expect(await installForUser('vscode')).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, 'home/.claude/settings.json'), 'utf8')).toBe(before);
    expect(readFileSync(join(root, 'home/.copilot/hooks/hookwright.json'), 'utf8')).toContain('--agent vscode');
    for (const name of ['claude-code', 'vscode', 'copilot'])
      expect((await hookwright(root, 'list', '--agent', name)).said).not.toMatch(/problem|error/);
  },
);

test.skipIf(process.platform === 'win32')(
  'R1804 a limit on how often a hook sends the agent on is in the line, and import names install as a next step',
  async () => {
    const limited = (loop_limit: unknown) => ({ command: 'exit 0', loop_limit });
    const { root, write, configure } = project({});
    write('.cursor/hooks.json', { version: 1, hooks: { stop: [limited(3)], preToolUse: [{ command: 'exit 0' }] } });
    const imported = await hookwright(root, 'import', '--from', 'cursor');
    expect(imported.said).toContain('behind that agent: hookwright install --into cursor');
    const { said } = await hookwright(root, 'install', '--into', 'cursor', '--event', 'stop', '--dry-run');
    expect(said).toContain('"timeout": 65, "loop_limit": 3');
    for (const [stops, line] of [
      [[7, 2, null], null],
      [[3, undefined], 8],
      [[undefined], undefined],
    ] as const) {
      rmSync(join(root, '.cursor'), { recursive: true, force: true });
      rmSync(join(root, '.hookwright'), { recursive: true, force: true });
      configure({ AfterAgent: stops.map((maxStops, at) => ({ hooks: [{ command: `exit ${at}`, maxStops }] })) });
      await install(root, 'cursor', 'stop', 'preToolUse');
      expect(cursorLines(root).stop?.loop_limit).toBe(line);
      expect(cursorLines(root).preToolUse).not.toHaveProperty('loop_limit');
    }
  },
);

test.skipIf(process.platform === 'win32')('R1805 uninstall says when no agent starts the hooks any more', async () => {
  const { root } = project({ AfterAgent: group({}) });
  const gone = 'No agent here starts hookwright any more';
  await install(root, 'claude-code', 'Stop');
  await install(root, 'cursor', 'stop');
  expect((await hookwright(root, 'uninstall', '--from', 'claude-code')).said).not.toContain(gone);
  expect((await hookwright(root, 'uninstall', '--from', 'cursor')).said).toContain(gone);
});

test.skipIf(process.platform === 'win32')(
  'R1805 uninstall names the file of the agent that still starts hookwright',
  async () => {
    const { root } = project({ AfterAgent: group({}) });
    const left = 'Claude Code still starts hookwright, by home/.claude/settings.json: look at the other --scope, too';
    await install(root, 'claude-code', 'Stop');
    await hookwright(root, 'install', '--into', 'claude-code', '--scope', 'user', '--program', program);
    expect((await hookwright(root, 'uninstall', '--from', 'claude-code')).said).toContain(left);
    expect(await hookwright(root, 'uninstall', '--from', 'claude-code')).toMatchObject({ code: 0, said: `${left} ` });
    expect((await hookwright(root, 'uninstall', '--from', 'claude-code', '--scope', 'user')).said).not.toContain(left);
    const { said } = await hookwright(root, 'uninstall', '--from', 'claude-code');
    expect(said).toBe('No line in the settings of Claude Code starts hookwright ');
  },
);

const STOP = { hook_event_name: 'Stop', session_id: 's', transcript_path: '/t', stop_hook_active: false };

const stop = (root: string): string =>
  execFileSync(process.execPath, [resolve('dist/cli.js'), 'run', 'Stop', '--as-hook', '--agent', 'claude-code'], {
    cwd: root,
    env: { ...process.env, HOME: join(root, 'home') },
    input: JSON.stringify({ ...STOP, cwd: root }),
    encoding: 'utf8',
  });

test.skipIf(process.platform === 'win32')(
  'R1803 a hook that asks a model of the host is no hook that is on behind another agent: import, install and the session name it',
  async () => {
    const { root, write } = project({});
    write('.claude/settings.json', { hooks: { Stop: [{ hooks: [{ type: 'prompt', prompt: 'green?' }] }] } });
    const why = 'hook "green?" does not run behind another agent: it asks a model, and the host brings none';
    expect((await hookwright(root, 'import', '--from', 'claude-code')).said).toContain(why);
    await approveAllAt(root);
    const { code, said } = await hookwright(
      root,
      'install',
      '--into',
      'claude-code',
      '--event',
      'Stop',
      '--program',
      CLI,
    );
    expect(code).toBe(1);
    expect(said).toContain('no hook is on yet');
    expect(said).toContain(why);
    expect(said).not.toContain('remove them from');
    expect(stop(root)).toContain('hookwright: hook \\"green?\\" does not run behind Claude Code: it asks a model');
    expect(stop(root)).toBe('');
  },
);
