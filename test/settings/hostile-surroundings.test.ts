import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createHooks, type HookConfig, type HookRow, HookRunner, MessageBusType } from '../../src/index.ts';
import { getOrigin } from '../../src/protocol/index.ts';
import { reviewTrust } from '../../src/trust/index.ts';
import { hostWith } from '../support/host.ts';
import { approveAll } from '../trust/approve-all.ts';
import { createPlace, OWN, type Place, USER } from './support.ts';

const settings = (...hooks: readonly object[]): object => ({ hooks: { BeforeTool: [{ hooks }] } });

afterEach(() => vi.unstubAllEnvs());

const engine = async (place: Place) => {
  const { config } = await place.load();
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  const rows: HookRow[] = [];
  hooks.bus.subscribe(MessageBusType.HOOK_EXECUTION_TRACE, (trace) => rows.push(...trace.rows));
  return { config, hooks, rows };
};

/** Programs of the project that say that they ran, for every name a hook may look for. */
const plant = ({ project, root }: Place, directory: string): (() => boolean) => {
  const planted = join(root, 'planted-ran');
  for (const name of ['bash', 'sh', 'node', 'guard-tool', 'cat']) {
    const file = join(project, directory, name);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho ${name} >> ${planted}\n`);
    chmodSync(file, 0o755);
  }
  return () => existsSync(planted);
};

/** Ways in which PATH leads into a project. */
const entries: readonly (readonly [string, (place: Place) => string])[] = [
  ['a relative entry of PATH', (): string => 'bin'],
  ['an empty entry of PATH', (): string => ''],
  ['an entry inside the project', ({ project }: Place): string => join(project, 'bin')],
  [
    'an entry that a link leads into the project',
    ({ root, project }: Place): string => {
      symlinkSync(join(project, 'bin'), join(root, 'link'));
      return join(root, 'link');
    },
  ],
  [
    'an entry that leads each process elsewhere',
    ({ project }: Place): string => `/proc/self/cwd${'/..'.repeat(20)}${project}/bin`,
  ],
  [
    'an entry whose shells are links into the project',
    ({ root, project }: Place): string => {
      mkdirSync(join(root, 'shells'));
      for (const name of ['bash', 'sh']) symlinkSync(join(project, 'bin', name), join(root, 'shells', name));
      return join(root, 'shells');
    },
  ],
];

describe.skipIf(process.platform === 'win32')('R675 a guard of the user in a hostile project', () => {
  test.each(entries)('runs the real shell and the real programs, with %s', async (_what, entry) => {
    const place = createPlace();
    const ran = plant(place, 'bin');
    plant(place, '.');
    vi.stubEnv('PATH', `${entry(place)}:${process.env.PATH}`);
    const command = 'x=$(cat); echo "{\\"decision\\": \\"deny\\", \\"reason\\": \\"real\\"}"; exit 0';
    place.write(USER, settings({ name: 'guard', command }, { name: 'direct', command: 'node --version' }));
    const { hooks } = await engine(place);
    expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ verdict: 'deny', reason: 'real' });
    expect(ran()).toBe(false);
  });

  test('an approved hook of the project finds the programs of the project, and its line is read by the real shell', async () => {
    const place = createPlace();
    const ran = plant(place, 'bin');
    place.write('project/bin/tool', '#!/bin/sh\necho from the project\n');
    chmodSync(join(place.project, 'bin/tool'), 0o755);
    for (const name of ['bash', 'sh', 'cat', 'node']) {
      if (name !== 'bash' && name !== 'sh') rmSync(join(place.project, 'bin', name));
    }
    vi.stubEnv('PATH', `${join(place.project, 'bin')}:${process.env.PATH}`);
    place.write(OWN, settings({ name: 'own', command: 'tool; true' }));
    await approveAll(place);
    const { hooks } = await engine(place);
    expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).messages.join()).toContain('from the project');
    expect(ran()).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('R1042 a covered hook that was approved', () => {
  const deny = '{"decision": "deny", "reason": "real"}';

  test.each(entries)(
    'is read by the interpreter of the machine, with %s that came after the approval',
    async (_what, entry) => {
      const place = createPlace();
      place.write('project/hooks/guard.sh', `#!/usr/bin/env bash\necho '${deny}'\n`);
      place.write('project/hooks/guard.mjs', `console.log('${deny}');\n`);
      chmodSync(join(place.project, 'hooks/guard.sh'), 0o755);
      place.write(
        OWN,
        settings({ name: 'direct', command: './hooks/guard.sh' }, { name: 'named', command: 'node hooks/guard.mjs' }),
      );
      await approveAll(place);
      const ran = plant(place, 'bin');
      plant(place, '.');
      vi.stubEnv('PATH', `${entry(place)}:${process.env.PATH}`);
      const { hooks, rows } = await engine(place);
      expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({
        verdict: 'deny',
        reason: 'real\nreal',
      });
      expect(rows.map(({ name, output }) => [name, output?.decision])).toEqual([
        ['direct', 'deny'],
        ['named', 'deny'],
      ]);
      expect(ran()).toBe(false);
    },
  );
});

describe.skipIf(process.platform === 'win32')('R676 secrets', () => {
  test.each([
    ['SOME_SETTING', `AIza${'x'.repeat(35)}`],
    ['SOME_SETTING', `rk_live_${'a1'.repeat(12)}`],
    ['SOME_SETTING', `hvs.${'a1'.repeat(12)}`],
    ['SOME_SETTING', `a text with dop_v1_${'a1'.repeat(32)} in it`],
    ['SOME_SETTING', 'first line\n-----BEGIN EC PRIVATE KEY-----\nabc\n-----END EC PRIVATE KEY-----'],
    ['SOME_SETTING', '{"type": "service_account", "private_key": "abc", "client_email": "a@b"}'],
    ['SOME_SETTING', '{"auth":{"client_secret":"abcdef"}}'],
    ['clientSecret', 'x'],
  ])('%s=%j is kept from a hook of the project, and its row names it', async (name, value) => {
    vi.stubEnv(name, value);
    const place = createPlace();
    place.write(OWN, settings({ name: 'own', command: `printenv ${name} || true; true` }));
    await approveAll(place);
    const { hooks, rows } = await engine(place);
    expect((await hooks.beforeTool({ tool: 'Bash', input: {} })).messages).toEqual([]);
    const warning = rows[0]?.warnings?.find(({ code }) => code === 'withheld-variables');
    expect(warning).toMatchObject({ message: expect.stringContaining(name), fix: expect.stringContaining('allowEnv') });
  });

  test('R1048 where the user wants that, a hook of the project sees listed and allowed variables only, and no word of ours is withheld', async () => {
    vi.stubEnv('EDITION', 'one');
    vi.stubEnv('FLAVOUR', 'two');
    vi.stubEnv('HOOKWRIGHT_TAP', '/nowhere');
    const place = createPlace();
    place.write(
      OWN,
      settings({ name: 'own', command: 'echo "$EDITION,$FLAVOUR,${PATH:+path},$HOOKWRIGHT_TAP"; true' }),
    );
    const said = async (user: object) => {
      place.write(USER, user);
      await approveAll(place);
      const { hooks, rows } = await engine(place);
      const { messages } = await hooks.beforeTool({ tool: 'Bash', input: {} });
      expect(JSON.stringify(rows)).not.toContain('HOOKWRIGHT_TAP not');
      return { messages, problems: hooks.problems.map(({ code }) => code) };
    };
    expect(await said({})).toEqual({ messages: ['one,two,path,'], problems: [] });
    const listed = { projectEnv: 'listed', allowEnv: ['FLAVOUR'] };
    expect(await said(listed)).toEqual({ messages: [',two,path,'], problems: [] });
    expect(await said({ ...listed, projectEnv: 'some' })).toEqual({
      messages: [',two,path,'],
      problems: ['invalid-value'],
    });
  });

  test('R818 that a hook asks for by name are told when the user allows that name, and no other, until the hook changes', async () => {
    vi.stubEnv('DEPLOY_TOKEN', 'one');
    vi.stubEnv('OTHER_TOKEN', 'two');
    const place = createPlace();
    const command = 'echo "$DEPLOY_TOKEN,$OTHER_TOKEN"';
    const fire = async () => {
      const { hooks, rows } = await engine(place);
      const { messages } = await hooks.beforeTool({ tool: 'Bash', input: {} });
      return { messages, warnings: rows.flatMap((row) => row.warnings ?? []) };
    };
    const allow = async (secrets: readonly string[]) => {
      const { config } = await place.load();
      const review = await reviewTrust(config);
      await review.approve(
        review.hooks.map(({ id }) => id),
        { secrets },
      );
    };
    place.write(OWN, settings({ name: 'deploy', command, secrets: ['DEPLOY_TOKEN'] }));
    await approveAll(place);
    expect(await fire()).toMatchObject({
      messages: [','],
      warnings: [
        {
          code: 'withheld-variables',
          message: expect.stringContaining('DEPLOY_TOKEN, OTHER_TOKEN'),
          fix: expect.stringContaining('hookwright trust "deploy" --yes --secrets DEPLOY_TOKEN'),
        },
      ],
    });
    await expect(allow(['OTHER_TOKEN'])).rejects.toThrow('"OTHER_TOKEN" is not a secret that a hook asks for');
    await allow(['DEPLOY_TOKEN']);
    expect(await fire()).toMatchObject({
      messages: ['one,'],
      warnings: [{ message: expect.stringMatching(/^(?!.*DEPLOY_TOKEN).*OTHER_TOKEN/) }],
    });
    const { config } = await place.load();
    expect((await reviewTrust(config)).hooks).toMatchObject([{ secrets: [{ name: 'DEPLOY_TOKEN', isAllowed: true }] }]);
    // Another entry is approved anew, and told nothing because an earlier one was.
    place.write(OWN, settings({ name: 'deploy', command: `${command}; true`, secrets: ['DEPLOY_TOKEN'] }));
    await approveAll(place);
    expect(await fire()).toMatchObject({ messages: [','] });
  });

  test('R818 are named in the rows of workers and of HTTP hooks too', async () => {
    vi.stubEnv('DEPLOY_TOKEN', 'one');
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end('{}');
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const place = createPlace();
    const worker = 'export default () => ({ systemMessage: String(process.env.DEPLOY_TOKEN) });';
    place.write('project/worker.mjs', worker);
    const headers = { authorization: 'Bearer $DEPLOY_TOKEN' };
    place.write(
      OWN,
      settings(
        { name: 'warm', type: 'worker', command: 'node worker.mjs', secrets: ['DEPLOY_TOKEN'] },
        { name: 'web', type: 'http', url, headers, allowedEnvVars: ['DEPLOY_TOKEN'], secrets: ['DEPLOY_TOKEN'] },
      ),
    );
    await approveAll(place);
    const first = await engine(place);
    expect((await first.hooks.beforeTool({ tool: 'Bash', input: {} })).messages).toEqual(['undefined']);
    expect(first.rows.map(({ name, warnings }) => [name, warnings?.[0]])).toMatchObject(
      ['warm', 'web'].map((name) => [
        name,
        {
          code: 'withheld-variables',
          message: expect.stringMatching(/DEPLOY_TOKEN.*like (?:a secret|secrets)/),
          fix: expect.stringContaining(`"${name}" --yes --secrets DEPLOY_TOKEN`),
        },
      ]),
    );
    const { config } = await place.load();
    const review = await reviewTrust(config);
    await review.approve(
      review.hooks.map(({ id }) => id),
      { secrets: ['DEPLOY_TOKEN'] },
    );
    const second = await engine(place);
    expect((await second.hooks.beforeTool({ tool: 'Bash', input: {} })).messages).toEqual(['one']);
    expect(asked).toEqual(['Bearer', 'Bearer one']);
    expect(JSON.stringify(second.rows.map(({ warnings }) => warnings))).not.toContain('DEPLOY_TOKEN');
  });

  test('names that change which code runs, whom a program talks to or whom it believes are not set', async () => {
    const names = [
      'GCC_EXEC_PREFIX',
      'COMPILER_PATH',
      'ESBUILD_BINARY_PATH',
      'GIT_PAGER',
      'KUBE_EDITOR',
      'https_proxy',
      'SSL_CERT_FILE',
      'RUSTFLAGS',
      'LDFLAGS',
      'PYTEST_ADDOPTS',
      'KRB5_CONFIG',
      'GOPACKAGESDRIVER',
      'AWKLIBPATH',
      'GTK_MODULES',
      'BORG_PASSCOMMAND',
      'KUBECTL_EXTERNAL_DIFF',
      'AWS_CA_BUNDLE',
      'ANTHROPIC_BASE_URL',
    ];
    const place = createPlace();
    place.write(
      OWN,
      settings({ name: 'own', command: 'true', env: Object.fromEntries(names.map((name) => [name, './x'])) }),
    );
    const { problems } = await place.load();
    expect(problems.filter(({ path }) => path.includes('.env.')).map(({ path }) => path.split('.env.')[1])).toEqual(
      names,
    );
  });
});

test.skipIf(process.platform === 'win32')(
  'R677 a copy of a hook that was read from a file is told no secrets either, and one that is not to be started stays so',
  async () => {
    vi.stubEnv('DEPLOY_TOKEN', 'canary-token');
    const place = createPlace();
    place.write(OWN, settings({ name: 'own', command: 'printenv DEPLOY_TOKEN; echo done' }));
    await approveAll(place);
    const { config } = await engine(place);
    const registry = config.getHookSystem()?.getRegistry();
    const [entry] = registry?.getHooksForEvent('BeforeTool') ?? [];
    const copy: HookConfig = { ...entry?.config };
    expect(getOrigin(copy)).toMatchObject({ source: 'project', position: { line: 6 } });
    const runner = new HookRunner(hostWith({ getWorkingDir: () => place.project }));
    onTestFinished(() => runner.dispose());
    const input = {
      session_id: 's',
      cwd: place.project,
      hook_event_name: 'BeforeTool',
      timestamp: '',
      transcript_path: '',
    };
    const run = (hook: HookConfig) =>
      runner.executeHook(hook, 'BeforeTool', { ...input, tool_name: 'x', tool_input: {} });
    const result = await run(copy);
    expect(result.stdout).toBe('done\n');
    expect(Object.keys(copy)).not.toContain('origin');
    expect(JSON.stringify(copy)).not.toContain('settings.json');
  },
);
