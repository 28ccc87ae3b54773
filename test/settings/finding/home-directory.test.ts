import { userInfo } from 'node:os';
import { isAbsolute, parse } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ConfigSource, HookwrightError, loadConfig, reviewTrust } from '../../../src/index.ts';
import { createTrustCheck } from '../../../src/trust/index.ts';
import { beforeTool, createPlace, OWN, rowsOf } from '../support.ts';

test.skipIf(process.platform === 'win32').each(['', '.', 'home', './.hookwright'])(
  'F63 with HOME=%j the working directory is not taken for the home of the user',
  async (home) => {
    const { write, project } = createPlace();
    write(OWN, { hooks: beforeTool('hostile') });
    vi.stubEnv('HOME', home);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { config } = await loadConfig({ cwd: project, env: {} });
    expect([userInfo().homedir, parse(project).root]).toContain(config.getHome());
    expect(await rowsOf(config)).toContain('project hostile: untrusted');
    expect(isAbsolute((await reviewTrust({ ...plainConfig(project) })).file)).toBe(true);
  },
);

const plainConfig = (directory: string) => ({
  getSessionId: () => 's',
  getWorkingDir: () => directory,
  getHooks: () => undefined,
});

test('F63 an empty home is refused: it would be the working directory', async () => {
  await expect(loadConfig({ home: '' })).rejects.toSatisfy(
    (error) => HookwrightError.is(error) && error.code === 'invalid_argument',
  );
});

test('F63 approvals are not looked for in a relative home', async () => {
  const troubles: string[] = [];
  const trustCheck = createTrustCheck({ home: '', projectDir: '/p', onTrouble: (trouble) => troubles.push(trouble) });
  const verdict = trustCheck({
    hookId: 'project/BeforeTool/x',
    name: 'x',
    eventName: 'BeforeTool',
    source: { kind: ConfigSource.Project },
    config: { command: 'x' },
    sequential: false,
  });
  expect(await verdict).toBe('untrusted');
  expect(troubles).toEqual([expect.stringContaining('is not absolute')]);
});
