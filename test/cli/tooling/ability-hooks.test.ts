import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runCommand, runForJson } from '../support/run-command.ts';

let directory = '';

beforeEach(() => {
  directory = temporaryFolder('ability-hooks');
  mkdirSync(join(directory, '.system/hooks'), { recursive: true });
});

const declare = (id: string, event: string, more: string): void =>
  writeFileSync(
    join(directory, `.system/hooks/${id}.yaml`),
    `id: ${id}\nevent_type: ${event}\n${more}\nhandler: { kind: script, command: "true" }\n`,
  );

const listed = async () => {
  const { code, stdout } = await runCommand(directory, 'ability', 'hooks');
  return { code, lines: stdout.trimEnd().split('\n') };
};

test('the ability hooks there are come with id, event, enabled, blocking and what they match', async () => {
  declare('guard', 'PreAbilityCall', 'enabled: true\nblocking: true\nmatch: { ability_scope: "deploy*" }');
  declare('build', 'SessionStop', 'enabled: false\nblocking: false\nmatch: { only_if_changed_paths: ["src/**"] }');
  declare('usage', 'PostAbilityCall', 'enabled: true\nblocking: false');
  const { lines, code } = await listed();
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^id +event_type +enabled +blocking +match_summary +status$/);
  expect(lines).toContainEqual(
    expect.stringMatching(/^guard +PreAbilityCall +true +true +ability=deploy\* +unapproved$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^build +SessionStop +false +false +paths=src\/\*\*$/));
  expect(lines).toContainEqual(expect.stringMatching(/^usage +PostAbilityCall +true +false +all .*unapproved$/));
  expect(await runForJson(directory, 'ability', 'hooks')).toMatchObject({
    data: { hooks: expect.arrayContaining([expect.objectContaining({ id: 'guard', blocking: true })]) },
  });
});

test('a declaration that cannot be used hides no other, and is a finding', async () => {
  declare('guard', 'PreAbilityCall', 'enabled: true\nblocking: true');
  writeFileSync(join(directory, '.system/hooks/broken.yaml'), 'id: [\n');
  const { lines, code } = await listed();
  expect(code).toBe(1);
  expect(lines.join('\n')).toMatch(/guard[\s\S]*broken\.yaml/);
});

test('where there are none it says where they go', async () => {
  expect((await listed()).lines).toEqual([
    'There are no ability hooks.',
    'They are declared in .system/hooks, one YAML file each.',
  ]);
});
