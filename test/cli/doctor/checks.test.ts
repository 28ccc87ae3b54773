import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { runForJson, startCommand } from '../support/run-command.ts';

let directory = '';
let home = '';
let project = '';
const realHome = process.env.HOME;

beforeEach(() => {
  directory = temporaryFolder('doctor');
  home = join(directory, 'home');
  project = join(directory, 'project');
  for (const made of [home, project]) mkdirSync(made);
  process.env.HOME = home;
});

afterEach(() => {
  process.env.HOME = realHome;
  rmSync(directory, { recursive: true, force: true });
});

const write = (path: string, text: string, mode = 0o644): string => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

type Hook = Readonly<Record<string, unknown>>;

interface Setting {
  readonly event?: string;
  readonly matcher?: string;
  readonly user?: readonly Hook[];
  readonly project?: readonly Hook[];
  readonly tools?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly allowEnv?: readonly string[];
  readonly projectEnv?: string;
}

const settingsOf = (event: string, matcher: string | undefined, hooks: readonly Hook[] = [], more = {}): string =>
  JSON.stringify({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks }] }, ...more });

const text = z.string();
const place = { file: z.optional(text), line: z.optional(z.number()), column: z.optional(z.number()) };

/** What `hookwright doctor --json` prints. */
const printedSchema = z.object({
  data: z.object({
    findings: z.array(
      z.object({ check: text, name: text, severity: text, what: text, why: text, fix: z.optional(text), ...place }),
    ),
    environment: z.object({ variables: z.array(z.unknown()) }),
    files: z.array(z.unknown()),
  }),
  problems: z.array(z.object({ severity: text, hint: z.optional(text), ...place })),
});

type Finding = z.infer<typeof printedSchema>['data']['findings'][number];

const examine = async ({ tools = [], env = {} }: Pick<Setting, 'tools' | 'env'> = {}) => {
  const words = ['doctor', '--json', ...tools.flatMap((tool) => ['--tool', tool])];
  const { stdout } = await startCommand(project, words, { env: { PATH: process.env.PATH, HOME: home, ...env } }).ended;
  const { data, problems } = printedSchema.parse(JSON.parse(stdout));
  return { ...data, problems };
};

const look = ({ event = 'BeforeTool', matcher, user, project: own, allowEnv, projectEnv, ...more }: Setting) => {
  const allowed = { allowEnv, projectEnv };
  write(join(home, '.hookwright/settings.json'), settingsOf(event, matcher, user, allowed));
  write(join(project, '.hookwright/settings.json'), settingsOf(event, matcher, own));
  return examine(more);
};

const of = async (check: string, setting: Setting): Promise<Finding[]> =>
  (await look(setting)).findings.filter((finding) => finding.check === check && finding.name === 'it');

const it = (command: string, more: Hook = {}): Hook => ({ name: 'it', command, ...more });

describe('matchers', () => {
  test.each([
    ['Bash', [], []],
    ['Bassh', ['warning'], ['if Bash is meant']],
    ['^Edit$', [], []],
    ['mcp__github__.*', [], []],
    ['deploy_to_mars', ['note'], ['--tool']],
    ['Bash|Writte', ['warning'], ['if Write is meant']],
    ['*', [], []],
  ])('%s: %j', async (matcher, severities, fixes) => {
    const found = await of('matcher', { matcher, user: [it('true')] });
    expect(found.map(({ severity }) => severity)).toEqual(severities);
    for (const [index, fix] of fixes.entries()) expect(found[index]?.fix).toContain(fix);
  });

  test('when all tools are named, one that matches none of them is a warning', async () => {
    const setting = { tools: ['deploy', 'mcp__a__b'], user: [it('true')] };
    expect(await of('matcher', { ...setting, matcher: 'deploy' })).toEqual([]);
    expect(await of('matcher', { ...setting, matcher: 'Bash' })).toMatchObject([{ severity: 'warning' }]);
    expect(await of('matcher', { ...setting, matcher: 'mcp__other' })).toMatchObject([{ severity: 'warning' }]);
  });

  test('a matcher of whole names that matches more is a note, with the form that is exact', async () => {
    const found = await of('matcher-breadth', { matcher: 'Edit|Write', user: [it('true')] });
    expect(found).toMatchObject([{ severity: 'note', fix: expect.stringContaining('^(Edit|Write)$') }]);
    expect(found[0]?.what).toContain('TodoWrite');
    for (const matcher of ['^(Edit|Write)$', 'Glob', 'mcp__', 'write', '*']) {
      expect(await of('matcher-breadth', { matcher, user: [it('true')] }), matcher).toEqual([]);
    }
  });

  test('tools that were called in a recording are known', async () => {
    expect(await runForJson(project, 'run', 'BeforeTool', '--tool', 'warp', '--record')).toMatchObject({ code: 0 });
    expect(await of('matcher', { matcher: 'warp', user: [it('true')] })).toEqual([]);
  });

  test.each([
    ['SessionStart', 'resume', 0],
    ['SessionStart', 'RESUME', 0],
    ['SessionStart', 'exit', 1],
    ['SessionEnd', 'exit', 0],
    ['PreCompress', 'auto', 0],
    ['PreCompress', 'automatic', 1],
    ['BeforeAgent', 'anything', 0],
  ])('%s with the word %s: %i findings', async (event, matcher, count) => {
    expect(await of('matcher', { event, matcher, user: [it('true')] })).toHaveLength(count);
  });
});

describe('scripts', () => {
  const script = (text: string, mode = 0o755): string => write(join(project, 'check.sh'), text, mode);

  test.each([
    ['a good one', '#!/bin/sh\ntrue\n', []],
    ['CRLF behind the #!', '#!/bin/sh\r\ntrue\r\n', ['error']],
    ['a byte order mark', '\ufeff#!/bin/sh\ntrue\n', ['error']],
    ['no #!', 'true\n', ['warning']],
    ['an interpreter that is not there', '#!/opt/none/such\n', ['error']],
    ['an interpreter that env does not find', '#!/usr/bin/env none-such\n', ['error']],
  ])('%s', async (_title, text, severities) => {
    script(text);
    const found = await of('script', { project: [it('./check.sh')] });
    expect(found.map(({ severity }) => severity)).toEqual(severities);
  });

  test('CRLF matters to a shell, and not to node', async () => {
    script('true\r\n');
    write(join(project, 'check.mjs'), 'process.exit(0);\r\n');
    expect(await of('script', { project: [it('sh check.sh')] })).toMatchObject([{ severity: 'error' }]);
    expect(await of('script', { project: [it('node check.mjs')] })).toEqual([]);
  });

  test('one that may not be executed is a matter of starting it', async () => {
    script('#!/bin/sh\n', 0o644);
    expect(await of('launch', { user: [it(join(project, 'check.sh'))] })).toMatchObject([{ severity: 'error' }]);
  });
});

describe('what can only fail', () => {
  test.each([
    ['http', { url: 'http://169.254.169.254/' }, 'no hook may reach'],
    ['http', { url: 'ftp://example.com' }, 'must begin with https'],
    ['plugin', {}, 'needs a function'],
  ])('a hook of the type %s with %j', async (type, more, what) => {
    expect(await of('not-supported', { user: [{ name: 'it', type, ...more }] })).toMatchObject([
      { severity: 'error', what: expect.stringContaining(what), why: expect.stringContaining('onFault') },
    ]);
  });

  test('a declaration for abilities has its own key for what a failed run leads to', async () => {
    const handler = 'handler: {kind: script, command: ./none.sh}';
    write(
      join(project, '.system/hooks/it.yaml'),
      `id: it\nevent_type: SessionStop\nenabled: true\nblocking: false\n${handler}\n`,
    );
    expect(await of('launch', {})).toMatchObject([{ why: expect.stringContaining('unless on_fault says otherwise') }]);
  });
});

describe('variables', () => {
  const env = { DEPLOY_TOKEN: 'x', COLOUR: 'red' };

  test('a secret that a hook of a project names is kept from it, and from nobody else', async () => {
    const hook = it('curl -H "$DEPLOY_TOKEN"');
    expect(await of('variable', { env, project: [hook] })).toMatchObject([
      { severity: 'warning', fix: expect.stringContaining('"allowEnv": ["DEPLOY_TOKEN"]') },
    ]);
    expect(await of('variable', { env, user: [hook] })).toEqual([]);
    expect(await of('variable', { env, project: [hook], allowEnv: ['DEPLOY_*'] })).toEqual([]);
  });

  test.each([
    [`echo $COLOUR \${COLOUR}`, 0],
    ['echo $NOT_SET_HERE', 1],
    ["echo '$NOT_SET_HERE'", 0],
    [`echo \${NOT_SET_HERE:-red}`, 0],
    ['for NOT_SET_HERE in a b; do echo $NOT_SET_HERE; done', 0],
    ['NOT_SET_HERE=1; echo $NOT_SET_HERE', 0],
    ['echo $HOOKWRIGHT_PROJECT_DIR $GEMINI_SESSION_ID', 0],
  ])('%s: %i findings', async (command, count) => {
    expect(await of('variable', { env, user: [it(command)] })).toHaveLength(count);
  });
});

describe('programs', () => {
  test('an interpreter behind a shim of a version manager is noticed, also in the first line of a script', async () => {
    const shims = join(directory, '.pyenv/shims');
    write(join(shims, 'python3'), '#!/bin/sh\n', 0o755);
    const env = { PATH: [shims, process.env.PATH ?? ''].join(delimiter) };
    write(join(project, 'check'), '#!/usr/bin/env python3\n', 0o755);
    expect(await of('version-manager', { env, project: [it('python3 -c pass')] })).toMatchObject([
      { severity: 'note', what: expect.stringContaining('pyenv') },
    ]);
    expect(await of('version-manager', { env, project: [it('./check')] })).toHaveLength(1);
    expect(await of('version-manager', { env, project: [it('sh -c true')] })).toEqual([]);
  });

  test.each([
    ['npx prettier --check .', 1],
    ['cd x && uvx ruff', 1],
    ['pnpm dlx tool', 1],
    ['node npx.mjs', 0],
    ['./npx', 0],
  ])('%s goes through a package runner: %i', async (command, count) => {
    expect(await of('package-runner', { user: [it(command)] })).toHaveLength(count);
  });

  test('a relative path in the settings of the user means another file in every project', async () => {
    write(join(project, 'check.sh'), '#!/bin/sh\n', 0o755);
    expect(await of('relative-path', { user: [it('./check.sh')] })).toMatchObject([{ severity: 'warning' }]);
    expect(await of('relative-path', { user: [it('./check.sh', { cwd: project })] })).toEqual([]);
    expect(await of('relative-path', { project: [it('./check.sh')] })).toEqual([]);
  });

  test('~/ is the home directory to a shell, and a directory of that name to nobody else', async () => {
    expect(await of('launch', { user: [it('~/bin/x.sh')] })).toMatchObject([
      { severity: 'error', what: expect.stringContaining(join(home, 'bin/x.sh')) },
    ]);
    write(join(home, 'bin/x.sh'), '#!/opt/none/such\n', 0o755);
    expect(await of('launch', { user: [it('~/bin/x.sh')] })).toEqual([]);
    expect(await of('script', { user: [it('~/bin/x.sh')] })).toMatchObject([{ severity: 'error' }]);
    expect(await of('relative-path', { user: [it('~/bin/x.sh'), it('cd /tmp; ~/bin/x.sh')] })).toEqual([]);
    expect(await of('relative-path', { user: [it('~/bin/x.sh', { args: [] })] })).toHaveLength(1);
  });
});

describe('settings', () => {
  test.each([
    [5_000, 0],
    [600_000, 0],
    [3_600_000, 1],
  ])('a timeout of %i ms: %i findings', async (timeout, count) => {
    expect(await of('timeout', { user: [it('true', { timeout })] })).toHaveLength(count);
  });

  test('two hooks of one name that do different things, told once; the same hook twice is a duplicate', async () => {
    expect(await of('shadowed-name', { user: [it('true'), it('false')] })).toHaveLength(1);
    expect(await of('shadowed-name', { user: [it('true'), it('true')] })).toEqual([]);
    expect(await of('duplicate', { user: [it('true'), it('true')] })).toHaveLength(1);
  });

  test.each([
    ['Bash', 'Edit', 0],
    ['Bash', 'Bash|Edit', 1],
    [undefined, 'Edit', 1],
    ['deploy', 'deploy', 1],
    ['^Ba', 'sh$', 1],
  ])('the same hook for %s and for %s: %i duplicates', async (one, other, count) => {
    const group = (matcher: string | undefined) => ({
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [it('true')],
    });
    const settings = { hooks: { BeforeTool: [group(one), group(other)] } };
    write(join(home, '.hookwright/settings.json'), JSON.stringify(settings));
    const { findings } = await examine();
    expect(findings.filter(({ check }) => check === 'duplicate')).toHaveLength(count);
  });

  test('hooks for abilities are looked at too', async () => {
    write(
      join(project, '.system/hooks/guard.yaml'),
      'id: guard\nevent_type: PreAbilityCall\nenabled: true\nblocking: true\nhandler: { kind: script, command: bin/none.sh }\n',
    );
    write(join(project, '.hookwright/settings.json'), '{}');
    const { findings } = await examine();
    expect(findings.map(({ check }) => check)).toEqual(['launch', 'untrusted']);
  });

  test('what nobody approved, and what can never run', async () => {
    expect(await of('untrusted', { project: [it('true')] })).toMatchObject([{ severity: 'warning' }]);
    const settings = { hooks: { BeforeTool: [{ hooks: [it('true', { name: 'off' })] }] } };
    write(
      join(project, '.hookwright/settings.json'),
      JSON.stringify({ ...settings, hooksConfig: { disabled: ['off'] } }),
    );
    const { findings } = await examine();
    expect(findings).toMatchObject([{ check: 'untrusted', why: 'An approval alone does not make it run: disabled.' }]);
    expect(await of('cannot-run', { event: 'BeforeTol', user: [it('true')] })).toMatchObject([
      { severity: 'warning', fix: 'did you mean "BeforeTool"?', line: 1 },
    ]);
    expect(await of('cannot-run', { matcher: '(', user: [it('true')] })).toMatchObject([{ severity: 'warning' }]);
  });
});

test('R2037 with projectEnv: listed, hooks of a project see what hookwright sets, and a variable that they do not see is no secret', async () => {
  const command = '"$HOOKWRIGHT_PROJECT_DIR/a.sh" "$HOOKWRIGHT_STATE_DIR" $LANG $MY_RULES';
  const setting = { projectEnv: 'listed', env: { LANG: 'C', MY_RULES: 'x' }, project: [it(command)] };
  const { environment, findings } = await look(setting);
  expect(environment.variables).toContainEqual({ name: 'HOOKWRIGHT_PROJECT_DIR', value: project, foreign: true });
  expect(environment.variables).toContainEqual({ name: 'MY_RULES', value: '(1 character)', foreign: false });
  expect(findings.filter(({ check }) => check === 'variable')).toMatchObject([
    {
      what: 'it names $MY_RULES, which is not passed to hooks of a project',
      fix: expect.stringContaining('"MY_RULES"'),
    },
  ]);
});

test('R2038 a secret that the entry asks for has the fix that allows it, and is no finding once it is allowed', async () => {
  const asking = it('./a.sh $DEPLOY_TOKEN', { secrets: ['DEPLOY_TOKEN'] });
  const setting = { env: { DEPLOY_TOKEN: 'x' }, project: [asking] };
  const fixes = async () => (await of('variable', setting)).map(({ fix }) => fix);
  expect(await fixes()).toEqual(['if it may see it: hookwright trust "it" --yes --secrets DEPLOY_TOKEN']);
  const trust = ['trust', 'it', '--yes', '--secrets', 'DEPLOY_TOKEN'];
  await startCommand(project, trust, { env: { PATH: process.env.PATH, HOME: home } }).ended;
  expect(await fixes()).toEqual([]);
});

test('findings come the worst first, with file, line and column', async () => {
  const { findings } = await look({ user: [it('npx a'), it('./none.sh', { name: 'other' })], project: [it('true')] });
  const severities = findings.map(({ severity }) => severity);
  expect(severities).toEqual([...severities].sort((a, b) => 'ewn'.indexOf(a.charAt(0)) - 'ewn'.indexOf(b.charAt(0))));
  expect(findings[0]).toMatchObject({ name: 'other', file: join(home, '.hookwright/settings.json'), line: 1 });
  expect(findings[0]?.column).toBeGreaterThan(1);
});

test('of the environment no value is told that might be a secret', async () => {
  const { environment } = await look({
    env: { MY_TOKEN: 'hunter2', CUSTOM: 'hunter2', LANG: 'C' },
    user: [it('true')],
  });
  const seen = environment.variables;
  expect(JSON.stringify(seen)).not.toContain('hunter2');
  expect(seen).toContainEqual({ name: 'LANG', value: 'C', foreign: true });
  expect(seen).toContainEqual({ name: 'MY_TOKEN', value: '(7 characters)', foreign: false });
});

test.each([
  ['a matcher that cannot be read', { matcher: 'Bash(', user: [{ name: 'it', command: 'true' }] }],
  ['a type that does not exist', { user: [{ name: 'it', type: 'shell', command: 'true' }] }],
  ['an event that does not exist', { event: 'BeforTool', user: [{ name: 'it', command: 'true' }] }],
])('R1421 %s has one severity, one place and one fix, and stands once', async (_title, setting) => {
  const { findings, problems: others } = await look(setting);
  expect(others.filter(({ file }) => file?.startsWith(home))).toEqual([]);
  const { problems } = z.pick(printedSchema, { problems: true }).parse(await runForJson(project, 'validate'));
  const [problem] = problems.filter(({ file }) => file?.startsWith(home));
  expect(problem).toBeDefined();
  const { severity, line, column, hint } = problem ?? {};
  expect(findings.filter(({ check }) => check === 'cannot-run')).toMatchObject([
    { severity, line, column, fix: hint ?? expect.any(String) },
  ]);
});

test('R1423 the files that were read are listed, and of others why they were not', async () => {
  write(
    join(project, '.claude/settings.json'),
    settingsOf('PreToolUse', 'Bash', [{ type: 'command', command: 'true' }]),
  );
  const { files } = await look({ user: [{ name: 'it', command: 'true' }] });
  expect(files).toContainEqual({ path: join(home, '.hookwright/settings.json'), hooks: 1 });
  expect(files).toContainEqual({ path: join(project, '.gemini/settings.json'), hooks: 0, unread: 'no such file' });
  expect(files).toContainEqual({
    path: join(project, '.claude/settings.json'),
    hooks: 0,
    unread: expect.stringMatching(/^for Claude Code.*; hookwright import copies it$/),
  });
});

test('R2004 a settings file that cannot be read is listed with the reason', async () => {
  mkdirSync(join(home, '.hookwright/settings.json'), { recursive: true });
  write(join(project, '.hookwright/settings.json'), '{"hooks":');
  const { files } = await examine();
  for (const [path, why] of [
    [join(home, '.hookwright/settings.json'), /^is a directory/],
    [join(project, '.hookwright/settings.json'), /^a value is expected here/],
  ] as const)
    expect(files).toContainEqual({ path, hooks: 0, unread: expect.stringMatching(why) });
});

test('R2005 lines that install wrote for an agent are not judged as those of another that reads the same file', async () => {
  const groupsOf = (event: string) => [
    { hooks: [{ type: 'command', command: `hookwright run ${event} --as-hook --agent claude-code` }] },
  ];
  const hooks = { PreToolUse: groupsOf('PreToolUse'), Setup: groupsOf('Setup') };
  write(join(project, '.claude/settings.json'), JSON.stringify({ hooks }));
  expect((await examine()).findings).toEqual([]);
});
