import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHooks, type HookConfig, reviewTrust } from '../../src/index.ts';
import { approveAll } from '../trust/approve-all.ts';
import { createPlace, OWN, type Place, USER } from './support.ts';

const deny = `#!/bin/sh\necho '{"decision": "deny", "reason": "guarded"}'\n`;

const settings = (hook: HookConfig): object => ({ hooks: { BeforeTool: [{ hooks: [hook] }] } });

const call = { tool: 'shell', input: {} };

const engine = async (place: Place, project = place.project) => {
  const { config } = await place.load({ cwd: project });
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  return { hooks, config };
};

/** A project with a script that denies, and one outside of it. */
const scripts = (): Place => {
  const place = createPlace();
  execFileSync('git', ['init', '-q', place.project]);
  for (const path of ['project/hooks/guard.sh', 'tools/guard.sh']) chmodSync(place.write(path, deny), 0o755);
  mkdirSync(join(place.root, 'bin'));
  symlinkSync(join(place.project, 'hooks/guard.sh'), join(place.root, 'bin/linked.sh'));
  return place;
};

describe.skipIf(process.platform === 'win32')('R1500 a hook of the user that starts a program of the project', () => {
  test.each([
    './hooks/guard.sh',
    'sh ./hooks/guard.sh all',
    '"$HOOKWRIGHT_PROJECT_DIR"/hooks/guard.sh',
    'cd hooks && ./guard.sh',
    'cd hooks && sh guard.sh',
    '"$(git rev-parse --show-toplevel)"/hooks/guard.sh | cat',
    '. ./hooks/guard.sh',
    'env A=1 ./hooks/guard.sh',
    '{root}/project/hooks/guard.sh',
    '{root}/bin/linked.sh',
    "bash -c './hooks/guard.sh'",
    '[args] ./hooks/guard.sh',
  ])('does not run before it is approved: %s', async (line) => {
    const place = scripts();
    const words = line.replace('{root}', place.root);
    const hook = line.startsWith('[args]') ? { command: './hooks/guard.sh', args: ['all'] } : { command: words };
    place.write(USER, settings({ name: 'guard', ...hook }));
    const { hooks } = await engine(place);
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'none' });
    expect(await hooks.explain('BeforeTool')).toMatchObject([
      { source: { kind: 'user' }, reason: 'untrusted', hint: expect.stringContaining('lies in this project') },
    ]);
    expect(hooks.problems.filter(({ code }) => code !== 'no-effect')).toMatchObject([
      { code: 'awaiting-approval', message: expect.stringContaining('what guard starts lies in this project') },
    ]);
    await approveAll(place);
    expect(await (await engine(place)).hooks.beforeTool(call)).toMatchObject({ verdict: 'deny' });
  });

  test('needs no approval when its line names the program by the home directory', async () => {
    const place = scripts();
    chmodSync(place.write('home/tools/guard.sh', deny), 0o755);
    place.write(USER, settings({ name: 'guard', command: '~/tools/guard.sh' }));
    const { hooks } = await engine(place);
    expect(await hooks.explain('BeforeTool')).toMatchObject([{ planned: 'run' }]);
  });

  test.each([
    '{root}/tools/guard.sh ./hooks/guard.sh',
    'sh {root}/tools/guard.sh "$HOOKWRIGHT_PROJECT_DIR"',
    'cd {root}/tools && ./guard.sh',
    `echo '{"decision": "deny"}' # ./hooks/guard.sh`,
  ])('that names a file of it in another word runs as before: %s', async (line) => {
    const place = scripts();
    place.write(USER, settings({ name: 'guard', command: line.replace('{root}', place.root) }));
    const { hooks } = await engine(place);
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'deny' });
    expect(hooks.problems).toEqual([]);
  });

  test.each(['deny', 'ask'] as const)(
    'refuses what it would check while it waits, with onFault %s',
    async (onFault) => {
      const place = scripts();
      place.write(USER, settings({ name: 'guard', command: './hooks/guard.sh', onFault }));
      const { hooks } = await engine(place);
      const { verdict, reason, faults } = await hooks.beforeTool(call);
      expect([verdict, faults.map(({ code }) => code)]).toEqual(['deny', ['untrusted']]);
      expect(reason).toContain('it is not approved (its program hooks/guard.sh lies in this project); review it');
      expect(hooks.problems).toMatchObject([{ code: 'awaiting-approval', severity: 'error' }]);
    },
  );

  test('is covered, so that a change of its script is a change of it', async () => {
    const place = scripts();
    place.write(USER, settings({ name: 'guard', command: './hooks/guard.sh', onFault: 'deny' }));
    await approveAll(place);
    const { hooks, config } = await engine(place);
    expect((await reviewTrust(config)).hooks).toMatchObject([{ status: 'approved', script: { covered: true } }]);
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'deny', reason: 'guarded' });
    place.write('project/hooks/guard.sh', '#!/bin/sh\nexit 0\n');
    const { verdict, faults } = await hooks.beforeTool(call);
    expect([verdict, faults.map(({ code }) => code)]).toEqual(['deny', ['changed-since-trusted']]);
  });

  test('runs on, and refuses nothing, when settings of the project cannot be read', async () => {
    const place = scripts();
    place.write('project/hooks/guard.sh', '#!/bin/sh\necho checked\n');
    place.write(USER, settings({ name: 'guard', command: './hooks/guard.sh', onFault: 'deny' }));
    await approveAll(place);
    const file = place.write(OWN, '{ broken');
    const { hooks } = await engine(place);
    expect(hooks.problems).toMatchObject([{ file, severity: 'error' }]);
    expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'none', faults: [], messages: ['checked'] });
  });

  test('sees the environment of hooks of the project', async () => {
    const place = scripts();
    place.write('project/hooks/guard.sh', '#!/bin/sh\necho "token: ${DEPLOY_TOKEN-none}"\n');
    place.write(USER, settings({ name: 'guard', command: './hooks/guard.sh' }));
    process.env.DEPLOY_TOKEN = 'a-secret-of-the-user';
    onTestFinished(() => void delete process.env.DEPLOY_TOKEN);
    await approveAll(place);
    const { messages } = await (await engine(place)).hooks.beforeTool(call);
    expect(messages).toEqual(['token: none']);
  });

  test('needs no approval where the project is the home directory or contains it', async () => {
    const place = scripts();
    chmodSync(place.write('home/hooks/guard.sh', deny), 0o755);
    place.write(USER, settings({ name: 'guard', command: `${place.home}/hooks/guard.sh` }));
    for (const project of [place.home, place.root]) {
      mkdirSync(join(place.root, '.git'), { recursive: true });
      const { hooks } = await engine(place, project);
      expect(await hooks.beforeTool(call)).toMatchObject({ verdict: 'deny', reason: 'guarded' });
    }
  });

  test('is no approved hook that the project removed once its user took it out', async () => {
    const place = scripts();
    place.write(USER, settings({ name: 'guard', command: './hooks/guard.sh', onFault: 'deny' }));
    await approveAll(place);
    place.write(USER, { hooks: {} });
    expect((await engine(place)).hooks.problems).toEqual([]);
  });

  test('is one of another agent as well', async () => {
    const place = scripts();
    const hooks = [{ type: 'command', command: '"$CLAUDE_PROJECT_DIR"/hooks/guard.sh' }];
    place.write('home/.claude/settings.json', { hooks: { PreToolUse: [{ matcher: '*', hooks }] } });
    const { config } = await place.load({ agents: { 'claude-code': true } });
    const system = await createHooks({ config });
    onTestFinished(() => system.close());
    expect(await system.explain('BeforeTool')).toMatchObject([{ source: { kind: 'user' }, reason: 'untrusted' }]);
  });
});
