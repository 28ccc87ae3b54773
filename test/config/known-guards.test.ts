import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadAbilityHooks } from '../../src/abilities/index.ts';
import { abilitySubjects } from '../../src/cli/trusting/subjects.ts';
import { createHooks, type HookConfig, reviewTrust } from '../../src/index.ts';
import { createPlace, OWN, type Place, USER } from './support.ts';
import { approveAll } from './trust/approve-all.ts';

const deny = `echo '{"decision": "deny", "reason": "guarded"}'`;

const settings = (matcher: string, hook: HookConfig): object => ({
  hooks: { BeforeTool: [{ matcher, hooks: [hook] }] },
});

const engine = async (place: Place) => {
  const { config } = await place.load();
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  return hooks;
};

describe('R1043 a matcher that cannot be read', () => {
  const guard = (onFault: 'deny' | 'ask'): HookConfig => ({ name: 'guard', command: deny, onFault });

  test.each([
    ['*shell', 'deny', USER],
    ['shell|(', 'ask', USER],
    ['*shell', 'deny', OWN],
  ] as const)(
    'of a guard lets it run for every call, and is a problem: %s, onFault %s, in %s',
    async (matcher, onFault, file) => {
      const place = createPlace();
      place.write(file, settings(matcher, guard(onFault)));
      await approveAll(place);
      const hooks = await engine(place);
      expect(await hooks.beforeTool({ tool: 'run_shell_command', input: {} })).toMatchObject({ verdict: 'deny' });
      expect(hooks.problems).toMatchObject([
        {
          code: 'invalid-matcher',
          path: 'hooks.BeforeTool[0].matcher',
          line: 5,
          message: expect.stringMatching(/is not a valid regular expression .*; the guard runs for every call/),
        },
      ]);
    },
  );

  test('holds for a guard in code too', async () => {
    const hooks = await createHooks({ hooks: { BeforeTool: [{ matcher: '(', hooks: [guard('deny')] }] } });
    onTestFinished(() => hooks.close());
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'deny' });
    expect(hooks.problems).toMatchObject([{ code: 'invalid-matcher' }]);
  });

  test('is compared literally with any other hook, and is a problem as well', async () => {
    const place = createPlace();
    place.write(USER, settings('*shell', { name: 'other', command: deny }));
    const hooks = await engine(place);
    expect(await hooks.beforeTool({ tool: 'run_shell_command', input: {} })).toMatchObject({ verdict: 'none' });
    expect(await hooks.beforeTool({ tool: '*shell', input: {} })).toMatchObject({ verdict: 'deny' });
    expect(hooks.problems).toMatchObject([{ message: expect.stringContaining('it is compared literally') }]);
  });
});

test('R1044 what was approved of an ability hook from a subfolder is the file that is started', async () => {
  const place = createPlace();
  place.write(
    'project/.system/hooks/guard.yaml',
    'id: guard\nevent_type: PreAbilityCall\nenabled: true\nblocking: true\non_fault: fail\nmatch: {ability_scope: edit_file}\nhandler: {kind: script, command: sh ./check.sh}\n',
  );
  place.write('project/check.sh', 'exit 0\n');
  const sub = join(place.project, 'sub');
  mkdirSync(sub);
  const { config } = await place.load({ cwd: sub });
  const { questions } = await abilitySubjects(config);
  const review = await reviewTrust(config, { questions });
  expect(review.hooks.map(({ script }) => script.files.map(({ path }) => path))).toEqual([['check.sh']]);
  await review.approve(review.hooks.map(({ id }) => id));
  const codes = async () => {
    const set = await loadAbilityHooks(place.project, { home: place.home, log: false });
    onTestFinished(() => set.dispose());
    return set.problems.map(({ code }) => code);
  };
  expect(await codes()).toEqual([]);
  place.write('project/check.sh', 'exit 1\n');
  expect(await codes()).toEqual(['changed-since-trusted']);
});

test.skipIf(process.platform === 'win32')(
  'R1045 taking the execute bit of an approved script away is a change',
  async () => {
    const place = createPlace();
    const script = place.write('project/hooks/guard.sh', '#!/bin/sh\nexit 2\n');
    chmodSync(script, 0o755);
    place.write(OWN, settings('shell', { name: 'guard', command: './hooks/guard.sh', onFault: 'deny' }));
    await approveAll(place);
    const hooks = await engine(place);
    expect(hooks.problems).toEqual([]);
    chmodSync(script, 0o644);
    const { faults, verdict } = await hooks.beforeTool({ tool: 'shell', input: {} });
    expect([verdict, faults.map(({ code }) => code)]).toEqual(['deny', ['changed-since-trusted']]);
    const review = await reviewTrust((await place.load()).config);
    expect(review.hooks[0]?.differences).toMatchObject([
      { what: 'hooks/guard.sh', after: expect.stringMatching(/, not executable$/) },
    ]);
  },
);
