import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../support/processes.ts';
import { untyped } from '../support/untyped.ts';
import { calls, edit, notes, runtimeWith } from './runtime-support.ts';
import { ability, says, writeIn } from './support.ts';

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
