import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Planner } from '../../src/abilities/index.ts';
import { AgentRuntime, type AgentRuntimeOptions } from '../../src/abilities/index.ts';
import { until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { calls, isGone, notes, runtimeWith } from './runtime-support.ts';
import { type HookFile, says } from './support.ts';

describe('a turn', () => {
  const intent = { scope: 'docs', topic: 'typo', stage: 'edit' };

  test('hands the planner a start control and the raw input, both with the signals of the hooks', async () => {
    const planned: unknown[] = [];
    const planner: Planner<string> = (control, context) => {
      planned.push({ control, context });
      return 'the plan';
    };
    const { root, runtime } = await runtimeWith({
      planner,
      hookFiles: {
        'a-route': {
          event_type: 'PromptSubmit',
          script: `${notes('seen')}\n${says('routing_hint', 'ROUTE_SUGGESTION', { suggested_abilities: [] })}`,
        },
        'b-intent': { event_type: 'PromptSubmit', script: says('normalized_intent', 'INTENT', intent) },
        'c-other-event': { event_type: 'PreAbilityCall', script: says('ability_guard', 'ABILITY_DENIED') },
      },
    });
    const session = runtime.startSession({ sessionId: 'session-1' });
    const turn = await session.submit('fix it', { currentFiles: ['a.ts'] });
    const hook_signals = [
      {
        source_event: 'PromptSubmit',
        hook_id: 'a-route',
        kind: 'routing_hint',
        code: 'ROUTE_SUGGESTION',
        payload: { suggested_abilities: [] },
      },
      { source_event: 'PromptSubmit', hook_id: 'b-intent', kind: 'normalized_intent', code: 'INTENT', payload: intent },
    ];
    const control = { type: 'control', turn_ready: true, source_event: 'PromptSubmit', hook_signals };
    const context = { user_raw_input: 'fix it', hook_signals };
    expect(planned).toEqual([{ control, context }]);
    expect(turn).toEqual({
      ready: true,
      control,
      context,
      plan: 'the plan',
      problem: 'the planner returned "the plan": expected a list of actions, or nothing if it calls act',
    });
    expect(calls(root, 'seen')).toEqual([
      { event_type: 'PromptSubmit', session_id: 'session-1', user_raw_input: 'fix it', current_files: ['a.ts'] },
    ]);
  });

  test('is ready without any hooks', async () => {
    const { runtime } = await runtimeWith();
    expect(await runtime.startSession().submit('hello')).toMatchObject({
      ready: true,
      control: { hook_signals: [] },
      plan: 'planned',
    });
  });

  test('carries out the actions that the planner returns, in order, through the same guards', async () => {
    const { runtime } = await runtimeWith({
      createTaskKey: () => 'task-000001',
      hookFiles: {
        guard: { event_type: 'PreAbilityCall', script: says('ability_guard', 'ABILITY_DENIED', { reason: 'no' }) },
      },
      planner: () => [
        { type: 'LIST_ABILITIES' },
        { type: 'CREATE_TASK', ability_id: 'edit_file' },
        { type: 'RUN_TASK', task_key: 'task-000001' },
        'and then the tests',
      ],
    });
    expect(await runtime.startSession().submit('fix it')).toMatchObject({
      ready: true,
      answers: [
        { type: 'ABILITIES' },
        { type: 'TASK_CREATED', task_key: 'task-000001' },
        { type: 'TASK_NOT_RUN', code: 'ABILITY_DENIED', reason: 'no' },
        { type: 'INVALID_ACTION' },
      ],
    });
  });

  test('leaves alone what a planner returns that drives itself, and one that wants nothing', async () => {
    const driving = await runtimeWith({
      planner: async (_control, _context, { act }) => [await act({ type: 'LIST_ABILITIES' })],
    });
    const turn = await driving.runtime.startSession().submit('look');
    expect(turn).toMatchObject({ plan: [{ type: 'ABILITIES' }] });
    expect(turn).not.toHaveProperty('answers');
    const both = await runtimeWith({
      planner: async (_control, _context, { act }) => {
        const list = { type: 'LIST_ABILITIES' };
        await act(list);
        return [list];
      },
    });
    const twice = await both.runtime.startSession().submit('look');
    expect(twice).toMatchObject({ problem: expect.stringContaining('called act and also returned a list of actions') });
    expect(twice).not.toHaveProperty('answers');
    const idle = await runtimeWith({ planner: () => undefined });
    const quiet = await idle.runtime.startSession().submit('thanks');
    expect(Object.keys(quiet).sort()).toEqual(['context', 'control', 'plan', 'ready']);
  });

  test('does not wait for hooks that are not blocking, and their signals are not heard', async () => {
    const { root, runtime } = await runtimeWith({
      hookFiles: {
        slow: {
          event_type: 'PromptSubmit',
          blocking: false,
          script: `sleep 1.5; ${notes('seen')}; ${says('routing_hint', 'ROUTE_SUGGESTION')}`,
        },
      },
    });
    const startedAt = performance.now();
    const turn = await runtime.startSession().submit('hello');
    expect(performance.now() - startedAt).toBeLessThan(1_400);
    expect(turn).toMatchObject({ ready: true, control: { hook_signals: [] } });
    await until('the hook has run', 5_000, () => calls(root, 'seen').length === 1);
  });

  test.each([
    ['skip', undefined, true],
    ['fail', undefined, false],
    ['fail', 'skip', true],
    ['skip', 'fail', false],
  ] as const)('goes on past a broken hook or fails: default %s, file %s', async (onFault, on_fault, ready) => {
    const { runtime } = await runtimeWith({
      onFault,
      hookFiles: {
        broken: { event_type: 'PromptSubmit', script: 'exit 1', ...(on_fault === undefined ? {} : { on_fault }) },
        fine: { event_type: 'PromptSubmit', script: says('routing_hint', 'ROUTE_SUGGESTION') },
      },
    });
    const turn = await runtime.startSession().submit('hello');
    expect(turn.ready).toBe(ready);
    if (turn.ready) expect(turn.control.hook_signals).toHaveLength(1);
    else expect(turn.error).toMatchObject({ hook_id: 'broken', code: 'exit-code' });
  });

  test('is one at a time, and what the planner throws is the host’s to catch', async () => {
    const { runtime } = await runtimeWith({
      planner: () => {
        throw new Error('no model');
      },
    });
    const session = runtime.startSession();
    const first = session.submit('one');
    await expect(session.submit('two')).rejects.toThrow('is in a turn');
    await expect(first).rejects.toThrow('no model');
    await expect(session.submit('three')).rejects.toThrow('no model');
    await expect(session.submit(untyped(7))).rejects.toThrow('expected text, got 7');
  });
});

describe('the end of a session', () => {
  const stop: HookFile = { event_type: 'SessionStop', blocking: false, script: notes('stopped') };

  test('tells its hooks what was done, and nobody waits for them', async () => {
    let at = 0;
    const { root, runtime } = await runtimeWith({
      createTaskKey: () => {
        at += 1;
        return `task-00000${at}`;
      },
      clock: { now: () => 1_000 },
      hookFiles: { stop: { ...stop, script: `sleep 0.4; ${notes('stopped')}` } },
    });
    const session = runtime.startSession({ sessionId: 's1' });
    await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file' });
    await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file' });
    await session.act({ type: 'RUN_TASK', task_key: 'task-000002' });
    const startedAt = performance.now();
    const told = session.end({ changedFiles: ['a.ts', 'a.ts', 'b.ts'] });
    expect(performance.now() - startedAt).toBeLessThan(350);
    expect(calls(root, 'stopped')).toEqual([]);
    await session.settled;
    expect(calls(root, 'stopped')).toEqual([{ event_type: 'SessionStop', ...told }]);
    expect(told).toEqual({
      session_id: 's1',
      changed_files: ['a.ts', 'b.ts'],
      abilities_used: ['edit_file'],
      // A task that never ran is not in it.
      tasks_summary: [{ task_key: 'task-000002', ability_id: 'edit_file', status: 'success' }],
      started_at: '1970-01-01T00:00:01.000Z',
      ended_at: '1970-01-01T00:00:01.000Z',
    });
    expect(runtime.sessions).toEqual([]);
  });

  test('ends hooks that are not done when their time is over', async () => {
    const { root, runtime } = await runtimeWith({
      backgroundMs: 1_500,
      hookFiles: { stop: { ...stop, script: `echo $$ > pid; sleep 30; ${notes('stopped')}` } },
    });
    const session = runtime.startSession();
    session.end();
    await session.settled;
    const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
    await until('the hook is gone', 3_000, () => isGone(pid));
    expect(calls(root, 'stopped')).toEqual([]);
  });

  test('is the end: nothing can be asked for afterwards', async () => {
    const { runtime } = await runtimeWith();
    const session = runtime.startSession();
    session.end();
    await expect(session.submit('more')).rejects.toThrow('has ended');
    expect(await session.act({ type: 'LIST_ABILITIES' })).toMatchObject({ type: 'ACTION_FAILED' });
    expect(() => session.end()).toThrow('has ended');
    await session.settled;
  });

  test('of a phase counts anew', async () => {
    const { root, runtime } = await runtimeWith({ hookFiles: { stop } });
    const session = runtime.startSession();
    await session.runAbility('edit_file');
    expect(session.endPhase()).toMatchObject({ abilities_used: ['edit_file'] });
    expect(session.end()).toMatchObject({ abilities_used: [] });
    await session.settled;
    expect(calls(root, 'stopped')).toHaveLength(2);
  });
});

describe('who fires what', () => {
  test('sessions and turns are told by the runtime, abilities by the tool runner, each once', async () => {
    const all = Object.fromEntries(
      ['PromptSubmit', 'PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall', 'SessionStop'].map((event_type) => [
        `note-${event_type.toLowerCase()}`,
        { event_type, script: `echo '"${event_type}"' >> fired` },
      ]),
    );
    const { root, runtime } = await runtimeWith({ hookFiles: all });
    const tools = runtime.toolsFor({ source: 'background_job' });
    const { task_key } = untyped<{ task_key: string }>(await tools.createTask('edit_file'));
    await tools.runTask(task_key);
    await tools.idle();
    expect(calls(root, 'fired')).toEqual(['PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall']);
    const session = runtime.startSession();
    await session.submit('hello');
    session.end();
    await session.settled;
    expect(calls(root, 'fired').slice(3)).toEqual(['PromptSubmit', 'SessionStop']);
  });

  test('a hook nobody waits for fails without any effect but a line in the log', async () => {
    const { root, runtime } = await runtimeWith({
      onFault: 'fail',
      hookFiles: {
        'track-a': { event_type: 'PostAbilityCall', blocking: false, script: 'exit 3' },
        'track-b': { event_type: 'PostAbilityCall', blocking: true, on_fault: 'fail', script: 'exit 3' },
      },
    });
    const session = runtime.startSession();
    expect(await session.runAbility('edit_file')).toMatchObject({ executed: true, status: 'success' });
    session.end();
    await session.settled;
    const lines = untyped<object[]>(calls(root, '.system/logs/hooks.jsonl'));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatchObject({ event_type: 'PostAbilityCall', status: 'failure', code: 'exit-code' });
    }
  });
});

describe('a runtime', () => {
  test('does many things at once in one session, without a warning of Node', async () => {
    const { runtime } = await runtimeWith({
      hookFiles: { guard: { event_type: 'PreAbilityCall', script: says('ability_guard', 'ABILITY_ALLOWED') } },
    });
    const session = runtime.startSession();
    const results = await Promise.all(Array.from({ length: 30 }, () => session.runAbility('edit_file')));
    expect(results.every(({ executed }) => executed)).toBe(true);
    expect(session.end()).toMatchObject({ abilities_used: ['edit_file'] });
    await session.settled;
  });

  test('shares nothing with another one in the same process', async () => {
    const [one, other] = [await runtimeWith(), await runtimeWith()];
    const session = one.runtime.startSession({ sessionId: 's1' });
    other.runtime.startSession({ sessionId: 's1' });
    await session.createTask('edit_file');
    expect(one.runtime.sessions).toHaveLength(1);
    expect(existsSync(join(other.root, '.system/tasks'))).toBe(false);
    await one.runtime.dispose();
    expect(await other.runtime.sessions[0]?.submit('hello')).toMatchObject({ ready: true });
    expect(() => one.runtime.startSession()).toThrow('disposed of');
  });

  test('has sessions with ids of their own', async () => {
    const { runtime } = await runtimeWith();
    runtime.startSession({ sessionId: 's1' });
    expect(() => runtime.startSession({ sessionId: 's1' })).toThrow('expected an id that no session has');
    expect(runtime.startSession().id).not.toBe(runtime.startSession().id);
    expect(() => new AgentRuntime(untyped<AgentRuntimeOptions<unknown>>({ root: '.', abilities: [] }))).toThrow(
      'planner: expected a function',
    );
  });

  test('that is disposed of ends what runs in the middle of a turn', async () => {
    let aborted = false;
    const { root, runtime } = await runtimeWith({
      hookFiles: { slow: { event_type: 'PreAbilityCall', script: 'echo $$ > pid; sleep 30' } },
      planner: async (_control, _context, { act, signal }) => {
        const created = untyped<{ task_key: string }>(await act({ type: 'CREATE_TASK', ability_id: 'edit_file' }));
        const answer = await act({ type: 'RUN_TASK', task_key: created.task_key });
        aborted = signal.aborted;
        return answer;
      },
    });
    const turn = runtime.startSession().submit('go');
    await until(
      'the guard runs',
      5_000,
      () => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8') !== '',
    );
    await runtime.dispose();
    expect(await turn).toMatchObject({ ready: true });
    expect(aborted).toBe(true);
    const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
    await until('the guard is gone', 3_000, () => isGone(pid));
  });
});
