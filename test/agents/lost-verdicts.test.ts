import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks, type HookRow } from '../../src/index.ts';
import { project } from './project.ts';

const script = (stdout: string, end: string): string =>
  `#!/bin/sh\ncat > /dev/null\nprintf '%s' '${stdout.replaceAll("'", "'\\''")}'\n${end}\n`;

const inGroups = (event: string, more: object = {}) => ({
  hooks: { [event]: [{ matcher: '*', hooks: [{ type: 'command', command: './guard.sh', timeout: 2, ...more }] }] },
});
const ofCursor = (more: object = {}) => ({
  version: 1,
  hooks: { preToolUse: [{ command: './guard.sh', timeout: 2, ...more }] },
});

/** Where each agent keeps a guard of tool calls. */
const settings: Readonly<Record<string, (more?: object) => Readonly<Record<string, unknown>>>> = {
  'claude-code': (more) => ({ 'project/.claude/settings.json': inGroups('PreToolUse', more) }),
  cursor: (more) => ({ 'project/.cursor/hooks.json': ofCursor(more) }),
  gemini: (more) => ({
    'project/.gemini/settings.json': {
      ...inGroups('BeforeTool', { ...more, timeout: 2_000 }),
      tools: { enableHooks: true },
    },
  }),
  'qwen-code': (more) => ({ 'project/.qwen/settings.json': inGroups('PreToolUse', { ...more, timeout: 2_000 }) }),
};

type Mode = 'strict' | 'faithful';

/** What comes of a call that one guard of another agent was asked about, and the row of the guard. */
const ask = async (agent: string, mode: Mode, stdout: string, { end = 'exit 0', more = {} } = {}) => {
  const rows: HookRow[] = [];
  const place = project({ ...settings[agent]?.(more), 'project/guard.sh': script(stdout, end) });
  const hooks = await createHooks({
    ...place,
    dialects: { [agent]: { mode } },
    tools: 'claude-code',
    deps: { trustCheck: () => true, onTrace: (trace) => rows.push(...trace.rows) },
  });
  onTestFinished(() => hooks.close());
  const { verdict } = await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
  const [row] = rows;
  return { verdict, outcome: row?.outcome, code: row?.code, fields: row?.fields };
};

const modes: readonly Mode[] = ['strict', 'faithful'];
const agents = Object.keys(settings).flatMap((agent) => modes.map((mode) => [agent, mode] as const));

describe('R1010 a verdict that another agent does not read is a fault with a fate', () => {
  test.each(agents)('%s, %s: a misspelt key', async (agent, mode) => {
    const { outcome, code, fields, verdict } = await ask(agent, mode, '{"decisoin":"block","reason":"no"}');
    expect({ outcome, code }).toEqual({ outcome: 'faulted', code: 'malformed-output' });
    expect(fields).toMatchObject({ decisoin: { fate: 'malformed' } });
    expect(verdict).not.toBe('allow');
  });

  test.each(agents)('%s, %s: a misspelt key one level down', async (agent, mode) => {
    const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecison: 'deny' } };
    const { outcome, code, fields } = await ask(agent, mode, JSON.stringify(answer));
    expect({ outcome, code }).toEqual({ outcome: 'faulted', code: 'malformed-output' });
    expect(fields).toMatchObject({ 'hookSpecificOutput.permissionDecison': { fate: 'malformed' } });
  });

  test.each(agents)('%s, %s: a field that nothing reads', async (agent, mode) => {
    const { outcome, fields } = await ask(agent, mode, '{"colour":"red"}');
    expect(outcome).toBe('silent');
    expect(fields).toMatchObject({ colour: { fate: 'unsupported' } });
  });

  test.each(agents)('%s, %s: in single quotes, behind a line of text', async (agent, mode) => {
    const { code, outcome } = await ask(agent, mode, "checking\n{'permission': 'deny', 'decision': 'block'}");
    expect({ outcome, code }).toEqual({ outcome: 'faulted', code: 'malformed-output' });
  });

  test.each(modes)('%s: an unknown word denies with failClosed, and is a fault without', async (mode) => {
    const answer = '{"permission":"DENY"}';
    expect(await ask('cursor', mode, answer, { more: { failClosed: true } })).toMatchObject({
      verdict: 'deny',
      outcome: 'faulted',
    });
    expect(await ask('cursor', mode, answer)).toMatchObject({ verdict: 'none', code: 'malformed-output' });
  });

  test.each(modes)('%s: a key given twice', async (mode) => {
    const { verdict, code } = await ask('cursor', mode, '{"permission":"deny","permission":"allow"}');
    expect(verdict).toBe(mode === 'strict' ? 'deny' : 'allow');
    if (mode === 'faithful') expect(code).toBe('malformed-output');
  });

  test.each(agents)('%s, %s: text, logs and JSON of others are none', async (agent, mode) => {
    // To Cursor everything but JSON is a failure.
    const texts = agent === 'cursor' ? [] : ['checking [1/3] {x}'];
    for (const text of [...texts, '{"level":"info","msg":"done"}', '']) {
      const { verdict, code } = await ask(agent, mode, text);
      expect([text, verdict, code]).toEqual([text, 'none', undefined]);
    }
  });
});

describe('R1011 a broken run of another agent’s hook is faulted with its code', () => {
  const ends: readonly (readonly [string, string, string])[] = [
    ['exit 1', 'exit 1', 'exit-code'],
    ['a missing program', 'exec ./no-such-program', 'spawn-failed'],
    ['a signal', 'kill -9 $$', 'killed-by-signal'],
    ['no end in time', 'sleep 30', 'timeout'],
  ];
  test.each(agents.flatMap(([agent, mode]) => ends.map((one) => [agent, mode, ...one] as const)))(
    '%s, %s: %s',
    async (agent, mode, _how, end, code) => {
      const { outcome, code: told } = await ask(agent, mode, '', { end });
      expect({ outcome, code: told }).toEqual({ outcome: 'faulted', code });
    },
  );

  test.each(agents)('%s, %s: JSON that is cut off', async (agent, mode) => {
    const { outcome, code } = await ask(agent, mode, '{"decision":"block","rea');
    expect({ outcome, code }).toEqual({ outcome: 'faulted', code: 'malformed-output' });
  });

  test.each(agents)('%s, %s: what the agent makes of the fault is the verdict', async (agent, mode) => {
    const denied = {
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
      permission: 'deny',
      decision: 'deny',
    };
    const { verdict, code } = await ask(agent, mode, JSON.stringify(denied), { end: 'exit 1' });
    expect(code).toBe('exit-code');
    if (mode === 'strict') expect(verdict).toBe('deny');
  });
});
