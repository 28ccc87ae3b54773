import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
import { createPlace, USER } from './support.ts';

const settings = (more: object = {}): object => ({
  hooks: {
    BeforeTool: [
      { matcher: 'Bash', hooks: [{ name: 'guard', command: 'true', onFault: 'deny' }] },
      { hooks: [{ name: 'note', command: 'echo ran' }] },
    ],
  },
  ...more,
});

/** Puts a file elsewhere, with a link where it was. */
const moveTo = (directory: string, file: string): void => {
  mkdirSync(directory, { recursive: true });
  renameSync(file, join(directory, 'settings.json'));
  symlinkSync(join(directory, 'settings.json'), file);
};

const isRoot = process.getuid?.() === 0;

describe.skipIf(process.platform === 'win32')('R678 settings of the user that others may write', () => {
  const exposures: readonly (readonly [string, string, (file: string) => void])[] = [
    ['every user may write it', 'can be written by every user', (file) => chmodSync(file, 0o666)],
    [
      'everybody may write its directory',
      'which can be written by every user',
      (file) => chmodSync(dirname(file), 0o777),
    ],
    [
      'everybody may write the home',
      'home, which can be written by every user',
      (file) => chmodSync(dirname(dirname(file)), 0o777),
    ],
    [
      'everybody may put another link into its place',
      '.hookwright, which can be written by every user',
      (file) => {
        moveTo(join(dirname(file), '../elsewhere'), file);
        chmodSync(dirname(file), 0o777);
      },
    ],
    [
      'everybody may replace a directory to which a link leads',
      'shared, which can be written by every user',
      (file) => {
        moveTo(join(dirname(file), '../../shared/mine'), file);
        chmodSync(join(dirname(file), '../../shared'), 0o777);
      },
    ],
    ...(isRoot
      ? ([
          [
            'it belongs to somebody else',
            'belongs to another user (uid 54321)',
            (file: string) => chownSync(file, 54_321, 54_321),
          ],
          [
            'a group of others may write it',
            'can be written by the group 54321',
            (file: string) => {
              chownSync(file, 0, 54_321);
              chmodSync(file, 0o664);
            },
          ],
        ] as const)
      : []),
  ];

  test.each(exposures)(
    'are not used when %s, which is an error, and what their guards would check is refused',
    async (_what, said, expose) => {
      const place = createPlace();
      expose(place.write(USER, settings({ allowEnv: ['A_TOKEN'] })));
      const { config, problems } = await place.load();
      expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining(said) }]);
      expect(config.getAllowedEnv()).toEqual([]);
      const hooks = await createHooks({ config });
      onTestFinished(() => hooks.close());
      const denied = await hooks.beforeTool({ tool: 'Bash', input: {} });
      expect(denied).toMatchObject({ verdict: 'deny', faults: [{ code: 'invalid-config' }], messages: [] });
      expect(await hooks.beforeTool({ tool: 'Read', input: {} })).toMatchObject({ verdict: 'none', messages: [] });
    },
  );

  test.runIf(isRoot)(
    'are used when root runs for whoever the home belongs to, or their private group may write them',
    async () => {
      const place = createPlace();
      const file = place.write(USER, settings());
      for (const path of [place.home, dirname(file), file]) chownSync(path, 54_321, 54_321);
      chmodSync(file, 0o664);
      const { problems } = await place.load();
      expect(problems).toEqual([]);
    },
  );
});
