import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CreateHooksOptions, createHooks, SessionStartSource } from '../../src/index.ts';
import { buildPackage } from '../examples/support.ts';
import { project } from './project.ts';

beforeAll(buildPackage, 120_000);

/** Node started with these words and this stdin, until both of its streams end. */
const runNode = (args: readonly string[], { cwd, env, stdin = '' }: { cwd: string; env: object; stdin?: string }) =>
  new Promise<{ code: number | null; stdout: string; stderr: string }>((done, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } });
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (piece) => (text.stdout += piece));
    child.stderr.on('data', (piece) => (text.stderr += piece));
    child.on('error', reject);
    child.on('close', (code) => done({ code, ...text }));
    child.stdin.end(stdin);
  });

/** What reached the agent. */
interface Heard {
  readonly denied?: string | undefined;
  readonly context?: string | undefined;
  readonly exported?: string | undefined;
}

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly root: string;
  readonly data: string;
}

type Fire = (event: string, input: object) => Promise<Heard>;

/** The package as Claude Code has it installed and enabled. */
const installed = (): Place => {
  const { cwd, home } = project({
    'home/.claude/settings.json': { enabledPlugins: { 'watch@tools': true } },
  });
  const root = join(home, '.claude/plugins/cache/tools/watch/1.2.0');
  cpSync(resolve('test/fixtures/plugins/watch'), root, { recursive: true });
  return { cwd, home, root, data: join(home, '.claude/plugins/data/watch-tools') };
};

const hookwright = async ({ cwd, home }: Place, ...words: string[]): Promise<void> => {
  const { code, stdout, stderr } = await runNode([resolve('dist/cli.js'), ...words], { cwd, env: { HOME: home } });
  expect(code, stdout + stderr).toBe(0);
};

const stdinOf = ({ cwd }: Place, event: string, input: object): string =>
  JSON.stringify({ session_id: 'one', transcript_path: '/dev/null', cwd, hook_event_name: event, ...input });

/** What an agent hears from a process that it started as a hook. */
const heardFrom = (
  { code, stdout, stderr }: { code: number | null; stdout: string; stderr: string },
  variables: string,
): Heard => {
  if (code !== 0 && code !== 2) throw new Error(`ended with ${code}: ${stderr}`);
  const answer = stdout.startsWith('{') ? JSON.parse(stdout).hookSpecificOutput : { additionalContext: stdout };
  return {
    denied: code === 2 ? stderr.trim() : undefined,
    context: answer.additionalContext?.trim() || undefined,
    exported: readFileSync(variables, 'utf8').trim() || undefined,
  };
};

/** A new file for the variables of the session, as Claude Code gives one to SessionStart alone. */
const variablesOf = ({ home }: Place, event: string) => {
  const file = join(home, `${event}.env`);
  writeFileSync(file, '');
  return { file, env: event === 'SessionStart' ? { CLAUDE_ENV_FILE: file } : {} };
};

const byHand = (place: Place): Fire => {
  const { root, data, cwd } = place;
  mkdirSync(data, { recursive: true });
  return async (event, input) => {
    const { file, env } = variablesOf(place, event);
    const own = { CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data, CLAUDE_PROJECT_DIR: cwd, ...env };
    const stdin = stdinOf(place, event, input);
    return heardFrom(await runNode([join(root, 'scripts/watch.mjs')], { cwd, env: own, stdin }), file);
  };
};

/** An agent of our own, whose tools are called as those of Claude Code are. */
const inProcess = async (place: Place, options: CreateHooksOptions): Promise<Fire> => {
  const { cwd, home } = place;
  const hooks = await createHooks({ cwd, home, load: true, tools: 'claude-code', ...options });
  onTestFinished(() => hooks.close());
  const fires: Record<string, (input: never) => Promise<Heard>> = {
    SessionStart: async () => {
      const { context, environment } = await hooks.sessionStart({ source: SessionStartSource.Startup });
      const exported = Object.entries(environment ?? {}).map(([name, value]) => `export ${name}=${value}`);
      return { context: context || undefined, exported: exported.join('\n') || undefined };
    },
    UserPromptSubmit: async ({ prompt }: { prompt: string }) => {
      const { context } = await hooks.beforeAgent({ prompt });
      return { context: context || undefined };
    },
    PreToolUse: async ({ tool_name: tool, tool_input: input }: { tool_name: string; tool_input: object }) => {
      const { verdict, reason } = await hooks.beforeTool({ tool, input: { ...input } });
      return { denied: verdict === 'deny' ? reason : undefined };
    },
    PostToolUse: async (given: { tool_name: string; tool_input: object; tool_response: string }) => {
      const { tool_name: tool, tool_input: input, tool_response: output } = given;
      await hooks.afterTool({ tool, input: { ...input }, output });
      return {};
    },
    Stop: async () => {
      await hooks.afterAgent({ prompt: 'tidy up', response: 'done' });
      return {};
    },
  };
  return (event, input) => fires[event]?.(input as never) ?? Promise.reject(new Error(event));
};

const imported = async (place: Place): Promise<Fire> => {
  await hookwright(place, 'import', '--from', 'claude-code');
  await hookwright(place, 'trust', '--yes');
  return inProcess(place, {});
};

const asPlugin = async (place: Place): Promise<Fire> => {
  await hookwright(place, 'trust', '--yes', '--agent', 'claude-code');
  return inProcess(place, { agents: { 'claude-code': true } });
};

const asHook = async (place: Place): Promise<Fire> => {
  await hookwright(place, 'import', '--from', 'claude-code');
  await hookwright(place, 'trust', '--yes');
  const { cwd, home } = place;
  return async (event, input) => {
    const { file, env } = variablesOf(place, event);
    const words = [resolve('dist/cli.js'), 'run', event, '--as-hook', '--agent', 'claude-code'];
    const stdin = stdinOf(place, event, input);
    return heardFrom(await runNode(words, { cwd, env: { HOME: home, CLAUDE_PROJECT_DIR: cwd, ...env }, stdin }), file);
  };
};

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });

/** In the order of a session; hooks of the last three events are not waited for. */
const cases: readonly (readonly [event: string, input: object, heard: Heard, line: string | undefined])[] = [
  [
    'SessionStart',
    { source: 'startup' },
    { context: 'The plugin watch denies recursive deletion.', exported: 'export WATCH_LEVEL=strict' },
    'startup',
  ],
  ['UserPromptSubmit', { prompt: 'tidy up' }, {}, 'tidy up'],
  ['UserPromptSubmit', { prompt: 'deploy it' }, { context: 'Deployments are frozen this week.' }, 'deploy it'],
  ['PreToolUse', bash('ls'), {}, 'ls'],
  ['PreToolUse', bash('rm -rf build'), { denied: 'watch: deleting recursively is for people' }, 'rm -rf build'],
  ['PostToolUse', { ...bash('ls'), tool_response: 'build' }, {}, 'ls'],
  ['Stop', { stop_hook_active: false }, {}, ''],
];

describe.skipIf(process.platform === 'win32')('R1610 a plugin package of the usual layout', () => {
  test.each([
    ['started by hand', byHand],
    ['imported into settings of hookwright', imported],
    ['read as a plugin of its agent', asPlugin],
    ['imported, and asked by its agent through run --as-hook', asHook],
  ] as const)(
    'guards, adds context, sets variables and keeps its ledger: %s',
    { timeout: 60_000 },
    async (_how, start) => {
      const place = installed();
      const fire = await start(place);
      for (const [event, input, heard] of cases) expect(await fire(event, input), event).toEqual(heard);
      const file = join(place.data, 'ledger.jsonl');
      const ledger = (): Record<string, string>[] =>
        existsSync(file)
          ? readFileSync(file, 'utf8')
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line))
          : [];
      await expect.poll(() => ledger().length, { timeout: 20_000 }).toBe(cases.length);
      const lines = ledger().map(({ event, line, root }) => `${event} ${line} ${root}`);
      expect(lines.sort()).toEqual(cases.map(([event, , , line]) => `${event} ${line} ${place.root}`).sort());
      expect(new Set(ledger().map(({ session }) => session)).size).toBe(1);
    },
  );
});
