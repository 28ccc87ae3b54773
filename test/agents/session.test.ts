import { existsSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createHooks, type Hooks, SessionStartSource } from '../../src/index.ts';
import { TemporaryFiles } from '../../src/kit/node.ts';
import { parseExports } from '../../src/runners/index.ts';
import { project } from './project.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Files = Parameters<typeof project>[0];

interface Given {
  readonly dialect?: string;
  readonly mode?: 'strict' | 'faithful';
  readonly version?: string;
}

const startedIn = async (where: { cwd: string; home: string }, { dialect = 'claude-code', ...how }: Given = {}) => {
  const { cwd, home } = where;
  const hooks = await createHooks({
    cwd,
    home,
    dialects: { [dialect]: how },
    tools: dialect,
    deps: { trustCheck: () => true },
  });
  ends.unshift(() => hooks.close());
  return hooks;
};

const started = (files: Files, given?: Given): Promise<Hooks> => startedIn(project(files), given);

const handlers = (...commands: string[]) => [{ hooks: commands.map((command) => ({ type: 'command', command })) }];
const startup = { source: SessionStartSource.Startup };
/** What a hook prints into a file of its directory: nothing it could decide by. */
const shows = (variables: string, into: string): string => `printf '%s' "${variables}" > ${into}`;

describe('R954 what a hook of Claude Code writes into CLAUDE_ENV_FILE', () => {
  const writing = (lines: string): string => `cat >> "$CLAUDE_ENV_FILE" <<'END'\n${lines}\nEND`;

  test('reaches later hooks of the session, and the host', async () => {
    const { cwd, home } = project({
      'project/.claude/settings.json': {
        hooks: {
          SessionStart: handlers(
            // Of two hooks the later one counts, whichever comes to its end first.
            `sleep 0.1; ${writing('export A=one\nexport B=\'two words\' C="three \\"quoted\\""')}`,
            writing('# more\nexport A=last\n. ./env.sh'),
          ),
          PreToolUse: handlers(shows('$A|$B|$C|${CLAUDE_ENV_FILE-none}', 'seen.txt')),
        },
      },
    });
    for (const mode of ['strict', 'faithful'] as const) {
      const hooks = await startedIn({ cwd, home }, { mode });
      const begun = await hooks.sessionStart(startup);
      expect(begun.environment).toEqual({ A: 'last', B: 'two words', C: 'three "quoted"' });
      expect(begun.environmentScript).toContain('. ./env.sh');
      await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
      expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe('last|two words|three "quoted"|none');
    }
  });

  test('is there after settings were read again, and in no other session', async () => {
    const files = {
      'project/.claude/settings.json': {
        hooks: {
          SessionStart: handlers(writing('export A=one')),
          PreToolUse: handlers(shows('${A-nothing}', 'seen.txt')),
        },
      },
    };
    const { cwd, home } = project(files);
    const first = await startedIn({ cwd, home });
    await first.sessionStart(startup);
    await first.system.reload();
    await first.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
    expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe('one');
    const second = await startedIn({ cwd, home });
    await second.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
    expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe('nothing');
  });

  test('of a project changes nothing for hooks of the user, and not which code runs', async () => {
    const { cwd, home } = project({
      'project/.claude/settings.json': {
        hooks: {
          SessionStart: handlers(writing('export GUARD=off PATH=/tmp NODE_OPTIONS=-v')),
          PreToolUse: handlers(shows('$GUARD|$PATH', 'of-project.txt')),
        },
      },
      'home/.claude/settings.json': {
        hooks: {
          SessionStart: handlers(writing('export MINE=1 MY_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz0123456789')),
          PreToolUse: handlers(shows('${GUARD-on}|$MINE', 'of-user.txt'), shows('$MY_TOKEN', 'token.txt')),
        },
      },
    });
    const hooks = await startedIn({ cwd, home });
    const begun = await hooks.sessionStart(startup);
    expect(begun.environment).toMatchObject({ GUARD: 'off', PATH: '/tmp', MINE: '1' });
    await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
    expect(readFileSync(join(cwd, 'of-user.txt'), 'utf8')).toBe('on|1');
    expect(readFileSync(join(cwd, 'token.txt'), 'utf8')).toMatch(/^ghp_/);
    expect(readFileSync(join(cwd, 'of-project.txt'), 'utf8')).toMatch(/^off\|(?!\/tmp$)/);
  });

  test('is no variable of other events', async () => {
    const hooks = await started({
      'project/.claude/settings.json': {
        hooks: { PreToolUse: handlers('[ -z "$CLAUDE_ENV_FILE" ] || { echo there >&2; exit 2; }') },
      },
    });
    expect(await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } })).toMatchObject({ verdict: 'none' });
  });

  test.each([
    ['export A=1', { A: '1' }, 0],
    ['  export A=  ', { A: '' }, 0],
    ["export A='it'\"'\"'s'", { A: "it's" }, 0],
    ['declare -x PATH="/a:/b"', { PATH: '/a:/b' }, 0],
    ['export PATH="$PATH:/a"', {}, 1],
    ['export A=$(id)', {}, 1],
    ['export A=1; rm -rf /', {}, 1],
    ['export A=~/x', {}, 1],
    ['A=1', {}, 1],
    ["export A='open", {}, 1],
    ['export __proto__=1', Object.fromEntries([['__proto__', '1']]), 0],
    ['source x\n\n# a word\nexport B=2', { B: '2' }, 1],
  ])('R954 %j is read without a shell', (text, variables, strange) => {
    expect(parseExports(text)).toEqual({ variables, strange });
  });
});

test('R955 what a hook of Cursor sets at the start of a session reaches later hooks, and not the host', async () => {
  const { cwd, home } = project({
    'project/.cursor/hooks.json': {
      version: 1,
      hooks: {
        sessionStart: [{ command: 'echo \'{"env": {"A": "one", "PATH": "/tmp", "N": 1}}\'' }],
        preToolUse: [{ command: shows('$A|$N|$PATH', 'seen.txt') }],
      },
    },
  });
  const hooks = await startedIn({ cwd, home }, { dialect: 'cursor' });
  expect(await hooks.sessionStart(startup)).not.toHaveProperty('environment');
  await hooks.beforeTool({ tool: 'Shell', input: { command: 'ls' } });
  expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toMatch(/^one\|\|(?!\/tmp$)/);
});

describe('R956 a text that is longer than its agent hands on', () => {
  const long = (count: number): string => `node -e 'process.stdout.write("a".repeat(${count - 4}) + " end")'`;
  const claude = (event: string, ...commands: string[]): Files => ({
    'project/.claude/settings.json': { hooks: { [event]: handlers(...commands) } },
  });
  const codex = (command: string, more: object = {}): Files => ({
    'project/.codex/hooks.json': { hooks: { SessionStart: [{ hooks: [{ type: 'command', command, ...more }] }] } },
  });
  const fileIn = (text = ''): string => /all of it is in (\S+)\)/.exec(text)?.[1] ?? '';

  test('goes to a file of its own under Claude Code, and its beginning and the path stay', async () => {
    const hooks = await started(claude('SessionStart', long(10_001), long(10_000)));
    const { context = '' } = await hooks.sessionStart(startup);
    const file = fileIn(context);
    ends.push(() => rmSync(file, { force: true }));
    expect(readFileSync(file, 'utf8')).toBe(`${'a'.repeat(9_997)} end`);
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(context.startsWith('a'.repeat(2_000))).toBe(true);
    expect(context.match(/a/g)?.length).toBeLessThan(2_100 + 10_000);
    expect(context.endsWith(' end')).toBe(true);
  });

  test('of a denial is a denial all the same', async () => {
    const hooks = await started(claude('PreToolUse', `${long(12_000)} >&2; exit 2`));
    const { verdict, reason } = await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
    expect(verdict).toBe('deny');
    expect(existsSync(fileIn(reason))).toBe(true);
    rmSync(fileIn(reason));
  });

  test.each([
    ['of more than 2500 tokens', 10_001, {}, true],
    ['of 2500', 10_000, {}, false],
    ['of more than the hook asks for', 101, { additionalContextLimit: 25 }, true],
    ['of a hook that asks for all of it', 20_000, { additionalContextLimit: 0 }, false],
  ])('goes to a file under Codex where it is context %s', async (_what, count, more, isLong) => {
    const hooks = await started(codex(long(count), more), { dialect: 'codex' });
    const { context = '' } = await hooks.sessionStart(startup);
    expect(fileIn(context) !== '').toBe(isLong);
    if (isLong) rmSync(fileIn(context));
  });

  test('is cut after a tool under Copilot CLI', async () => {
    const hooks = await started(
      {
        'project/.github/hooks/h.json': {
          version: 1,
          hooks: {
            postToolUse: [
              {
                type: 'command',
                command: `node -e 'console.log(JSON.stringify({additionalContext: "é".repeat(6000)}))'`,
              },
            ],
          },
        },
      },
      { dialect: 'copilot' },
    );
    const { context } = await hooks.afterTool({ tool: 'bash', input: { command: 'ls' }, output: 'done' });
    expect(context).toBe('é'.repeat(5_120));
  });
});

describe('R957 how often hooks send an agent on', () => {
  const cursor = (more: object = {}, event = 'stop'): Files => ({
    'project/.cursor/hooks.json': {
      version: 1,
      hooks: { [event]: [{ command: `cat >> seen; echo '{"followup_message": "go on"}'`, ...more }] },
    },
  });
  const claude: Files = {
    'home/.claude/settings.json': { hooks: { Stop: handlers('echo more >&2; exit 2') } },
  };

  /** How often an agent that does as it is told goes on, at most a dozen times. */
  const rounds = async (hooks: Hooks, most = 12): Promise<number> => {
    for (let round = 0; round < most; round += 1) {
      const { verdict } = await hooks.afterAgent({ prompt: 'p', response: 'r', stopHookActive: round > 0 });
      if (verdict !== 'deny') return round;
    }
    return most;
  };

  test.each<[string, string, Files, Given, number]>([
    ['five times under Cursor', 'cursor', cursor(), { mode: 'faithful' }, 5],
    ['as often as a hook of Cursor says', 'cursor', cursor({ loop_limit: 2 }), { mode: 'faithful' }, 2],
    ['as often as a hook of Cursor says, in strict mode too', 'cursor', cursor({ loop_limit: 2 }), {}, 2],
    ['without an end under Cursor with null', 'cursor', cursor({ loop_limit: null }), { mode: 'faithful' }, 12],
    ['eight times in strict mode, where the hook says nothing', 'cursor', cursor(), {}, 8],
    ['eight times under Claude Code', 'claude-code', claude, { mode: 'faithful' }, 8],
    ['without an end under older releases', 'claude-code', claude, { mode: 'faithful', version: '2.1.142' }, 12],
  ])('%s', async (_what, dialect, files, given, times) => {
    const hooks = await started(files, { dialect, ...given });
    expect(await rounds(hooks)).toBe(times);
    // A new turn begins anew.
    expect(await rounds(hooks, 1)).toBe(1);
  });

  test('is told to hooks of Cursor as loop_count', async () => {
    const { cwd, home } = project(cursor());
    await rounds(await startedIn({ cwd, home }, { dialect: 'cursor' }), 3);
    const counts = [...readFileSync(join(cwd, 'seen'), 'utf8').matchAll(/"loop_count":(\d+)/g)];
    expect(counts.map(([, count]) => count)).toEqual(['0', '1', '2']);
  });

  test('is what the settings of Qwen Code say', async () => {
    const settings = { stopHookBlockingCap: 1, hooks: { Stop: handlers(`echo more >&2; exit 2`) } };
    const hooks = await started(
      { 'project/.qwen/settings.json': settings },
      { dialect: 'qwen-code', mode: 'faithful' },
    );
    expect(await rounds(hooks, 3)).toBe(1);
  });

  test.each([
    [{ loop_limit: '3' }, 'stop', 'must be a number or null'],
    [{ loop_limit: 3 }, 'preToolUse', 'counts only on'],
  ])('%j under %s of Cursor is told', async (more, event, message) => {
    const { problems } = await started(cursor(more, event), { dialect: 'cursor' });
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
  });
});

test('R957 hooks of Antigravity are told how many requests to a model came before', async () => {
  const { cwd, home } = project({
    'project/.agents/hooks.json': { mine: { PreInvocation: [{ command: 'cat >> seen' }] } },
  });
  const hooks = await startedIn({ cwd, home }, { dialect: 'antigravity' });
  for (let round = 0; round < 3; round += 1) await hooks.beforeModel({ request: { model: 'm', contents: [] } });
  const numbers = [...readFileSync(join(cwd, 'seen'), 'utf8').matchAll(/"invocationNum":(\d+)/g)];
  expect(numbers.map(([, number]) => number)).toEqual(['0', '1', '2']);
});

test.each([
  ['a directory', 'rm "$CLAUDE_ENV_FILE"; mkdir -p "$CLAUDE_ENV_FILE/x"', {}],
  ['a pipe', 'rm "$CLAUDE_ENV_FILE"; mkfifo "$CLAUDE_ENV_FILE"', {}],
  ['nothing', 'rm "$CLAUDE_ENV_FILE"', {}],
  ['more than anybody writes', 'yes "export A=1" | head -c 70000 > "$CLAUDE_ENV_FILE"', {}],
  ['bytes that are no text', 'printf "export A=1\\n\\377\\000\\n" > "$CLAUDE_ENV_FILE"', { A: '1' }],
])('R954 a hook that leaves %s in place of its file harms nobody', async (_what, command, environment) => {
  const hooks = await started({ 'project/.claude/settings.json': { hooks: { SessionStart: handlers(command) } } });
  const begun = await hooks.sessionStart(startup);
  expect([begun.faults, begun.environment ?? {}]).toEqual([[], environment]);
});

describe('R954 the folder of such files', () => {
  test('goes with the last of them, and is made anew', () => {
    const files = new TemporaryFiles();
    const write = (): string => {
      const made = files.write('a.txt', 'text');
      if ('trouble' in made) throw new Error(made.trouble);
      return made.path;
    };
    const [one, other] = [write(), write()];
    expect(dirname(one)).toBe(dirname(other));
    expect(statSync(dirname(one)).mode & 0o077).toBe(0);
    files.remove(one);
    expect([existsSync(one), existsSync(other)]).toEqual([false, true]);
    files.remove(other);
    expect(existsSync(dirname(other))).toBe(false);
    const third = write();
    rmSync(dirname(third), { recursive: true });
    // Whoever makes a link or a folder of that name gets nothing.
    symlinkSync(tmpdir(), dirname(third));
    ends.push(() => rmSync(dirname(third)));
    const fourth = write();
    expect(dirname(fourth)).not.toBe(dirname(third));
    files.remove(fourth);
  });
});

describe('R1256 what a host knows of a moment besides', () => {
  const stdinOf = async (file: string, settings: object, dialect: string, act: (hooks: Hooks) => Promise<unknown>) => {
    const place = project({ [file]: settings, 'project/keep.sh': '#!/bin/sh\ncat > seen.json\n' });
    const hooks = await createHooks({ ...place, dialects: { [dialect]: true }, deps: { trustCheck: () => true } });
    await act(hooks);
    await hooks.close();
    return JSON.parse(readFileSync(join(place.cwd, 'seen.json'), 'utf8')) as unknown;
  };
  const group = (event: string) => ({ hooks: { [event]: [{ hooks: [{ type: 'command', command: './keep.sh' }] }] } });

  test('reaches the hooks whose agent sends it, by every method and by callTool', async () => {
    const claude = 'project/.claude/settings.json';
    const compressed = (hooks: Hooks) =>
      hooks.preCompress({ trigger: 'manual', more: { custom_instructions: 'keep names' } });
    expect(await stdinOf(claude, group('PreCompact'), 'claude-code', compressed)).toMatchObject({
      trigger: 'manual',
      custom_instructions: 'keep names',
    });
    const called = (hooks: Hooks) =>
      hooks.callTool('Bash', { command: 'ls' }, () => 'a', { more: { permission_mode: 'plan', prompt_id: 'p-1' } });
    expect(await stdinOf(claude, group('PreToolUse'), 'claude-code', called)).toMatchObject({
      permission_mode: 'plan',
      prompt_id: 'p-1',
    });
  });
});
