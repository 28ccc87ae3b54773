import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadAbilityHooks } from '../../src/abilities/index.ts';
import { createHooks, type HookConfig, MessageBus, reviewTrust } from '../../src/index.ts';
import { TrustStore } from '../../src/trust/index.ts';
import { runForJson } from '../cli/support/run-command.ts';
import { approveAll } from '../trust/approve-all.ts';
import { createPlace, OWN, type Place, USER } from './support.ts';

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
  vi.stubEnv('HOME', place.home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const trust = (...words: readonly string[]) => runForJson(sub, 'trust', ...words);
  expect(await trust('--list')).toMatchObject({ data: { hooks: [{ script: { files: [{ path: 'check.sh' }] } }] } });
  expect(await trust('--yes')).toMatchObject({ ok: true });
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

describe('R1049 a settings file that cannot be read', () => {
  const guard: HookConfig = { name: 'guard', command: deny, onFault: 'deny' };
  const broken: readonly (readonly [string, string | Buffer])[] = [
    ['cut off', '{"hooks": {"BeforeTool": [{"matcher": "shell", "hooks": [{"na'],
    ['of more than a MiB', ' '.repeat(1_100_000)],
    ['of bytes that are no text', Buffer.from([0xff, 0xfe, 0xfd, 0x00])],
  ];

  test.each(broken)('refuses the calls of its approved guards, when it is %s', async (_what, bytes) => {
    const place = createPlace();
    const file = place.write(OWN, settings('shell', guard));
    await approveAll(place);
    writeFileSync(file, bytes);
    const hooks = await engine(place);
    const { verdict, reason, faults } = await hooks.beforeTool({ tool: 'shell', input: {} });
    expect([verdict, faults.map(({ code }) => code)]).toEqual(['deny', ['invalid-config']]);
    expect(reason).toContain(`${file}:1`);
    expect(reason).toContain('hookwright disable --all --for 10m');
    expect(await hooks.beforeTool({ tool: 'read', input: {} })).toMatchObject({ verdict: 'none' });
    expect(hooks.problems.map(({ code }) => code)).not.toContain('removed');
    const until = new Date(Date.now() + 60_000).toISOString();
    chmodSync(place.write('home/.hookwright/off.json', { version: 1, until }), 0o600);
    expect(await (await engine(place)).beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'none' });
  });

  test.each(broken)(
    'of the user refuses for the guards that it had when it could be read, when it is %s',
    async (_what, bytes) => {
      const place = createPlace();
      const file = place.write(USER, settings('shell', guard));
      chmodSync(join(place.home, '.hookwright'), 0o700);
      expect((await (await engine(place)).beforeTool({ tool: 'shell', input: {} })).reason).toBe('guarded');
      writeFileSync(file, bytes);
      const { verdict, reason } = await (await engine(place)).beforeTool({ tool: 'shell', input: {} });
      expect([verdict, reason?.includes(`${file}:1`)]).toEqual(['deny', true]);
      rmSync(file);
      expect(await (await engine(place)).beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'none' });
    },
  );

  test('of the user is kept in mind as long as it has a guard', async () => {
    const place = createPlace();
    const file = place.write(USER, settings('shell', { name: 'other', command: deny }));
    chmodSync(join(place.home, '.hookwright'), 0o700);
    const record = join(place.home, '.hookwright/guards.json');
    await engine(place);
    expect(existsSync(record)).toBe(false);
    place.write(USER, settings('shell', guard));
    await engine(place);
    const known = { name: 'guard', event: 'BeforeTool', matcher: 'shell', onFault: 'deny' };
    expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual({ version: 1, files: { [file]: [known] } });
    place.write(USER, { hooks: {} });
    await engine(place);
    expect(JSON.parse(readFileSync(record, 'utf8'))).toEqual({ version: 1, files: {} });
  });

  test('refuses nothing where no guard of it is known, and is a problem', async () => {
    const place = createPlace();
    place.write(OWN, '{"hooks": {"BeforeTool": [{"hooks": [{"na');
    const hooks = await engine(place);
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'none' });
    expect(hooks.problems[0]).toMatchObject({ code: 'syntax-error' });
  });
});

describe('R1050 a guard that was approved', () => {
  const guard: HookConfig = { name: 'guard', command: deny, onFault: 'deny' };

  const approved = async (): Promise<Place> => {
    const place = createPlace();
    place.write(OWN, settings('shell', guard));
    await approveAll(place);
    return place;
  };

  test.each<[string, object, string]>([
    ['switched off by name', { ...settings('shell', guard), hooksConfig: { disabled: ['guard'] } }, 'switched-off'],
    ['switched off with all hooks', { ...settings('shell', guard), hooksConfig: { enabled: false } }, 'switched-off'],
    ['removed', { hooks: {} }, 'removed'],
  ])('and is %s by the project is a problem and an error on the bus, and denies nothing', async (_what, file, code) => {
    const place = await approved();
    place.write(OWN, file);
    const { config } = await place.load();
    const bus = new MessageBus();
    const errors: string[] = [];
    bus.on('error', ({ message }) => errors.push(message));
    const hooks = await createHooks({ config, bus });
    onTestFinished(() => hooks.close());
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'none' });
    expect(hooks.problems).toMatchObject([{ code, severity: 'error', message: expect.stringContaining('guard') }]);
    expect(errors).toEqual([hooks.problems[0]?.message]);
  });

  test('and is switched off by the project is a problem in the file and line of the guard', async () => {
    const place = await approved();
    const groups = `[{"matcher": "shell", "hooks": [\n${JSON.stringify(guard)}]}]`;
    const file = place.write(OWN, `{"hooksConfig": {"disabled": ["guard"]},\n"hooks": {"BeforeTool": ${groups}}}`);
    expect((await engine(place)).problems).toMatchObject([{ code: 'switched-off', file, line: 3, column: 1 }]);
  });

  test.each<[string, object, object]>([
    ['by the user', settings('shell', guard), { hooksConfig: { disabled: ['guard'] } }],
    [
      'by a change of the project that the user recorded',
      { ...settings('shell', guard), hooksConfig: { disabled: ['guard'] } },
      {},
    ],
  ])('and is switched off %s is off, with a row', async (_what, file, user) => {
    const place = await approved();
    place.write(OWN, file);
    place.write(USER, user);
    if (Object.keys(user).length === 0) await new TrustStore(place.home).setOff(place.project, 'guard', true);
    const hooks = await engine(place);
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'none' });
    expect(hooks.problems).toEqual([]);
    expect(await hooks.explain('BeforeTool')).toMatchObject([{ name: 'guard', reason: 'disabled' }]);
  });

  test('and stands at another event now is refused for at the event that it was approved for', async () => {
    const place = await approved();
    place.write(OWN, { hooks: { AfterTool: [{ matcher: 'shell', hooks: [guard] }] } });
    const hooks = await engine(place);
    const { verdict, faults } = await hooks.beforeTool({ tool: 'shell', input: {} });
    expect([verdict, faults.map(({ code }) => code)]).toEqual(['deny', ['changed-since-trusted']]);
    expect(await hooks.beforeTool({ tool: 'read', input: {} })).toMatchObject({ verdict: 'none' });
    await approveAll(place);
    expect(await (await engine(place)).beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'none' });
  });
});

describe('R1051 guards that were approved in a project above', () => {
  const script = (reason: string): string => `#!/bin/sh\necho '{"decision": "deny", "reason": "${reason}"}'\n`;

  /** An approved project with a repository in a folder of it, in which the session is. */
  const nested = async (inner: Readonly<Record<string, string | object>> = {}) => {
    const place = createPlace();
    chmodSync(place.write('project/hooks/guard.sh', script('outer')), 0o755);
    place.write('project/hooks/format.sh', '#!/bin/sh\necho formatted\n');
    place.write(OWN, {
      hooks: {
        BeforeTool: [
          { matcher: 'shell', hooks: [{ name: 'guard', command: './hooks/guard.sh', onFault: 'deny' }] },
          { hooks: [{ name: 'format', command: 'sh ./hooks/format.sh' }] },
        ],
      },
    });
    await approveAll(place);
    const cwd = join(place.project, 'sub');
    mkdirSync(join(cwd, '.git'), { recursive: true });
    for (const [path, content] of Object.entries(inner)) place.write(join('project/sub', path), content);
    const start = async () => {
      const { config } = await place.load({ cwd });
      const hooks = await createHooks({ config });
      onTestFinished(() => hooks.close());
      return { hooks, config };
    };
    return { place, cwd, start };
  };

  test('hold in a repository that is made in a folder of it, run where they were approved, and come alone', async () => {
    const { start } = await nested();
    const { hooks } = await start();
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'deny', reason: 'outer' });
    expect((await hooks.explain('BeforeTool')).map(({ name }) => name)).toEqual(['guard']);
    expect(hooks.problems).toEqual([]);
  });

  test('hold beside the hooks of the inner project, whose settings do not switch them off', async () => {
    const inner = { hooks: { BeforeTool: [{ hooks: [{ name: 'own', command: 'echo own' }] }] } };
    const { start, place, cwd } = await nested({
      '.hookwright/settings.json': { ...inner, hooksConfig: { disabled: ['guard'] } },
    });
    const { hooks, config } = await start();
    expect(await hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'deny', reason: 'outer' });
    const review = await reviewTrust(config);
    expect([review.projectDir, review.hooks.map(({ name }) => name), review.gone]).toEqual([cwd, ['own'], []]);
    place.write('project/sub/.hookwright/settings.json', { hooksConfig: { enabled: false } });
    const again = await start();
    expect(await again.hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({ verdict: 'deny' });
  });

  test('are refused for when their script changed or their file cannot be read', async () => {
    const { start, place } = await nested();
    place.write('project/hooks/guard.sh', script('other'));
    expect(await (await start()).hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({
      verdict: 'deny',
      faults: [{ code: 'changed-since-trusted' }],
    });
    place.write(OWN, '{"hooks": {');
    expect(await (await start()).hooks.beforeTool({ tool: 'shell', input: {} })).toMatchObject({
      verdict: 'deny',
      faults: [{ code: 'invalid-config' }],
    });
  });
});
