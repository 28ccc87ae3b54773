import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dialects } from '../../../src/agents/index.ts';
import { run as runNew } from '../../../src/cli/commands/new/run.ts';
import { run as runEvent } from '../../../src/cli/commands/run/run.ts';
import { run as runTest } from '../../../src/cli/commands/test/run.ts';
import { NO_EVENT } from '../../../src/cli/hook-kinds.ts';
import { lostCanaries } from '../../../src/cli/hook-tests/lost-canaries.ts';
import { toTerminal } from '../../../src/cli/rendering/text.ts';
import { starterFor } from '../../../src/cli/scaffold/first-line.ts';
import { languages } from '../../../src/cli/scaffold/language-names.ts';
import { scriptFor } from '../../../src/cli/scaffold/languages.ts';
import { loadSettings } from '../../../src/cli/sources/load-settings.ts';
import { hookEventNames } from '../../../src/events/index.ts';
import { reviewTrust } from '../../../src/trust/index.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { quietContext } from '../support/context.ts';
import { newGiven, testGiven } from './given.ts';

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

const machine = { env: process.env, nodeVersion: process.versions.node, platform: process.platform };

const whyNot = (language: (typeof languages)[number]): string => {
  if (language === 'python') return spawnSync('python3', ['--version']).status === 0 ? '' : ' (skipped: no python3)';
  if (language !== 'typescript') return '';
  try {
    starterFor(language, { ...machine, projectDir: directory });
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
      const context = quietContext(join(directory, 'project'));
      for (const event of hookEventNames) {
        expect(await runNew({ ...newGiven, name: event.toLowerCase(), event, language }, context)).toMatchObject({
          findings: false,
          data: { approved: true },
        });
      }
      expect(await runTest({ ...testGiven }, context)).toMatchObject({ findings: true });
      finishGuards(join(directory, 'project'));
      expect(await runTest({ ...testGiven, 'trust-project': true }, context)).toMatchObject({ findings: false });
    });
  }

  test.each(['node', 'python'])('as a worker in %s, for every event', { timeout: 60_000 }, async (language) => {
    const context = quietContext(join(directory, 'project'));
    for (const event of hookEventNames) {
      const name = event.toLowerCase();
      expect(await runNew({ ...newGiven, worker: true, name, event, language }, context)).toMatchObject({
        findings: false,
        data: { approved: true },
      });
    }
    expect(await runTest({ ...testGiven }, context)).toMatchObject({ findings: true });
    finishGuards(join(directory, 'project'));
    expect(await runTest({ ...testGiven, 'trust-project': true }, context)).toMatchObject({ findings: false });
  });

  test('a worker in a language that has no beginning of one is refused', async () => {
    const context = quietContext(join(directory, 'project'));
    const wish = { ...newGiven, worker: true, name: 'it', event: undefined, language: 'sh' };
    await expect(runNew(wish, context)).rejects.toThrow('no beginning of a worker in sh');
  });

  test('a hook of the user too, in any project', { timeout: 30_000 }, async () => {
    const context = quietContext(join(directory, 'project'));
    await runNew(
      { ...newGiven, name: 'mine', event: 'AfterTool', language: 'sh', scope: 'user', matcher: '^Ed' },
      context,
    );
    expect(await runTest({ ...testGiven, hook: ['mine'] }, context)).toMatchObject({ findings: false });
  });

  test.each([
    ['SessionStart', 'resume'],
    ['SessionEnd', 'logout'],
    ['PreCompress', 'AUTO'],
    ['Notification', 'ToolPermission'],
    ['AfterTool', 'Edit|Write'],
    ['BeforeTool', '^run_shell'],
  ])('with a matcher: %s, %s', { timeout: 30_000 }, async (event, matcher) => {
    const context = quietContext(join(directory, 'project'));
    await runNew({ ...newGiven, name: 'it', event, matcher, language: 'sh' }, context);
    finishGuards(join(directory, 'project'));
    expect(await runTest({ ...testGiven, 'trust-project': true }, context)).toMatchObject({ findings: false });
  });
});

describe('a guard that new writes', () => {
  test.each([['sh'], ['node']] as const)(
    'in %s lets nothing pass when it fails itself',
    {
      timeout: 60_000,
    },
    async (language) => {
      const context = quietContext(join(directory, 'project'));
      await runNew({ ...newGiven, name: 'it', event: 'BeforeTool', language, matcher: 'Bash' }, context);
      finishGuards(join(directory, 'project'));
      const chaos = { ...testGiven, timeout: 3_000, chaos: true, 'trust-project': true };
      expect(await runTest(chaos, context)).toMatchObject({ findings: false });
    },
  );

  test('in sh refuses what is no event, and says so', () => {
    const { text } = scriptFor('sh', {
      name: 'it',
      eventName: 'BeforeTool',
      kind: 'guard',
      starter: '',
      isFinished: true,
    });
    for (const input of ['', 'no event']) {
      const { status, stderr } = spawnSync('sh', ['-c', text], { input, encoding: 'utf8' });
      expect([status, stderr]).toEqual([2, `${NO_EVENT}\n`]);
    }
    expect(spawnSync('sh', ['-c', text], { input: '{}' }).status).toBe(0);
  });
});

describe('R1166 new --forbid writes a rule that refuses what it names', () => {
  test.each([
    ['git push.*--force', undefined],
    ['git push*--force', 'Bash|run_shell_command'],
    ['Bash(git push --force*)', undefined],
    ['Edit(.env)', undefined],
    ['write_file(/secrets/**)', undefined],
    ['fetch(domain:example.org)', undefined],
  ])('%s, for %s, approved, and passes its test without a script', async (forbid, matcher) => {
    const project = join(directory, 'project');
    const context = quietContext(project);
    expect(await runNew({ ...newGiven, name: 'no', forbid: [forbid], matcher }, context)).toMatchObject({
      findings: false,
      data: { approved: true, verdict: 'deny' },
    });
    expect(await runTest({ ...testGiven }, context)).toMatchObject({ findings: false });
    expect(existsSync(join(project, '.hookwright', 'hooks'))).toBe(false);
  });

  test.each([
    ['git (push|pull)', undefined, /has no meaning/],
    ['git push', 'mcp__.*', /names of tools/],
    ['.*', undefined, /no text/],
  ])('%s, for %s, is refused in words', async (forbid, matcher, message) => {
    const context = quietContext(join(directory, 'project'));
    await expect(runNew({ ...newGiven, name: 'no', forbid: [forbid], matcher }, context)).rejects.toThrow(message);
  });
});

describe('R1691 a guard that got a matcher after its test was written', () => {
  const withMatcher = async (matcher: string) => {
    const project = join(directory, 'project');
    const context = quietContext(project);
    await runNew({ ...newGiven, name: 'it', language: 'sh' }, context);
    finishGuards(project);
    const settings = join(project, '.hookwright', 'settings.json');
    const text = readFileSync(settings, 'utf8');
    writeFileSync(
      settings,
      text.replace('"hooks": [', `"matcher": "${matcher}",\n"hooks": [`).replace('"ask"', '"deny"'),
    );
    const { config } = await loadSettings(context);
    const review = await reviewTrust(config);
    await review.approve(review.hooks.map(({ id }) => id));
    return lostCanaries(context);
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
  const runGiven = {
    ...{ event: 'BeforeTool', from: undefined, session: undefined, hook: [], record: false, 'as-hook': false },
    ...{ agent: undefined, 'agent-version': undefined, mode: undefined },
  };
  const made = async (matcher?: string) => {
    const context = quietContext(join(directory, 'project'));
    const outcome = await runNew({ ...newGiven, name: 'no', forbid, matcher }, context);
    if (typeof outcome === 'number') throw new Error('it said nothing');
    return { context, said: toTerminal(outcome.text(), false) };
  };

  const shells = dialects.flatMap(({ tools: { tools } }) =>
    tools.flatMap(({ kind, names }) => (kind === 'shell' ? names : [])),
  );

  test('is for the tool that runs commands in every agent and in our examples', async () => {
    const { context } = await made();
    for (const tool of new Set([...shells, 'run_shell', 'execute_command', 'terminal'])) {
      for (const command of ['git push origin main --force', 'git  push -f', 'cd x && git push -f origin']) {
        const input = JSON.stringify({ tool_input: { command } });
        const outcome = await runEvent({ ...runGiven, tool, input }, context);
        expect([tool, command, outcome]).toMatchObject([tool, command, { findings: true }]);
      }
    }
  });

  test('is said to be for these names, to compare texts, and how to go on', async () => {
    const { said, context } = await made();
    expect(said).toMatch(/run_shell, .*if yours has another name: --matcher <name>/);
    expect(said).toMatch(/other spellings pass; for a guarantee, write a script: hookwright new no /);
    expect(await runTest({ ...testGiven }, context)).toMatchObject({ findings: false });
  });

  test('is not said to be for other tools than those that were named', async () => {
    expect((await made('my_shell')).said).not.toContain('run_shell');
  });
});

describe('what starts a script', () => {
  test('in TypeScript, the first line names Node only where Node runs it', () => {
    const template = { name: 'it', eventName: 'BeforeTool', kind: 'guard' } as const;
    expect(scriptFor('typescript', { ...template, starter: '' }).text).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(scriptFor('typescript', { ...template, starter: 'tsx ' }).text).toMatch(/^\/\/ it: a hook/);
  });

  const bare = { env: { PATH: join(directory, 'nowhere') }, platform: 'linux', projectDir: '/nowhere' } as const;

  test('its first line says it, but on Windows', () => {
    expect(starterFor('python', { ...bare, nodeVersion: '20.19.0' })).toBe('');
    expect(starterFor('node', { ...bare, nodeVersion: '20.19.0', platform: 'win32' })).toBe('node ');
  });

  test('TypeScript is for Node itself where it can, else for what is there, else refused with the way out', () => {
    expect(starterFor('typescript', { ...bare, nodeVersion: '22.18.0' })).toBe('');
    expect(starterFor('typescript', { ...bare, nodeVersion: '24.0.0' })).toBe('');
    expect(() => starterFor('typescript', { ...bare, nodeVersion: '22.17.0' })).toThrow('cannot run TypeScript');
  });
});
