import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const dist = resolve('dist');
let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'hookwright-loaded-'));
  mkdirSync(join(directory, 'home'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Tells of each module that Node loads, where it does not get lost among what the program writes. */
const watching = (file: string): string =>
  `import { appendFileSync } from 'node:fs'; import { fileURLToPath } from 'node:url';
   export const load = (url, context, next) => {
     if (url.startsWith('file:') && !url.endsWith('.cjs')) appendFileSync(${JSON.stringify(file)}, fileURLToPath(url) + '\\n');
     return next(url, context);
   };`;

/** The same of each file that is required. */
const watchingRequired = (file: string): string =>
  `import { appendFileSync } from 'node:fs'; import { Module } from 'node:module';
   const { load } = Module.prototype;
   Module.prototype.load = function (name) {
     appendFileSync(${JSON.stringify(file)}, name + '\\n');
     return load.call(this, name);
   };`;

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/** The files of dist that a process of Node loads, and all that stands in them. */
const loadedBy = async (args: readonly string[], input = ''): Promise<{ names: string[]; code: string }> => {
  const list = join(directory, `${Math.random()}.txt`);
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(watching(list)))});
    ${watchingRequired(list)}`;
  await new Promise<void>((done) => {
    const env = { ...process.env, HOME: join(directory, 'home') };
    const child = execFile(process.execPath, ['--import', dataUrl(register), ...args], { cwd: directory, env }, () =>
      done(),
    );
    child.stdin?.end(input);
  });
  const files = readFileSync(list, 'utf8')
    .split('\n')
    .filter((file) => file.startsWith(dist));
  return {
    names: files.map((file) => basename(file)),
    code: files.map((file) => readFileSync(file, 'utf8')).join('\n'),
  };
};

const asHook = [join(dist, 'cli.js'), 'run', 'PreToolUse', '--as-hook', '--agent', 'claude-code'];
const call = { hook_event_name: 'PreToolUse', session_id: 's1', tool_name: 'Bash', tool_input: { command: 'ls' } };

it('R1710 a hook of another agent loads a program of its own, with the rules of that agent alone', async () => {
  const { names, code } = await loadedBy(asHook, JSON.stringify({ ...call, cwd: directory }));
  expect(names).toContain('hook.cjs');
  expect(names.filter((name) => /^(?:start|program|commands|execa|load|table|ask|help)-/.test(name))).toEqual([]);
  expect(
    names.filter((name) => /^(?:codex|gemini|cursor|copilot|qwen-code|vscode|llxprt|antigravity)-/.test(name)),
  ).toEqual([]);
  expect(names.some((name) => name.startsWith('claude-code-'))).toBe(true);
  expect(code.length).toBeLessThanOrEqual(550_000);
});

it('R1711 help for a hook of another agent comes from the whole program, as for any command', async () => {
  const { names } = await loadedBy([...asHook, '--help']);
  expect(names).not.toContain('hook.cjs');
  expect(names.some((name) => name.startsWith('help-'))).toBe(true);
});

it('R1712 an engine without files, abilities and hooks of other agents loads none of those rooms', async () => {
  const { names, code } = await loadedBy([
    '--input-type=module',
    '-e',
    `const { createHooks } = await import(${JSON.stringify(pathToFileURL(join(dist, 'index.js')).href)});
     const hooks = await createHooks();
     await hooks.beforeTool({ tool: 'Bash', input: { command: 'ls' } });
     await hooks.close();`,
  ]);
  const chunks = names.map((name) => name.replace(/-[\w-]{8}\.js$|\.js$/, ''));
  expect([...new Set(chunks)].sort()).toEqual([
    'bus',
    'engine',
    'hook-source',
    'hooks',
    'index',
    'make-hooks',
    'reading',
  ]);
  const rooms = [
    'picomatch',
    'parseTree',
    'toJSONSchema',
    'class FilesSource',
    'class InterpretedHook',
    'class AbilityPlanner',
  ];
  expect(rooms.filter((room) => code.includes(room))).toEqual([]);
});

it.skipIf(process.platform === 'win32')(
  'R1713 compiled code is kept in a folder that is the user’s alone, within a folder of ours that is there',
  async () => {
    const ours = join(directory, 'home', '.hookwright');
    const folder = join(ours, 'compile-cache');
    const told = join(directory, 'cache.txt');
    // Node 20 has no such cache, so that what it would be told is written down instead.
    const stub = `import module from 'node:module'; import { writeFileSync } from 'node:fs';
      module.enableCompileCache = (where) => writeFileSync(${JSON.stringify(told)}, String(where));`;
    const cacheTold = async (): Promise<string | undefined> => {
      rmSync(told, { force: true });
      await loadedBy(['--import', dataUrl(stub), join(dist, 'cli.js'), '--version']);
      return existsSync(told) ? readFileSync(told, 'utf8') : undefined;
    };
    expect(await cacheTold()).toBeUndefined();
    mkdirSync(ours);
    expect(await cacheTold()).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o770);
    expect(await cacheTold()).toBeUndefined();
  },
);

it.skipIf(process.platform === 'win32' || 'enableCompileCache' in module)(
  'R1714 on Node 20, a program keeps its own compiled code, by content, where only the user can have written it',
  async () => {
    const ours = join(directory, 'home', '.hookwright');
    const folder = join(ours, 'compile-cache');
    const keptBy = async (prepare: () => void): Promise<readonly string[]> => {
      rmSync(ours, { recursive: true, force: true });
      mkdirSync(ours, { mode: 0o700 });
      prepare();
      await loadedBy([join(dist, 'cli.js'), '--help']);
      return existsSync(folder) ? readdirSync(folder) : [];
    };
    const kept = await keptBy(() => undefined);
    expect(kept).toContainEqual(expect.stringMatching(/^program-[0-9a-f]{64}$/));
    const stamps = () => kept.map((name) => statSync(join(folder, name))).map(({ mode, mtimeMs }) => [mode, mtimeMs]);
    const before = stamps();
    expect(before.every(([mode = 0]) => (mode & 0o777) === 0o600)).toBe(true);
    await loadedBy([join(dist, 'cli.js'), '--help']);
    expect(stamps()).toEqual(before);

    expect(await keptBy(() => chmodSync(ours, 0o777))).toEqual([]);
    const elsewhere = join(directory, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    expect(await keptBy(() => symlinkSync(elsewhere, folder))).toEqual([]);
  },
);
