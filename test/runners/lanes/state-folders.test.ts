import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHooks, type HookConfig, type HooksByEvent } from '../../../src/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const command = (name: string, line: string, more: Partial<HookConfig> = {}): HookConfig => ({
  type: 'command',
  name,
  command: line,
  ...more,
});

const on = (...hooks: HookConfig[]) => [{ hooks }];

/** Prints as context what the hook finds. */
const says = (text: string): string => `printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' "${text}"`;
const count = `echo x >> "$HOOKWRIGHT_STATE_DIR/calls"; ${says('$(wc -l < "$HOOKWRIGHT_STATE_DIR/calls" | tr -d " ")')}`;

const call = { tool: 'shell', input: {} };

const engineIn = async (home: string, hooks: HooksByEvent, sessionId?: string, cwd?: string) => {
  const notices: string[] = [];
  const cwdOr = cwd ?? join(home, 'project');
  mkdirSync(cwdOr, { recursive: true });
  const engine = await createHooks({
    hooks,
    home,
    cwd: cwdOr,
    sessionId,
    deps: {
      onTrace: ({ rows }) =>
        notices.push(...rows.flatMap(({ warnings = [] }) => warnings.map(({ message }) => message))),
    },
  });
  const context = async (): Promise<string | undefined> => (await engine.beforeTool(call)).context;
  return { engine, notices, context };
};

const sessionsOf = (home: string): string[] => {
  const root = join(home, '.hookwright/state');
  return existsSync(root) ? readdirSync(root) : [];
};

const foldersOf = (home: string): string[] =>
  sessionsOf(home).flatMap((session) => {
    const path = join(home, '.hookwright/state', session);
    return readdirSync(path).map((hook) => join(path, hook));
  });

const home = () => temporaryFolder('folders');

describe.skipIf(process.platform === 'win32')('R1516 a hook has a folder for the session', () => {
  test('that only its user may enter, and that its next run finds again', async () => {
    const at = home();
    const { engine, context } = await engineIn(at, { BeforeTool: on(command('counts', count)) }, 's1');
    expect([await context(), await context()]).toEqual(['1', '2']);
    const [folder = ''] = foldersOf(at);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    await engine.close();
  });

  test('that no other session has, and no other hook', async () => {
    const at = home();
    const hooks = { BeforeTool: on(command('counts', count), command('counts too', count)) };
    const one = await engineIn(at, hooks, 's1');
    const other = await engineIn(at, hooks, 's2');
    const unnamed = await Promise.all([engineIn(at, hooks), engineIn(at, hooks)]);
    for (const { engine } of [one, other, ...unnamed]) {
      expect((await engine.beforeTool(call)).context).toBe('1\n1');
    }
    expect(sessionsOf(at)).toHaveLength(4);
    for (const { engine } of [one, other, ...unnamed]) await engine.close();
    // No process can go on with a session that has no id.
    expect(sessionsOf(at)).toHaveLength(2);
  });

  test('that entries of one name share, whatever events they are for, at once and in another process', async () => {
    const at = home();
    const hooks = {
      BeforeTool: on(command('pair', 'echo "$HOOKWRIGHT_STATE_DIR" > "$HOOKWRIGHT_STATE_DIR/seen"; exit 0')),
      AfterTool: on(command('pair', says('$(cat "$HOOKWRIGHT_STATE_DIR/seen")'))),
    };
    const before = await engineIn(at, hooks, 's1');
    await Promise.all([before.engine.beforeTool(call), before.engine.beforeTool(call)]);
    await before.engine.close();
    const after = await engineIn(at, hooks, 's1');
    const { context } = await after.engine.afterTool({ ...call, output: 'x' });
    expect(context).toBe(foldersOf(at)[0]);
    await after.engine.close();
  });

  test('that goes when the session ends, with hooks of its end and without', async () => {
    for (const last of [
      {},
      { SessionEnd: on(command('counts', 'cp "$HOOKWRIGHT_STATE_DIR/calls" "$HOOKWRIGHT_DATA_DIR/"')) },
    ]) {
      const at = home();
      const { engine, context } = await engineIn(at, { BeforeTool: on(command('counts', count)), ...last }, 's1');
      await context();
      expect(sessionsOf(at)).toHaveLength(1);
      await engine.sessionEnd({ reason: 'exit' });
      expect(sessionsOf(at)).toEqual([]);
      expect(await context()).toBe('1');
      await engine.close();
    }
  });

  test('that stays for a hook in the background until that has ended', async () => {
    const at = home();
    const line =
      'sleep 0.3; echo over > "$HOOKWRIGHT_STATE_DIR/late" && cp "$HOOKWRIGHT_STATE_DIR/late" "$HOOKWRIGHT_DATA_DIR/"';
    const { engine } = await engineIn(at, { SessionEnd: on(command('late', line, { background: true })) }, 's1');
    await engine.sessionEnd({ reason: 'exit' });
    expect(sessionsOf(at)).toHaveLength(1);
    await engine.close();
    expect(sessionsOf(at)).toEqual([]);
    expect(readFileSync(join(dataOf(at), 'late'), 'utf8')).toBe('over\n');
  });

  test('that goes with the next session, if the end of its own never comes for a week', async () => {
    const at = home();
    const first = await engineIn(at, { BeforeTool: on(command('counts', count)) }, 's1');
    await first.context();
    await first.engine.close();
    const [old = ''] = sessionsOf(at);
    const sixDays = new Date(Date.now() - 6 * 24 * 60 * 60 * 1_000);
    utimesSync(join(at, '.hookwright/state', old), sixDays, sixDays);
    const second = await engineIn(at, { BeforeTool: on(command('counts', count)) }, 's2');
    await second.context();
    expect(sessionsOf(at)).toContain(old);
    const eightDays = new Date(Date.now() - 8 * 24 * 60 * 60 * 1_000);
    utimesSync(join(at, '.hookwright/state', old), eightDays, eightDays);
    const third = await engineIn(at, { BeforeTool: on(command('counts', count)) }, 's3');
    await third.context();
    expect(sessionsOf(at)).not.toContain(old);
    expect(sessionsOf(at)).toHaveLength(2);
    for (const { engine } of [second, third]) await engine.close();
  });

  test('that a worker finds, one for all hooks that it serves', async () => {
    const at = home();
    const script = join(at, 'worker.mjs');
    writeFileSync(
      script,
      `import { writeFileSync } from 'node:fs';
       export default ({ hook_event_name: event }) => {
         writeFileSync(process.env.HOOKWRIGHT_STATE_DIR + '/' + event, '');
         return { hookSpecificOutput: { additionalContext: String(process.pid) } };
       };`,
    );
    const worker = { type: 'worker', command: `node ${script}` } as const;
    const hooks = { BeforeTool: on({ ...worker, name: 'a' }), AfterTool: on({ ...worker, name: 'b' }) };
    const { engine, context } = await engineIn(at, hooks, 's1');
    const pid = await context();
    expect((await engine.afterTool({ ...call, output: 'x' })).context).toBe(pid);
    expect(foldersOf(at).map((folder) => readdirSync(folder))).toEqual([['AfterTool', 'BeforeTool']]);
    await engine.sessionEnd({ reason: 'exit' });
    expect(sessionsOf(at)).toEqual([]);
    await engine.close();
  });

  test('that is made for no hook that starts no process, nor for one that does not run', async () => {
    const at = home();
    const hooks = {
      BeforeTool: [
        { hooks: [{ type: 'runtime' as const, name: 'f', action: () => ({}) }] },
        { matcher: 'other', hooks: [command('not this one', 'true')] },
      ],
    };
    const { engine, context } = await engineIn(at, hooks, 's1');
    await context();
    await engine.explain('BeforeTool');
    await engine.sessionEnd({ reason: 'exit' });
    await engine.close();
    expect(existsSync(join(at, '.hookwright'))).toBe(false);
  });
});

const dataOf = (at: string): string => {
  const root = join(at, '.hookwright/data');
  const [project = ''] = readdirSync(root);
  const [hook = ''] = readdirSync(join(root, project));
  return join(root, project, hook);
};

describe.skipIf(process.platform === 'win32')('R1517 a hook has a folder that stays', () => {
  const ledger = `echo x >> "$HOOKWRIGHT_DATA_DIR/ledger"; ${says('$(wc -l < "$HOOKWRIGHT_DATA_DIR/ledger" | tr -d " ")')}`;

  test('for later sessions of the project, and not for another project', async () => {
    const at = home();
    const hooks = { BeforeTool: on(command('ledger', ledger)) };
    const said: unknown[] = [];
    for (const [session, project] of [
      ['s1', 'one'],
      ['s2', 'one'],
      ['s3', 'two'],
    ] as const) {
      const { engine, context } = await engineIn(at, hooks, session, join(at, project));
      said.push(await context());
      await engine.sessionEnd({ reason: 'exit' });
      await engine.close();
    }
    expect(said).toEqual(['1', '2', '1']);
    expect(readdirSync(join(at, '.hookwright/data')).map((name) => name.replace(/-.*/, ''))).toEqual(['one', 'two']);
  });

  test('of its own source: a hook of that name of another source finds another one', async () => {
    const at = home();
    const seen = says('$HOOKWRIGHT_DATA_DIR');
    const project = join(at, 'project');
    mkdirSync(join(project, '.hookwright'), { recursive: true });
    mkdirSync(join(at, '.hookwright'), { mode: 0o700 });
    const settings = JSON.stringify({ hooks: { BeforeTool: on(command('ledger', seen)) } });
    writeFileSync(join(at, '.hookwright/settings.json'), settings);
    writeFileSync(join(project, '.hookwright/settings.json'), settings.replace('printf', ' printf'));
    const engine = await createHooks({
      load: true,
      home: at,
      cwd: project,
      journal: false,
      deps: { trustCheck: () => true },
    });
    const [user, ofProject] = ((await engine.beforeTool(call)).context ?? '').split('\n');
    expect(user).toMatch(/\.hookwright\/data\/project-\w+\/ledger-\w+$/);
    expect(ofProject).toMatch(/\.hookwright\/data\/project-\w+\/ledger-\w+$/);
    expect(user).not.toBe(ofProject);
    await engine.close();
  });

  test('and may be named on its command line', async () => {
    const at = home();
    const { engine, context } = await engineIn(at, {
      BeforeTool: on(
        command('named', 'printf', {
          args: ['{"hookSpecificOutput":{"additionalContext":"%s"}}', '$HOOKWRIGHT_DATA_DIR'],
        }),
      ),
    });
    expect(await context()).toContain(dataOf(at));
    await engine.close();
  });
});

test.skipIf(process.platform === 'win32')(
  'R1519 hooks that are only tried keep nothing, and find nothing that was kept',
  async () => {
    const at = home();
    mkdirSync(join(at, 'project'));
    const line = `echo x >> "$HOOKWRIGHT_DATA_DIR/ledger"; ${says('$(wc -l < "$HOOKWRIGHT_DATA_DIR/ledger" | tr -d " ") $HOOKWRIGHT_DATA_DIR')}`;
    const hooks = { BeforeTool: on(command('ledger', line)) };
    const real = await engineIn(at, hooks, 's1');
    await real.engine.beforeTool(call);
    const trial = await createHooks({
      hooks,
      home: at,
      cwd: join(at, 'project'),
      sessionId: 's1',
      deps: { isTrial: true },
    });
    const [first, second] = [await trial.beforeTool(call), await trial.beforeTool(call)];
    expect([first.context?.[0], second.context?.[0]]).toEqual(['1', '2']);
    const [, folder = ''] = second.context?.split(' ') ?? [];
    expect(existsSync(folder)).toBe(true);
    await trial.close();
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(join(dataOf(at), 'ledger'), 'utf8')).toBe('x\n');
    await real.engine.close();
  },
);

describe.skipIf(process.platform === 'win32')('R1518 a folder that cannot be used', () => {
  const seen = says('${HOOKWRIGHT_STATE_DIR-none} ${HOOKWRIGHT_DATA_DIR+data}');
  const hooks = { BeforeTool: on(command('looks', seen)) };

  test.each([
    ['a link', (path: string) => symlinkSync('/tmp', path), 'is a symbolic link'],
    ['a file', (path: string) => writeFileSync(path, ''), 'is not a directory'],
    [
      'a folder that others may write',
      (path: string) => {
        mkdirSync(path);
        chmodSync(path, 0o777);
      },
      'can be written by others',
    ],
  ])('because %s stands in its place is not passed on, and the row says why', async (_what, make, why) => {
    const at = home();
    const state = join(at, '.hookwright/state');
    mkdirSync(join(at, '.hookwright'), { mode: 0o700 });
    make(state);
    const { engine, notices, context } = await engineIn(at, hooks, 's1');
    expect(await context()).toBe('none data');
    expect(notices).toEqual([expect.stringMatching(`^HOOKWRIGHT_STATE_DIR is not set: ${state} ${why}`)]);
    await engine.sessionEnd({ reason: 'exit' });
    await engine.close();
    expect(existsSync(state)).toBe(true);
  });

  test('because a link took the place of one above it is not passed on', async () => {
    const at = home();
    const state = join(at, '.hookwright/state');
    const first = await engineIn(at, hooks, 's1');
    await first.context();
    renameSync(state, `${state}.moved`);
    symlinkSync(`${state}.moved`, state);
    expect(await first.context()).toBe('none data');
    expect(first.notices).toEqual([
      `HOOKWRIGHT_STATE_DIR is not set: ${state} is a symbolic link; put a real directory in its place`,
    ]);
    await first.engine.close();
  });

  test.skipIf(process.getuid?.() === 0)('because the disk cannot be written keeps no hook from running', async () => {
    const at = home();
    mkdirSync(join(at, 'project'));
    chmodSync(at, 0o500);
    const { engine, notices, context } = await engineIn(at, hooks, 's1');
    expect(await context()).toBe('none ');
    expect(notices).toEqual([
      expect.stringMatching('HOOKWRIGHT_STATE_DIR is not set: .*could not be made'),
      expect.stringMatching('HOOKWRIGHT_DATA_DIR is not set: .*could not be made'),
    ]);
    await engine.close();
    chmodSync(at, 0o700);
  });

  test('because it holds more than 64 MiB is not passed on until it holds less', async () => {
    const at = home();
    const fill = `[ -n "\${HOOKWRIGHT_STATE_DIR-}" ] && truncate -s 65M "$HOOKWRIGHT_STATE_DIR/big"; ${seen}`;
    const first = await engineIn(at, { BeforeTool: on(command('looks', fill)) }, 's1');
    await first.context();
    await first.engine.close();
    const { engine, notices, context } = await engineIn(at, { BeforeTool: on(command('looks', seen)) }, 's1');
    expect(await context()).toBe('none data');
    expect(notices).toEqual(['HOOKWRIGHT_STATE_DIR is not set: its folder has more than 64 MiB']);
    const [folder = ''] = foldersOf(at);
    writeFileSync(join(folder, 'big'), '');
    expect(await context()).toBe(`${folder} data`);
    await engine.close();
  });

  test('is none that the host was given as a hook itself', async () => {
    const at = home();
    const outer = { HOOKWRIGHT_STATE_DIR: '/tmp/outer', HOOKWRIGHT_DATA_DIR: '/tmp/outer' };
    Object.assign(process.env, outer);
    try {
      mkdirSync(join(at, '.hookwright'), { mode: 0o700 });
      writeFileSync(join(at, '.hookwright/state'), '');
      const { engine, context } = await engineIn(at, hooks, 's1');
      expect(await context()).toBe('none data');
      await engine.close();
    } finally {
      for (const name of Object.keys(outer)) delete process.env[name];
    }
  });
});
