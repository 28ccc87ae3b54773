import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadAbilityHooks } from '../../src/abilities/index.ts';
import { repositoryWith, writeIn } from '../abilities/support.ts';
import { approveAllAt, hookwright, hookwrightAt } from './support/built-cli.ts';

const ability = (command: string): string => `id: deploy\nhandler: {kind: script, command: "${command}"}\n`;

const guard =
  'id: guard\nevent_type: PreAbilityCall\nenabled: true\nblocking: true\non_fault: fail\nhandler: {kind: script, command: sh guard.sh}\n';

const denial = `cat > /dev/null\necho '{"hook_signals":[{"kind":"ability_guard","code":"ABILITY_DENIED","payload":{"reason":"outer"}}]}'\n`;

const DEPLOY = ['ability', 'run', 'deploy'] as const;

describe.skipIf(process.platform === 'win32')('R1504 a file that a line makes', () => {
  test.each(['touch deployed', 'cp made.txt deployed', 'sh make.sh deployed'])(
    'does not end the approval of the line: %s',
    async (command) => {
      const root = repositoryWith({
        '.git/HEAD': '',
        'home/.keep': '',
        'made.txt': 'made\n',
        'make.sh': 'echo made > "$1"\n',
        '.system/abilities/deploy.yaml': ability(command),
      });
      await approveAllAt(root);
      for (const _time of [1, 2, 3]) expect(await hookwright(root, ...DEPLOY)).toMatchObject({ code: 0 });
      expect(existsSync(join(root, 'deployed'))).toBe(true);
      // What was there when it was approved stays a part of the approval.
      writeIn(root, command.includes('make.sh') ? 'make.sh' : 'made.txt', 'exit 0\n');
      const { code } = await hookwright(root, ...DEPLOY);
      expect(code).toBe(command.startsWith('touch') ? 0 : 1);
    },
  );

  test.each(['./deployed', 'sh deployed', 'true; ./deployed', 'node --require ./deployed ./main.js'])(
    'is a change where the line starts it: %s',
    async (command) => {
      const files = { '.system/abilities/deploy.yaml': ability(command), 'main.js': '' };
      const root = repositoryWith({ '.git/HEAD': '', 'home/.keep': '', ...files });
      await approveAllAt(root);
      writeIn(root, 'deployed', '#!/bin/sh\necho planted > planted\n');
      expect((await hookwright(root, ...DEPLOY)).said).toMatch(/not approved in its current version/);
      expect(existsSync(join(root, 'planted'))).toBe(false);
    },
  );
});

describe.skipIf(process.platform === 'win32')('R1505 a guard of abilities that was approved in a project above', () => {
  const nested = async () => {
    const [root, home] = [
      repositoryWith({ '.git/HEAD': '', '.system/hooks/guard.yaml': guard, 'guard.sh': denial }),
      repositoryWith(),
    ];
    await approveAllAt(root, home);
    const inner = join(root, 'sub');
    writeIn(root, 'sub/.git/HEAD', '');
    writeIn(root, 'sub/.system/abilities/deploy.yaml', ability('touch ran'));
    const inside = (...words: string[]) => hookwrightAt(inner, home, ...words);
    await approveAllAt(inner, home);
    return { root, home, inner, inside };
  };

  test('holds in a repository that is made in a folder of it, and runs where it was approved', async () => {
    const { inner, inside } = await nested();
    const { code, said } = await inside(...DEPLOY);
    expect([code, said]).toEqual([1, expect.stringContaining('outer')]);
    expect(existsSync(join(inner, 'ran'))).toBe(false);
  });

  test.each([
    ['changed', (root: string) => writeIn(root, 'guard.sh', 'exit 0\n')],
    ['cannot be read', (root: string) => writeIn(root, '.system/hooks/guard.yaml', 'id: [')],
  ])('is refused for when it %s', async (_what, harm) => {
    const { root, inner, inside } = await nested();
    harm(root);
    const { code } = await inside(...DEPLOY);
    expect([code, existsSync(join(inner, 'ran'))]).toEqual([1, false]);
  });

  test('is reported when it was removed, and refuses nothing', async () => {
    const { root, home, inner, inside } = await nested();
    rmSync(join(root, '.system/hooks/guard.yaml'));
    expect(await inside(...DEPLOY)).toMatchObject({ code: 0 });
    const hooks = await loadAbilityHooks(inner, { home, log: false });
    onTestFinished(() => hooks.dispose());
    const { problems } = hooks;
    expect(problems).toMatchObject([{ code: 'removed', message: expect.stringContaining('"guard" was approved') }]);
  });
});
