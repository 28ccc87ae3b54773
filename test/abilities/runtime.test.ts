import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Ability, Planner } from '../../src/abilities/index.ts';
import { AgentRuntime, type AgentRuntimeOptions } from '../../src/abilities/index.ts';
import { until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { ability, type HookFile, hookFiles, hooksIn, repositoryWith, says, writeIn } from './support.ts';

interface Options extends Partial<AgentRuntimeOptions<unknown>> {
  readonly hookFiles?: Readonly<Record<string, HookFile>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly onFault?: 'skip' | 'fail';
}

const edit = ability('edit_file', () => ({ output_summary: 'edited' }), { summary: 'Changes a file' });

const runtimeWith = async ({ hookFiles: hooks = {}, files = {}, onFault, ...more }: Options = {}) => {
  const root = repositoryWith({ ...hookFiles(hooks), ...files });
  const set = await hooksIn(root, onFault === undefined ? {} : { onFault });
  expect(set.problems).toEqual([]);
  const abilities: readonly Ability[] = [edit];
  const runtime = new AgentRuntime({ root, hooks: set, abilities, planner: () => 'planned', ...more });
  onTestFinished(() => runtime.dispose());
  return { root, runtime };
};

const calls = (root: string, name: string): unknown[] => {
  const file = join(root, name);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
};

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

const notes = (name: string): string => `printf '%s\\n' "$context" >> ${name}`;

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

describe('what an AI asks for', () => {
  test('is answered with outcomes and signals, and never a word about hooks', async () => {
    const { runtime } = await runtimeWith({
      createTaskKey: () => 'task-000001',
      hookFiles: {
        check: {
          event_type: 'PreAbilityCreate',
          script: says('ability_preflight', 'ABILITY_AVAILABLE', { reason: 'slow today' }),
        },
        guard: { event_type: 'PreAbilityCall', script: says('ability_guard', 'ABILITY_ALLOWED') },
      },
    });
    const session = runtime.startSession();
    expect(await session.act({ type: 'LIST_ABILITIES' })).toEqual({
      type: 'ABILITIES',
      abilities: [{ id: 'edit_file', summary: 'Changes a file' }],
    });
    const preflight_signal = {
      source_event: 'PreAbilityCreate',
      hook_id: 'check',
      kind: 'ability_preflight',
      code: 'ABILITY_AVAILABLE',
      payload: { reason: 'slow today' },
    };
    expect(await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input: { a: 1 } })).toEqual({
      type: 'TASK_CREATED',
      task_key: 'task-000001',
      ability_id: 'edit_file',
      preflight: {
        outcome: 'available',
        code: 'ABILITY_AVAILABLE',
        ability_ref: { kind: 'ability_id', value: 'edit_file' },
      },
      hook_signals: [preflight_signal],
    });
    expect(await session.act({ type: 'RUN_TASK', task_key: 'task-000001' })).toEqual({
      type: 'TASK_RESULT',
      task_key: 'task-000001',
      ability_id: 'edit_file',
      status: 'success',
      output_summary: 'edited',
      duration_ms: expect.any(Number),
      hook_signals: [expect.objectContaining({ hook_id: 'guard', code: 'ABILITY_ALLOWED' })],
    });
  });

  test.each([
    ['ABILITY_UNAVAILABLE', 'unavailable'],
    ['ABILITY_REQUIRES_HUMAN', 'requires_human'],
  ])('is refused before there is a task when a hook says %s', async (code, outcome) => {
    const { root, runtime } = await runtimeWith({
      hookFiles: {
        check: {
          event_type: 'PreAbilityCreate',
          script: says('ability_preflight', code, { reason: 'not today', suggestion: 'tomorrow' }),
        },
      },
    });
    const session = runtime.startSession();
    expect(await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file' })).toMatchObject({
      type: 'TASK_REFUSED',
      preflight: { outcome, code, reason: 'not today', suggestion: 'tomorrow' },
      hook_signals: [{ code }],
    });
    expect(existsSync(join(root, '.system/tasks'))).toBe(false);
  });

  test.each([
    ['ABILITY_DENIED', {}, 'ABILITY_DENIED'],
    ['ABILITY_REQUIRES_HUMAN', {}, 'ABILITY_REQUIRES_HUMAN'],
    ['ABILITY_DENIED', { require_human: true }, 'ABILITY_REQUIRES_HUMAN'],
  ])('is not executed when a guard says %s %j, and the task can be run later', async (code, more, told) => {
    let runs = 0;
    const count = ability('count', () => {
      runs += 1;
    });
    const { root, runtime } = await runtimeWith({
      abilities: [count],
      hookFiles: {
        guard: {
          event_type: 'PreAbilityCall',
          script: `[ -e open ] || ${says('ability_guard', code, { reason: 'people do this', ...more })}`,
        },
      },
    });
    const session = runtime.startSession();
    const created = untyped<{ task_key: string }>(await session.act({ type: 'CREATE_TASK', ability_id: 'count' }));
    const action = { type: 'RUN_TASK', task_key: created.task_key };
    expect(await session.act(action)).toMatchObject({
      type: 'TASK_NOT_RUN',
      code: told,
      reason: 'people do this',
      hook_signals: [{ code }],
    });
    expect(await session.runAbility('count')).toMatchObject({ executed: false, code: told });
    expect(runs).toBe(0);
    writeIn(root, 'open', '');
    expect(await session.act(action)).toMatchObject({ type: 'TASK_RESULT', status: 'success' });
    expect(runs).toBe(1);
  });

  test('may be confirmed by a person where a hook asks for one', async () => {
    const questions: unknown[] = [];
    const { runtime } = await runtimeWith({
      confirm: (question) => {
        questions.push(question);
        return true;
      },
      hookFiles: {
        check: {
          event_type: 'PreAbilityCreate',
          script: says('ability_preflight', 'ABILITY_REQUIRES_HUMAN', { reason: 'new' }),
        },
        guard: {
          event_type: 'PreAbilityCall',
          script: says('ability_guard', 'ABILITY_REQUIRES_HUMAN', { reason: 'risky' }),
        },
      },
    });
    const session = runtime.startSession();
    const created = await session.createTask('edit_file', { path: 'a' });
    expect(created).toMatchObject({ created: true });
    const { task_key } = untyped<{ task_key: string }>(created);
    expect(await session.runTask(task_key)).toMatchObject({ executed: true });
    expect(questions).toEqual([
      { eventName: 'PreAbilityCreate', reason: 'new', toolName: 'edit_file', toolInput: { path: 'a' } },
      { eventName: 'PreAbilityCall', reason: 'risky', toolName: 'edit_file', toolInput: { path: 'a' } },
    ]);
  });

  test.each([
    [{ type: 'CREATE_TASK', ability_id: 'edit_file', caller: { source: 'manual_cli' } }, 'caller'],
    [{ type: 'RUN_TASK', task_key: 'task-000001', interrupted: true }, 'interrupted'],
    [{ type: 'RUN_HOOK', hook_id: 'guard' }, 'expected one of LIST_ABILITIES, CREATE_TASK, RUN_TASK'],
    [{ type: 'CREATE_TASKS' }, 'did you mean "CREATE_TASK"?'],
    [{ type: 'CREATE_TASK' }, 'expected one of ability_id, operation_key and ability_ref'],
    [{ type: 'CREATE_TASK', ability_id: 'a', operation_key: 'b' }, 'expected one of'],
    ['RUN_TASK', 'expected an object with a type'],
    [null, 'expected an object with a type, got null'],
  ])('and makes no sense is answered: %j', async (action, message) => {
    const { runtime } = await runtimeWith();
    const answer = await runtime.startSession().act(action);
    expect(answer).toMatchObject({ type: 'INVALID_ACTION', message: expect.stringContaining(message) });
  });

  test('is held back by a check that broke, without a word about what broke', async () => {
    const broken = { on_fault: 'fail', script: 'echo "no such file: /etc/guard.conf" >&2; exit 1' };
    const { runtime } = await runtimeWith({
      hookFiles: {
        check: { event_type: 'PreAbilityCreate', match: { ability_scope: 'deploy' }, ...broken },
        guard: { event_type: 'PreAbilityCall', ...broken },
      },
      abilities: [edit, ability('deploy', () => 1)],
    });
    const session = runtime.startSession();
    const created = untyped<{ task_key: string }>(await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file' }));
    const refused = await session.act({ type: 'CREATE_TASK', ability_id: 'deploy' });
    const notRun = await session.act({ type: 'RUN_TASK', task_key: created.task_key });
    expect(refused).toMatchObject({ type: 'TASK_REFUSED', preflight: { code: 'ABILITY_UNAVAILABLE' } });
    expect(notRun).toMatchObject({ type: 'TASK_NOT_RUN', code: 'ABILITY_DENIED' });
    for (const answer of [refused, notRun]) {
      expect(JSON.stringify(answer)).toContain('a required check could not be made');
      expect(JSON.stringify(answer)).not.toMatch(/hook "|guard\.conf|exit/i);
    }
    // The host is told everything.
    expect(await session.runTask(created.task_key)).toMatchObject({
      hook_error: { hook_id: 'guard', code: 'exit-code' },
      reason: expect.stringContaining('guard'),
    });
  });

  test('and is in somebody else’s hands is told so, without where', async () => {
    const { root, runtime } = await runtimeWith();
    const session = runtime.startSession();
    const { task_key } = untyped<{ task_key: string }>(await session.createTask('edit_file'));
    writeIn(root, `.system/tasks/${task_key}.claim-1`, '?');
    for (const key of [task_key, 'task-notthere']) {
      const answer = await session.act({ type: 'RUN_TASK', task_key: key });
      expect(answer).toMatchObject({ type: 'TASK_NOT_RUN' });
      expect(JSON.stringify(answer)).not.toContain(root);
    }
    expect(await session.runTask(task_key)).toMatchObject({ reason: expect.stringContaining(root) });
  });

  test('is judged and executed as it was asked for, whatever becomes of the object in between', async () => {
    const executed: unknown[] = [];
    const { root, runtime } = await runtimeWith({
      abilities: [
        ability('deploy', ({ input }) => {
          executed.push(input);
        }),
      ],
      hookFiles: { guard: { event_type: 'PreAbilityCall', script: notes('guarded') } },
    });
    const session = runtime.startSession();
    const input = { target: 'staging' };
    const running = session.runAbility('deploy', input);
    const creating = session.createTask('deploy', input);
    input.target = 'production';
    await running;
    await session.runTask(untyped<{ task_key: string }>(await creating).task_key);
    expect(executed).toEqual([{ target: 'staging' }, { target: 'staging' }]);
    expect(calls(root, 'guarded')).toMatchObject([{ args: executed[0] }, { args: executed[0] }]);
  });

  test('reaches the hooks with the session as its caller, whatever its input says', async () => {
    const { root, runtime } = await runtimeWith({
      environment: 'workstation',
      createTaskKey: () => 'task-000001',
      hookFiles: {
        check: { event_type: 'PreAbilityCreate', script: notes('created') },
        guard: { event_type: 'PreAbilityCall', script: notes('guarded') },
        track: { event_type: 'PostAbilityCall', blocking: false, script: notes('tracked') },
      },
    });
    const session = runtime.startSession({ sessionId: 's1', triggeredBy: 'a person' });
    const input = { caller: { source: 'manual_cli' } };
    await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input });
    await session.act({ type: 'RUN_TASK', task_key: 'task-000001' });
    const caller = { source: 'ai_session', session_id: 's1', triggered_by: 'a person' };
    expect(calls(root, 'created')).toEqual([
      {
        event_type: 'PreAbilityCreate',
        session_id: 's1',
        ability_ref: { kind: 'ability_id', value: 'edit_file' },
        ability_id: 'edit_file',
        input_summary: 'caller.source=manual_cli',
        input,
        environment: 'workstation',
        caller,
      },
    ]);
    expect(calls(root, 'guarded')).toEqual([
      {
        event_type: 'PreAbilityCall',
        session_id: 's1',
        ability_id: 'edit_file',
        task_key: 'task-000001',
        args_summary: 'caller.source=manual_cli',
        args: input,
        environment: 'workstation',
        caller,
      },
    ]);
    await until('the call is tracked', 5_000, () => calls(root, 'tracked').length === 1);
    expect(calls(root, 'tracked')).toEqual([
      {
        event_type: 'PostAbilityCall',
        session_id: 's1',
        ability_id: 'edit_file',
        task_key: 'task-000001',
        status: 'success',
        duration_ms: expect.any(Number),
        input_summary: 'caller.source=manual_cli',
        input,
        output_summary: 'edited',
        caller,
      },
    ]);
  });

  test.each(['background_job', 'ci_pipeline', 'manual_cli'] as const)(
    'and a %s asks for too, passes the same checks',
    async (source) => {
      const { root, runtime } = await runtimeWith({
        hookFiles: {
          check: {
            event_type: 'PreAbilityCreate',
            script: `${notes('created')}; ${says('ability_preflight', 'ABILITY_UNAVAILABLE')}`,
          },
          guard: {
            event_type: 'PreAbilityCall',
            script: `${notes('guarded')}; ${says('ability_guard', 'ABILITY_DENIED')}`,
          },
        },
      });
      const tools = runtime.toolsFor({ source, job_id: 'job-1' });
      expect(await tools.createTask('edit_file')).toMatchObject({ created: false });
      expect(await tools.runAbility('edit_file')).toMatchObject({ executed: false, code: 'ABILITY_DENIED' });
      const caller = { source, job_id: 'job-1' };
      expect([...calls(root, 'created'), ...calls(root, 'guarded')]).toMatchObject([{ caller }, { caller }]);
    },
  );
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
