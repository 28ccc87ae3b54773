import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks, type HookConfig } from '../../src/index.ts';
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
