import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHooks, loadConfig, reviewTrust } from '../../src/index.ts';
import { project } from './project.ts';

/** One node script for all events, a library beside it, and a ledger in the folder for data. */
const script = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { forbidden } from './rules.mjs';
let text = '';
for await (const part of process.stdin) text += part;
const input = JSON.parse(text);
const { CLAUDE_PLUGIN_ROOT: root = '', CLAUDE_PLUGIN_DATA: data = '' } = process.env;
if (data !== '') appendFileSync(join(data, 'ledger.jsonl'), JSON.stringify({ event: input.hook_event_name, root }) + '\\n');
const line = input.tool_input?.command ?? '';
if (forbidden.test(line)) { console.error('forbidden by the plugin'); process.exit(2); }
`;
const command = 'node "${CLAUDE_PLUGIN_ROOT}/scripts/hook.mjs"';
const handler = { type: 'command', command, timeout: 10 };
const hooks = {
  description: 'a guard and a ledger',
  hooks: {
    PreToolUse: [{ matcher: 'Bash', hooks: [handler] }],
    SessionStart: [{ hooks: [handler] }],
  },
};
const filesAt = (root: string, manifest: string, more: object = {}) => ({
  [`${root}/${manifest}`]: { name: 'watch', version: '1.2.0', ...more },
  [`${root}/scripts/hook.mjs`]: script,
  [`${root}/scripts/rules.mjs`]: 'export const forbidden = /rm -rf/;\n',
});

const CACHE = 'home/.claude/plugins/cache/tools/watch/1.2.0';
const installed = { ...filesAt(CACHE, '.claude-plugin/plugin.json'), [`${CACHE}/hooks/hooks.json`]: hooks };
const enabled = { 'home/.claude/settings.json': { enabledPlugins: { 'watch@tools': true } } };

const verdictIn = async (
  files: Readonly<Record<string, unknown>>,
  dialect: string,
  { tool = 'Bash', mode = 'strict' as 'strict' | 'faithful', input = { command: 'rm -rf build' } as object } = {},
) => {
  const place = project(files);
  const engine = await createHooks({
    ...place,
    dialects: { [dialect]: { mode } },
    tools: dialect,
    deps: { trustCheck: () => true },
  });
  try {
    const rows = await engine.explain('BeforeTool');
    const answer = await engine.beforeTool({ tool, input: { ...input } });
    return { place, rows, answer, problems: engine.problems };
  } finally {
    await engine.close();
  }
};

describe('R1253 plugins of Claude Code', () => {
  test('run where they are enabled, with their root and folder for data, and are listed with name and version', async () => {
    const { place, rows, answer } = await verdictIn({ ...installed, ...enabled }, 'claude-code');
    expect(answer).toMatchObject({ verdict: 'deny', reason: 'forbidden by the plugin' });
    expect(rows).toMatchObject([
      { source: { kind: 'extensions', extension: 'watch@tools 1.2.0' }, dialect: 'claude-code' },
    ]);
    const ledger = readFileSync(join(place.home, '.claude/plugins/data/watch-tools/ledger.jsonl'), 'utf8');
    expect(JSON.parse(ledger)).toEqual({ event: 'PreToolUse', root: join(place.home, CACHE.replace('home/', '')) });
  });

  test('do not run where nothing enables them, or the user switched them off', async () => {
    expect((await verdictIn(installed, 'claude-code')).rows).toEqual([]);
    const off = { 'home/.claude/settings.json': { enabledPlugins: { 'watch@tools': false } } };
    expect((await verdictIn({ ...installed, ...off }, 'claude-code')).rows).toEqual([]);
  });

  test('that its user enabled are switched off by a project in faithful mode alone', async () => {
    const files = {
      ...installed,
      ...enabled,
      'project/.claude/settings.json': { enabledPlugins: { 'watch@tools': false } },
    };
    expect((await verdictIn(files, 'claude-code')).answer.verdict).toBe('deny');
    expect((await verdictIn(files, 'claude-code', { mode: 'faithful' })).rows).toEqual([]);
  });

  test('have hooks in the manifest, or in a file that it names', async () => {
    const inside = filesAt(CACHE, '.claude-plugin/plugin.json', { hooks: hooks.hooks });
    expect((await verdictIn({ ...inside, ...enabled }, 'claude-code')).answer.verdict).toBe('deny');
    const named = {
      ...filesAt(CACHE, '.claude-plugin/plugin.json', { hooks: './my-hooks.json' }),
      [`${CACHE}/my-hooks.json`]: hooks,
    };
    expect((await verdictIn({ ...named, ...enabled }, 'claude-code')).answer.verdict).toBe('deny');
  });

  test('are found by the list of installed plugins, and in a marketplace of the project', async () => {
    const elsewhere = 'home/somewhere/watch';
    const files = { ...filesAt(elsewhere, '.claude-plugin/plugin.json'), [`${elsewhere}/hooks/hooks.json`]: hooks };
    const market = {
      'project/market/.claude-plugin/marketplace.json': {
        name: 'tools',
        plugins: [{ name: 'watch', source: './watch' }],
      },
    };
    const local = 'project/market/watch';
    const settings = {
      enabledPlugins: { 'watch@tools': true },
      extraKnownMarketplaces: { tools: { source: { source: 'directory', path: './market' } } },
    };
    const inMarket = {
      ...market,
      ...filesAt(local, '.claude-plugin/plugin.json'),
      [`${local}/hooks/hooks.json`]: hooks,
      'home/.claude/settings.json': settings,
    };
    expect((await verdictIn(inMarket, 'claude-code')).answer.verdict).toBe('deny');
    const place = project({ ...files, ...enabled });
    const list = {
      version: 2,
      plugins: {
        'watch@tools': [{ scope: 'user', installPath: join(place.home, 'somewhere/watch'), version: '1.2.0' }],
      },
    };
    const { home } = project({ 'home/.claude/plugins/installed_plugins.json': list, ...enabled });
    const engine = await createHooks({
      cwd: place.cwd,
      home,
      dialects: { 'claude-code': true },
      deps: { trustCheck: () => true },
    });
    expect(await engine.beforeTool({ tool: 'Bash', input: { command: 'rm -rf build' } })).toMatchObject({
      verdict: 'deny',
    });
    await engine.close();
  });

  test('that are enabled and lie nowhere are a problem that names them', async () => {
    const { problems } = await verdictIn(enabled, 'claude-code');
    expect(problems.map(({ message }) => message).join()).toContain(
      'plugin watch@tools is enabled here, and its folder was not found',
    );
  });

  test('R2000 that are enabled and whose folder the list of installed plugins names in vain are such a problem, too', async () => {
    const plugins = { 'watch@tools': [{ installPath: '/nowhere/watch', version: '1.2.0' }] };
    const { problems } = await verdictIn(
      { 'home/.claude/plugins/installed_plugins.json': { plugins }, ...enabled },
      'claude-code',
    );
    expect(problems.map(({ message }) => message).join()).toContain(
      'plugin watch@tools is enabled here, and its folder was not found',
    );
  });

  test('wait for an approval that covers every file of them', async () => {
    const place = project({ ...installed, ...enabled });
    const load = () => createHooks({ ...place, load: true, dialects: { 'claude-code': true } });
    const verdict = async () => {
      const engine = await load();
      const answer = await engine.beforeTool({ tool: 'Bash', input: { command: 'rm -rf build' } });
      const rows = await engine.explain('BeforeTool');
      await engine.close();
      return { verdict: answer.verdict, rows };
    };
    expect((await verdict()).rows).toMatchObject([{ planned: 'skip', reasons: ['untrusted'] }]);
    const { config } = await loadConfig({ ...place, dialects: { 'claude-code': true } });
    const review = await reviewTrust(config, { home: place.home });
    await review.approve(review.hooks.map(({ id }) => id));
    expect((await verdict()).verdict).toBe('deny');
    appendFileSync(join(place.home, CACHE.replace('home/', ''), 'scripts/rules.mjs'), '// changed\n');
    expect((await verdict()).rows).toMatchObject([{ planned: 'skip', reasons: ['changed-since-trusted'] }]);
  });

  const reviewOf = async ({ cwd, home }: ReturnType<typeof project>) => {
    const { config } = await loadConfig({ cwd, home, dialects: { 'claude-code': true } });
    return reviewTrust(config, { home });
  };

  test('R1960 are covered in folders such as .github too, and the store of git alone is left out', async () => {
    const texts = { [`${CACHE}/.github/rules.mjs`]: '// rules\n', [`${CACHE}/.git/FETCH_HEAD`]: 'one\n' };
    const place = project({ ...installed, ...enabled, ...texts });
    const folder = join(place.home, CACHE.replace('home/', ''));
    const { hooks, approve } = await reviewOf(place);
    await approve(hooks.map(({ id }) => id));
    appendFileSync(join(folder, '.git/FETCH_HEAD'), 'two\n');
    expect((await reviewOf(place)).hooks.map(({ status }) => status)).toEqual(['approved', 'approved']);
    appendFileSync(join(folder, '.github/rules.mjs'), '// changed\n');
    expect((await reviewOf(place)).hooks.map(({ status }) => status)).toEqual(['changed', 'changed']);
  });

  test('R1960 with more files than an approval can cover: a review says how many it leaves out', async () => {
    const place = project({ ...installed, ...enabled });
    expect((await reviewOf(place)).hooks[0]?.script.notes.join('; ')).not.toContain('of the plugin');
    const folder = join(place.home, CACHE.replace('home/', ''), 'many');
    mkdirSync(folder);
    for (let index = 0; index < 2_000; index += 1) writeFileSync(join(folder, `${index}.mjs`), '');
    const notes = (await reviewOf(place)).hooks[0]?.script.notes;
    expect(notes).toContain("not covered: 4 of the plugin's 2004 files");
  });

  test('R1960 with files that cannot be listed: a review says that no approval covers them', async () => {
    const place = project({ ...installed, ...enabled });
    const { config } = await loadConfig({ ...place, dialects: { 'claude-code': true } });
    rmSync(join(place.home, CACHE.replace('home/', '')), { recursive: true });
    const { hooks } = await reviewTrust(config, { home: place.home });
    expect(hooks[0]?.script.notes.join('; ')).toContain('not covered: the files of the plugin, which cannot be listed');
  });
});

describe('R1254 extensions and plugins of other agents', () => {
  const gemini = {
    hooks: {
      BeforeTool: [{ hooks: [{ type: 'command', command: 'node "${extensionPath}${/}scripts${/}hook.mjs"' }] }],
    },
  };
  const GEMINI = 'home/.gemini/extensions/watch';
  const extension = { ...filesAt(GEMINI, 'gemini-extension.json'), [`${GEMINI}/hooks/hooks.json`]: gemini };

  test('of Gemini CLI run with the folder they lie in', async () => {
    const { answer, rows } = await verdictIn(extension, 'gemini', { tool: 'run_shell_command' });
    expect(answer).toMatchObject({ verdict: 'deny', reason: 'forbidden by the plugin' });
    expect(rows).toMatchObject([{ source: { extension: 'watch 1.2.0' } }]);
  });

  test('of Gemini CLI do not run in a directory for which they are off', async () => {
    const off = { 'home/.gemini/extensions/extension-enablement.json': { watch: { overrides: ['!/*'] } } };
    expect((await verdictIn({ ...extension, ...off }, 'gemini', { tool: 'run_shell_command' })).rows).toEqual([]);
  });

  test('of Codex, Cursor, Copilot CLI and Qwen Code find their variables', async () => {
    const codex = 'home/.codex/plugins/cache/tools/watch/1.2.0';
    const ofCodex = {
      ...filesAt(codex, '.codex-plugin/plugin.json'),
      [`${codex}/hooks/hooks.json`]: {
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: 'node "$PLUGIN_ROOT/scripts/hook.mjs"' }] }] },
      },
      'home/.codex/config.toml': '[plugins."watch@tools"]\nenabled = true\n',
    };
    expect((await verdictIn(ofCodex, 'codex')).answer.verdict).toBe('deny');
    const cursor = 'home/.cursor/plugins/local/watch';
    const ofCursor = {
      ...filesAt(cursor, '.cursor-plugin/plugin.json'),
      [`${cursor}/hooks/hooks.json`]: {
        version: 1,
        hooks: { preToolUse: [{ command: 'node "$CURSOR_PLUGIN_ROOT/scripts/hook.mjs"' }] },
      },
    };
    expect((await verdictIn(ofCursor, 'cursor', { tool: 'Shell' })).answer.verdict).toBe('deny');
    const qwen = 'home/.qwen/extensions/watch';
    const ofQwen = {
      ...filesAt(qwen, 'qwen-extension.json', { hooks: { PreToolUse: [{ hooks: [{ type: 'command', command }] }] } }),
    };
    expect((await verdictIn(ofQwen, 'qwen-code', { tool: 'run_shell_command' })).answer.verdict).toBe('deny');
    const copilot = 'home/.copilot/installed-plugins/tools/watch';
    const ofCopilot = {
      ...filesAt(copilot, 'plugin.json'),
      [`${copilot}/hooks.json`]: {
        version: 1,
        hooks: { PreToolUse: [{ bash: 'node "$COPILOT_PLUGIN_ROOT/scripts/hook.mjs"' }] },
      },
    };
    expect((await verdictIn(ofCopilot, 'copilot', { tool: 'bash' })).answer.verdict).toBe('deny');
  });
});
