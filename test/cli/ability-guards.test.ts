import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repositoryWith, writeIn } from '../abilities/support.ts';
import { approveAllAt, hookwright } from './support/built-cli.ts';

const GUARD = '.system/hooks/guard.yaml';

const guard = (more = ''): string =>
  `id: guard\nevent_type: PreAbilityCall\nenabled: true\nblocking: true\nhandler: {kind: script, command: sh guard.sh}\n${more}`;

const deploy = { '.system/abilities/deploy.yaml': 'id: deploy\nhandler: {kind: script, command: "true"}\n' };

const repository = (files: Readonly<Record<string, string>>): string =>
  repositoryWith({ '.git/HEAD': '', 'home/.keep': '', 'guard.sh': 'cat > /dev/null\n', ...deploy, ...files });

describe('R1054 a file of an ability hook that is broken and was never approved', () => {
  test.each([[[]], [['--list']], [['--yes']], [['--check']]])(
    'is named by trust, which ends with 1: %j',
    async (words) => {
      const root = repository({ [GUARD]: guard('match: 7\n') });
      await hookwright(root, 'trust', 'deploy', '--yes');
      const { code, said } = await hookwright(root, 'trust', ...words);
      expect([code, said]).toEqual([1, expect.stringMatching(/guard\.yaml:\d+.* cannot be approved/)]);
    },
  );

  test.each([
    ['names its event', { [GUARD]: guard('match: 7\n') }],
    ['can be read in no part', { [GUARD]: '' }],
  ])('stops the commands that run abilities, when it %s, and is gone on without by its id', async (_what, files) => {
    const root = repository(files);
    expect(await hookwright(root, 'trust', '--yes')).toMatchObject({ code: 1 });
    const { code, said } = await hookwright(root, 'ability', 'run', 'deploy');
    expect([code, said]).toEqual([1, expect.stringMatching(/might check this but cannot be read/)]);
    const id = /--skip-unapproved (\S+)/.exec(said)?.[1] ?? '';
    expect(await hookwright(root, 'ability', 'run', 'deploy', '--skip-unapproved', id)).toMatchObject({ code: 0 });
  });

  test('stops nothing that it could not check', async () => {
    const root = repository({ [GUARD]: guard('match: 7\n').replace('PreAbilityCall', 'PostAbilityCall') });
    expect(await hookwright(root, 'trust', '--yes')).toMatchObject({ code: 1 });
    expect(await hookwright(root, 'ability', 'run', 'deploy')).toMatchObject({ code: 0 });
  });
});

test('R1055 explain of an event of abilities compares match blocks with the input', async () => {
  const root = repository({ [GUARD]: guard('match: {ability_scope: release}\n') });
  await approveAllAt(root);
  const explained = (ability: string) =>
    hookwright(root, 'explain', 'PreAbilityCall', '--input', JSON.stringify({ ability_id: ability }));
  expect((await explained('release')).said).toContain('guard would run');
  expect((await explained('deploy')).said).toContain('guard would not run: matcher-mismatch');
});

test('R1056 what a person goes on without stands in the result, in its text and in the log', async () => {
  const root = repository({ [GUARD]: guard() });
  await hookwright(root, 'trust', 'deploy', '--yes');
  const words = ['ability', 'run', 'deploy', '--skip-unapproved', 'guard'];
  expect((await hookwright(root, ...words)).said).toMatch(/guard was skipped: .*--skip-unapproved/);
  const { said } = await hookwright(root, ...words, '--json');
  expect(JSON.parse(said)).toMatchObject({ data: { hooks: [{ hook_id: 'guard', outcome: 'skipped' }] } });
  const log = readFileSync(join(root, '.system/logs/hooks.jsonl'), 'utf8').trim().split('\n');
  expect(log.map((line): unknown => JSON.parse(line))).toMatchObject([
    { hook_id: 'guard', event_type: 'PreAbilityCall', outcome: 'skipped' },
    { hook_id: 'guard', event_type: 'PreAbilityCall', outcome: 'skipped' },
  ]);
});

test('R1057 a scope that no declared ability has is a problem', async () => {
  const root = repository({});
  for (const scope of ['deploy,other', 'Deploy', '/deploy/', 'deploy', 'dep*', '*']) {
    writeIn(root, GUARD, guard(`match: {ability_scope: ${JSON.stringify(scope)}}\n`));
    const { said } = await hookwright(root, 'validate');
    expect([scope, /no ability .* match|can never match/.test(said)]).toEqual([
      scope,
      ['deploy,other', 'Deploy', '/deploy/'].includes(scope),
    ]);
  }
});
