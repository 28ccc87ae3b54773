import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StartControl } from '../../src/abilities/index.ts';
import { AgentRuntime } from '../../src/abilities/index.ts';
import { declaration, loadTrusted } from './hooks-support.ts';
import { ability, type HookFile, hookFiles, hooksIn, repositoryWith, says } from './support.ts';

const lines = {
  id: 'id: a-hook',
  event_type: 'event_type: PreAbilityCall',
  enabled: 'enabled: true',
  blocking: 'blocking: true',
  handler: 'handler: {kind: script, command: x}',
};

describe('R351 a declaration needs id, event_type, enabled and blocking', () => {
  test('and what is run: nothing more', async () => {
    const set = await loadTrusted({ 'a.yaml': Object.values(lines).join('\n') });
    expect(set.problems).toEqual([]);
    expect(set.hooks).toMatchObject([{ id: 'a-hook', eventType: 'PreAbilityCall', enabled: true, blocking: true }]);
  });

  test.each(Object.keys(lines))('without %s it cannot be used, and the key is named', async (key) => {
    const rest = Object.entries(lines).flatMap(([name, line]) => (name === key ? [] : [line]));
    const set = await loadTrusted({ 'a.yaml': rest.join('\n') });
    expect(set.hooks).toEqual([]);
    expect(set.problems).toMatchObject([{ severity: 'error', skipped: true, path: key }]);
  });
});

test('R363 a hook without match runs whatever the event is about; one with match does not', async () => {
  const ran = `cat > /dev/null; echo "$1"`;
  const named = (id: string, more = '') => declaration({ id, command: `${ran}; touch ran-${id}`, more });
  const set = await loadTrusted({
    'a.yaml': named('always'),
    'b.yaml': named('empty', 'match: {}'),
    'c.yaml': named('other', 'match: {ability_scope: other_ability}'),
  });
  for (const ability_id of ['edit_file', 'signup']) {
    const { hooks } = await set.fire('PreAbilityCall', { ability_id, caller: { source: 'ai_session' } });
    expect(hooks.map(({ hook_id }) => hook_id)).toEqual(['always', 'empty']);
  }
  expect(set.explain('PreAbilityCall').map(({ matcher }) => matcher)).toEqual([
    'all abilities',
    'all abilities',
    'ability=other_ability',
  ]);
});

/** An agent with one ability that counts its runs, and with these hooks. */
const agentWith = async (files: Readonly<Record<string, HookFile>>) => {
  const root = repositoryWith(hookFiles(files));
  const hooks = await hooksIn(root);
  const controls: StartControl[] = [];
  let runs = 0;
  const edit = ability('edit_file', ({ input }) => {
    runs += 1;
    if (JSON.stringify(input).includes('broken')) throw new Error('cannot be edited');
    return 'edited';
  });
  const runtime = new AgentRuntime({
    root,
    hooks,
    abilities: [edit],
    environment: 'staging',
    planner: (control) => void controls.push(control),
  });
  onTestFinished(() => runtime.dispose());
  const session = runtime.startSession({ sessionId: 's1', triggeredBy: 'me' });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
  return { root, hooks, session, controls, runs: () => runs, read };
};

const slowly = (signal: string): string => `sleep 0.15; ${signal}`;
const hint = says('routing_hint', 'ROUTE_SUGGESTION', { suggested_abilities: [{ id: 'edit_file', reason: 'r' }] });
const unavailable = says('ability_preflight', 'ABILITY_UNAVAILABLE', {
  ability_ref: { kind: 'ability_id', value: 'edit_file' },
  reason: 'not today',
});
const denied = says('ability_guard', 'ABILITY_DENIED', { ability_id: 'edit_file', reason: 'not here' });

describe.skipIf(process.platform === 'win32')('what blocking means', () => {
  const threeHooks = (blocking: boolean) => ({
    routes: { event_type: 'PromptSubmit', blocking, script: slowly(hint) },
    checks: { event_type: 'PreAbilityCreate', blocking, script: slowly(unavailable) },
    guards: { event_type: 'PreAbilityCall', blocking, script: slowly(denied) },
  });
  const create = { type: 'CREATE_TASK', ability_id: 'edit_file', input: { path: 'a' } };

  test('R356 before a prompt, a task and a call hooks that block are waited for, and decide', async () => {
    const { session, controls, runs } = await agentWith(threeHooks(true));
    await session.submit('change a');
    expect(controls).toMatchObject([{ turn_ready: true, hook_signals: [{ hook_id: 'routes' }] }]);
    expect(await session.act(create)).toMatchObject({ type: 'TASK_REFUSED', preflight: { reason: 'not today' } });
    expect(await session.runAbility('edit_file', { path: 'a' })).toMatchObject({ executed: false, reason: 'not here' });
    expect(runs()).toBe(0);
  });

  test('R356 those that do not block are heard at none of the three', async () => {
    const { session, controls, runs, hooks } = await agentWith(threeHooks(false));
    await session.submit('change a');
    expect(controls).toMatchObject([{ turn_ready: true, hook_signals: [] }]);
    expect(await session.act(create)).toMatchObject({ type: 'TASK_CREATED' });
    expect(await session.runAbility('edit_file', { path: 'a' })).toMatchObject({ executed: true, status: 'success' });
    expect(runs()).toBe(1);
    await hooks.idle();
  });

  test.each([true, false])(
    'R357 R424 after a call and at the end of a session nothing of the turn depends on a hook (blocking: %s)',
    async (blocking) => {
      // It says what would refuse a call, and then fails, which it declares to be fatal.
      const script = `${denied}; touch "ran-$HOOK"; exit 1`;
      const { root, session, runs, hooks } = await agentWith({
        notes: { event_type: 'PostAbilityCall', blocking, on_fault: 'fail', script: script.replace('$HOOK', 'call') },
        builds: { event_type: 'SessionStop', blocking, on_fault: 'fail', script: script.replace('$HOOK', 'end') },
      });
      const first = await session.runAbility('edit_file', { path: 'a' });
      expect(first).toMatchObject({ executed: true, status: 'success', output: 'edited' });
      expect(JSON.stringify(first)).not.toContain('not here');
      expect(await session.runAbility('edit_file', { path: 'b' })).toMatchObject({ executed: true });
      expect(runs()).toBe(2);
      session.end();
      await session.settled;
      await hooks.idle();
      expect(['ran-call', 'ran-end'].map((name) => existsSync(join(root, name)))).toEqual([true, true]);
    },
  );
});

describe.skipIf(process.platform === 'win32')('hooks after the fact', () => {
  test.each([true, false])(
    'R424 are waited for by no call and no end of a session (blocking: %s)',
    async (blocking) => {
      const script = (name: string): string => `until [ -e go ]; do sleep 0.02; done; touch ran-${name}`;
      const { root, session, hooks } = await agentWith({
        notes: { event_type: 'PostAbilityCall', blocking, script: script('call') },
        builds: { event_type: 'SessionStop', blocking, script: script('end') },
      });
      const ran = () => ['ran-call', 'ran-end'].map((name) => existsSync(join(root, name)));
      expect(await session.runAbility('edit_file', { path: 'a' })).toMatchObject({ status: 'success' });
      const made = await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input: { path: 'a' } });
      const task_key = made.type === 'TASK_CREATED' ? made.task_key : '';
      expect(await session.act({ type: 'RUN_TASK', task_key })).toMatchObject({ status: 'success' });
      session.end();
      expect(ran()).toEqual([false, false]);
      writeFileSync(join(root, 'go'), '');
      await session.settled;
      await hooks.idle();
      expect(ran()).toEqual([true, true]);
    },
  );
});

describe.skipIf(process.platform === 'win32')('what hooks read of a session', () => {
  const keeps = (event_type: string, file: string): HookFile => ({ event_type, script: `echo "$context" > ${file}` });
  const caller = { source: 'ai_session', session_id: 's1', triggered_by: 'me' };

  test('R382 before a task: the session, the ability as it was asked for, a summary, the environment, the caller', async () => {
    const { session, read } = await agentWith({ checks: keeps('PreAbilityCreate', 'created.json') });
    await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input: { path: 'config/a.yml', text: 'x' } });
    expect(read('created.json')).toMatchObject({
      event_type: 'PreAbilityCreate',
      session_id: 's1',
      ability_ref: { kind: 'ability_id', value: 'edit_file' },
      input_summary: expect.stringMatching(/^path=config\/a\.yml/),
      environment: 'staging',
      caller,
    });
  });

  test('R386 before a call: the session, the ability, the task, a summary of the arguments, the caller', async () => {
    const { session, read } = await agentWith({ guards: keeps('PreAbilityCall', 'called.json') });
    const made = await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input: { path: 'a.yml' } });
    const task_key = made.type === 'TASK_CREATED' ? made.task_key : '';
    expect(await session.act({ type: 'RUN_TASK', task_key })).toMatchObject({ status: 'success' });
    const about = { event_type: 'PreAbilityCall', session_id: 's1', ability_id: 'edit_file', caller };
    expect(read('called.json')).toMatchObject({ ...about, task_key, args_summary: 'path=a.yml' });
    await session.runAbility('edit_file', { path: 'b.yml' });
    expect(read('called.json')).toMatchObject({ ...about, args_summary: 'path=b.yml' });
    expect(read('called.json')).not.toHaveProperty('task_key');
  });

  test('R390 at the end: of each task that ran its key, its ability and how it ended, and none that did not', async () => {
    const { session, read, root } = await agentWith({ builds: keeps('SessionStop', 'end.json') });
    const keyOf = async (path: string): Promise<string> => {
      const made = await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input: { path } });
      return made.type === 'TASK_CREATED' ? made.task_key : '';
    };
    const [good, bad] = [await keyOf('fine'), await keyOf('broken'), await keyOf('never')];
    for (const task_key of [good, bad]) await session.act({ type: 'RUN_TASK', task_key });
    writeFileSync(join(root, 'end.json'), 'null');
    session.end();
    await session.settled;
    expect(read('end.json')).toMatchObject({
      session_id: 's1',
      abilities_used: ['edit_file'],
      tasks_summary: [
        { task_key: good, ability_id: 'edit_file', status: 'success' },
        { task_key: bad, ability_id: 'edit_file', status: 'failure' },
      ],
    });
  });
});
