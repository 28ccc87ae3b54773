import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHooks, type LoadConfigOptions, reviewTrust } from '../../src/index.ts';
import { createPlace, OWN, type Place } from '../settings/support.ts';

const CLAUDE = 'project/.claude/settings.json';

interface Group {
  readonly matcher?: string;
  readonly entry?: object;
  readonly event?: 'gate' | 'after';
}

/** Writes the guard with these changes. */
type Write = (place: Place, group?: Group) => void;

const imported: Write = ({ write }, { matcher = 'Bash', entry = {}, event = 'gate' } = {}) => {
  const hook = { type: 'command', command: './guard.sh', onFault: 'deny', agent: 'claude-code', ...entry };
  const name = event === 'gate' ? 'BeforeTool' : 'AfterTool';
  write(OWN, { hooks: { [name]: [{ matcher, hooks: [hook] }] } });
};

const inPlace: Write = ({ write }, { matcher = 'Bash', entry = {}, event = 'gate' } = {}) => {
  const hook = { type: 'command', command: './guard.sh', onFailure: 'block', ...entry };
  const name = event === 'gate' ? 'PreToolUse' : 'PostToolUse';
  write(CLAUDE, { hooks: { [name]: [{ matcher, hooks: [hook] }] } });
};

const options: LoadConfigOptions = { agents: { 'claude-code': true }, tools: { run_shell: 'shell', read: 'read' } };

const approved = async (write: Write, group?: Group, reading = options): Promise<Place> => {
  const place = createPlace();
  write(place, group);
  chmodSync(place.write('project/guard.sh', '#!/bin/sh\necho {}\n'), 0o755);
  const review = await reviewTrust((await place.load(reading)).config);
  await review.approve(review.hooks.map(({ id }) => id));
  return place;
};

const host = async (place: Place, reading = options) => {
  const { config } = await place.load(reading);
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  const verdictOf = async (tool: string) => (await hooks.beforeTool({ tool, input: { command: 'rm -rf x' } })).verdict;
  return { hooks, verdicts: async (...tools: string[]) => Promise.all(tools.map(verdictOf)) };
};

describe.each([
  ['of an entry that names Claude Code', imported, 'background'],
  ['of a file of Claude Code', inPlace, 'async'],
] as const)('a changed guard %s', (_what, write, background) => {
  test.each(['Bahs', 'Bash(', 'Edit|Write'])(
    'R1840 refuses what its approved matcher matches in its agent, whatever its matcher is now: %s',
    async (matcher) => {
      const place = await approved(write);
      expect(await (await host(place)).verdicts('run_shell')).toEqual(['none']);
      write(place, { matcher });
      const { verdicts, hooks } = await host(place);
      expect(await verdicts('run_shell', 'read', 'mcp__server__tool')).toEqual(['deny', 'none', 'none']);
      expect(hooks.problems.map(({ code }) => code)).toContain('awaiting-approval');
    },
  );

  test('R1840 refuses every call if its approved matcher cannot be compiled there', async () => {
    const place = await approved(write, { matcher: 'Bash(' });
    write(place, { matcher: 'Edit' });
    expect(await (await host(place)).verdicts('run_shell', 'read')).toEqual(['deny', 'deny']);
  });

  test('R1841 is waited for and refuses, also as a hook in the background', async () => {
    const place = await approved(write);
    write(place, { entry: { [background]: true } });
    expect(await (await host(place)).verdicts('run_shell', 'read')).toEqual(['deny', 'none']);
  });
});

test('R1842 a guard in a file of another agent that cannot be read refuses what its agent would have matched', async () => {
  const place = await approved(inPlace);
  place.write(CLAUDE, '{');
  expect(await (await host(place)).verdicts('run_shell', 'read')).toEqual(['deny', 'none']);
});

test('R1842 a guard in a file of another agent that was moved to another event refuses the same at the approved one', async () => {
  const place = await approved(inPlace);
  inPlace(place, { event: 'after' });
  expect(await (await host(place)).verdicts('run_shell', 'read')).toEqual(['deny', 'none']);
});

test('R1842 a guard of ours that names an agent refuses every call if its file cannot be read', async () => {
  const place = await approved(imported);
  place.write(OWN, '{');
  expect(await (await host(place)).verdicts('run_shell', 'read')).toEqual(['deny', 'deny']);
});

describe.each(['settings.json', 'settings.local.json'])('R1843 disableAllHooks in %s of the project', (name) => {
  const switchOff = ({ project, write }: Place): void => {
    const path = join(project, '.claude', name);
    const settings = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
    write(`project/.claude/${name}`, { ...settings, disableAllHooks: true });
  };

  test('is a problem that names the approved guard', async () => {
    const place = await approved(inPlace);
    switchOff(place);
    const { hooks, verdicts } = await host(place);
    expect(hooks.problems).toMatchObject([
      { code: 'switched-off', severity: 'error', message: expect.stringContaining('./guard.sh') },
    ]);
    expect(await verdicts('run_shell')).toEqual(['none']);
  });

  test('is no problem for a hook that is no guard', async () => {
    const place = await approved(inPlace, { entry: { onFailure: undefined } });
    switchOff(place);
    expect((await host(place)).hooks.problems).toEqual([]);
  });
});

test('R1843 disableAllHooks in settings of the user is no problem', async () => {
  const place = await approved(inPlace);
  place.write('home/.claude/settings.json', { disableAllHooks: true });
  expect((await host(place)).hooks.problems).toEqual([]);
});

test('R1840 a changed guard that names another agent now refuses every call', async () => {
  const place = await approved(imported);
  imported(place, { entry: { agent: 'cursor', agentEvent: 'beforeMCPExecution' } });
  expect(await (await host(place)).verdicts('run_shell', 'read')).toEqual(['deny', 'deny']);
});

test('R1841 an approved guard of another agent is waited for although its entry has background', async () => {
  const place = await approved(imported, { entry: { background: true, command: 'exit 2' } });
  expect(await (await host(place)).verdicts('run_shell')).toEqual(['deny']);
});

const CURSOR = 'project/.cursor/hooks.json';

const cursorOptions: LoadConfigOptions = { ...options, agents: { cursor: true, 'claude-code': true } };

/** A guard of Cursor in a place of its own, at one of that agent's events. */
type WriteAt = (place: Place, event: string) => void;

const inCursorFile: WriteAt = ({ write }, event) =>
  write(CURSOR, { version: 1, hooks: { [event]: [{ command: './guard.sh', failClosed: true }] } });

const namingCursor: WriteAt = ({ write }, agentEvent) => {
  const hook = { type: 'command', command: './guard.sh', onFault: 'deny', agent: 'cursor', agentEvent };
  write(OWN, { hooks: { BeforeTool: [{ hooks: [hook] }] } });
};

describe.each([
  ['in a file of Cursor', inCursorFile],
  ['of an entry that names Cursor', namingCursor],
] as const)('R1931 an approved guard %s', (_what, write) => {
  test('that was moved to another event of its agent refuses what its approved event matches', async () => {
    const place = await approved((where) => write(where, 'beforeShellExecution'), {}, cursorOptions);
    expect(await (await host(place, cursorOptions)).verdicts('run_shell', 'read')).toEqual(['none', 'none']);
    write(place, 'beforeMCPExecution');
    const { verdicts, hooks } = await host(place, cursorOptions);
    expect(await verdicts('run_shell', 'read')).toEqual(['deny', 'none']);
    expect(hooks.problems.map(({ message }) => message).join()).toContain('./guard.sh changed after the approval');
  });
});

test('R1931 an approval from before Cursor’s event was covered expires, and the guard refuses every call', async () => {
  const place = await approved((where) => inCursorFile(where, 'beforeShellExecution'), {}, cursorOptions);
  const store = join(place.home, '.hookwright', 'trust.json');
  writeFileSync(store, readFileSync(store, 'utf8').replace(/,?\s*"agentEvent": "beforeShellExecution"/, ''));
  expect(await (await host(place, cursorOptions)).verdicts('run_shell', 'read')).toEqual(['deny', 'deny']);
});

const stopsCursor = (place: Place, more = {}): unknown =>
  place.write(CURSOR, { version: 1, hooks: { stop: [{ command: 'exit 2', ...more }] } });

const stopsClaude = (place: Place, more = {}): unknown =>
  place.write(CLAUDE, { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'exit 2', ...more }] }] } });

test.each([
  ['a condition', stopsClaude, { if: 'Bash(never *)' }],
  ['async', stopsClaude, { async: true }],
  ['a limit of how often it counts', stopsCursor, { loop_limit: 0 }],
])('R1932 %s in an entry of another agent is a change of what was approved', async (_what, write, members) => {
  const place = await approved((where) => write(where), {}, cursorOptions);
  expect((await host(place, cursorOptions)).hooks.problems).toEqual([]);
  write(place, members);
  const { hooks } = await host(place, cursorOptions);
  expect(hooks.problems.map(({ code }) => code)).toEqual(['awaiting-approval']);
});

test.each([
  ['BASH_ENV', 'bash guard.sh', (project: string) => join(project, 'before.sh')],
  ['BASH_ENV', 'bash guard.sh', () => 'before.sh'],
  ['NODE_OPTIONS', 'node guard.cjs', () => '--require=./before.cjs'],
  ['NODE_OPTIONS', 'node guard.cjs', () => '-r before'],
  ['NODE_OPTIONS', 'node guard.cjs', () => '--no-warnings --import "before"'],
  ['NODE_OPTIONS', 'node guard.cjs', () => '--import=data:text/javascript,process.exit(0)'],
  ['NODE_OPTIONS', 'node guard.cjs', () => '--experimental_loader=before'],
  ['PYTHONPATH', 'python3 guard.py', (project: string) => `/nowhere:${project}`],
  ['PYTHONPATH', 'python3 guard.py', () => '.'],
])(
  'R1938 R1952 %s cannot make the project run another file before the script of an approved hook: %s',
  async (name, line, value) => {
    const place = createPlace();
    place.write(OWN, { hooks: { BeforeTool: [{ hooks: [{ command: line, name: 'guard' }] }] } });
    place.write('project/guard.sh', 'exit 2\n');
    place.write('project/guard.cjs', 'process.exit(2);\n');
    place.write('project/before.sh', 'exit 0\n');
    place.write('project/before.cjs', 'process.exit(0);\n');
    place.write('project/node_modules/before/index.js', 'process.exit(0);\n');
    place.write('project/guard.py', 'exit(2)\n');
    place.write('project/sitecustomize.py', 'import os\nos._exit(0)\n');
    const review = await reviewTrust((await place.load()).config);
    await review.approve(review.hooks.map(({ id }) => id));
    vi.stubEnv(name, value(place.project));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await (await host(place)).verdicts('run_shell')).toEqual(['deny']);
  },
);
