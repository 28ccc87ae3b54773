import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Bus,
  createHooks,
  executeToolWithHooks,
  type LoadConfigOptions,
  loadConfig,
  MessageBus,
  requestHooks,
  type TrustQuestion,
} from '../../src/index.ts';
import { getOrigin } from '../../src/protocol/index.ts';
import { untyped } from '../support/untyped.ts';
import { beforeTool, createPlace, GEMINI, OWN, rowsOf, trusting, USER, USER_GEMINI } from './support.ts';

const denies = (reason: string): object => ({
  BeforeTool: [{ hooks: [{ name: reason, command: `echo ${reason} >&2; exit 2` }] }],
});

describe('R315 R318 what is read', () => {
  test('the project, the user and the extensions, in order of precedence', async () => {
    const { write, load, project, home } = createPlace();
    const on = { tools: { enableHooks: true } };
    write(USER_GEMINI, { ...on, hooks: beforeTool('user-gemini') });
    write(USER, { hooks: beforeTool('user') });
    write(GEMINI, { ...on, hooks: beforeTool('project-gemini') });
    write(OWN, { hooks: beforeTool('project') });
    write('home/.gemini/extensions/b/hooks/hooks.json', { hooks: beforeTool('b') });
    write('home/.hookwright/extensions/c/hooks/hooks.json', { hooks: beforeTool('c') });
    write('home/.hookwright/extensions/a/hooks/hooks.json', { hooks: beforeTool('a') });
    write('project/.hookwright/extensions/d/hooks/hooks.json', { hooks: beforeTool('d') });
    write('home/.hookwright/extensions/none/readme.txt', 'no hooks here');
    const { config, problems } = await load({ sessionId: 's', deps: trusting });
    expect(problems).toEqual([]);
    expect(await rowsOf(config)).toEqual([
      'project project:',
      'project project-gemini:',
      'user user:',
      'user user-gemini:',
      'extensions a:',
      'extensions c:',
      'extensions b:',
      'extensions d:',
    ]);
    expect(config.getExtensions().map(({ name }) => name)).toEqual(['a', 'c', 'b', 'd']);
    expect([config.getSessionId(), config.getWorkingDir(), config.getProjectDir(), config.getHome()]).toEqual([
      's',
      project,
      project,
      home,
    ]);
  });

  test("an extension may be switched by its file's family, says what it is, and needs no manifest", async () => {
    const { write, load } = createPlace();
    write('home/.gemini/extensions/x/hooks/hooks.json', { description: 'd', hooks: beforeTool('gemini') });
    write('home/.hookwright/extensions/y/hooks/hooks.json', { description: 'd', hooks: beforeTool('ours'), tools: {} });
    const { config, problems } = await load({ deps: trusting });
    expect(await rowsOf(config)).toEqual(['extensions ours:', 'extensions gemini:']);
    expect(problems.map(({ message }) => message)).toEqual([
      'tools is unknown; known keys: $schema, description, hooks',
    ]);
    write('home/.gemini/settings.json', { hooksConfig: { enabled: false } });
    await config.reload();
    expect(await rowsOf(config)).toEqual(['extensions ours:', 'extensions gemini: hooks-disabled']);
  });

  test.skipIf(process.platform === 'win32')(
    'an extension that is linked: the user may, a project may not',
    async () => {
      const { root, write, load } = createPlace();
      write('elsewhere/hooks/hooks.json', { hooks: beforeTool('linked') });
      for (const owner of ['home', 'project']) {
        mkdirSync(join(root, owner, '.hookwright/extensions'), { recursive: true });
        symlinkSync(join(root, 'elsewhere'), join(root, owner, '.hookwright/extensions', `of-${owner}`));
      }
      const { config } = await load({ deps: trusting });
      expect(await rowsOf(config)).toEqual(['extensions linked:', 'extensions linked: untrusted']);
    },
  );

  test('of more extensions than anybody has the first are read, and the rest is told', async () => {
    const { root, load } = createPlace();
    const extensions = join(root, 'home/.hookwright/extensions');
    for (let index = 0; index < 201; index += 1) mkdirSync(join(extensions, `x${index}`), { recursive: true });
    const { config, problems } = await load();
    expect(problems).toMatchObject([
      { file: extensions, message: expect.stringContaining('there are 201 extensions') },
    ]);
    expect(config.getFiles().filter(({ path }) => path.startsWith(`${extensions}/`))).toHaveLength(200);
  });

  test('a project may bring fewer extensions than its user: reading them must not hold up the agent', async () => {
    const { root, load } = createPlace();
    const extensions = join(root, 'project/.hookwright/extensions');
    for (let index = 0; index < 30; index += 1) mkdirSync(join(extensions, `x${index}`), { recursive: true });
    const { config, problems } = await load();
    expect(problems).toMatchObject([{ file: extensions, message: expect.stringContaining('the first 20 by name') }]);
    expect(config.getFiles().filter(({ path }) => path.startsWith(`${extensions}/`))).toHaveLength(20);
  });

  test.skipIf(process.platform === 'win32')(
    'an extension that comes back broken does not come back as it was',
    async () => {
      const { root, write, load } = createPlace();
      const path = 'home/.hookwright/extensions/x/hooks/hooks.json';
      write(path, { hooks: beforeTool('ext') });
      write(USER, { hooks: beforeTool('user') });
      const { config } = await load({ deps: trusting });
      expect(await rowsOf(config)).toEqual(['user user:', 'extensions ext:']);
      rmSync(join(root, 'home/.hookwright/extensions'), { recursive: true });
      await config.reload();
      expect(await rowsOf(config)).toEqual(['user user:']);
      write(path, '{"hooks": ');
      await config.reload();
      expect(await rowsOf(config)).toEqual(['user user:']);
    },
  );

  test('every file is told, there or not', async () => {
    const { write, load, root } = createPlace();
    write(OWN, {});
    const { config } = await load();
    const files = config.getFiles().map(({ path, kind, exists }) => [path.replace(root, ''), kind, exists]);
    expect(files).toEqual([
      ['/project/.hookwright/settings.json', 'file', true],
      ['/project/.gemini/settings.json', 'file', false],
      ['/home/.hookwright/settings.json', 'file', false],
      ['/home/.gemini/settings.json', 'file', false],
      ['/etc/hookwright/settings.json', 'file', expect.any(Boolean)],
      ['/home/.hookwright/extensions', 'directory', undefined],
      ['/home/.gemini/extensions', 'directory', undefined],
      ['/project/.hookwright/extensions', 'directory', undefined],
    ]);
  });
});

describe('where a project begins', () => {
  test.each([
    ['project/.git/HEAD', 'project/a/b', 'project'],
    ['project/a/.hookwright/settings.json', 'project/a/b', 'project/a'],
    ['project/a/.gemini/settings.json', 'project/a', 'project/a'],
    ['home/.hookwright/settings.json', 'home/a/b', 'home/a/b'],
    ['home/a/.git', 'home/a/b', 'home/a'],
    ['alone/file', 'alone', 'alone'],
  ])('with %s, seen from %s, it is %s', async (file, cwd, expected) => {
    const { write, load, root } = createPlace();
    write(file, '{}');
    mkdirSync(join(root, cwd), { recursive: true });
    const { config } = await load({ cwd: join(root, cwd) });
    expect(config.getProjectDir()).toBe(join(root, expected));
    expect(config.getWorkingDir()).toBe(join(root, cwd));
  });

  test("in the home directory there is no project: its settings are the user's, once", async () => {
    const { write, load, home } = createPlace();
    write(USER, { hooks: beforeTool('user') });
    write('home/.hookwright/extensions/x/hooks/hooks.json', { hooks: beforeTool('ext') });
    const { config } = await load({ cwd: home, deps: trusting });
    expect(await rowsOf(config)).toEqual(['user user:', 'extensions ext:']);
  });
});

test.skipIf(process.platform === 'win32')('a home directory that is told by a link is the same one', async () => {
  const { root, write, load, home } = createPlace();
  write(USER, { hooks: beforeTool('user') });
  symlinkSync(home, join(root, 'linked-home'));
  mkdirSync(join(home, 'a'));
  for (const cwd of [home, join(home, 'a')]) {
    const { config } = await load({ cwd, home: join(root, 'linked-home'), deps: trusting });
    expect(await rowsOf(config)).toEqual(['user user:']);
    expect(config.getProjectDir()).toBe(cwd);
  }
});

describe('trust', () => {
  const files = async (options: LoadConfigOptions = {}) => {
    const { write, load } = createPlace();
    const own = write(OWN, {
      hooks: { BeforeTool: [{ matcher: 'rm', sequential: true, hooks: [{ name: 'project', command: 'a' }] }] },
    });
    write(USER, { hooks: beforeTool('user') });
    const extension = write('home/.hookwright/extensions/x/hooks/hooks.json', { hooks: beforeTool('ext') });
    return { ...(await load(options)), own, extension };
  };

  test('F60 is missing for what comes from a project or an extension until somebody gives it', async () => {
    const { config } = await files();
    expect(await rowsOf(config)).toEqual(['project project: untrusted', 'user user:', 'extensions ext: untrusted']);
  });

  test('is asked for with the place, the matcher and the order of the hook', async () => {
    const asked: TrustQuestion[] = [];
    const trustCheck = (question: TrustQuestion): boolean => asked.push(question) > 0;
    const { config, own, extension } = await files({ deps: { trustCheck } });
    await rowsOf(config);
    expect(asked).toMatchObject([
      { name: 'project', matcher: 'rm', sequential: true, source: { kind: 'project', file: own, line: 8 } },
      { name: 'ext', sequential: false, source: { kind: 'extensions', extension: 'x', file: extension, line: 6 } },
    ]);
  });

  test('a hook remembers where it came from, also when its copies made it stricter', async () => {
    const { write, load } = createPlace();
    const copy = (onFault: string): object => ({
      BeforeTool: [{ hooks: [{ name: 'a', command: 'a', onFault }] }],
    });
    const own = write(OWN, { hooks: copy('allow') });
    write(GEMINI, { tools: { enableHooks: true }, hooks: copy('deny') });
    const { config } = await load({ deps: trusting });
    const system = config.getHookSystem();
    await system?.initialize();
    const [entry] = system?.getRegistry().getHooksForEvent('BeforeTool') ?? [];
    expect(entry && getOrigin(entry.config)).toMatchObject({ source: 'project', position: { file: own, line: 6 } });
    const { HookPlanner } = await import('../../src/index.ts');
    const registry = system?.getRegistry();
    const plan = registry && new HookPlanner(registry).createExecutionPlan('BeforeTool');
    const [planned] = plan?.hookConfigs ?? [];
    expect(planned?.onFault).toBe('deny');
    expect(planned && getOrigin(planned)).toMatchObject({ source: 'project', position: { file: own } });
  });
});

describe('the engine of loaded settings', () => {
  test('is there for the triggers and for the bus, before anything is loaded', async () => {
    const { write, load } = createPlace();
    write(USER, { hooks: denies('no') });
    const bus = new MessageBus();
    const { config } = await load({ bus });
    expect(config.getHookSystem()?.isInitialized()).toBe(false);
    const result = await requestHooks(bus, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect(result.finalOutput?.isBlockingDecision()).toBe(true);
    const executed = await executeToolWithHooks(config, 'ls', {}, async () => ({ llmContent: 'never' }));
    expect(JSON.stringify(executed)).toContain('no');
  });

  test('listens on the bus as soon as a reload finds hooks', async () => {
    const { write, load } = createPlace();
    const bus = new MessageBus();
    const { config } = await load({ bus });
    const ask = (on: Bus) => requestHooks(on, 'BeforeTool', { tool_name: 'ls', tool_input: {} });
    expect((await ask(bus)).errors).toMatchObject([{ code: 'no_handler' }]);
    expect(config.getMessageBus()).toBe(bus);
    write(USER, { hooks: denies('no') });
    await config.reload();
    expect((await ask(bus)).finalOutput?.isBlockingDecision()).toBe(true);
  });
});

describe('createHooks({load: true})', () => {
  /** It has no option for the home directory; the one of the process is another one meanwhile. */
  const withHome = (home: string): void => {
    const before = process.env.HOME;
    process.env.HOME = home;
    onTestFinished(() => {
      process.env.HOME = before;
    });
  };

  test.skipIf(process.platform === 'win32')(
    'joins the hooks of files with those of the code, and the problems',
    async () => {
      const { write, project, home } = createPlace();
      withHome(home);
      write(OWN, { hooks: { ...beforeTool('unapproved'), BeforeTol: [] } });
      write(USER, { hooks: denies('by-file') });
      const hooks = await createHooks({
        load: true,
        cwd: project,
        hooks: untyped({
          BeforeTool: [{ hooks: [{ type: 'runtime', name: 'code', action: () => undefined }] }],
        }),
      });
      onTestFinished(() => hooks.close());
      expect(await hooks.beforeTool({ tool: 'ls', input: {} })).toMatchObject({ verdict: 'deny', reason: 'by-file' });
      expect(hooks.problems.map(({ source, path }) => [source, path])).toEqual([
        ['project', 'hooks.BeforeTol'],
        ['project', 'hooks'],
      ]);
      expect(hooks.problems.at(-1)).toMatchObject({
        code: 'awaiting-approval',
        message: expect.stringContaining('1 hook waits for an approval and will not run: unapproved'),
        hint: expect.stringContaining('hookwright trust'),
      });
      expect((await hooks.explain('BeforeTool')).map(({ name, planned, reason }) => [name, planned, reason])).toEqual([
        ['code', 'run', undefined],
        ['unapproved', 'skip', 'untrusted'],
        ['by-file', 'run', undefined],
      ]);
    },
  );

  test('works in a directory without any settings, and while all of them are off', async () => {
    const { project, home, write } = createPlace();
    withHome(home);
    const empty = await createHooks({ load: true, cwd: project });
    expect(empty.problems).toEqual([]);
    expect((await empty.beforeTool({ tool: 'ls', input: {} })).verdict).toBe('none');
    await empty.close();
    write(USER, { hooksConfig: { enabled: false }, hooks: denies('off') });
    const off = await createHooks({ load: true, cwd: project });
    off.on('BeforeTool', () => ({ decision: 'deny', reason: 'code' }));
    expect(await off.beforeTool({ tool: 'ls', input: {} })).toMatchObject({ verdict: 'deny', reason: 'code' });
    expect((await off.explain()).map(({ name, reason }) => [name, reason])).toContainEqual(['off', 'hooks-disabled']);
    await off.close();
  });
});

test.each<[options: unknown, message: RegExp]>([
  [null, /loadConfig takes an object of options; got null/],
  [{ cwd: 7 }, /needs cwd as a string; got 7/],
  [{ home: [] }, /needs home as a string/],
  [{ files: {} }, /needs files as a list of \{path, scope\}/],
  [{ files: [{ path: 'a' }] }, /scope one of project, user, system, extensions/],
  [{ files: [{ path: 'a', scope: 'runtime' }] }, /scope one of/],
])('a call with %j is refused: that mistake is in code', async (options, message) => {
  const call = loadConfig(untyped<LoadConfigOptions>(options));
  await expect(call).rejects.toThrow(message);
  await expect(call).rejects.toMatchObject({ code: 'invalid_argument' });
});
