import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dialects } from '../../../src/agents/index.ts';
import { createScript } from '../../../src/cli/scaffold/new-script.ts';
import { createStarter } from '../../../src/cli/scaffold/script-starter.ts';
import { hookEventNames } from '../../../src/events/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runCommand, runForJson } from '../support/run-command.ts';

let directory = '';
const realHome = process.env.HOME;

beforeEach(() => {
  directory = temporaryFolder('new');
  process.env.HOME = join(directory, 'home');
  mkdirSync(process.env.HOME, { mode: 0o700 });
  mkdirSync(join(directory, 'project'));
});

afterEach(() => {
  process.env.HOME = realHome;
  rmSync(directory, { recursive: true, force: true });
});

const languages = ['node', 'sh', 'python', 'typescript'] as const;

const inProject = (...words: readonly string[]) => runForJson(join(directory, 'project'), ...words);

/** Runs `hookwright new`, which has to write an approved hook. */
const begin = async (...words: readonly string[]): Promise<void> => {
  expect(await inProject('new', ...words)).toMatchObject({ code: 0, data: { approved: true } });
};

const machine = { env: process.env, nodeVersion: process.versions.node, platform: process.platform };

const whyNot = (language: (typeof languages)[number]): string => {
  if (language === 'python') return spawnSync('python3', ['--version']).status === 0 ? '' : ' (skipped: no python3)';
  if (language !== 'typescript') return '';
  try {
    createStarter(language, { ...machine, projectDir: directory });
    return '';
  } catch {
    return ' (skipped: nothing here runs TypeScript)';
  }
};

/** Writes where a new guard says EDIT THIS LINE what it refuses, in its script and in its test. */
const finishGuards = (project: string): void => {
  for (const folder of ['hooks', 'tests']) {
    const directoryOfThem = join(project, '.hookwright', folder);
    for (const file of readdirSync(directoryOfThem)) {
      const path = join(directoryOfThem, file);
      const text = readFileSync(path, 'utf8').replace(/EDIT THIS LINE[^'"]*/, 'git push --force');
      writeFileSync(path, text);
    }
  }
};

describe('R1165 what new writes passes its own test, a guard once it says what it refuses', () => {
  for (const language of languages) {
    const why = whyNot(language);
    test.skipIf(why !== '')(`in ${language}, for every event${why}`, { timeout: 60_000 }, async () => {
      for (const event of hookEventNames) {
        await begin(event.toLowerCase(), '--event', event, '--language', language);
      }
      expect(await inProject('test')).toMatchObject({ code: 1 });
      finishGuards(join(directory, 'project'));
      expect(await inProject('test', '--trust-project')).toMatchObject({ code: 0 });
    });
  }

  test.each(['node', 'python'])('as a worker in %s, for every event', { timeout: 60_000 }, async (language) => {
    for (const event of hookEventNames) {
      await begin(event.toLowerCase(), '--worker', '--event', event, '--language', language);
    }
    expect(await inProject('test')).toMatchObject({ code: 1 });
    finishGuards(join(directory, 'project'));
    expect(await inProject('test', '--trust-project')).toMatchObject({ code: 0 });
  });

  test('a worker in a language that has no beginning of one is refused', async () => {
    expect(await inProject('new', 'it', '--worker', '--language', 'sh')).toMatchObject({
      code: 64,
      error: { message: expect.stringContaining('no beginning of a worker in sh') },
    });
  });

  test('a hook of the user too, in any project', { timeout: 30_000 }, async () => {
    await inProject('new', 'mine', '--event', 'AfterTool', '--language', 'sh', '--scope', 'user', '--matcher', '^Ed');
    expect(await inProject('test', '--hook', 'mine')).toMatchObject({ code: 0 });
  });

  test.each([
    ['SessionStart', 'resume'],
    ['SessionEnd', 'logout'],
    ['PreCompress', 'AUTO'],
    ['Notification', 'ToolPermission'],
    ['AfterTool', 'Edit|Write'],
    ['BeforeTool', '^run_shell'],
  ])('with a matcher: %s, %s', { timeout: 30_000 }, async (event, matcher) => {
    await inProject('new', 'it', '--event', event, '--matcher', matcher, '--language', 'sh');
    finishGuards(join(directory, 'project'));
    expect(await inProject('test', '--trust-project')).toMatchObject({ code: 0 });
  });
});

describe('a guard that new writes', () => {
  test.each([['sh'], ['node']] as const)(
    'in %s lets nothing pass when it fails itself',
    {
      timeout: 60_000,
    },
    async (language) => {
      await inProject('new', 'it', '--event', 'BeforeTool', '--language', language, '--matcher', 'Bash');
      finishGuards(join(directory, 'project'));
      expect(await inProject('test', '--chaos', '--timeout', '3000', '--trust-project')).toMatchObject({ code: 0 });
    },
  );

  test('in sh refuses what is no event, and says so', () => {
    const { text } = createScript('sh', {
      name: 'it',
      eventName: 'BeforeTool',
      kind: 'guard',
      starter: '',
      isFinished: true,
    });
    for (const input of ['', 'no event']) {
      const { status, stderr } = spawnSync('sh', ['-c', text], { input, encoding: 'utf8' });
      expect([status, stderr]).toEqual([2, 'no event arrived, so there is nothing that could be allowed\n']);
    }
    expect(spawnSync('sh', ['-c', text], { input: '{}' }).status).toBe(0);
  });
});

const about = (matcher: string | undefined): readonly string[] => (matcher === undefined ? [] : ['--matcher', matcher]);

describe('R1166 new --forbid writes a rule that refuses what it names', () => {
  test.each([
    ['git push.*--force', undefined],
    ['git push*--force', 'Bash|run_shell_command'],
    ['Bash(git push --force*)', undefined],
    ['Edit(.env)', undefined],
    ['write_file(/secrets/**)', undefined],
    ['fetch(domain:example.org)', undefined],
  ])('%s, for %s, approved, and passes its test without a script', async (forbid, matcher) => {
    expect(await inProject('new', 'no', '--forbid', forbid, ...about(matcher))).toMatchObject({
      code: 0,
      data: { approved: true, verdict: 'deny' },
    });
    expect(await inProject('test')).toMatchObject({ code: 0 });
    expect(existsSync(join(directory, 'project', '.hookwright', 'hooks'))).toBe(false);
  });

  test.each([
    ['git (push|pull)', undefined, /has no meaning/],
    ['git push', 'mcp__.*', /names of tools/],
    ['.*', undefined, /no text/],
  ])('%s, for %s, is refused in words', async (forbid, matcher, message) => {
    expect(await inProject('new', 'no', '--forbid', forbid, ...about(matcher))).toMatchObject({
      code: 64,
      error: { message: expect.stringMatching(message) },
    });
  });
});

describe('R1691 a guard that got a matcher after its test was written', () => {
  const withMatcher = async (matcher: string) => {
    const project = join(directory, 'project');
    await inProject('new', 'it', '--language', 'sh');
    finishGuards(project);
    const settings = join(project, '.hookwright', 'settings.json');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(
      settings,
      text.replace('"hooks": [', `"matcher": "${matcher}",\n"hooks": [`).replace('"ask"', '"deny"'),
    );
    return (await inProject('trust', '--yes')).problems;
  };

  test('passes where it matches the tool that new wrote into the test', async () => {
    expect(await withMatcher('Bash|run_shell')).toEqual([]);
  });

  test('else is told the tool, the matcher, and the place of the test', async () => {
    expect(await withMatcher('^Edit$')).toMatchObject([
      {
        message: expect.stringContaining('the matcher "^Edit$" does not match "Bash", the tool that it calls'),
        hint: expect.stringMatching(/it\.test\.json:\d+ a tool_name that the matcher matches, or correct the matcher/),
      },
    ]);
  });
});

describe('R1690 a rule about commands', () => {
  const forbid = ['git*push* --force', 'git*push* -f'];
  const made = (...words: readonly string[]) =>
    runCommand(join(directory, 'project'), 'new', 'no', ...forbid.flatMap((line) => ['--forbid', line]), ...words);

  const shells = dialects.flatMap(({ tools: { tools } }) =>
    tools.flatMap(({ kind, names }) => (kind === 'shell' ? names : [])),
  );

  test('is for the tool that runs commands in every agent and in our examples', async () => {
    await made();
    for (const tool of new Set([...shells, 'run_shell', 'execute_command', 'terminal'])) {
      for (const command of ['git push origin main --force', 'git  push -f', 'cd x && git push -f origin']) {
        const input = JSON.stringify({ tool_input: { command } });
        const { code } = await inProject('run', 'BeforeTool', '--tool', tool, '--input', input);
        expect([tool, command, code]).toEqual([tool, command, 1]);
      }
    }
  });

  test('is said to be for these names, to compare texts, and how to go on', async () => {
    const { stdout } = await made();
    expect(stdout).toMatch(/run_shell, .*if yours has another name: --matcher <name>/);
    expect(stdout).toMatch(/other spellings pass; for a guarantee, write a script: hookwright new no /);
    expect(await inProject('test')).toMatchObject({ code: 0 });
  });

  test('is not said to be for other tools than those that were named', async () => {
    expect((await made('--matcher', 'my_shell')).stdout).not.toContain('run_shell');
  });
});

describe('what starts a script', () => {
  test('in TypeScript, the first line names Node only where Node runs it', () => {
    const template = { name: 'it', eventName: 'BeforeTool', kind: 'guard' } as const;
    expect(createScript('typescript', { ...template, starter: '' }).text).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(createScript('typescript', { ...template, starter: 'tsx ' }).text).toMatch(/^\/\/ it: a hook/);
  });

  const bare = { env: { PATH: join(directory, 'nowhere') }, platform: 'linux', projectDir: '/nowhere' } as const;

  test('its first line says it, but on Windows', () => {
    expect(createStarter('python', { ...bare, nodeVersion: '20.19.0' })).toBe('');
    expect(createStarter('node', { ...bare, nodeVersion: '20.19.0', platform: 'win32' })).toBe('node ');
  });

  test('TypeScript is for Node itself where it can, else for what is there, else refused with the way out', () => {
    expect(createStarter('typescript', { ...bare, nodeVersion: '22.18.0' })).toBe('');
    expect(createStarter('typescript', { ...bare, nodeVersion: '24.0.0' })).toBe('');
    expect(() => createStarter('typescript', { ...bare, nodeVersion: '22.17.0' })).toThrow('cannot run TypeScript');
  });
});
