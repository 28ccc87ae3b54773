import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CommandOutcome } from '../../../src/cli/command-outcome.ts';
import { run } from '../../../src/cli/commands/ability/hooks.ts';
import { toTerminal } from '../../../src/cli/rendering/text.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { quietContext } from '../support/context.ts';

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

const listed = async (): Promise<CommandOutcome & { readonly lines: readonly string[] }> => {
  const outcome = await run({}, quietContext(directory));
  if (typeof outcome === 'number') throw new Error('an outcome was expected');
  return { ...outcome, lines: toTerminal(outcome.text(), false).trimEnd().split('\n') };
};

test('the ability hooks there are come with id, event, enabled, blocking and what they match', async () => {
  declare('guard', 'PreAbilityCall', 'enabled: true\nblocking: true\nmatch: { ability_scope: "deploy*" }');
  declare('build', 'SessionStop', 'enabled: false\nblocking: false\nmatch: { only_if_changed_paths: ["src/**"] }');
  declare('usage', 'PostAbilityCall', 'enabled: true\nblocking: false');
  const { lines, data, findings } = await listed();
  expect(findings).toBe(false);
  expect(lines[0]).toMatch(/^id +event_type +enabled +blocking +match_summary +status$/);
  expect(lines).toContainEqual(
    expect.stringMatching(/^guard +PreAbilityCall +true +true +ability=deploy\* +unapproved$/),
  );
  expect(lines).toContainEqual(expect.stringMatching(/^build +SessionStop +false +false +paths=src\/\*\*$/));
  expect(lines).toContainEqual(expect.stringMatching(/^usage +PostAbilityCall +true +false +all .*unapproved$/));
  expect(data).toMatchObject({
    hooks: expect.arrayContaining([expect.objectContaining({ id: 'guard', blocking: true })]),
  });
});

test('a declaration that cannot be used hides no other, and is a finding', async () => {
  declare('guard', 'PreAbilityCall', 'enabled: true\nblocking: true');
  writeFileSync(join(directory, '.system/hooks/broken.yaml'), 'id: [\n');
  const { lines, findings } = await listed();
  expect(findings).toBe(true);
  expect(lines.join('\n')).toMatch(/guard[\s\S]*broken\.yaml/);
});

test('where there are none it says where they go', async () => {
  expect((await listed()).lines).toEqual([
    'There are no ability hooks.',
    'They are declared in .system/hooks, one YAML file each.',
  ]);
});
