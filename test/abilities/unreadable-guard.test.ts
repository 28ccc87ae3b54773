import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentSession, LoadAbilityHooksOptions, RunAbilityResult } from '../../src/abilities/index.ts';
import type { HookExecutionTrace } from '../../src/protocol/index.ts';
import { approveAll, fixtureRepository, open } from './fixture-support.ts';
import { answers, caller, declaration, hooksRepository, load, loadTrusted } from './hooks-support.ts';
import { ability, repositoryWith, toolsWith, writeIn } from './support.ts';

const GUARD = '.system/hooks/prod_config_guard.yaml';
const PROD = 'config/prod/app.yml';

/** What an AI does with its own tools: a task, and the answer to running it. */
const edits = async (session: AgentSession, path: string, text = 'a: 1\n'): Promise<Record<string, unknown>> => {
  const created = await session.act({ type: 'CREATE_TASK', ability_id: 'edit_file', input: { path, text } });
  if (created.type !== 'TASK_CREATED') return { ...created };
  return { ...(await session.act({ type: 'RUN_TASK', task_key: created.task_key })) };
};

const sources = ['background_job', 'ci_pipeline', 'manual_cli'] as const;

describe.skipIf(process.platform === 'win32')('an AI that is denied config/prod', () => {
  test.each([
    ['where the folder is trusted', false],
    ['where approvals are kept', true],
  ])(
    'writes nonsense into the guard, and is refused in the next session: %s',
    { timeout: 60_000 },
    async (_where, isKept) => {
      const root = fixtureRepository();
      const home = repositoryWith();
      if (isKept) await approveAll(root, home);
      const options: LoadAbilityHooksOptions = isKept ? { home } : { trustedFolder: true };

      const first = await open(root, options);
      const session = first.runtime.startSession();
      expect(await edits(session, PROD)).toMatchObject({
        type: 'TASK_NOT_RUN',
        code: 'ABILITY_REQUIRES_HUMAN',
        reason: 'config/prod is edited by people.',
      });
      expect(await edits(session, GUARD, 'id: [\n')).toMatchObject({ type: 'TASK_RESULT', status: 'success' });

      const { hooks, runtime } = await open(root, options);
      const next = runtime.startSession();
      expect(await edits(next, PROD)).toMatchObject(
        // The event of a file that says nothing may be any; what was approved says which it is.
        isKept
          ? { type: 'TASK_NOT_RUN', code: 'ABILITY_DENIED' }
          : { type: 'TASK_REFUSED', preflight: { outcome: 'unavailable' } },
      );
      const direct = await next.runAbility('edit_file', { path: PROD, text: 'a: 1\n' });
      const refused = {
        executed: false,
        code: 'ABILITY_DENIED',
        reason: expect.stringMatching(/prod_config_guard\.yaml:\d+ cannot be used/),
        hook_error: { code: 'invalid-config' },
      };
      expect(direct).toMatchObject(refused);
      for (const source of sources) {
        const result: RunAbilityResult = await runtime
          .toolsFor({ source })
          .runAbility('edit_file', { path: PROD, text: '' });
        expect(result).toMatchObject(refused);
      }
      expect(existsSync(join(root, PROD))).toBe(false);

      expect(hooks.problems.flatMap(({ file, message }) => [file, message]).join('\n')).toMatch(
        /prod_config_guard\.yaml[\s\S]*what it might check is refused/,
      );
      expect(
        hooks
          .explain('PreAbilityCall')
          .concat(hooks.explain())
          .find(({ source }) => source.file?.endsWith('guard.yaml')),
      ).toMatchObject({
        planned: 'skip',
        reason: 'invalid-config',
        hint: expect.stringContaining('is refused'),
      });
      await hooks.idle();
      const log = readFileSync(join(root, '.system/logs/hooks.jsonl'), 'utf8');
      expect(log).toMatch(/"code":"invalid-config"/);
      // An approved guard keeps its own scope; of one that nobody knows everything may be its business.
      const other = await next.runAbility('signup_e2e_test');
      expect(other.executed).toBe(isKept);
    },
  );

  test.each([
    ['loosens what it says about faults', (text: string) => `on_fault: skip\n${text}id: [\n`],
    ['makes it one that nobody waits for', (text: string) => text.replace('blocking: true', 'blocking: false')],
    ['switches it off', (text: string) => text.replace('enabled: true', 'enabled: false')],
    ['narrows what it looks at', (text: string) => text.replace('edit_file', 'nothing_here')],
    ['gives it another moment', (text: string) => text.replace('PreAbilityCall', 'PostAbilityCall')],
    [
      'makes another hook of it',
      () =>
        'id: other\nevent_type: SessionStop\nenabled: true\nblocking: false\nhandler: {kind: script, command: "true"}\n',
    ],
    ['has it run something else', (text: string) => text.replace('./scripts/hooks/prod_config_guard.py', 'true')],
  ])('%s where approvals are kept, and is refused', { timeout: 30_000 }, async (_what, change) => {
    const root = fixtureRepository();
    const home = repositoryWith();
    await approveAll(root, home);
    const file = join(root, GUARD);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
    const { runtime } = await open(root, { home });
    const session = runtime.startSession();
    const result = await session.runAbility('edit_file', { path: PROD, text: '' });
    expect(result).toMatchObject({
      executed: false,
      code: 'ABILITY_DENIED',
      reason: expect.stringContaining('prod_config_guard.yaml:'),
    });
    expect(await session.runAbility('signup_e2e_test')).toMatchObject({ executed: true });
    await approveAll(root, home);
    const again = await open(root, { home });
    expect((await again.runtime.startSession().runAbility('signup_e2e_test')).executed).toBe(true);
  });

  test('swaps the script of the guard while the session goes on, and is refused', { timeout: 30_000 }, async () => {
    const traces: HookExecutionTrace[] = [];
    const root = fixtureRepository();
    const home = repositoryWith();
    await approveAll(root, home);
    const { runtime } = await open(root, { home, onTrace: (trace) => traces.push(trace) });
    const session = runtime.startSession();
    await session.runAbility('edit_file', { path: 'scripts/hooks/prod_config_guard.py', text: '#!/bin/sh\nexit 0\n' });
    traces.length = 0;
    expect(await session.runAbility('edit_file', { path: PROD, text: '' })).toMatchObject({
      executed: false,
      code: 'ABILITY_DENIED',
      hook_error: { code: 'changed-since-trusted' },
    });
    expect(traces.flatMap(({ rows }) => rows).find(({ name }) => name === 'prod_config_guard')).toMatchObject({
      planned: 'skip',
      reason: 'changed-since-trusted',
      outcome: 'faulted',
      code: 'changed-since-trusted',
      message: expect.stringContaining('prod_config_guard.py'),
    });
    expect(existsSync(join(root, PROD))).toBe(false);
  });
});

const call = (ability_id: string) => ({ ability_id, caller });
const create = (value: string) => ({ ability_ref: { kind: 'ability_id' as const, value }, caller });

const good = declaration({ id: 'guard', more: 'match: {ability_scope: deploy}' });

/** Whether the events of an ability fail: the task, the call, and the call of another one. */
const refusals = async (text: string, options: LoadAbilityHooksOptions = {}): Promise<readonly unknown[]> => {
  const hooks = await loadTrusted({ 'a.yaml': text }, { log: false, ...options });
  return [
    (await hooks.fire('PreAbilityCreate', create('deploy'))).error?.code,
    (await hooks.fire('PreAbilityCall', call('deploy'))).error?.code,
    (await hooks.fire('PreAbilityCall', call('read'))).error?.code,
  ];
};

const bad = 'invalid-config';
const none = undefined;

describe('a declaration that cannot be used', () => {
  test.each([
    ['is no YAML and says nothing', 'id: [', [bad, bad, bad]],
    ['has a tab', good.replace('match: {ability_scope: deploy}', 'match:\n\tability_scope: deploy'), [none, bad, bad]],
    ['has a second document', `${good}---\nid: b\n`, [none, bad, bad]],
    ['has a key twice', `${good}enabled: true\n`, [none, bad, bad]],
    ['is empty', '', [bad, bad, bad]],
    ['has an empty match block', good.replace('{ability_scope: deploy}', ''), [none, bad, bad]],
    ['says yes where it means true', good.replace('blocking: true', 'blocking: yes'), [none, bad, none]],
    ['has a wrong type', good.replace('command: "true"', 'command: 7'), [none, bad, none]],
    ['has a wrong id', good.replace('id: guard', 'id: a b'), [none, bad, none]],
    ['has an event with a slip in it', good.replace('PreAbilityCall', 'PreAbilityCal'), [none, bad, none]],
    ['has an event of another system', good.replace('PreAbilityCall', 'BeforeTool'), [bad, bad, none]],
    [
      'is for an event after the fact',
      good.replace('PreAbilityCall', 'PostAbilityCall').replace('enabled: true', 'enabled: maybe'),
      [none, none, none],
    ],
    ['is not blocking', `${good.replace('blocking: true', 'blocking: false')}id: [`, [none, none, none]],
    ['is switched off', `${good.replace('enabled: true', 'enabled: false')}id: [`, [none, none, none]],
    ['says that it may be skipped', `on_fault: skip\n${good}id: [`, [none, none, none]],
    ['says two things about that', `on_fault: skip\n${good}on_fault: fail\nid: [`, [none, bad, bad]],
  ])('refuses what it may have looked at when it %s', async (_what, text, expected) => {
    expect(await refusals(text)).toEqual(expected);
  });

  test('is a matter of the default that the host set, where it says nothing itself', async () => {
    expect(await refusals('id: [', { onFault: 'skip' })).toEqual([none, none, none]);
    expect(await refusals('id: [', { onFault: 'fail' })).toEqual([bad, bad, bad]);
    expect(await refusals(`on_fault: fail\n${good}id: [`, { onFault: 'skip' })).toEqual([none, bad, bad]);
  });

  test('fails a turn only when it says that it must not fail', async () => {
    const prompt = { session_id: 's', user_raw_input: 'hello' };
    const broken = declaration({ id: 'x', event: 'PromptSubmit' }).replace('enabled: true', 'enabled: 1');
    const quiet = await loadTrusted({ 'a.yaml': broken });
    expect(await quiet.fire('PromptSubmit', prompt)).toMatchObject({ success: true });
    const strict = await loadTrusted({ 'a.yaml': `${broken}on_fault: fail\n` });
    expect(await strict.fire('PromptSubmit', prompt)).toMatchObject({ success: false, error: { code: bad } });
  });

  test('says so in the result, with file and line, in the log and in the trace', async () => {
    const traces: HookExecutionTrace[] = [];
    const hooks = await loadTrusted(
      { 'a.yaml': good.replace('blocking: true', 'blocking: yes') },
      { onTrace: (trace) => traces.push(trace) },
    );
    const result = await hooks.fire('PreAbilityCall', call('deploy'));
    expect(result).toMatchObject({ success: false, error: { code: bad, hook_id: 'guard' } });
    expect(result.error?.message).toMatch(/a\.yaml:4 cannot be used: blocking must be true or false.*write true/);
    await hooks.idle();
    expect(traces[0]?.rows).toMatchObject([{ planned: 'skip', reason: bad }]);
    expect(readFileSync(join(hooks.root, '.system/logs/hooks.jsonl'), 'utf8')).toContain('"hook_id":"guard"');
  });

  test.skipIf(process.getuid?.() === 0)('cannot be opened (which root always can): it may be anything', async () => {
    const root = hooksRepository({ 'a.yaml': good });
    chmodSync(join(root, '.system/hooks/a.yaml'), 0);
    const hooks = await load(root, { trustedFolder: true });
    expect((await hooks.fire('PreAbilityCall', call('read'))).error?.code).toBe(bad);
  });

  test.skipIf(process.getuid?.() === 0)(
    'may stand in a folder that cannot be opened (which root always can): the others are read, and it may be anything',
    async () => {
      const root = hooksRepository({ 'a.yaml': good });
      mkdirSync(join(root, '.system/hooks/locked'));
      chmodSync(join(root, '.system/hooks/locked'), 0);
      const hooks = await load(root, { trustedFolder: true });
      expect(hooks.hooks.map(({ id }) => id)).toEqual(['guard']);
      expect((await hooks.fire('PreAbilityCall', call('read'))).error?.code).toBe(bad);
      chmodSync(join(root, '.system/hooks/locked'), 0o755);
    },
  );

  test('is a folder, a link to nowhere, or in a folder that is none', async () => {
    const root = hooksRepository({ 'b.yaml': good });
    mkdirSync(join(root, '.system/hooks/a.yaml'));
    const asFolder = await load(root, { trustedFolder: true });
    expect((await asFolder.fire('PreAbilityCall', call('read'))).error?.code).toBe(bad);
    rmSync(join(root, '.system/hooks'), { recursive: true });
    writeIn(root, '.system/hooks', 'no folder');
    const noFolder = await load(root, { trustedFolder: true });
    expect((await noFolder.fire('PreAbilityCall', call('read'))).error?.code).toBe(bad);
    // A repository works with all hooks absent.
    rmSync(join(root, '.system/hooks'));
    const absent = await load(root, { trustedFolder: true });
    expect((await absent.fire('PreAbilityCall', call('read'))).error).toBeUndefined();
  });

  test.each([
    ['cannot be read', `${good}id: [`],
    ['can be read', good],
    ['says that it may be skipped', `${good}on_fault: skip\n`],
  ])(
    'was never approved where approvals are kept, and %s: it only warns, for it could not have run',
    async (_what, text) => {
      const hooks = await load(hooksRepository({ 'a.yaml': text }));
      expect(await hooks.fire('PreAbilityCall', call('deploy'))).toMatchObject({ success: true, hooks: [] });
      expect(hooks.problems).toHaveLength(1);
      expect(hooks.problems[0]?.message).not.toContain('is refused');
    },
  );

  test.each([
    ['cannot be read', `on_fault: fail\n${good}id: [`, bad, bad],
    ['can be read', `on_fault: fail\n${good}`, 'untrusted', none],
  ])(
    'was never approved, says on_fault: fail and %s: what it may look at is refused',
    async (_what, text, code, other) => {
      expect(await refusals(text, { trustedFolder: undefined })).toEqual([none, code, other]);
      const root = hooksRepository({ 'a.yaml': text });
      const hooks = await load(root);
      expect(hooks.problems).toMatchObject([{ message: expect.stringContaining('what it might check is refused') }]);
      const { runtime } = await open(
        root,
        { home: root, log: false },
        { abilities: [ability('deploy', () => 'done')] },
      );
      const refused = { executed: false, reason: expect.stringMatching(/a\.yaml:\d+/), hook_error: { code } };
      expect(await runtime.startSession().runAbility('deploy')).toMatchObject(refused);
      for (const source of sources)
        expect(await runtime.toolsFor({ source }).runAbility('deploy')).toMatchObject(refused);
      // A folder that nobody trusts as a whole brings no guards.
      expect(await refusals(text, { trustedFolder: false })).toEqual([none, none, none]);
    },
  );

  test('and may be skipped is a fault that is told and stops nothing: in the result, the log and the trace', async () => {
    const traces: HookExecutionTrace[] = [];
    const text = `on_fault: skip\n${good}id: [`;
    const hooks = await loadTrusted({ 'a.yaml': text }, { onTrace: (trace) => traces.push(trace) });
    const fault = { outcome: 'faulted', code: bad, message: expect.stringContaining('a.yaml:') };
    expect(await hooks.fire('PreAbilityCall', call('deploy'))).toMatchObject({
      success: true,
      hooks: [{ hook_id: 'guard', ...fault }],
    });
    expect(traces[0]?.rows).toMatchObject([{ planned: 'skip', reason: bad, ...fault }]);
    await hooks.idle();
    expect(readFileSync(join(hooks.root, '.system/logs/hooks.jsonl'), 'utf8')).toMatch(
      /"status":"failure".*"on_fault":"skip"/,
    );
    expect(hooks.problems).toMatchObject([{ message: expect.stringContaining('continues without it') }]);
  });

  test('and may be for any event has a row in the trace of each, and one in the list of all', async () => {
    const traces: HookExecutionTrace[] = [];
    const files = { 'a.yaml': declaration({ id: 'first' }), 'b.yaml': 'id: [', 'c.yaml': declaration({ id: 'last' }) };
    const hooks = await loadTrusted(files, { log: false, onTrace: (trace) => traces.push(trace) });
    const result = await hooks.fire('PreAbilityCall', call('deploy'));
    expect(result.hooks.map(({ hook_id, outcome }) => [hook_id, outcome])).toEqual([
      ['first', 'silent'],
      ['b.yaml', 'faulted'],
      ['last', 'silent'],
    ]);
    expect(traces[0]?.rows).toMatchObject([
      { name: 'first', outcome: 'silent' },
      { name: 'b.yaml', eventName: 'PreAbilityCall', reason: bad, outcome: 'faulted', code: bad },
      { name: 'last', outcome: 'silent' },
    ]);
    expect(hooks.explain('PromptSubmit')).toMatchObject([{ name: 'b.yaml', eventName: 'PromptSubmit' }]);
    expect(hooks.explain('SessionStop')).toEqual([]);
    expect(hooks.explain().map(({ name }) => name)).toEqual(['first', 'last', 'b.yaml']);
  });

  test.each([
    ['a key that is a number', 'effects:\n  - 404: handled'],
    ['an alias that names nothing', 'effects:\n  - *.md'],
    ['a key twice', 'effects: {a: 1, a: 2}'],
    ['itself twice', 'summary: a\nsummary: b'],
    ['a tag', 'summary: !mine a'],
    ['a colon', 'summary: guards: production'],
    ['a quote that does not end', 'summary: "guards\neffects: [a'],
    ['a tab', 'summary: >\n\tguards production'],
    ['a list at the margin', 'effects:\n- a: 1\n- *b\n- c'],
  ])('costs nothing where its description has %s: a warning, and the guard stands', async (_what, lines) => {
    const denies = answers({
      hook_signals: [{ kind: 'ability_guard', code: 'ABILITY_DENIED', payload: { reason: 'no' } }],
    });
    const text = declaration({ id: 'guard', more: `${lines}\non_fault: fail`, command: denies });
    const hooks = await loadTrusted({ 'a.yaml': text }, { log: false });
    expect(hooks.problems).toMatchObject([
      { severity: 'warning', skipped: false, line: expect.toSatisfy((at) => at >= 5) },
    ]);
    expect(hooks.hooks).toMatchObject([{ id: 'guard', onFault: 'fail' }]);
    expect((await hooks.fire('PreAbilityCall', call('deploy'))).hook_signals).toMatchObject([
      { code: 'ABILITY_DENIED' },
    ]);
  });

  test('costs nothing where only its description cannot be read', async () => {
    const text = good.replace('id: guard', 'id: guard\nsummary: 7\neffects: a text');
    const hooks = await loadTrusted({ 'a.yaml': text });
    expect(hooks.explain('PreAbilityCall')).toMatchObject([{ planned: 'run' }]);
    expect(hooks.problems).toMatchObject([
      { severity: 'warning', skipped: false, path: 'summary' },
      { severity: 'warning', skipped: false, path: 'effects' },
    ]);
  });
});

describe('a guard that was approved', () => {
  test('and is gone is told about; the repository works without it', async () => {
    const root = hooksRepository({ 'a.yaml': good });
    const home = repositoryWith();
    await approveAll(root, home);
    rmSync(join(root, '.system/hooks/a.yaml'));
    const hooks = await load(root, { home });
    expect(hooks.problems).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('"guard" was approved') },
    ]);
    expect((await hooks.fire('PreAbilityCall', call('deploy'))).success).toBe(true);
  });

  test('and moved within the folder with a change is still the guard it was', async () => {
    const root = hooksRepository({ 'a.yaml': good });
    const home = repositoryWith();
    await approveAll(root, home);
    renameSync(join(root, '.system/hooks/a.yaml'), join(root, '.system/hooks/z.yaml'));
    writeIn(root, '.system/hooks/z.yaml', good.replace('command: "true"', 'command: "false"'));
    const hooks = await load(root, { home });
    expect((await hooks.fire('PreAbilityCall', call('deploy'))).error?.code).toBe('changed-since-trusted');
    expect((await hooks.fire('PreAbilityCall', call('read'))).error).toBeUndefined();
  });

  test('obeys what it said about faults when it was approved', async () => {
    const home = repositoryWith();
    for (const [onFault, isRefused] of [
      ['skip', false],
      ['fail', true],
    ] as const) {
      const text = `${good}on_fault: ${onFault}\n`;
      const root = hooksRepository({ 'a.yaml': text });
      await approveAll(root, home);
      writeIn(root, '.system/hooks/a.yaml', text.replace('command: "true"', 'command: "false"'));
      const tools = toolsWith({
        root,
        hooks: await load(root, { home }),
        abilities: [ability('deploy', () => 'done')],
      });
      expect((await tools.runAbility('deploy')).executed).toBe(!isRefused);
    }
  });
});
