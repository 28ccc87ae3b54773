import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ScaffoldLanguage, scaffoldAbilityHook, testAbilityHooks } from '../../src/abilities/index.ts';
import { createSamples } from '../../src/abilities/internal.ts';
import type { AbilityEventType } from '../../src/events/index.ts';
import { abilityCatalogue, abilityEventTypes, isAbilityEventType } from '../../src/events/index.ts';
import { untyped } from '../support/untyped.ts';
import { hooksIn, repositoryWith } from './support.ts';

/** The ability in handlers and tests that were begun without another. */
const SAMPLE_ABILITY = 'edit_file';
const extensions: Readonly<Record<ScaffoldLanguage, string>> = { sh: 'sh', node: 'mjs', python: 'py' };
const names = Object.keys(extensions).map((name) => untyped<ScaffoldLanguage>(name));
const events = abilityEventTypes.filter(isAbilityEventType);
const programs: Readonly<Record<ScaffoldLanguage, string>> = { sh: 'sh', node: 'node', python: 'python3' };
const isThere = (language: ScaffoldLanguage): boolean => spawnSync(programs[language], ['-c', ':']).error === undefined;

const cases = events.flatMap((eventType) => names.map((language) => ({ eventType, language })));

describe.skipIf(process.platform === 'win32')('a hook that was just begun', () => {
  test.each(cases)('for $eventType in $language works, and its test passes', async ({ eventType, language }) => {
    const root = repositoryWith();
    const files = await scaffoldAbilityHook({ root, id: 'my-first-hook', eventType, language });
    expect(files.map(({ file }) => file)).toEqual([
      '.system/hooks/my-first-hook.yaml',
      `.system/handlers/my-first-hook.${extensions[language]}`,
      '.system/hook-tests/my-first-hook.json',
    ]);
    for (const { file, contents } of files) expect(readFileSync(join(root, file), 'utf8')).toBe(contents);
    expect(statSync(join(root, files[1]?.file ?? '')).mode & 0o111).not.toBe(0);
    const hooks = await hooksIn(root);
    expect(hooks.problems).toEqual([]);
    expect(hooks.hooks).toMatchObject([{ id: 'my-first-hook', enabled: true, eventType }]);
    if (!isThere(language)) return;
    expect(await testAbilityHooks(hooks)).toEqual([
      { file: '.system/hook-tests/my-first-hook.json', hook_id: 'my-first-hook', ok: true },
    ]);
    // And what it says is heard without complaint when the event is fired.
    const result = await hooks.fire(eventType, untyped(createSamples(SAMPLE_ABILITY)[eventType].context));
    await hooks.idle();
    expect(result).toMatchObject({ success: true });
    if (abilityCatalogue[eventType].isAiFacing) expect(result.hook_signals).toHaveLength(1);
  });

  test('has the blocking, the summary and the match it was asked to have', async () => {
    const root = repositoryWith();
    const match = { ability_scope: ['edit_*', 'deploy_*'] };
    await scaffoldAbilityHook({
      root,
      id: 'guard',
      eventType: 'PreAbilityCall',
      blocking: false,
      summary: 'Mine: "quoted"',
      match,
    });
    expect((await hooksIn(root)).hooks).toMatchObject([
      { blocking: false, summary: 'Mine: "quoted"', match: { abilityScope: match.ability_scope } },
    ]);
  });

  test('spells out what a fault leads to, and refuses keys that nothing would read', async () => {
    const options = { root: repositoryWith(), id: 'guard', dryRun: true } as const;
    const declared = async (eventType: AbilityEventType) =>
      (await scaffoldAbilityHook({ ...options, eventType, scope: ['a*', 'b'] }).catch(String)).toString();
    const [guard] = await scaffoldAbilityHook({ ...options, eventType: 'PreAbilityCall', scope: ['edit_*'] });
    expect(guard?.contents).toContain('on_fault: fail');
    expect(guard?.contents).toContain('ability_scope: edit_*');
    const [stop] = await scaffoldAbilityHook({ ...options, eventType: 'SessionStop', scope: ['src/**', 'docs/**'] });
    expect(stop?.contents).toContain('on_fault: skip');
    expect(stop?.contents).toContain('only_if_changed_paths:\n    - src/**');
    expect(await declared('PromptSubmit')).toContain('scope: PromptSubmit has nothing to compare it with');
    await expect(
      scaffoldAbilityHook({ ...options, eventType: 'PreAbilityCall', match: { abilityScope: 'edit' } }),
    ).rejects.toThrow('match.abilityScope: expected ability_scope');
    const mistaken = { ...options, eventType: 'PreAbilityCall' as const, abilityScope: 'edit' };
    await expect(scaffoldAbilityHook(mistaken)).rejects.toThrow('abilityScope: expected root, id, eventType');
  });

  test.each([
    ['run_migration', 'run_migration'],
    [['db_*', 'run_migration', 'run_tests'], 'run_migration'],
    ['deploy_*', SAMPLE_ABILITY],
  ])('for %j speaks of %s, in what it answers and in its test, which passes', async (ability_scope, ability) => {
    for (const eventType of ['PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall'] as const) {
      const root = repositoryWith();
      const options = { root, id: 'guard', eventType, language: 'sh', match: { ability_scope } } as const;
      const [, , fixture] = await scaffoldAbilityHook(options);
      expect(fixture?.contents).toContain(`"${ability}"`);
      if (ability !== SAMPLE_ABILITY) expect(fixture?.contents).not.toMatch(/edit_file|README/);
      const hooks = await hooksIn(root);
      expect(await testAbilityHooks(hooks)).toMatchObject([{ ok: true }]);
      if (ability === SAMPLE_ABILITY) continue;
      const { context } = createSamples(ability)[eventType];
      expect(hooks.explain(eventType, untyped(context))).toMatchObject([{ planned: 'run' }]);
    }
  });

  test('whose answer was changed fails its test, which says both', async () => {
    const root = repositoryWith();
    const options = { root, id: 'guard', eventType: 'PreAbilityCall', language: 'sh' } as const;
    const [, handler] = await scaffoldAbilityHook(options);
    writeFileSync(join(root, handler?.file ?? ''), 'echo \'{"logs": ["changed"]}\'\n');
    expect(await testAbilityHooks(await hooksIn(root))).toMatchObject([
      { ok: false, expected: { hook_signals: [{}] }, actual: { logs: ['changed'] } },
    ]);
    writeFileSync(join(root, handler?.file ?? ''), 'echo broken >&2; exit 3\n');
    expect(await testAbilityHooks(await hooksIn(root))).toMatchObject([
      { ok: false, message: expect.stringContaining('broken') },
    ]);
  });
});

test('nothing is overwritten: when one file is there, none is written', async () => {
  const root = repositoryWith({ '.system/handlers/guard.mjs': 'mine' });
  const options = { root, id: 'guard', eventType: 'PreAbilityCall' } as const;
  await expect(scaffoldAbilityHook(options)).rejects.toThrow('handlers/guard.mjs already exists and was left as it is');
  expect(readFileSync(join(root, '.system/handlers/guard.mjs'), 'utf8')).toBe('mine');
  expect(existsSync(join(root, '.system/hooks'))).toBe(false);
});

test('a dry run says what would be written and writes nothing', async () => {
  const root = repositoryWith();
  const options = { root, id: 'guard', eventType: 'PreAbilityCall' } as const;
  const said = await scaffoldAbilityHook({ ...options, dryRun: true });
  expect(readdirSync(root)).toEqual([]);
  expect(await scaffoldAbilityHook(options)).toEqual(said);
});

test.skipIf(process.platform === 'win32')('nothing is written through a link', async () => {
  const root = repositoryWith({ 'elsewhere/x': '' });
  symlinkSync(join(root, 'elsewhere'), join(root, '.system'));
  const options = { root, id: 'guard', eventType: 'PreAbilityCall' } as const;
  await expect(scaffoldAbilityHook(options)).rejects.toThrow('is a symbolic link');
  expect(readdirSync(join(root, 'elsewhere'))).toEqual(['x']);
});

test.each([
  [{ root: undefined }, 'root: expected the path of the repository, got nothing'],
  [{ id: '../x' }, 'id: expected kebab-case'],
  [{ id: 'Guard' }, 'id: expected kebab-case'],
  [{ id: 'x'.repeat(65) }, 'at most 64'],
  [{ eventType: 'PreAbilityCal' }, 'did you mean "PreAbilityCall"?'],
  [{ language: 'perl' }, 'language: expected one of sh, node, python, got "perl"'],
])('what makes no sense is refused: %j', async (wrong, message) => {
  const root = repositoryWith();
  const options = untyped<Parameters<typeof scaffoldAbilityHook>[0]>({
    root,
    id: 'guard',
    eventType: 'PreAbilityCall',
    ...wrong,
  });
  await expect(scaffoldAbilityHook(options)).rejects.toThrow(message);
  expect(readdirSync(root)).toEqual([]);
});

test.each([
  ['no JSON', '{', 'is not JSON'],
  ['something else', '{"a": 1}', 'expected hook_id, event_type, context and expected'],
  [
    'a hook there is not',
    '{"hook_id": "gard", "event_type": "PreAbilityCall", "context": {}, "expected": {}}',
    'there is no hook "gard"; did you mean "guard"?',
  ],
  [
    'another event',
    '{"hook_id": "guard", "event_type": "SessionStop", "context": {}, "expected": {}}',
    'the hook is for PreAbilityCall, the test for SessionStop',
  ],
  [
    'a context nobody would send',
    '{"hook_id": "guard", "event_type": "PreAbilityCall", "context": {}, "expected": {}}',
    'context.ability_id',
  ],
])('a test with %s fails and says why', async (_what, text, message) => {
  const root = repositoryWith();
  await scaffoldAbilityHook({ root, id: 'guard', eventType: 'PreAbilityCall' });
  writeFileSync(join(root, '.system/hook-tests/guard.json'), text);
  const [result] = await testAbilityHooks(await hooksIn(root));
  expect(result).toMatchObject({ ok: false, message: expect.stringContaining(message) });
});

const signal = (part: object) => ({
  hook_signals: [{ kind: 'ability_guard', code: 'ABILITY_DENIED', payload: {}, ...part }],
});

test.each([
  ['an unknown code', signal({ code: 'ABILITY_DENNIED' }), 'did you mean "ABILITY_DENIED"?'],
  ['an unknown kind', signal({ kind: 'guard' }), 'PreAbilityCall takes ability_guard, found "guard"'],
  ['signals under another key', { hook_signal: signal({}).hook_signals }, 'signals belong in the list hook_signals'],
  ['the form of another agent', { decision: 'deny' }, 'an ability hook refuses by a signal'],
])(
  'a test fails if its answer has %s, which a session does not read as it stands R2072',
  async (_what, answer, why) => {
    const root = repositoryWith();
    const options = { root, id: 'guard', eventType: 'PreAbilityCall', language: 'sh' } as const;
    const [, handler, written] = await scaffoldAbilityHook(options);
    writeFileSync(join(root, handler?.file ?? ''), `cat > /dev/null; echo '${JSON.stringify(answer)}'\n`);
    const context = createSamples(SAMPLE_ABILITY).PreAbilityCall.context;
    const given = { hook_id: 'guard', event_type: 'PreAbilityCall', context, expected: answer };
    writeFileSync(join(root, written?.file ?? ''), JSON.stringify(given));
    const [result] = await testAbilityHooks(await hooksIn(root));
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining(why) });
  },
);

test('a test of a hook that prints no JSON fails, even if it expects no signals R2072', async () => {
  const root = repositoryWith();
  const options = { root, id: 'guard', eventType: 'PreAbilityCall', language: 'sh' } as const;
  const [, handler, written] = await scaffoldAbilityHook(options);
  writeFileSync(join(root, handler?.file ?? ''), 'cat > /dev/null; echo denied\n');
  const context = createSamples(SAMPLE_ABILITY).PreAbilityCall.context;
  const given = { hook_id: 'guard', event_type: 'PreAbilityCall', context, expected: {} };
  writeFileSync(join(root, written?.file ?? ''), JSON.stringify(given));
  const [result] = await testAbilityHooks(await hooksIn(root));
  expect(result).toMatchObject({ ok: false, message: expect.stringContaining('not a JSON object (denied)') });
});

test.each([
  ['nothing', undefined, 'got nothing'],
  ['a path', '/somewhere', 'got "/somewhere"'],
  ['options', { root: '/somewhere' }, 'got an object'],
  ['what was not waited for', Promise.resolve(), 'got a promise; await it first'],
])('tests of %s are refused with what is expected instead', async (_what, given, found) => {
  await expect(testAbilityHooks(untyped(given))).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringMatching(/^testAbilityHooks: expected the hook set that loadAbilityHooks resolves to, got /),
  });
  await expect(testAbilityHooks(untyped(given))).rejects.toThrow(found);
});
