import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks } from '../../src/index.ts';
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
