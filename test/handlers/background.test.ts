import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createHooks,
  type HookConfig,
  type HookExecutionTrace,
  type HookRow,
  MessageBusType,
  SessionEndReason,
  SessionStartSource,
} from '../../src/index.ts';
import { groupOf } from '../support/engine.ts';
import { until } from '../support/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = (): string => temporaryFolder('background');

const call = { tool: 'shell', input: { command: 'rm' } };

/** A command that answers after a while. */
const late = (answer: object, more: Partial<HookConfig> = {}): HookConfig => ({
  name: 'late',
  command: `sleep 0.3; printf '%s' '${JSON.stringify(answer)}'`,
  background: true,
  ...more,
});

const engineWith = async (hooks: Parameters<typeof createHooks>[0] = {}) => {
  const warnings: string[] = [];
  const engine = await createHooks({
    ...hooks,
    deps: { logger: { warn: (line) => void warnings.push(String(line)) } },
  });
  const rows: HookRow[] = [];
  engine.bus.subscribe(
    MessageBusType.HOOK_EXECUTION_TRACE,
    (trace: HookExecutionTrace) => void rows.push(...trace.rows),
  );
  onTestFinished(() => engine.close({ graceMs: 0 }));
  return { engine, rows, warnings };
};

describe.skipIf(process.platform === 'win32')('R1221 a hook in the background', () => {
  test('is not waited for, decides and changes nothing, and has a second row for how it ended', async () => {
    const answer = { decision: 'deny', reason: 'no', hookSpecificOutput: { tool_input: { command: 'ls' } } };
    const release = join(folder(), 'release');
    const command = `until [ -e '${release}' ]; do sleep 0.02; done; printf '%s' '${JSON.stringify(answer)}'`;
    const { engine, rows } = await engineWith({ hooks: { BeforeTool: groupOf(late(answer, { command })) } });
    expect(await engine.beforeTool(call)).toMatchObject({ verdict: 'none', input: call.input });
    expect(rows).toMatchObject([{ name: 'late', planned: 'run', outcome: 'background' }]);
    writeFileSync(release, '');
    await engine.close();
    expect(rows).toMatchObject([
      { outcome: 'background' },
      {
        name: 'late',
        background: true,
        outcome: 'silent',
        fields: { decision: { fate: 'unsupported' } },
        warnings: [{ code: 'no-effect', message: expect.stringContaining('the event did not wait for this hook') }],
      },
    ]);
  });

  test.each([
    ['that has hooks', { BeforeAgent: groupOf({ name: 'own', command: 'true' }) }],
    ['that has none', {}],
  ])('hands its context and message to the next event that takes them, one %s', async (_title, more) => {
    const answer = { systemMessage: 'formatted', hookSpecificOutput: { additionalContext: 'three files changed' } };
    const { engine, rows } = await engineWith({ hooks: { AfterTool: groupOf(late(answer)), ...more } });
    expect((await engine.afterTool({ ...call, output: 'done' })).context).toBeUndefined();
    await until('the hook ended', 10_000, () => rows.some(({ background }) => background === true));
    expect(await engine.notify({ type: 'ToolPermission', message: 'x', details: {} })).toMatchObject({ messages: [] });
    const said = await engine.beforeAgent({ prompt: 'go on' });
    expect(said).toMatchObject({ context: 'three files changed', messages: ['formatted'] });
    expect((await engine.beforeAgent({ prompt: 'go on' })).context).toBeUndefined();
  });

  test('may be a function, and stand beside hooks that are waited for', async () => {
    const { engine, rows } = await engineWith();
    let hasEnded = false;
    const wait = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      hasEnded = true;
      return { decision: 'deny' as const };
    };
    engine.on('BeforeTool', wait, { name: 'behind', background: true });
    engine.on('BeforeTool', () => ({ decision: 'allow', reason: 'fine' }), { name: 'before', sequential: true });
    expect(await engine.beforeTool(call)).toMatchObject({ verdict: 'allow', reason: 'fine' });
    expect(hasEnded).toBe(false);
    await engine.close();
    expect(hasEnded).toBe(true);
    expect(rows.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['behind', 'background'],
      ['before', 'answered'],
      ['behind', 'silent'],
    ]);
  });

  test('cannot be a guard: that is a problem at load, and the guard is waited for', async () => {
    const guard = late({ decision: 'deny', reason: 'no' }, { onFault: 'deny' });
    const { engine } = await engineWith({ hooks: { BeforeTool: groupOf(guard) } });
    expect(engine.problems).toMatchObject([
      {
        code: 'no-effect',
        path: expect.stringContaining('background'),
        message: expect.stringContaining('a guard is waited for'),
      },
    ]);
    expect(await engine.beforeTool(call)).toMatchObject({ verdict: 'deny' });
    expect(() => engine.on('BeforeTool', () => undefined, { background: true, onFault: 'deny' })).toThrow('waited for');
  });

  test('is written async by people who know other agents', async () => {
    const home = folder();
    mkdirSync(join(home, '.hookwright'));
    const hooks = { BeforeTool: [{ hooks: [{ name: 'late', command: 'sleep 0.3; exit 2', async: true }] }] };
    writeFileSync(join(home, '.hookwright/settings.json'), JSON.stringify({ hooks }));
    const { engine } = await engineWith({ load: true, home, cwd: folder() });
    expect(engine.problems).toEqual([]);
    expect(await engine.beforeTool(call)).toMatchObject({ verdict: 'none' });
  });

  test('of another agent hands its context to the next event too', async () => {
    const home = folder();
    mkdirSync(join(home, '.claude'));
    const command = `sleep 0.2; printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"linted"}}'`;
    const hooks = { PostToolUse: [{ hooks: [{ type: 'command', command, async: true }] }] };
    writeFileSync(join(home, '.claude/settings.json'), JSON.stringify({ hooks }));
    const { engine } = await engineWith({ load: true, home, cwd: folder(), dialects: { 'claude-code': true } });
    await engine.afterTool({ ...call, output: 'done' });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect((await engine.beforeAgent({ prompt: 'go on' })).context).toContain('linted');
  });
});

describe.skipIf(process.platform === 'win32')('R1614 a hook in the background that outlives its session', () => {
  const words = { systemMessage: 'formatted', hookSpecificOutput: { additionalContext: 'of the first session' } };
  const nextSession = async (beforeEndMs: number) => {
    const { engine, rows } = await engineWith({ hooks: { AfterTool: groupOf(late(words)) } });
    await engine.afterTool({ ...call, output: 'done' });
    await new Promise((resolve) => setTimeout(resolve, beforeEndMs));
    const ended = await engine.sessionEnd({ reason: SessionEndReason.Clear });
    await new Promise((resolve) => setTimeout(resolve, 800));
    const started = await engine.sessionStart({ source: SessionStartSource.Clear });
    const prompted = await engine.beforeAgent({ prompt: 'something else' });
    expect([started.context, prompted.context, prompted.messages]).toEqual([undefined, undefined, []]);
    return { ended, rows };
  };

  test('says nothing to the next one, and its row says why', async () => {
    const { rows } = await nextSession(0);
    const warnings = [{ code: 'no-effect', message: 'its session ended first: what it said reaches no event' }];
    expect(rows.at(-1)).toMatchObject({ name: 'late', background: true, warnings });
  });

  test('and spoke before, is heard by the user at its end', async () => {
    const { ended } = await nextSession(700);
    expect(ended.messages).toEqual(['formatted']);
  });
});

describe.skipIf(process.platform === 'win32')('R1218 close', () => {
  const marking = (file: string, seconds: number): HookConfig => ({
    name: 'log',
    command: `sleep ${seconds}; touch ${file}`,
    background: true,
  });

  test('lets hooks in the background end', async () => {
    const file = join(folder(), 'done');
    const { engine, warnings } = await engineWith({ hooks: { AfterTool: groupOf(marking(file, 0.5)) } });
    await engine.afterTool({ ...call, output: 'done' });
    await engine.close();
    expect(existsSync(file)).toBe(true);
    expect(warnings).toEqual([]);
  });

  test('ends those that take longer than graceMs, and says which', async () => {
    const file = join(folder(), 'done');
    const { engine, warnings, rows } = await engineWith({ hooks: { AfterTool: groupOf(marking(file, 30)) } });
    const errors: string[] = [];
    engine.bus.on('error', ({ message }) => errors.push(message));
    await engine.afterTool({ ...call, output: 'done' });
    const from = performance.now();
    await engine.close({ graceMs: 200 });
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(errors).toEqual([expect.stringContaining('Hook "log" still ran in the background after 200 ms')]);
    expect(warnings).toEqual([expect.stringContaining('Hook "log" still ran')]);
    expect(rows.at(-1)).toMatchObject({ name: 'log', background: true, outcome: 'faulted' });
    expect(existsSync(file)).toBe(false);
  });

  test('needs a time that is one', async () => {
    const { engine } = await engineWith();
    await expect(engine.close({ graceMs: -1 })).rejects.toThrow('graceMs as milliseconds from 0 on');
  });
});
