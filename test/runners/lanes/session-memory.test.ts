import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  createHooks,
  defineHook,
  type HookConfig,
  type HookRow,
  type HooksByEvent,
  requestHooks,
} from '../../../src/index.ts';
import { readSession, record, replay } from '../../../src/sessions/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const call = { tool: 'shell', input: {} };
const says = (text: string): string => `printf '{"hookSpecificOutput":{"additionalContext":"%s"}}' "${text}"`;
const on = (...lines: string[]) => [
  { hooks: lines.map((command, at): HookConfig => ({ type: 'command', name: `h${at}`, command })) },
];

describe.skipIf(process.platform === 'win32')(
  'R1520 what a hook of SessionStart writes into HOOKWRIGHT_ENV_FILE',
  () => {
    const writes = (...lines: string[]) => lines.map((line) => `echo "${line}" >> "$HOOKWRIGHT_ENV_FILE"`).join('; ');
    const looks = says('${LEVEL-none} ${HOOKWRIGHT_ENV_FILE-none}');

    const engineIn = async (home: string, hooks: HooksByEvent, sessionId?: string) => {
      const rows: HookRow[] = [];
      const deps = { onTrace: (trace: { readonly rows: readonly HookRow[] }) => void rows.push(...trace.rows) };
      const engine = await createHooks({ hooks, home, cwd: home, sessionId, deps });
      return {
        engine,
        rows,
        notices: () => rows.flatMap(({ warnings = [] }) => warnings.map(({ message }) => message)),
      };
    };

    test('reaches later hooks and the host, in this process and the next, until the session ends', async () => {
      const home = temporaryFolder('env');
      const start = on(writes("export LEVEL='a b'"), writes('export LEVEL=later'));
      const { engine } = await engineIn(home, { SessionStart: start, BeforeTool: on(looks) }, 's1');
      expect(await engine.sessionStart({ source: 'startup' })).toMatchObject({ environment: { LEVEL: 'later' } });
      expect((await engine.beforeTool(call)).context).toBe('later none');
      await engine.close();
      const next = await engineIn(home, { BeforeTool: on(looks) }, 's1');
      expect((await next.engine.beforeTool(call)).context).toBe('later none');
      const other = await engineIn(home, { BeforeTool: on(looks) }, 's2');
      expect((await other.engine.beforeTool(call)).context).toBe('none none');
      await next.engine.sessionEnd({ reason: 'exit' });
      expect((await next.engine.beforeTool(call)).context).toBe('none none');
      for (const { engine: one } of [next, other]) await one.close();
    });

    test('sets nothing that hookwright sets, is not run, and counts for nothing where its hook failed', async () => {
      const home = temporaryFolder('env');
      const start = on(
        writes('export HOOKWRIGHT_PROJECT_DIR=/elsewhere', 'export GEMINI_CWD=/elsewhere', `touch ${home}/ran`),
        `${writes('export LEVEL=failed')}; exit 3`,
      );
      const { engine, notices } = await engineIn(home, {
        SessionStart: start,
        BeforeTool: on(says('${LEVEL-none} $HOOKWRIGHT_PROJECT_DIR $GEMINI_CWD')),
      });
      await engine.sessionStart({ source: 'startup' });
      expect((await engine.beforeTool(call)).context).toBe(`none ${home} ${home}`);
      expect(existsSync(join(home, 'ran'))).toBe(false);
      expect(notices()).toEqual([
        expect.stringContaining('lines of HOOKWRIGHT_ENV_FILE need a shell'),
        'HOOKWRIGHT_PROJECT_DIR reach no later hook: hookwright sets them itself',
      ]);
      await engine.close();
    });

    test('is trusted no more than its writer: a hook of the user sees nothing of a project', async () => {
      const home = temporaryFolder('env');
      const project = join(home, 'project');
      const fileIn = (folder: string, hooks: object) => {
        mkdirSync(join(folder, '.hookwright'), { recursive: true, mode: 0o700 });
        writeFileSync(join(folder, '.hookwright/settings.json'), JSON.stringify({ hooks }));
      };
      const see = says('${OF_USER-none} ${OF_PROJECT-none} ${NODE_OPTIONS-none}');
      const named = (name: string, command: string) => [{ hooks: [{ name, type: 'command', command }] }];
      fileIn(home, { SessionStart: named('u', writes('export OF_USER=u')), BeforeTool: named('u', see) });
      fileIn(project, {
        SessionStart: named('p', writes('export OF_PROJECT=p', 'export NODE_OPTIONS=--require=/evil.js')),
        BeforeTool: named('p', `${see} `),
      });
      const deps = { trustCheck: () => true };
      const options = { load: true, home, cwd: project, sessionId: 's1', journal: false, deps } as const;
      const engine = await createHooks(options);
      await engine.sessionStart({ source: 'startup' });
      expect((await engine.beforeTool(call)).context).toBe('u p none\nu none none');
      await engine.close();
      const next = await createHooks(options);
      expect((await next.beforeTool(call)).context).toBe('u p none\nu none none');
      await next.close();
    });
  },
);

describe('R1521 a function hook has state for the session', () => {
  const counting = (name: string) =>
    defineHook({
      event: 'BeforeTool',
      name,
      run: (_input, { state }) => {
        const count = Number(state.get('count') ?? 0) + 1;
        state.set('count', count);
        return { hookSpecificOutput: { additionalContext: String(count) } };
      },
    });

  test('of its own, until the session ends; hooks of one name have it together', async () => {
    const seen: unknown[] = [];
    const after = defineHook({
      event: 'AfterTool',
      name: 'one',
      run: async (_input, context) => {
        await Promise.resolve();
        seen.push(context.state.get('count'), context.signal.aborted);
      },
    });
    const hooks = await createHooks({ hooks: [counting('one'), counting('two'), after], sessionId: 's1' });
    expect((await hooks.beforeTool(call)).context).toBe('1\n1');
    await hooks.afterTool({ ...call, output: 'x' });
    expect((await hooks.beforeTool(call)).context).toBe('2\n2');
    expect(seen).toEqual([1, false]);
    await hooks.sessionEnd({ reason: 'exit' });
    expect((await hooks.beforeTool(call)).context).toBe('1\n1');
    const other = await createHooks({ hooks: [counting('one')], sessionId: 's1' });
    expect((await other.beforeTool(call)).context).toBe('1');
    await Promise.all([hooks.close(), other.close()]);
  });
});

describe.skipIf(process.platform === 'win32')('R1555 what a hook keeps', () => {
  const counts = on(`echo x >> "$HOOKWRIGHT_STATE_DIR/n"; ${says('$(wc -l < "$HOOKWRIGHT_STATE_DIR/n" | tr -d " ")')}`);
  const request = { tool_name: 'shell', tool_input: {} };

  test('counts for direct calls and requests over the bus alike, is in a recording, and begins anew in its replay', async () => {
    const home = temporaryFolder('memory');
    const file = join(home, 'session.jsonl');
    const hooks = await createHooks({ hooks: { BeforeTool: counts }, home, cwd: home, sessionId: 's1' });
    const recording = record(hooks.bus, { file });
    expect((await hooks.beforeTool(call)).context).toBe('1');
    const { finalOutput } = await requestHooks(hooks.bus, 'BeforeTool', request);
    expect(finalOutput?.hookSpecificOutput?.additionalContext).toBe('2');
    await recording.close();
    await hooks.close();

    const later = await createHooks({ hooks: { BeforeTool: counts }, home, cwd: home, sessionId: 's2' });
    const { pairs } = await replay(readSession(file), later.bus, { mode: 'drive' });
    const saying = (text: string) => ({ output: { hookSpecificOutput: { additionalContext: text } } });
    expect(pairs).toMatchObject(['1', '2'].map((n) => ({ recorded: saying(n), replayed: saying(n), same: true })));
    await later.close();
  });
});
