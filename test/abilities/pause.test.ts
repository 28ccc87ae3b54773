import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listAbilityHooks } from '../../src/abilities/index.ts';
import { keepLines } from '../support/host.ts';
import { answers, caller, declaration, hooksRepository, load } from './hooks-support.ts';
import { repositoryWith } from './support.ts';

/** What `hookwright disable --all --for` writes. */
const pause = (home: string, ms: number): void => {
  mkdirSync(join(home, '.hookwright'), { recursive: true, mode: 0o700 });
  const file = join(home, '.hookwright', 'off.json');
  writeFileSync(file, JSON.stringify({ version: 1, until: new Date(Date.now() + ms).toISOString() }));
  chmodSync(file, 0o600);
};

const denies = answers({
  hook_signals: [
    { kind: 'ability_guard', code: 'ABILITY_DENIED', payload: { ability_id: 'deploy', reason: 'Friday' } },
  ],
});

test('R801 hookwright disable --all is for ability hooks too: nothing runs or refuses in a running set, and rows, listing, problems and log say so', async () => {
  const home = repositoryWith();
  const root = hooksRepository({
    'friday.yaml': declaration({ id: 'friday', command: denies }),
    // Nobody can ask it, so that what it might look at is refused.
    'torn.yaml': 'id: [',
  });
  const lines = keepLines();
  const set = await load(root, { trustedFolder: true, home, logger: lines.logger });
  const fire = async () => {
    const { success, hook_signals } = await set.fire('PreAbilityCall', { ability_id: 'deploy', caller });
    return { success, said: hook_signals.map(({ code }) => code) };
  };
  expect(await fire()).toEqual({ success: false, said: ['ABILITY_DENIED'] });
  pause(home, 60_000);
  await expect.poll(fire, { timeout: 5_000 }).toEqual({ success: true, said: [] });
  const rows = set.explain('PreAbilityCall');
  expect(rows).toMatchObject([
    { name: 'friday', planned: 'skip', reason: 'hooks-disabled' },
    { name: 'torn.yaml', planned: 'skip', reason: 'hooks-disabled' },
  ]);
  expect(rows.filter(({ outcome }) => outcome !== undefined)).toEqual([]);
  expect(rows[0]?.hint).toMatch(/^hooks are switched off until \d{4}-\d\d-\d\d \d\d:\d\d; hookwright enable --all /);
  expect(listAbilityHooks(set).rows.map(({ id, status }) => [id, status])).toEqual([
    ['friday', 'switched off'],
    ['torn.yaml', 'unreadable'],
  ]);
  expect(set.problems.at(-1)).toMatchObject({ code: 'hooks-disabled', hint: 'hookwright enable --all' });
  expect(lines.warn).toContainEqual(expect.stringMatching(/^\[hookwright:abilities\] hooks are switched off/));
  pause(home, -1);
  await expect.poll(fire, { timeout: 5_000 }).toEqual({ success: false, said: ['ABILITY_DENIED'] });
  expect(set.problems.filter(({ code }) => code === 'hooks-disabled')).toEqual([]);
});
