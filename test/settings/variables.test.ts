// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how variables are written in settings
import { delimiter, join, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookConfig } from '../../src/index.ts';
import { createPlace, GEMINI, OWN, placesOf, trusting, USER } from './support.ts';

const EXTENSION = 'home/.hookwright/extensions/x/hooks/hooks.json';
const env = { NAME: 'n', EMPTY: '', GITHUB_TOKEN: 'secret', DATABASE: 'db://u:p@host/', GEMINI_CWD: 'not now' };

/** The one hook of a file, as the engine has it, and what was said about it. */
const read = async (path: string, hook: HookConfig, user: object = {}) => {
  const { write, load, root, project } = createPlace();
  if (path !== USER) write(USER, user);
  const more = path === GEMINI ? { tools: { enableHooks: true } } : {};
  write(path, { ...more, hooks: { BeforeTool: [{ hooks: [hook] }] } });
  const { config, problems } = await load({ env, deps: trusting });
  await config.getHookSystem()?.initialize();
  const [entry] = config.getHookSystem()?.getAllHooks() ?? [];
  // Without where it is from, which it carries by a symbol.
  const plain: HookConfig | undefined =
    entry === undefined ? undefined : Object.fromEntries(Object.entries(entry.config));
  return { hook: plain, problems, root, project };
};

describe('variables in settings', () => {
  test.each<[written: string, filled: string]>([
    ['$NAME', 'n'],
    ['a/${NAME}/b', 'a/n/b'],
    ['$NAME$NAME', 'nn'],
    ['${GONE:-else}', 'else'],
    ['${GONE:-}', ''],
    ['${EMPTY:-else}', 'else'],
    ['${NAME:-else}', 'n'],
    ['$EMPTY', ''],
    ['$GONE and ${GONE}', '$GONE and ${GONE}'],
    ['$GEMINI_CWD and ${HOOKWRIGHT_PROJECT_DIR}', '$GEMINI_CWD and ${HOOKWRIGHT_PROJECT_DIR}'],
    ['100 $ and $1 and ${}', '100 $ and $1 and ${}'],
  ])('%j is %j', async (written, filled) => {
    const { hook, problems } = await read(OWN, { command: 'a', args: [written], env: { A: written } });
    expect(hook).toMatchObject({ args: [filled], env: { A: filled } });
    expect(problems).toEqual([]);
  });

  test('are filled into addresses and directories, which must not become empty by that', async () => {
    const address = { type: 'http', url: 'https://$NAME.example' } as const;
    expect((await read(OWN, address)).hook?.url).toBe('https://n.example');
    expect((await read(OWN, { command: 'a', cwd: '/$NAME' })).hook?.cwd).toBe('/n');
    const { hook, problems } = await read(OWN, { command: 'a', cwd: '$EMPTY' });
    expect(hook).toBeUndefined();
    expect(problems.map(({ message }) => message)).toEqual([
      'hooks.BeforeTool[0].hooks[0].cwd must be a directory, found ""',
    ]);
  });

  test('are filled in files of other agents too', async () => {
    const { hook } = await read(GEMINI, { command: 'a', args: ['$NAME'] });
    expect(hook?.args).toEqual(['n']);
  });

  test('stay as they are in commands, which a shell reads, in headers and in names', async () => {
    const written = { command: 'echo $NAME', name: '$NAME', headers: { authorization: '$GITHUB_TOKEN' } };
    const { hook, problems } = await read(USER, written);
    expect(hook).toEqual({ type: 'command', ...written });
    expect(problems).toEqual([]);
  });

  test.each([OWN, EXTENSION])(
    'that look like secrets are not filled into %s, and told where they stand',
    async (path) => {
      const { hook, problems } = await read(path, {
        command: 'a',
        args: ['$GITHUB_TOKEN', '$NAME'],
        env: { D: '$DATABASE' },
      });
      expect(hook).toMatchObject({ args: ['$GITHUB_TOKEN', 'n'], env: { D: '$DATABASE' } });
      expect(placesOf(problems)).toEqual([
        '9:15 hooks.BeforeTool[0].hooks[0].args[0]',
        '13:15 hooks.BeforeTool[0].hooks[0].env.D',
      ]);
      expect(problems[0]?.message).toContain(
        'names $GITHUB_TOKEN, which looks like a secret and is not filled in here',
      );
    },
  );

  test('that look like secrets are filled in for the user, and where the user lets them through', async () => {
    const hook = { command: 'a', args: ['$GITHUB_TOKEN'] };
    expect((await read(USER, hook)).hook?.args).toEqual(['secret']);
    const allowed = await read(OWN, hook, { allowEnv: ['GITHUB_*'] });
    expect(allowed.hook?.args).toEqual(['secret']);
    expect(allowed.problems).toEqual([]);
  });
});

describe('variables of an extension', () => {
  test('are filled into arguments, and into the environment where the command names them', async () => {
    const { hook, root, project } = await read(EXTENSION, {
      command: 'node "${extensionPath}${/}check.mjs"',
      args: ['${extensionPath}', '${workspacePath}${/}x', 'a${pathSeparator}b'],
      env: { A: '${workspacePath}' },
    });
    const extensionPath = join(root, 'home/.hookwright/extensions/x');
    expect(hook).toEqual({
      type: 'command',
      command: `node "\${extensionPath}${sep}check.mjs"`,
      args: [extensionPath, `${project}${sep}x`, `a${delimiter}b`],
      env: { extensionPath, A: project },
    });
  });

  test('are none in other files', async () => {
    const { hook } = await read(OWN, { command: '${extensionPath}${/}a', args: ['${extensionPath}'] });
    expect(hook).toMatchObject({ command: '${extensionPath}${/}a', args: ['${extensionPath}'] });
  });
});
