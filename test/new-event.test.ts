import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.ts';

const project = temporaryFolder('new-event');

const inProject = (path: string): string => join(project, path);

/** Replaces a text that must be there exactly once, so that the test fails loudly when the file has moved on. */
const replaceOnce = (path: string, before: string, after: string): void => {
  const source = readFileSync(inProject(path), 'utf8');
  expect(source.split(before), `${path} must contain exactly one "${before}"`).toHaveLength(2);
  writeFileSync(inProject(path), source.replace(before, after));
};

/** All that is particular to the event. */
const record = `  BeforeCommit: createEventRecord({
    when: 'before the agent commits',
    sample: { branch: 'main', message: '' },
    payload: () => z.object({ branch: z.string(), message: z.string() }),
    fromArgs: (branch: string, message: string) => ({ branch, message }),
    toFields: (payload) => payload,
    subject: { from: 'trigger', compare: 'exact', field: 'branch', of: (payload) => payload.branch },
    merge: 'keep-everything',
    supports: ['additionalContext'],
    output: DefaultHookOutput,
  }),`;

/** What an agent calls. */
const trigger = `export const fireBeforeCommitHook = createTrigger('BeforeCommit', (commit: PayloadOf<'BeforeCommit'>) => commit);
`;

/** A user's program: the new event through the trigger, the handler's method, the bus and a real hook. */
const program = `
import { Config, createHooks, HookEventName, MessageBus, requestHooks } from './index.ts';
import { fireBeforeCommitHook } from './triggers/agent-turns.ts';

const bus = new MessageBus();
const guard = { name: 'guard', command: 'read input; echo "on $(echo "$input" | grep -o main) no" >&2; exit 2' };
const config = new Config({ enableHooks: true, bus, hooks: { BeforeCommit: [{ matcher: 'main', hooks: [guard] }] } });

const direct = await fireBeforeCommitHook(config, { branch: 'main', message: 'wip' });
const method = await config.getHookSystem()?.getEventHandler().fireBeforeCommitEvent('feature', 'wip');
const asked = await requestHooks(bus, HookEventName.BeforeCommit, { branch: 'main', message: 'wip' });
const refused = await requestHooks(bus, 'BeforeCommit', JSON.parse('{"branch": 5}'));
const rows = await config.getHookSystem()?.explain('BeforeCommit', { trigger: 'feature' });
const hooks = await createHooks();
const heard: string[] = [];
hooks.on('BeforeCommit', ({ branch }) => void heard.push(branch), { matcher: 'main' });
for (const branch of ['feature', 'main']) await requestHooks(hooks.bus, 'BeforeCommit', { branch, message: '' });
await hooks.close();
console.log(JSON.stringify({
  heard,
  direct: direct?.getBlockingError(),
  method: method?.finalOutput === undefined,
  asked: asked.finalOutput?.decision,
  refused: refused.errors[0]?.message,
  row: rows?.map(({ reason }) => reason),
}));
`;

const bundle = (entry: string, outfile: string) =>
  build({
    entryPoints: [inProject(`src/${entry}`)],
    outfile: inProject(outfile),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });

/** What the command line says, as data; a finding is no failure of it. */
const commandLine = (...args: string[]) => {
  const env = { ...process.env, HOME: inProject('home'), USERPROFILE: inProject('home') };
  const { stdout } = spawnSync(process.execPath, [inProject('cli.mjs'), ...args, '--json'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
};

test('a new event is one record, one trigger line and nothing else', async () => {
  for (const path of ['src', 'tsconfig.json', 'package.json']) {
    cpSync(path, inProject(path), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), inProject('node_modules'));
  replaceOnce('src/events/records.ts', 'const records = {\n', `const records = {\n${record}\n`);
  const fireSessionStart = 'export const fireSessionStartHook';
  replaceOnce('src/triggers/agent-turns.ts', fireSessionStart, `${trigger}\n${fireSessionStart}`);
  writeFileSync(inProject('src/program.ts'), program);

  const tsconfig = { extends: './tsconfig.json', include: ['src'] };
  writeFileSync(inProject('tsconfig.check.json'), JSON.stringify(tsconfig));
  const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
  const checked = spawnSync(process.execPath, [compiler, '-p', inProject('tsconfig.check.json')], { encoding: 'utf8' });
  expect(checked.stdout).toBe('');

  await Promise.all([bundle('program.ts', 'program.mjs'), bundle('cli/main.ts', 'cli.mjs')]);
  const printed = execFileSync(process.execPath, [inProject('program.mjs')], { cwd: project, encoding: 'utf8' });
  expect(JSON.parse(printed)).toEqual({
    heard: ['main'],
    direct: { blocked: true, reason: 'on main no' },
    method: true,
    asked: 'block',
    refused: expect.stringContaining('branch'),
    row: ['matcher-mismatch'],
  });

  mkdirSync(inProject('home/.hookwright'), { recursive: true });
  const guard = { name: 'guard', type: 'command', command: 'echo no >&2; exit 2' };
  const settings = { hooks: { BeforeCommit: [{ matcher: 'main', hooks: [guard] }] } };
  writeFileSync(inProject('home/.hookwright/settings.json'), JSON.stringify(settings));
  const explained = ['main', 'feature'].map((branch) =>
    commandLine('explain', 'BeforeCommit', '--input', JSON.stringify({ branch })),
  );
  expect(explained.map(({ data }) => data.hooks[0])).toMatchObject([
    { planned: 'run', matcher: 'main' },
    { planned: 'skip', reason: 'matcher-mismatch' },
  ]);
  expect(commandLine('events', 'BeforeCommit').data).toMatchObject({
    when: 'before the agent commits',
    matcher: { field: 'branch' },
    stdin: { hook_event_name: 'BeforeCommit', branch: 'main' },
  });
  const ran = commandLine('run', 'BeforeCommit', '--input', '{"branch": "main"}');
  expect(ran.data).toMatchObject({ verdict: 'deny', payload: { branch: 'main', message: '' } });
}, 60_000);
