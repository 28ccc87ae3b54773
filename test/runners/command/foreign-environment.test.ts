import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { HookRunner } from '../../../src/index.ts';
import { ConfigSource, type HookConfig, withOrigin } from '../../../src/protocol/index.ts';
import { CleanEnvironment, isForeign } from '../../../src/runners/process-api.ts';
import { hostWith } from '../../support/host.ts';
import { wordsOf } from '../../support/notices.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const position = { file: '/p/.hookwright/settings.json', line: 3, column: 5 };
const from = (source: ConfigSource, hook: HookConfig): HookConfig => withOrigin(hook, { source, position });

test('hooks from files of the project and of extensions are foreign, all others are not', () => {
  expect(isForeign(from(ConfigSource.Project, {}))).toBe(true);
  expect(isForeign(from(ConfigSource.Extensions, {}))).toBe(true);
  expect(isForeign(from(ConfigSource.User, {}))).toBe(false);
  expect(isForeign(from(ConfigSource.System, {}))).toBe(false);
  expect(isForeign(withOrigin({}, { source: ConfigSource.Project }))).toBe(false);
  expect(isForeign({})).toBe(false);
});

test('names are looked at once, until other ones are let through', () => {
  const clean = new CleanEnvironment();
  const environment = { A_TOKEN: 'a', B_TOKEN: 'b', C: 'c' };
  const first = clean.of(environment, { D_SECRET: 'd', E: 'e' }, { allowed: ['A_TOKEN'] });
  expect(first).toMatchObject({ environment: { A_TOKEN: 'a', C: 'c' }, variables: { E: 'e' } });
  expect(clean.of(environment, undefined, { allowed: ['A_TOKEN'] })).toBe(first);
  expect(clean.of(environment, undefined).environment).toEqual({ C: 'c' });
});

const secrets = {
  GITHUB_TOKEN: 'canary-1',
  OPENAI_API_KEY: 'canary-2',
  AWS_PROFILE: 'canary-3',
  DB_URL: 'postgres://u:canary-4@h/',
  Mixed_Password: 'canary-5',
  HOOKWRIGHT_TAP: '/run/canary-7.sock',
};

describe.skipIf(process.platform === 'win32')('what a hook gets', () => {
  let directory = '';

  beforeEach(() => {
    directory = temporaryFolder('env');
    for (const [name, value] of Object.entries({ ...secrets, HARMLESS: 'kept' })) vi.stubEnv(name, value);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(directory, { recursive: true, force: true });
    });
  });

  const environmentOf = async (hook: HookConfig, allowed?: readonly string[]) => {
    const host = hostWith({
      getWorkingDir: () => directory,
      ...(allowed === undefined ? {} : { getAllowedEnv: () => allowed }),
    });
    const runner = new HookRunner(host, { variables: { ADDED_SECRET: 'canary-6', ADDED: 'kept' } });
    onTestFinished(() => runner.dispose());
    const input = { session_id: 's', cwd: directory, hook_event_name: 'Notification', timestamp: '' };
    const result = await runner.executeHook(hook, 'Notification', {
      ...input,
      transcript_path: '',
      notification_type: 'ToolPermission',
      message: '',
      details: {},
    });
    const variables: Record<string, string> = Object.fromEntries(
      (result.stdout ?? '').split('\n').map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]),
    );
    return { variables, result };
  };
  const printsIt: HookConfig = { type: 'command', command: 'env' };

  test.each([ConfigSource.Project, ConfigSource.Extensions])('F64 from a file of %s: no secrets', async (source) => {
    const { variables, result } = await environmentOf(from(source, { ...printsIt }));
    expect(variables).toMatchObject({ HARMLESS: 'kept', ADDED: 'kept', PATH: process.env.PATH });
    expect(result.stdout).not.toContain('canary');
  });

  test('F64 what the user lets through is there, and nothing else', async () => {
    const allowed = ['GITHUB_TOKEN', 'AWS_*'];
    const { variables, result } = await environmentOf(from(ConfigSource.Project, { ...printsIt }), allowed);
    expect(variables).toMatchObject({ GITHUB_TOKEN: 'canary-1', AWS_PROFILE: 'canary-3' });
    expect(result.stdout?.match(/canary-\d/g)).toHaveLength(2);
  });

  test('F64 a secret cannot be had through the command line either', async () => {
    const command = 'echo "$ADDED_SECRET$GITHUB_TOKEN" $ADDED_SECRET; printenv GITHUB_TOKEN';
    const { result } = await environmentOf(from(ConfigSource.Project, { type: 'command', command }));
    expect(result.stdout).not.toContain('canary');
  });

  test.each([ConfigSource.User, ConfigSource.System, ConfigSource.Runtime])(
    'F64 from %s: the environment unchanged',
    async (source) => {
      const env = { PATH: `/nowhere:${process.env.PATH}` };
      const { variables, result } = await environmentOf(from(source, { ...printsIt, env }));
      expect(variables).toMatchObject({ ...secrets, ADDED_SECRET: 'canary-6', PATH: env.PATH });
      expect(result.warnings ?? []).toEqual([]);
    },
  );

  test('F64 names that change which code runs are not set, and the run says so', async () => {
    const evil = join(directory, 'evil.sh');
    writeFileSync(evil, `echo ran >> ${directory}/canary\n`);
    writeFileSync(join(directory, 'evil.cjs'), `require('fs').appendFileSync('${directory}/canary', 'ran')`);
    const env = {
      BASH_ENV: evil,
      ENV: evil,
      NODE_OPTIONS: `--require ${directory}/evil.cjs`,
      LD_PRELOAD: evil,
      PATH: directory,
      'BASH_FUNC_env%%': '() { echo fooled; }',
      LEVEL: '2',
    };
    const command = 'env; node -e ""; bash -c true';
    const { variables, result } = await environmentOf(from(ConfigSource.Project, { type: 'command', command, env }));
    expect(variables).toMatchObject({ LEVEL: '2', PATH: process.env.PATH });
    expect(Object.keys(variables).filter((name) => name !== 'LEVEL' && name in env)).toEqual(['PATH']);
    expect(result.stdout).not.toContain('fooled');
    expect(wordsOf(result.warnings)).toContain('refused-variables: BASH_ENV, ENV, NODE_OPTIONS, LD_PRELOAD, PATH');
    expect(() => rmSync(join(directory, 'canary'))).toThrow('ENOENT');
  });

  test('F64 a name cannot smuggle in another variable behind an equals sign', async () => {
    const env = { [`PATH=${directory}`]: '', 'HOME=/nowhere': 'x', LEVEL: '2' };
    const { variables, result } = await environmentOf(from(ConfigSource.Project, { ...printsIt, env }));
    expect(variables).toMatchObject({ LEVEL: '2', PATH: process.env.PATH, HOME: process.env.HOME });
    expect(wordsOf(result.warnings)).toContain(`refused-variables: PATH=${directory}, HOME=/nowhere not set`);
  });

  test.each(['KUBECONFIG', 'DOCKER_CONFIG', 'RIPGREP_CONFIG_PATH', 'AWS_CONFIG_FILE'])(
    'F64 %s, whose file may name programs to start, is not set',
    async (name) => {
      const { result } = await environmentOf(from(ConfigSource.Project, { ...printsIt, env: { [name]: '/evil' } }));
      expect(result.stdout).not.toContain('/evil');
    },
  );

  test('F64 a bash started by a hook reads no start-up file: SHLVL is always set', async () => {
    vi.stubEnv('SHLVL', undefined);
    const { variables } = await environmentOf(from(ConfigSource.Project, { ...printsIt }));
    expect(Number(variables.SHLVL)).toBeGreaterThanOrEqual(1);
  });
});
