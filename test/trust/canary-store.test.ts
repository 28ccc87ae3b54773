import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HookSystem } from '../../src/index.ts';
import { loadConfig } from '../../src/settings/index.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const refusing = (log: string): string => `#!/bin/sh\necho run >> ${log}\nexit 2\n`;

/** A user with a guard that has a canary, in a project without hooks. Each engine stands for a process of its own. */
const setUp = () => {
  const root = temporaryFolder('canary-store');
  mkdirSync(join(root, 'project/.git'), { recursive: true });
  mkdirSync(join(root, 'home/.hookwright'), { recursive: true });
  const home = join(root, 'home');
  const script = join(home, '.hookwright/guard.sh');
  const log = join(root, 'log');
  writeFileSync(log, '');
  const canary = { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } };
  const guardWith = (more: object): void =>
    writeFileSync(
      join(home, '.hookwright/settings.json'),
      JSON.stringify({
        hooks: { BeforeTool: [{ hooks: [{ name: 'guard', command: script, onFault: 'deny', canary, ...more }] }] },
      }),
    );
  const write = (text: string): void => {
    writeFileSync(script, text);
    chmodSync(script, 0o755);
  };
  guardWith({});
  chmodSync(join(home, '.hookwright'), 0o700);
  write(refusing(log));
  const engine = async <T>(work: (system: HookSystem) => Promise<T>): Promise<T> => {
    const { config } = await loadConfig({ cwd: join(root, 'project'), home, env: {} });
    const system = new HookSystem(config);
    await system.initialize();
    try {
      return await work(system);
    } finally {
      await system.dispose();
    }
  };
  const problems = async (): Promise<readonly string[]> => {
    const { config } = await loadConfig({ cwd: join(root, 'project'), home, env: {} });
    const system = new HookSystem(config);
    await system.initialize();
    await system.dispose();
    return config.getProblems().map(({ message }) => message);
  };
  const session = () =>
    engine(async (system) => {
      await system.getEventHandler().fireSessionStartEvent('startup');
      await system.settleCanaries();
    });
  const runs = (): number => readFileSync(log, 'utf8').split('\n').length - 1;
  const blocks = () =>
    engine(async (system) => {
      const before = runs();
      const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('Bash', { command: 'ls' });
      return { isBlocked: finalOutput?.isBlockingDecision() === true, asked: runs() - before };
    });
  return {
    home,
    record: join(home, '.hookwright/canaries.json'),
    log,
    guardWith,
    write,
    engine,
    session,
    runs,
    blocks,
    problems,
  };
};

describe('R1507 canaries are remembered beside the approvals', () => {
  test('a session runs one only if the guard or its script changed since it passed', async () => {
    const { write, session, runs, log, guardWith, record } = setUp();
    await session();
    expect(runs()).toBe(1);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    await session();
    expect(runs()).toBe(1);
    write(`${refusing(log)}# changed\n`);
    await session();
    expect(runs()).toBe(2);
    guardWith({ timeout: 5000 });
    await session();
    expect(runs()).toBe(3);
    await session();
    expect(runs()).toBe(3);
  });

  test('a guard whose canary was lost obeys its onFault in later processes until it passes', async () => {
    const { write, session, blocks, engine, log } = setUp();
    const passing = `#!/bin/sh\necho run >> ${log}\nexit 0\n`;
    write(passing);
    expect(await blocks()).toEqual({ isBlocked: false, asked: 1 });
    await session();
    expect(await blocks()).toEqual({ isBlocked: true, asked: 0 });
    expect(await engine(async (system) => system.getProblems().map(({ code }) => code))).toEqual(['canary-failed']);
    write(`${passing}# another, of which nothing is known yet\n`);
    expect(await blocks()).toEqual({ isBlocked: true, asked: 0 });
    write(`#!/bin/sh\necho run >> ${log}\ngrep -q rm && exit 2\nexit 0\n`);
    await session();
    expect(await blocks()).toEqual({ isBlocked: false, asked: 1 });
  });

  test('what is asked of new canaries alone runs none that did not change', async () => {
    const { engine, runs, write } = setUp();
    const lost = () => engine(async (system) => (await system.checkNewCanaries()).map(({ stage }) => stage));
    expect([await lost(), await lost(), runs()]).toEqual([[], [], 1]);
    write('#!/bin/sh\nexit 1\n');
    expect([await lost(), await lost(), runs()]).toEqual([['process'], ['process'], 1]);
  });

  test('of 200 other projects, those of which canaries were run last', async () => {
    const { session, record, write, log } = setUp();
    await session();
    const { version, projects } = JSON.parse(readFileSync(record, 'utf8'));
    const others = Array.from({ length: 201 }, (_, index) => [`/project-${index}`, {}]);
    writeFileSync(record, JSON.stringify({ version, projects: { ...Object.fromEntries(others), ...projects } }));
    write(`${refusing(log)}# changed\n`);
    await session();
    const kept = Object.keys(JSON.parse(readFileSync(record, 'utf8')).projects);
    expect(kept).toEqual([...others.slice(1).map(([path]) => path), ...Object.keys(projects)]);
  });

  test('R1739 a guard that lost its canary refuses, too, where the record of that cannot be read', async () => {
    const { write, session, blocks, record, log } = setUp();
    write(`#!/bin/sh\necho run >> ${log}\nexit 0\n`);
    await session();
    writeFileSync(record, '{"version":1,');
    expect(await blocks()).toMatchObject({ isBlocked: true });
    expect(await blocks()).toMatchObject({ isBlocked: true });
    expect(readFileSync(record, 'utf8')).toBe('{"version":1,');
  });

  test('R1740 a session that begins waits well under a second for a record that a dead process holds, which is said', async () => {
    const { home, record } = setUp();
    writeFileSync(`${record}.lock`, 'dead');
    const { config } = await loadConfig({ cwd: join(home, '../project'), home, env: {} });
    const system = new HookSystem(config);
    await system.initialize();
    const startedAt = performance.now();
    await system.getEventHandler().fireSessionStartEvent('startup');
    await system.settleCanaries();
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await system.dispose();
    expect(config.getProblems().map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /What canaries came to is not kept: .*canaries\.json\.lock could not be taken: .* remove it/,
      ),
    ]);
  });

  test('a record that cannot be read is a problem and counts for nothing', async () => {
    const { session, runs, record, problems } = setUp();
    await session();
    writeFileSync(record, '{"version":1,');
    expect(await problems()).toEqual([
      expect.stringMatching(/canaries\.json is not as this version writes it; remove it/),
    ]);
    await session();
    expect(runs()).toBe(2);
    chmodSync(record, 0o666);
    expect(await problems()).toEqual([expect.stringMatching(/can be written by others/)]);
    await session();
    expect(runs()).toBe(3);
    writeFileSync(record, ' '.repeat(4_194_305), { mode: 0o600 });
    chmodSync(record, 0o600);
    expect(await problems()).toEqual([expect.stringMatching(/at most 4194304 are read/)]);
  });
});
