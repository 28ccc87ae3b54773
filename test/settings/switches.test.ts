import { describe, expect, test } from 'vitest';
import {
  beforeTool,
  createPlace,
  GEMINI,
  mistakesIn,
  OWN,
  placesOf,
  rowsOf,
  trusting,
  USER,
  USER_GEMINI,
} from './support.ts';

const SYSTEM = 'etc/hookwright/settings.json';

describe('C40 R310 R316 which files are on', () => {
  test.each<[title: string, files: Record<string, object>, rows: string[]]>([
    ['ours without a switch', { [OWN]: {} }, ['project a:']],
    ['ours that says on', { [OWN]: { hooksConfig: { enabled: true } } }, ['project a:']],
    ['ours that says off', { [OWN]: { hooksConfig: { enabled: false } } }, ['project a: hooks-disabled']],
    [
      'ours that says off in the older way',
      { [OWN]: { tools: { enableHooks: false } } },
      ['project a: hooks-disabled'],
    ],
    ["another agent's without a switch", { [GEMINI]: {} }, ['project a:']],
    ["another agent's that says on", { [GEMINI]: { hooksConfig: { enabled: true } } }, ['project a:']],
    ["another agent's that says on in the older way", { [GEMINI]: { tools: { enableHooks: true } } }, ['project a:']],
    [
      "another agent's that says both",
      { [GEMINI]: { hooksConfig: { enabled: true }, tools: { enableHooks: false } } },
      ['project a: hooks-disabled'],
    ],
    [
      "another agent's whose user says on",
      { [GEMINI]: {}, [USER_GEMINI]: { tools: { enableHooks: true } } },
      ['project a:', 'user a:'],
    ],
    [
      "another agent's whose user says off",
      { [GEMINI]: { tools: { enableHooks: true } }, [USER_GEMINI]: { tools: { enableHooks: false } } },
      ['project a: hooks-disabled', 'user a: hooks-disabled'],
    ],
    [
      'all, when the user says off in ours',
      { [OWN]: { hooksConfig: { enabled: true } }, [USER]: { hooksConfig: { enabled: false } } },
      ['project a: hooks-disabled', 'user a: hooks-disabled'],
    ],
    [
      "the user's, whatever a project says",
      { [OWN]: { hooksConfig: { enabled: false } }, [USER]: {} },
      ['project a: hooks-disabled', 'user a:'],
    ],
  ])('%s', async (_title, files, expected) => {
    const { write, load } = createPlace();
    for (const [path, more] of Object.entries(files)) write(path, { ...more, hooks: beforeTool('a') });
    const { config } = await load({ deps: trusting });
    const isOn = expected.some((row) => row.endsWith(':'));
    expect(config.getEnableHooks()).toBe(isOn);
    expect(config.getHookSystem() === undefined).toBe(!isOn);
    // With one more file that is on there is an engine that can say why the others are not.
    write('home/.hookwright/extensions/x/hooks/hooks.json', { hooks: beforeTool('ext') });
    await config.reload();
    if (isOn) expect(await rowsOf(config)).toEqual([...expected, 'extensions ext:']);
  });

  test('R311 without hooks, or with all of them off, there is no engine; a reload that finds some makes one', async () => {
    const { write, load } = createPlace();
    const { config, problems } = await load();
    expect(problems).toEqual([]);
    expect(config.getEnableHooks()).toBe(false);
    expect(config.getHookSystem()).toBeUndefined();
    write(USER, { hooksConfig: { enabled: false }, hooks: beforeTool('a') });
    await config.reload();
    expect(config.getHookSystem()).toBeUndefined();
    write(USER, { hooks: beforeTool('a') });
    await config.reload();
    expect(await rowsOf(config)).toEqual(['user a:']);
    write(USER, { hooksConfig: { enabled: false }, hooks: beforeTool('a') });
    await config.reload();
    expect(await rowsOf(config)).toEqual(['user a: hooks-disabled']);
  });

  test('a row says which file switched it off', async () => {
    const { write, load } = createPlace();
    const off = write(OWN, { hooksConfig: { enabled: false }, hooks: beforeTool('a') });
    write(GEMINI, { hooks: beforeTool('b') });
    const never = write(USER_GEMINI, { hooksConfig: { enabled: false } });
    write(USER, { hooks: beforeTool('c') });
    const { config } = await load();
    const rows = await config.getHookSystem()?.explain();
    expect(rows?.[0]?.hint).toContain(`${off} says hooksConfig.enabled: false.`);
    expect(rows?.[1]?.hint).toContain(`${never} says hooksConfig.enabled: false.`);
  });
});

describe('names that are switched off', () => {
  test('by the user are off wherever they come from', async () => {
    const { write, load } = createPlace();
    write(OWN, { hooks: beforeTool('a', 'b') });
    write(USER, { hooksConfig: { disabled: ['a', 'c'] }, hooks: beforeTool('c', 'd') });
    const { config, problems } = await load({ deps: trusting });
    expect(problems).toEqual([]);
    expect(await rowsOf(config)).toEqual(['project a: disabled', 'project b:', 'user c: disabled', 'user d:']);
    expect(config.getDisabledHooks()).toEqual(['a', 'c']);
  });

  test("F63 by a project are off within the project; a user's hook of the same name stays on", async () => {
    const { write, load } = createPlace();
    write(
      OWN,
      `{ "hooksConfig": { "disabled": ["shared", "guard"] },
  "hooks": { "BeforeTool": [{ "hooks": [{ "name": "shared", "command": "a" }] }] } }`,
    );
    write(USER, { hooks: beforeTool('guard', 'shared') });
    const { config, problems } = await load({ deps: trusting });
    expect(await rowsOf(config)).toEqual(['project shared: disabled', 'user guard:', 'user shared:']);
    expect(placesOf(problems)).toEqual(['1:43 hooksConfig.disabled[1]']);
    expect(problems[0]?.message).toContain('cannot switch off "guard", which the project does not bring');
  });

  test('can be switched on at run time all the same', async () => {
    const { write, load } = createPlace();
    write(OWN, { hooksConfig: { disabled: ['a'] }, hooks: beforeTool('a') });
    const { config } = await load({ deps: trusting });
    await rowsOf(config);
    expect(config.getHookSystem()?.setHookEnabled('a', true)).toBe(true);
    expect(await rowsOf(config)).toEqual(['project a:']);
  });

  test('that nobody has are told when somebody has one like it', async () => {
    const { write, load } = createPlace();
    write(USER, { hooksConfig: { disabled: ['gard', 'of another project'] }, hooks: beforeTool('guard') });
    const { problems } = await load();
    expect(problems.map(({ message }) => message)).toEqual([
      'hooksConfig.disabled[0] names no hook: there is no "gard"; did you mean "guard"?',
    ]);
  });

  test('of older files of another agent are read there, beside the events', async () => {
    const { write, load } = createPlace();
    write(USER_GEMINI, { hooks: { enabled: true, disabled: ['a'], notifications: false, ...beforeTool('a', 'b') } });
    const { config, problems } = await load();
    expect(problems).toEqual([]);
    expect(await rowsOf(config)).toEqual(['user a: disabled', 'user b:']);
  });
});

test('switches of the wrong kind are told and count for nothing', async () => {
  const { write, load } = createPlace();
  write(
    OWN,
    `{ "hooksConfig": { "enabled": "no", "disabled": "a", "notification": true },
  "tools": { "enableHooks": 1 },
  "allowEnv": {},
  "hooks": { "BeforeTool": [{ "hooks": [{ "name": "a", "command": "a" }] }] } }`,
  );
  const { config, problems } = await load({ deps: trusting });
  expect(placesOf(problems)).toEqual([
    '1:20 hooksConfig.enabled',
    '1:37 hooksConfig.disabled',
    '1:54 hooksConfig.notification',
    '2:14 tools.enableHooks',
    '3:3 allowEnv',
  ]);
  expect(problems[0]?.message).toBe('hooksConfig.enabled must be true or false, found "no"');
  expect(await rowsOf(config)).toEqual(['project a:']);
});

test('an event beside the hooks is sent to them', async () => {
  const { write, load } = createPlace();
  write(OWN, beforeTool('a'));
  write('home/.hookwright/extensions/x/hooks/hooks.json', beforeTool('a'));
  const { problems } = await load();
  expect(problems.map(({ message }) => message)).toEqual([
    'BeforeTool is unknown; put it into "hooks"',
    'BeforeTool is unknown; put it into "hooks"',
  ]);
});

test('a section that is no object, and names that are none, are told', async () => {
  const { write, load } = createPlace();
  write(OWN, '{ "hooksConfig": true, "hooks": 7 }');
  write(USER, '{ "hooksConfig": { "disabled": ["a", 7] } }');
  const { problems } = await load();
  expect(problems.map(({ message }) => message)).toEqual([
    'hooksConfig must be an object, found true',
    'hooks must be an object from event names to definitions, found 7',
    'hooksConfig.disabled[1] must be a name, found 7',
  ]);
});

test('what another agent keeps in its own files is its own business', async () => {
  const { write, load } = createPlace();
  write(
    GEMINI,
    `{ "theme": "dark", "theme": "light", "tools": { "enableHooks": true, "shell": {} },
  "hooksConfig": { "extra": 1 },
  "hooks": {},
  "hooks": {} }`,
  );
  const { problems } = await load();
  expect(placesOf(problems)).toEqual(['3:3 hooks']);
});

describe('F63 what a project may not do', () => {
  test.each<[title: string, settings: object, problem: RegExp]>([
    ['let its hooks see secrets', { allowEnv: ['GITHUB_TOKEN'] }, /allowEnv has no effect in a project/],
    ['choose the variables of its hooks', { projectEnv: 'listed' }, /projectEnv has no effect in a project/],
    ['trust itself', { trusted: true }, /trusted is unknown/],
    ['trust its folder', { trustedFolder: true }, /trustedFolder is unknown/],
    ['raise limits', { limits: { stdoutBytes: 1e9 } }, /limits is unknown/],
    ['switch off hooks of others', { hooksConfig: { enabled: false } }, /switches off the hooks of this file only/],
  ])('%s: it is told and has no effect', async (_title, settings, problem) => {
    const { write, load } = createPlace();
    write(USER, { allowEnv: ['NPM_TOKEN'], hooks: beforeTool('user') });
    write(OWN, { ...settings, hooks: beforeTool('project') });
    const { config, problems } = await load();
    expect(mistakesIn(problems).map(({ message, line }) => [message, line])).toEqual([
      [expect.stringMatching(problem), expect.any(Number)],
    ]);
    expect(config.getAllowedEnv()).toEqual(['NPM_TOKEN']);
    const rows = await rowsOf(config);
    expect(rows[0]).toMatch(/^project project: .*untrusted$/);
    expect(rows[1]).toBe('user user:');
  });

  test("loosen what a user's copy of the same hook says about faults", async () => {
    const { write, load } = createPlace();
    const hook = { name: 'guard', command: 'exit 1' };
    write(OWN, { hooks: { BeforeTool: [{ hooks: [{ ...hook, onFault: 'allow', timeout: 90_000 }] }] } });
    write(USER, { hooks: { BeforeTool: [{ hooks: [{ ...hook, onFault: 'deny', timeout: 5_000 }] }] } });
    const { config } = await load({ deps: trusting });
    const system = config.getHookSystem();
    const result = await system?.initialize().then(() => system.getEventHandler().fireBeforeToolEvent('ls', {}));
    expect(result?.finalOutput?.isBlockingDecision()).toBe(true);
  });
});

test("the system's settings come behind the user's and speak for all", async () => {
  const { root, write, load, project } = createPlace();
  const files = [
    { path: write(SYSTEM, { hooksConfig: { disabled: ['b'] }, hooks: beforeTool('system') }), scope: 'system' },
    { path: write('other/own.json', { hooks: beforeTool('a', 'b') }), scope: 'user' },
    { path: `${root}/nowhere.json`, scope: 'user' },
  ] as const;
  const { config, problems } = await load({ files, cwd: project });
  expect(problems).toEqual([]);
  expect(await rowsOf(config)).toEqual(['user a:', 'user b: disabled', 'system system:']);
  expect(config.getFiles()).toEqual(files.map(({ path }, index) => ({ path, kind: 'file', exists: index < 2 })));
});
