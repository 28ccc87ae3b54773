import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runCommand, runForJson } from '../support/run-command.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const runsTypes = major > 22 || (major === 22 && minor >= 18);

const place = (): string => {
  const root = temporaryFolder('template');
  const realHome = process.env.HOME;
  process.env.HOME = join(root, 'home');
  mkdirSync(process.env.HOME, { mode: 0o700 });
  mkdirSync(join(root, 'project'));
  onTestFinished(() => {
    process.env.HOME = realHome;
    rmSync(root, { recursive: true, force: true });
  });
  return join(root, 'project');
};

const languages = ['node', 'sh', 'python', 'typescript'];
const { stdout: choices } = await runCommand('.', '__complete', '--', 'new', '--template', '');
const templates = choices
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t')[0] ?? '');

/** Each template with the languages it is written in. */
const written: (readonly [string, string])[] = [];
for (const template of templates)
  for (const language of languages) {
    const { code } = await runCommand('.', 'new', '--template', template, '--language', language, '--dry-run');
    if (code === 0) written.push([template, language]);
  }

test('there is a template for each purpose, and each is written in Node', () => {
  expect(templates).toHaveLength(6);
  expect(written).toEqual(expect.arrayContaining(templates.map((template) => [template, 'node'])));
});

describe('R854 what a template writes passes its own test at once', { timeout: 60_000 }, () => {
  test.each(written)('%s in %s', async (template, language) => {
    if ((language === 'python' && !hasPython) || (language === 'typescript' && !runsTypes)) return;
    const project = place();
    expect(await runForJson(project, 'new', '--template', template, '--language', language)).toMatchObject({
      code: 0,
      data: { name: template, approved: true },
    });
    expect(await runForJson(project, 'test')).toMatchObject({ code: 0 });
  });

  test.each(languages)('and so does the first hook, in %s', async (language) => {
    if ((language === 'python' && !hasPython) || (language === 'typescript' && !runsTypes)) return;
    const project = place();
    expect(await runForJson(project, 'init', '--language', language)).toMatchObject({ code: 0 });
    expect(await runForJson(project, 'test')).toMatchObject({ code: 0 });
  });

  test('a template takes no other event, and only the languages it is written in', async () => {
    const refusal = async (...words: readonly string[]) => {
      const { code, error } = await runForJson(place(), 'new', ...words);
      expect(code).toBe(64);
      return error;
    };
    expect(await refusal('--template', 'notify', '--event', 'BeforeTool', '--language', 'sh')).toMatchObject({
      message: expect.stringContaining('--event and --language sh cannot be used with --template'),
    });
    expect(await refusal()).toMatchObject({ message: expect.stringContaining('new needs <name>') });
  });
});

/** The script that a template writes. */
const scriptOf = async (template: string, language: string): Promise<string> => {
  const project = place();
  await runForJson(project, 'new', '--template', template, '--language', language);
  const hooks = join(project, '.hookwright/hooks');
  const [name] = readdirSync(hooks);
  if (name === undefined) throw new Error(`${template} wrote no script`);
  return readFileSync(join(hooks, name), 'utf8');
};

/** Runs the script of a template as an agent would. */
const ask = async (
  template: string,
  event: object,
  project: string,
): Promise<{ status: number | null; answer: unknown }> => {
  const file = join(project, `${template}.mjs`);
  writeFileSync(file, await scriptOf(template, 'node'));
  const env = { ...process.env, HOOKWRIGHT_PROJECT_DIR: project };
  const input = JSON.stringify({ cwd: project, ...event });
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { input, env, encoding: 'utf8' });
  expect(stderr).toBe('');
  return { status, answer: stdout === '' ? undefined : JSON.parse(stdout) };
};

const tool = (tool_input: object): object => ({ tool_name: 'any', tool_input });

const protectedPaths: readonly [what: string, input: object, refused: string | undefined][] = [
  ['a path', { file_path: '/a/.env' }, '/a/.env'],
  ['another name for it', { absolute_path: 'C:\\a\\.env.local' }, '.local'],
  ['a command', { command: 'cp .env /tmp; ls' }, '.env'],
  ['a redirection', { command: 'echo a>.git/config' }, '.git/config'],
  ['a list of arguments', { argv: ['cat', '~/.ssh/id_ed25519'] }, '~/.ssh/id_ed25519'],
  ['a key', { path: 'certs/server.PEM' }, 'certs/server.PEM'],
  ['an example', { file_path: '.env.example' }, undefined],
  ['a name like it', { command: 'cat environment .gitignore dotenv.ts' }, undefined],
  ['a text about it', { file_path: 'a.md', content: 'put it into .env' }, undefined],
];

describe('what the templates do', () => {
  test.skipIf(process.platform === 'win32').each(protectedPaths)(
    'R1742 protect-files in sh: %s',
    async (_what, input, refused) => {
      const event = JSON.stringify({ cwd: '/x/.ssh', ...tool(input), tool_use_id: '1' });
      const args = ['-c', await scriptOf('protect-files', 'sh')];
      const { status, stderr } = spawnSync('sh', args, { input: event, encoding: 'utf8' });
      expect(status).toBe(refused === undefined ? 0 : 2);
      expect(stderr).toContain(refused === undefined ? '' : `${refused.slice(-6)} is protected`);
    },
  );

  test.each(protectedPaths)('protect-files: %s', async (_what, input, refused) => {
    const { status, answer } = await ask('protect-files', tool(input), place());
    expect([status, answer === undefined]).toEqual([0, refused === undefined]);
    if (refused !== undefined)
      expect(answer).toMatchObject({ decision: 'deny', reason: expect.stringContaining(refused.slice(-6)) });
  });

  test.each<[input: object, refused: string | undefined]>([
    [{ content: `ghp_${'a1'.repeat(18)}` }, 'a token of GitHub'],
    [{ new_string: '-----BEGIN RSA PRIVATE KEY-----' }, 'a private key'],
    [{ command: `curl -H "x-api-key: sk-ant-${'a'.repeat(24)}"` }, 'a key of a model provider'],
    [{ command: 'git clone https://github.com/a/b' }, undefined],
  ])('scan-secrets: %j', async (input, refused) => {
    const { answer } = await ask('scan-secrets', tool(input), place());
    expect(answer).toEqual(
      refused === undefined
        ? undefined
        : { decision: 'deny', reason: `this holds ${refused}: read it from the environment instead` },
    );
  });

  test('format-on-edit formats with the program of the project, and tells the model what it cannot', async () => {
    const project = place();
    const program = join(project, 'node_modules/.bin/prettier');
    mkdirSync(join(program, '..'), { recursive: true });
    writeFileSync(
      program,
      '#!/bin/sh\ngrep -q broken "$2" && { echo "line 1: broken" >&2; exit 2; }\necho formatted > "$2"\n',
    );
    chmodSync(program, 0o755);
    for (const name of ['good.ts', 'broken.ts']) writeFileSync(join(project, name), name);
    expect(
      (await ask('format-on-edit', tool({ file_path: join(project, 'good.ts') }), project)).answer,
    ).toBeUndefined();
    expect(readFileSync(join(project, 'good.ts'), 'utf8')).toBe('formatted\n');
    expect(
      (await ask('format-on-edit', tool({ file_path: join(project, 'broken.ts') }), project)).answer,
    ).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('line 1: broken') },
    });
  });

  test('log-calls writes a line for each call, where git does not look', async () => {
    const project = place();
    for (const command of ['ls', 'pwd']) await ask('log-calls', tool({ command }), project);
    const lines = readFileSync(join(project, '.hookwright/sessions/calls.log'), 'utf8').trim().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { tool: 'any', input: { command: 'ls' } },
      { input: { command: 'pwd' } },
    ]);
    expect(readFileSync(join(project, '.hookwright/sessions/.gitignore'), 'utf8')).toBe('*\n');
  });

  test('require-tests sends the agent back while the tests fail, and only once', async () => {
    const project = place();
    const withTests = (script: string): void =>
      writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts: { test: script } }));
    expect((await ask('require-tests', {}, project)).answer).toBeUndefined();
    withTests('echo 1 failed && exit 1');
    expect((await ask('require-tests', {}, project)).answer).toMatchObject({
      decision: 'deny',
      reason: expect.stringContaining('1 failed'),
    });
    expect((await ask('require-tests', { stop_hook_active: true }, project)).answer).toBeUndefined();
    withTests('exit 0');
    expect((await ask('require-tests', {}, project)).answer).toBeUndefined();
  });

  test('notify keeps quiet where there is no desktop', async () => {
    expect(await ask('notify', { message: '' }, place())).toEqual({ status: 0, answer: undefined });
  });
});
