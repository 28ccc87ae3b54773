import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadAbilityHooks } from '../../src/abilities/load.ts';
import { ability, hookFiles, hooksIn, repositoryWith, toolsWith } from './support.ts';

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
  ['a file of another name', { '.system/hooks/guard.yaml.txt': 'id: guard' }, '', '.system/hooks/guard.yaml.txt'],
  ['a hidden file', { '.system/hooks/.guard.yaml': 'id: guard' }, '', '.system/hooks/.guard.yaml'],
])('R1052 what lies where hooks are looked for and is not read is a problem: %s', async (_what, files, named, said) => {
  const root = repositoryWith(files);
  const set = await loadAbilityHooks(join(root, named), { log: false, trustedFolder: true });
  expect(set.problems.map(({ file, message }) => `${file} ${message}`).join()).toContain(said);
  await set.dispose();
});
