import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Bus,
  createHooks,
  fireBeforeToolHook,
  HookEventName,
  HookSystem,
  type HooksByEvent,
  type HostConfig,
  loadConfig,
  MessageBus,
  requestHooks,
} from '../../src/index.ts';
import { project } from '../agents/project.ts';

const guard = (more: object = {}) => ({
  type: 'command',
  name: 'no-secrets',
  command: 'grep -q secret && { echo no >&2; exit 2; }; exit 0',
  onFault: 'deny' as const,
  ...more,
});
const of = (hook: object, more: object = {}) => ({ hooks: { BeforeTool: [{ hooks: [hook] }] }, ...more });
const canary = (command: string) => ({ canary: { tool_name: 'run_shell_command', tool_input: { command } } });

const start = async (files: Readonly<Record<string, unknown>>, require?: readonly string[]) => {
  const { cwd, home } = project(files);
  const hooks = await createHooks({ load: true, cwd, home, ...(require === undefined ? {} : { require }) });
  onTestFinished(() => hooks.close());
  return hooks;
};

const missing = { code: 'invalid_config', details: { notice: 'required-guard-missing' } };
const USER = 'home/.hookwright/settings.json';

describe('an engine refuses to start without a required guard', () => {
  test.each([
    ['is configured nowhere', {}],
    ['is switched off by name', { [USER]: of(guard(), { hooksConfig: { disabled: ['no-secrets'] } }) }],
    ['is of a project and not approved', { 'project/.hookwright/settings.json': of(guard()) }],
    ['lets its canary pass', { [USER]: of(guard(canary('ls'))) }],
  ])('that %s', async (_what, files) => {
    await expect(start(files, ['no-secrets'])).rejects.toMatchObject(missing);
  });

  test('that the settings of the user require', async () => {
    await expect(start({ [USER]: { required: ['no-secrets'] } })).rejects.toMatchObject(missing);
  });

  test('and starts with it', async () => {
    const files = { [USER]: of(guard(canary('cat secret')), { required: ['no-secrets'] }) };
    expect((await start(files, ['no-secrets'])).problems).toEqual([]);
  });

  test('a guard in code counts, and a name that is none is a mistake', async () => {
    const hooks = await createHooks({
      require: ['own'],
      hooks: { BeforeTool: [{ hooks: [{ ...guard(), name: 'own' }] }] },
    });
    await hooks.close();
    await expect(createHooks({ require: JSON.parse('[5]') })).rejects.toThrow('needs require as a list of names');
  });

  test('a project requires nothing', async () => {
    const files = { 'project/.hookwright/settings.json': { required: ['no-secrets'] } };
    expect((await start(files)).problems).toMatchObject([{ code: 'no-effect', path: 'required[0]' }]);
  });
});

describe('R1590 without createHooks, a required guard that is missing is refused for', () => {
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' } };
  const configured = (hooks: HooksByEvent = {}) => ({
    getSessionId: () => 's',
    getWorkingDir: () => process.cwd(),
    getHooks: () => ({}),
    getUserHooks: () => hooks,
    getRequired: () => ['no-secrets'],
  });
  const systemOf = (config: HostConfig, bus?: Bus) => {
    const system = new HookSystem(config, bus);
    onTestFinished(() => system.dispose());
    return system;
  };
  const why = 'Required guard "no-secrets" is missing';

  test('tool calls of a bare HookSystem, on its bus and in its rows, and nothing else', async () => {
    const bus = new MessageBus();
    const system = systemOf(configured(), bus);
    const { finalOutput: output } = await requestHooks(bus, HookEventName.BeforeTool, call);
    expect(output).toMatchObject({ decision: 'deny' });
    expect(output?.reason).toContain(`${why}: no hook has this name`);
    expect(await system.explain('BeforeTool')).toMatchObject([{ name: 'no-secrets', reason: 'invalid-config' }]);
    const after = await requestHooks(bus, HookEventName.AfterTool, { ...call, tool_response: 'x' });
    expect(after.finalOutput).toBeUndefined();
  });

  test('a call until the guard is there, and again when it is switched off or taken away', async () => {
    const system = systemOf(configured());
    await system.initialize();
    const decide = async () => (await system.getEventHandler().fire('BeforeTool', call)).finalOutput?.decision;
    expect(await decide()).toBe('deny');
    const remove = system.registerHook({ ...guard(), type: 'command' }, HookEventName.BeforeTool);
    expect(await decide()).not.toBe('deny');
    system.setHookEnabled('no-secrets', false);
    expect(await decide()).toBe('deny');
    system.setHookEnabled('no-secrets', true);
    expect(await decide()).not.toBe('deny');
    remove();
    expect(await decide()).toBe('deny');
  });

  test('triggers with settings that require a guard and have no hook at all', async () => {
    const { config } = await loadConfig(project({ [USER]: { required: ['no-secrets'] } }));
    const decided = await fireBeforeToolHook(config, 'Bash', { command: 'ls' });
    expect(decided).toMatchObject({ decision: 'deny' });
    await config.getHookSystem()?.dispose();
  });

  test('an engine that loses it with a reload', async () => {
    const place = project({ [USER]: of(guard(), { required: ['no-secrets'] }) });
    const hooks = await createHooks({ load: true, ...place });
    onTestFinished(() => hooks.close());
    const verdict = async () => (await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } })).verdict;
    expect(await verdict()).toBe('none');
    writeFileSync(join(place.home, '.hookwright/settings.json'), JSON.stringify({ required: ['no-secrets'] }));
    await hooks.system.reload();
    expect(await verdict()).toBe('deny');
  });
});
