import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { loadAbilityHooks } from '../../src/abilities/index.ts';
import { caller } from './hooks-support.ts';
import { ability, hookFiles, hooksIn, repositoryWith, says, toolsWith, writeIn } from './support.ts';

test('R1052 an ability whose hooks were disposed of is not executed', async () => {
  const guard = { event_type: 'PreAbilityCall', on_fault: 'fail', script: 'echo ABILITY_DENIED' };
  const root = repositoryWith(hookFiles({ guard }));
  const hooks = await hooksIn(root);
  let runs = 0;
  const tools = toolsWith({
    root,
    hooks,
    abilities: [
      ability('deploy', () => {
        runs += 1;
      }),
    ],
  });
  await hooks.dispose();
  expect(await tools.runAbility('deploy')).toMatchObject({ executed: false, code: 'ABILITY_UNAVAILABLE' });
  expect(await tools.createTask('deploy')).toMatchObject({ created: false });
  expect(runs).toBe(0);
});

test.each<[string, Readonly<Record<string, string>>, string, string]>([
  ['a folder that does not exist', {}, 'missing', 'the folder does not exist'],
  ['a folder of almost the right name', { '.system/Hooks/guard.yaml': 'id: guard' }, '', '.system/Hooks'],
  ['a folder in the singular', { '.system/hook/guard.yaml': 'id: guard' }, '', '.system/hook'],
  ['a file of another name', { '.system/hooks/guard.yaml.txt': 'id: guard' }, '', '.system/hooks/guard.yaml.txt'],
  ['such a file in a folder', { '.system/hooks/a/guard.yaml.txt': 'id: guard' }, '', '.system/hooks/a/guard.yaml.txt'],
  ['a hidden file', { '.system/hooks/.guard.yaml': 'id: guard' }, '', '.system/hooks/.guard.yaml'],
])('R1052 what lies where hooks are looked for and is not read is a problem: %s', async (_what, files, named, said) => {
  const root = repositoryWith(files);
  const set = await loadAbilityHooks(join(root, named), { log: false, trustedFolder: true });
  expect(set.problems.map(({ file, message }) => `${file} ${message}`).join()).toContain(said);
  await set.dispose();
});

test.each([true, false])('R1056 the answer of a person who is asked stands in result and log: %s', async (answer) => {
  const guard = {
    event_type: 'PreAbilityCall',
    script: says('ability_guard', 'ABILITY_REQUIRES_HUMAN', { reason: 'who?' }),
  };
  const root = repositoryWith(hookFiles({ guard }));
  const hooks = await hooksIn(root);
  const tools = toolsWith({ root, hooks, abilities: [ability('deploy', () => {})], confirm: () => answer });
  expect(await tools.runAbility('deploy')).toMatchObject({ executed: answer, confirmed: answer });
  await hooks.idle();
  const lines = readFileSync(join(root, '.system/logs/hooks.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ ability_id: 'deploy', outcome: answer ? 'confirmed' : 'refused', reason: 'who?' }),
  );
});

test('R1557 a confirm that parks a call of an ability is a refusal, and a warning says why', async () => {
  const guard = {
    event_type: 'PreAbilityCall',
    script: says('ability_guard', 'ABILITY_REQUIRES_HUMAN', { reason: 'who?' }),
  };
  const root = repositoryWith(hookFiles({ guard }));
  const hooks = await hooksIn(root);
  const warnings: string[] = [];
  const logger = { warn: (text: unknown) => warnings.push(String(text)) };
  const abilities = [ability('deploy', () => {})];
  const tools = toolsWith({ root, hooks, abilities, logger, confirm: () => ({ park: 'token' }) });
  expect(await tools.runAbility('deploy')).toMatchObject({ executed: false, confirmed: false });
  expect(warnings).toEqual([
    expect.stringContaining('confirmation of deploy was parked and counts as refused: calls of abilities cannot wait'),
  ]);
});

describe('R1558 guards that are required', () => {
  const guard = { event_type: 'PreAbilityCall', script: 'true' };
  const files = hookFiles({ guard, advice: { ...guard, blocking: false } });
  const load = (require: readonly string[], options: { readonly trustedFolder?: boolean } = { trustedFolder: true }) =>
    loadAbilityHooks(repositoryWith(files), { log: false, require, ...options });

  test('are loaded as any others if they can be asked', async () => {
    const hooks = await load(['guard']);
    expect(hooks.hooks.map(({ id }) => id)).toContain('guard');
    await hooks.dispose();
  });

  test.each([
    ['that is missing', ['gaurd'], {}, 'Required guard "gaurd" is missing: no hook has this name'],
    ['that is not approved', ['guard'], { trustedFolder: false }, 'Required guard "guard" is missing: '],
    ['that does not block', ['advice'], {}, 'it has "blocking": false, so no call waits for it'],
  ])('refuse the whole set in place of one %s', async (_what, require, options, message) => {
    await expect(load(require, { trustedFolder: true, ...options })).rejects.toMatchObject({
      code: 'invalid_config',
      message: expect.stringContaining(message),
      details: { notice: 'required-guard-missing', required: require },
    });
  });

  test('refuse it if they are switched off', async () => {
    const off = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path, text.replace('"enabled":true', '"enabled":false')]),
    );
    const loading = loadAbilityHooks(repositoryWith(off), { log: false, trustedFolder: true, require: ['guard'] });
    await expect(loading).rejects.toThrow('Required guard "guard" is missing: ');
  });
});

test('R1057 a tool runner logs a scope that none of its abilities has, those that were added later included', async () => {
  const guard = { event_type: 'PreAbilityCall', match: { ability_scope: ['Deploy', 'release'] }, script: 'true' };
  const root = repositoryWith(hookFiles({ guard }));
  const warnings: string[] = [];
  const tools = toolsWith({
    root,
    hooks: await hooksIn(root),
    abilities: [ability('deploy', () => {})],
    logger: { warn: (message) => warnings.push(message) },
  });
  tools.abilities.add(ability('release', () => {}));
  await tools.runAbility('deploy');
  await tools.runAbility('deploy');
  expect(warnings).toEqual([expect.stringContaining('no ability here is matched by "Deploy"')]);
});

describe('R1058 a folder of ability hooks is read as it is named', () => {
  const declared = JSON.stringify({
    id: 'guard',
    event_type: 'PreAbilityCall',
    enabled: true,
    blocking: true,
    handler: { kind: 'script', command: 'true' },
  });
  const compose = 'services:\n  web: {image: web}\n';

  test.each<[string, Readonly<Record<string, string>>]>([
    ['.git', { '.git/HEAD': '' }],
    ['.system', { '.system/logs/hooks.jsonl': '' }],
    ['neither', {}],
  ])('with its declarations, and no other YAML, when it holds %s', async (_what, more) => {
    const root = repositoryWith({ 'guard.yaml': declared, 'docker-compose.yml': compose, ...more });
    const set = await hooksIn(root, { root: undefined });
    expect(set.hooks.map(({ id }) => id)).toEqual(['guard']);
    expect((await set.fire('PreAbilityCall', { ability_id: 'deploy', caller })).success).toBe(true);
    expect(set.problems.map(({ severity, file }) => `${severity} ${file}`)).toEqual(
      Object.keys(more).length > 0 ? [] : [`warning ${join(root, 'docker-compose.yml')}`],
    );
  });

  test('with a declaration that is cut off, which stays a guard', async () => {
    const root = repositoryWith({ 'guard.yaml': declared.slice(0, 60) });
    const set = await hooksIn(root, { root: undefined });
    expect((await set.fire('PreAbilityCall', { ability_id: 'deploy', caller })).success).toBe(false);
  });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['added', {}],
  ['switched on', hookFiles({ late: { event_type: 'PreAbilityCall', enabled: false, script: 'true' } })],
])('R1059 a guard that is %s while hooks are in use is a problem and an error of the log', async (_what, before) => {
  const root = repositoryWith({ ...hookFiles({ first: { event_type: 'PreAbilityCall', script: 'true' } }), ...before });
  const errors: string[] = [];
  const hooks = await hooksIn(root, { logger: { error: (message) => errors.push(message) } });
  const call = () => hooks.fire('PreAbilityCall', { ability_id: 'deploy', caller });
  await call();
  expect(hooks.problems).toEqual([]);
  const late = hookFiles({ late: { event_type: 'PreAbilityCall', script: 'exit 2' } });
  for (const [name, text] of Object.entries(late)) writeIn(root, name, text);
  await expect
    .poll(
      async () => {
        await call();
        return hooks.problems;
      },
      { timeout: 10_000 },
    )
    .toMatchObject([{ code: 'not-loaded', severity: 'error', file: join(root, '.system/hooks/late.yaml') }]);
  await call();
  expect(errors).toEqual([expect.stringMatching(/"late" .* is not asked.*load the hooks again/)]);
});

test('R1059 a broken declaration that was there when the hooks were loaded is not reported as added', async () => {
  const hooks = await hooksIn(repositoryWith({ '.system/hooks/broken.yaml': 'id: [broken\n' }));
  const { problems } = hooks;
  await setTimeout(1_100);
  await hooks.fire('PreAbilityCall', { ability_id: 'deploy', caller });
  await hooks.idle();
  expect(problems).toHaveLength(1);
  expect(hooks.problems).toEqual(problems);
});

test('R1503 ability hooks see listed and allowed variables only where the user wants that', async () => {
  vi.stubEnv('EDITION', 'one');
  vi.stubEnv('FLAVOUR', 'two');
  const script = 'echo "$EDITION,$FLAVOUR,${PATH:+path}" > seen.txt';
  const root = repositoryWith({ ...hookFiles({ hook: { event_type: 'PreAbilityCall', script } }), 'home/.keep': '' });
  const home = join(root, 'home');
  const seen = async (user: object): Promise<string> => {
    writeIn(root, 'home/.hookwright/settings.json', JSON.stringify(user));
    const hooks = await loadAbilityHooks(root, { home, trustedFolder: true, log: false });
    await toolsWith({ root, hooks, abilities: [ability('deploy', () => {})] }).runAbility('deploy');
    await hooks.dispose();
    return readFileSync(join(root, 'seen.txt'), 'utf8').trim();
  };
  expect(await seen({})).toBe('one,two,path');
  expect(await seen({ projectEnv: 'listed', allowEnv: ['FLAVOUR'] })).toBe(',two,path');
  vi.unstubAllEnvs();
});
