import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../examples/support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

beforeAll(buildPackage, 120_000);

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

const project = (hooks: object) => {
  const home = temporaryFolder('left');
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  mkdirSync(join(home, '.hookwright'));
  writeFileSync(join(home, '.hookwright/settings.json'), JSON.stringify({ hooks }));
  const fire = (event: string, input: object, session: string, ...more: string[]): Promise<Ended> =>
    new Promise((done, reject) => {
      const from = performance.now();
      const args = [resolve('dist/cli.js'), 'run', event, '--as-hook', '--agent', 'claude-code', ...more];
      const child = spawn(process.execPath, args, { cwd, env: { ...process.env, HOME: home } });
      const text = { stdout: '', stderr: '' };
      child.stdout.on('data', (piece) => (text.stdout += piece));
      child.stderr.on('data', (piece) => (text.stderr += piece));
      child.on('error', reject);
      // The agent waits for the ends of both streams, too.
      child.on('close', (code) => done({ code, ...text, ms: performance.now() - from }));
      child.stdin.end(JSON.stringify({ session_id: session, cwd, hook_event_name: event, ...input }));
    });
  const wordsAre = (count: number) => expect.poll(() => readWords(home).length, { timeout: 20_000 }).toBe(count);
  return { home, cwd, fire, wordsAre };
};

const readWords = (home: string): string[] => {
  const directory = join(home, '.hookwright/agent-words');
  return existsSync(directory) ? readdirSync(directory) : [];
};

const late = (seconds: number, then: string, more: object = {}) => [
  { hooks: [{ name: 'late', type: 'command', command: `sleep ${seconds}; ${then}`, background: true, ...more }] },
];

const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: 'done' };
const said = `printf '{"hookSpecificOutput":{"additionalContext":"three files were linted"}}'`;

describe.skipIf(process.platform === 'win32')('R1224 behind another agent, a hook in the background', () => {
  test('is left running, and what it says reaches the next call of its session that takes words, once', async () => {
    const { fire, wordsAre } = project({ AfterTool: late(6, said) });
    const first = await fire('PostToolUse', call, 'one');
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.ms).toBeLessThan(5_000);
    await wordsAre(1);
    expect((await fire('UserPromptSubmit', { prompt: 'go on' }, 'two')).stdout).not.toContain('linted');
    expect((await fire('UserPromptSubmit', { prompt: 'go on' }, 'one')).stdout).toContain('three files were linted');
    expect((await fire('UserPromptSubmit', { prompt: 'go on' }, 'one')).stdout).not.toContain('linted');
  });

  test('has its own time limit, and its fault is named and recorded in the next call', async () => {
    const { fire, wordsAre, cwd } = project({ AfterTool: late(60, 'true', { timeout: 500 }) });
    await fire('PostToolUse', call, 'one');
    await wordsAre(1);
    const next = await fire('UserPromptSubmit', { prompt: 'go on' }, 'one', '--record');
    expect(next.stderr).toContain('Hook "late" failed in the background');
    const sessions = join(cwd, '.hookwright/sessions');
    const recorded = readdirSync(sessions).map((file) => readFileSync(join(sessions, file), 'utf8'));
    expect(recorded.join('')).toContain('"background":true');
  });

  test('runs alone in the copy: hooks that the agent waits for run once', async () => {
    const { fire, wordsAre, home } = project({
      AfterTool: [
        { hooks: [{ name: 'counted', type: 'command', command: 'echo x >> "$HOME/count"' }] },
        ...late(0.2, said),
      ],
    });
    await fire('PostToolUse', call, 'one');
    await wordsAre(1);
    expect(readFileSync(join(home, 'count'), 'utf8')).toBe('x\n');
  });

  test('whose session ended first is named at its end', async () => {
    const { fire, wordsAre } = project({ AfterTool: late(0.2, said) });
    await fire('PostToolUse', call, 'one');
    await wordsAre(1);
    const end = await fire('SessionEnd', { reason: 'other' }, 'one');
    expect(end.stderr).toContain('the session ended first: three files were linted');
    await wordsAre(0);
  });
});

test('R1508 a lost canary is named when a session begins', async () => {
  const canary = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const { fire } = project({ BeforeTool: [{ hooks: [{ name: 'guard', command: 'true', onFault: 'deny', canary }] }] });
  const { stderr } = await fire('SessionStart', { source: 'startup' }, 'canary');
  expect(stderr).toMatch(/the canary of BeforeTool hook "guard" was not denied/);
});

test.each([
  [
    'a matcher that is a list',
    { BeforeTool: [{ matcher: ['Bash'], hooks: [{ command: 'exit 2', onFault: 'deny' }] }] },
    'must be a string',
  ],
  [
    'a misspelt event',
    { beforeTool: [{ hooks: [{ command: 'exit 2', onFault: 'deny' }] }] },
    'did you mean "BeforeTool"',
  ],
  ['a misspelt onFault', { BeforeTool: [{ hooks: [{ command: 'exit 3', onFault: 'Deny' }] }] }, 'did you mean "deny"'],
])('R1509 a guard that is off for %s is named at each call', async (_what, hooks, message) => {
  const { fire } = project(hooks);
  const { code, stderr } = await fire('PreToolUse', call, 'off');
  expect(stderr).toContain(message);
  expect(code).toBe(0);
});
