import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { checkTrustLock, createHooks, type LoadedConfig, reviewTrust, writeTrustLock } from '../../src/index.ts';
import { createPlace, GEMINI, mistakesIn, OWN, type Place, rowsOf, USER } from '../settings/support.ts';
import { keepLines } from '../support/host.ts';

const LOCK = 'project/.hookwright/trust.lock.json';

const settings = (hook: object, group: object = {}): object => ({
  hooks: { BeforeTool: [{ ...group, hooks: [hook] }] },
});

const approveAll = async ({ load }: Place): Promise<void> => {
  const { config } = await load();
  const review = await reviewTrust(config);
  await review.approve(review.hooks.map(({ id }) => id));
};

const rowsAfter = async (place: Place, options: Parameters<Place['load']>[0] = {}): Promise<string[]> =>
  rowsOf((await place.load(options)).config);

test('a review says in which file and line a hook stands', async () => {
  const place = createPlace();
  const file = place.write(OWN, '// ours\n{"hooks": {"BeforeTool": [\n  {"hooks": [\n    {"command": "a"}]}]}}');
  const { config } = await place.load();
  expect((await reviewTrust(config)).hooks).toMatchObject([
    { file, line: 4, source: { kind: 'project', file, line: 4 } },
  ]);
});

test('F61 an entry that moved to another file is a changed one', async () => {
  const place = createPlace();
  place.write(OWN, settings({ name: 'check', command: 'a' }));
  await approveAll(place);
  place.write(OWN, {});
  place.write(GEMINI, { tools: { enableHooks: true }, ...settings({ name: 'check', type: 'command', command: 'a' }) });
  expect(await rowsAfter(place)).toEqual(['project check: changed-since-trusted']);
});

test('an entry that only moved to other lines is still approved', async () => {
  const place = createPlace();
  place.write(OWN, settings({ command: 'a' }));
  await approveAll(place);
  place.write(OWN, `// a comment\n\n${JSON.stringify(settings({ command: 'a' }))}`);
  expect(await rowsAfter(place)).toEqual(['project a:']);
});

test('F61 an entry without a name is known by its place when its command is another', async () => {
  const place = createPlace();
  place.write(OWN, settings({ command: 'a' }));
  await approveAll(place);
  place.write(OWN, settings({ command: 'b' }));
  expect(await rowsAfter(place)).toEqual(['project b: changed-since-trusted']);
});

test('F61 a hook put in front of an approved one is new, and the approved one stays approved', async () => {
  const place = createPlace();
  place.write(OWN, settings({ command: 'a' }));
  await approveAll(place);
  place.write(OWN, { hooks: { BeforeTool: [{ hooks: [{ command: 'b' }, { command: 'a' }] }] } });
  expect(await rowsAfter(place)).toEqual(['project b: untrusted', 'project a:']);
});

test('hooks of the user need no approval and are not up for review', async () => {
  const place = createPlace();
  place.write(USER, settings({ command: 'a' }));
  const { config } = await place.load();
  expect(await rowsOf(config)).toEqual(['user a:']);
  expect((await reviewTrust(config)).hooks).toEqual([]);
});

test('F62 the script of an extension is part of what is approved', async () => {
  const place = createPlace();
  const directory = 'home/.hookwright/extensions/tidy';
  const script = place.write(`${directory}/tidy.sh`, 'echo 1');
  place.write(`${directory}/hooks/hooks.json`, settings({ name: 'tidy', command: 'sh "${extensionPath}/tidy.sh"' }));
  const review = await reviewTrust((await place.load()).config);
  expect(review.hooks).toMatchObject([
    {
      hookId: 'extensions:tidy/BeforeTool/tidy',
      script: { covered: true, files: [{ path: 'extension:tidy/tidy.sh', state: 'covered' }] },
    },
  ]);
  expect(await rowsAfter(place)).toEqual(['extensions tidy: untrusted']);
  await approveAll(place);
  expect(await rowsAfter(place)).toEqual(['extensions tidy:']);
  writeFileSync(script, 'echo 2');
  expect(await rowsAfter(place)).toEqual(['extensions tidy: changed-since-trusted']);
});

test('F62 a relative path means another script in another working directory', async () => {
  const place = createPlace();
  place.write(OWN, settings({ name: 'check', command: 'sh ./check.sh' }));
  place.write('project/check.sh', 'echo 1');
  const below = place.write('project/below/check.sh', 'echo 2');
  await approveAll(place);
  expect(await rowsAfter(place)).toEqual(['project check:']);
  expect(await rowsAfter(place, { cwd: join(below, '..') })).toEqual(['project check: changed-since-trusted']);
});

test('F62 a path from the project directory means the same script in every working directory', async () => {
  const place = createPlace();
  place.write(OWN, settings({ name: 'check', command: 'sh "$CLAUDE_PROJECT_DIR/check.sh"' }));
  place.write('project/check.sh', 'echo 1');
  const below = place.write('project/below/other.txt', '');
  await approveAll(place);
  const { config } = await place.load({ cwd: join(below, '..') });
  expect(await rowsOf(config)).toEqual(['project check:']);
  const result = await config.getHookSystem()?.getEventHandler().fireBeforeToolEvent('ls', {});
  expect(result?.allOutputs).toMatchObject([{ systemMessage: '1' }]);
});

test.skipIf(process.platform === 'win32')('F63 what is wrong with the store is told to the logger', async () => {
  const place = createPlace();
  place.write(OWN, settings({ command: 'a' }));
  await approveAll(place);
  chmodSync(join(place.home, '.hookwright/trust.json'), 0o666);
  const { logger, warn } = keepLines();
  expect(await rowsAfter(place, { deps: { logger } })).toEqual(['project a: untrusted']);
  expect(warn.join()).toContain('Nothing is trusted');
});

test.each([
  ['is damaged', '{'],
  ['has another form', '{"version": 7}'],
])('R1861 a store of approvals that %s is a problem: why nothing is trusted', async (_what, text) => {
  const place = createPlace();
  place.write(OWN, settings({ name: 'check', command: 'a', onFault: 'deny' }));
  await approveAll(place);
  const file = join(place.home, '.hookwright/trust.json');
  writeFileSync(file, text);
  const { config, problems } = await place.load();
  const reason = { code: 'unreadable-file', severity: 'error', skipped: true };
  expect(problems).toMatchObject([reason, { code: 'awaiting-approval' }]);
  expect(problems[0]?.message).toMatch(/^Nothing is trusted: /);
  expect(problems[0]?.message).toContain(file);
  const hooks = await createHooks({ config });
  expect(hooks.problems).toMatchObject([reason, { code: 'awaiting-approval' }]);
  await hooks.close();
});

test('R1862 an approved guard of an agent whose hooks are not read here is not gone', async () => {
  const place = createPlace();
  const agents = { 'claude-code': true } as const;
  const file = place.write('project/.claude/settings.json', {
    hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'a' }] }] },
  });
  const review = await reviewTrust((await place.load({ agents })).config);
  await review.approve(review.hooks.map(({ id }) => id));
  expect((await place.load()).problems).toEqual([]);
  rmSync(file);
  expect((await place.load()).problems).toMatchObject([{ code: 'removed' }]);
});

test('a host that decides by itself is still reviewed against the store of the right home', async () => {
  const place = createPlace();
  place.write(OWN, settings({ command: 'a' }));
  const { config } = await place.load({ deps: { trustCheck: () => 'untrusted' } });
  const { file, projectDir } = await reviewTrust(config);
  expect({ file, projectDir }).toEqual({
    file: join(place.home, '.hookwright/trust.json'),
    projectDir: place.project,
  });
});

const environmentIn = async (config: LoadedConfig): Promise<string> => {
  const system = config.getHookSystem();
  await system?.initialize();
  const result = await system?.getEventHandler().fireBeforeToolEvent('ls', {});
  return JSON.stringify(result?.allOutputs);
};

test.skipIf(process.platform === 'win32')(
  'F64 what the user lets through reaches hooks of the project, and no other secret',
  async () => {
    vi.stubEnv('DEPLOY_TOKEN', 'canary-deploy');
    vi.stubEnv('GITHUB_TOKEN', 'canary-github');
    try {
      const place = createPlace();
      place.write(OWN, { ...settings({ command: 'env | grep canary; true' }), allowEnv: ['GITHUB_TOKEN'] });
      place.write(USER, { allowEnv: ['DEPLOY_*'] });
      await approveAll(place);
      const found = await environmentIn((await place.load()).config);
      expect(found).toContain('canary-deploy');
      expect(found).not.toContain('canary-github');
    } finally {
      vi.unstubAllEnvs();
    }
  },
);

test('F64 a variable that changes which code runs is a problem with its place', async () => {
  const place = createPlace();
  place.write(OWN, settings({ command: 'a', env: { LEVEL: '1', NODE_OPTIONS: '--require ./x.cjs' } }));
  const { problems } = await place.load();
  expect(mistakesIn(problems)).toMatchObject([
    { path: 'hooks.BeforeTool[0].hooks[0].env.NODE_OPTIONS', line: expect.any(Number), skipped: false },
  ]);
  place.write(OWN, {});
  place.write(USER, settings({ command: 'a', env: { NODE_OPTIONS: '--no-warnings' } }));
  expect((await place.load()).problems).toEqual([]);
});

test('F64 what a variable stands for gets neither into the store nor into a review', async () => {
  const place = createPlace();
  place.write(
    OWN,
    settings({ name: 'check', command: 'a', args: ['$PART', '$DEPLOY_TOKEN'], env: { T: '$DEPLOY_TOKEN' } }),
  );
  place.write(USER, { allowEnv: ['DEPLOY_TOKEN'] });
  const env = { DEPLOY_TOKEN: 'canary', PART: 'canary' };
  const { config } = await place.load({ env });
  const review = await reviewTrust(config);
  expect(review.hooks).toMatchObject([
    { entry: { hook: { args: ['$PART', '$DEPLOY_TOKEN'], env: { T: '$DEPLOY_TOKEN' } } } },
  ]);
  await review.approve(review.hooks.map(({ id }) => id));
  expect(readFileSync(join(place.home, '.hookwright/trust.json'), 'utf8')).not.toContain('canary');
  expect(config.getHooks()?.BeforeTool?.[0]?.hooks[0]?.env).toEqual({ T: 'canary' });
  expect(await rowsAfter(place, { env: { DEPLOY_TOKEN: 'another' } })).toEqual(['project check:']);
});

test('the lock file of a project is for whoever checks it out, wherever that is', async () => {
  const [here, there] = [createPlace(), createPlace()];
  for (const place of [here, there]) {
    place.write(OWN, settings({ name: 'check', command: './check.sh' }));
    place.write('project/check.sh', 'echo 1');
  }
  await approveAll(here);
  const { config } = await here.load();
  await writeTrustLock(config);
  there.write(LOCK, readFileSync(join(here.project, '.hookwright/trust.lock.json'), 'utf8'));
  expect(await checkTrustLock((await there.load()).config)).toMatchObject({ ok: true });
});

test.each([
  ['by its name', { hooksConfig: { disabled: ['check'] } }],
  ['with all others', { hooksConfig: { enabled: false } }],
])(
  'R1979 CI finds a locked hook that the project switched off %s, until the lock file is written again',
  async (_how, off) => {
    const [here, there] = [createPlace(), createPlace()];
    const on = settings({ name: 'check', command: './check.sh', onFault: 'deny' });
    for (const place of [here, there]) {
      place.write(OWN, on);
      place.write('project/check.sh', 'echo 1');
    }
    await approveAll(here);
    const lock = async (): Promise<void> => {
      await writeTrustLock((await here.load()).config);
      there.write(LOCK, readFileSync(join(here.project, '.hookwright/trust.lock.json'), 'utf8'));
    };
    const check = async () => checkTrustLock((await there.load()).config);
    await lock();
    for (const place of [here, there]) place.write(OWN, { ...on, ...off });
    expect(await check()).toMatchObject({ ok: false, changed: [], gone: [], switchedOff: [{ name: 'check' }] });
    await lock();
    expect(await check()).toMatchObject({ ok: true, new: [], switchedOff: [] });
    there.write(OWN, on);
    expect(await check()).toMatchObject({ ok: false, new: [{ name: 'check' }] });
  },
);

test('R1979 a hook that the user switched off stays in the lock file', async () => {
  const place = createPlace();
  place.write(OWN, settings({ name: 'check', command: './check.sh' }));
  place.write('project/check.sh', 'echo 1');
  place.write(USER, { hooksConfig: { disabled: ['check'] } });
  await approveAll(place);
  const { config } = await place.load();
  expect(await writeTrustLock(config)).toMatchObject([{ name: 'check' }]);
  expect(await checkTrustLock(config)).toMatchObject({ ok: true });
});
