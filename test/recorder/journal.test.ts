import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type CreateHooksOptions, createHooks, HookEventName, MessageBus, requestHooks } from '../../src/index.ts';
import { readJournal, readSession, record } from '../../src/sessions/index.ts';
import { project } from '../agents/project.ts';
import { buildPackage } from '../examples/support.ts';

beforeAll(buildPackage, 120_000);

const USER = 'home/.hookwright/settings.json';
const noRm = { name: 'no-rm', type: 'rule', verdict: 'deny', if: 'Bash(rm *)', reason: 'no rm here' };
const withRule = (more: object = {}) => ({
  [USER]: { hooks: { BeforeTool: [{ matcher: 'Bash', hooks: [noRm] }] }, ...more },
});

const start = async (files: Readonly<Record<string, unknown>> = withRule(), options: CreateHooksOptions = {}) => {
  const place = project(files);
  const hooks = await createHooks({ load: true, ...place, ...options });
  onTestFinished(() => hooks.close());
  return { ...place, hooks, directory: join(place.home, '.hookwright/journal') };
};

const filesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
};

const decisionsIn = async (directory: string): Promise<object[]> => {
  const decisions: object[] = [];
  for (const name of filesIn(directory)) {
    const session = readSession(join(directory, name));
    for await (const { message } of session) if (message.type === 'hook-execution-request') decisions.push(message);
    expect(session.problems).toEqual([]);
  }
  return decisions;
};

const call = (command: string) => ({ tool: 'Bash', input: { command } });

describe('R1580 the journal of createHooks({load: true})', () => {
  test('keeps each decision as a recording that only its user can read, secrets taken out', async () => {
    const { hooks, directory } = await start();
    await hooks.beforeTool(call('rm -rf / --password hunter22secret'));
    await hooks.close();
    const [name = '', ...others] = filesIn(directory);
    expect(others).toEqual([]);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, name), 'utf8')).not.toContain('hunter22secret');
    const types: string[] = [];
    for await (const { message } of readSession(join(directory, name))) types.push(message.type);
    expect(types).toEqual(['hook-execution-request', 'hook-execution-trace', 'hook-execution-response']);
  });

  test('keeps why a configured hook did not run, and no event without hooks', async () => {
    const { hooks, directory } = await start();
    await hooks.beforeTool({ tool: 'Read', input: {} });
    await hooks.afterTool({ ...call('ls'), output: 'done' });
    await hooks.close();
    expect(await decisionsIn(directory)).toMatchObject([{ eventName: 'BeforeTool', payload: { tool_name: 'Read' } }]);
  });

  test('keeps requests of the bus, too, and is written while the host works', async () => {
    const bus = new MessageBus();
    const { directory } = await start(withRule(), { bus });
    await requestHooks(bus, HookEventName.BeforeTool, { tool_name: 'Bash', tool_input: { command: 'rm x' } });
    await expect.poll(() => filesIn(directory).length).toBe(1);
  });

  test('is off by a setting of the user, and by an option', async () => {
    for (const [files, options] of [
      [withRule({ journal: false }), {}],
      [withRule(), { journal: false }],
    ] as const) {
      const { hooks, directory } = await start(files, options);
      await hooks.beforeTool(call('rm x'));
      await hooks.close();
      expect(filesIn(directory)).toEqual([]);
    }
  });

  test('is not switched off by a project, which is told so', async () => {
    const { hooks, directory } = await start({
      ...withRule(),
      'project/.hookwright/settings.json': { journal: false },
    });
    expect(hooks.problems).toMatchObject([{ code: 'no-effect', path: 'journal' }]);
    await hooks.beforeTool(call('rm x'));
    await hooks.close();
    expect(filesIn(directory)).toHaveLength(1);
  });

  test('is for load: true, and createHooks says so', async () => {
    await expect(createHooks({ journal: true })).rejects.toThrow(/load: true/);
  });
});

test('R1581 a journal is no one who could answer: no listener is counted, and a recorder beside it sees the same', async () => {
  const bus = new MessageBus();
  const { hooks, cwd } = await start(withRule(), { bus });
  expect(bus.listenerCount('*')).toBe(0);
  expect(bus.isWatched('hook-execution-response')).toBe(false);
  const recording = record(bus, { file: join(cwd, 'own.jsonl') });
  await hooks.beforeTool(call('rm x'));
  expect((await recording.close()).messages).toBeGreaterThan(2);
});

describe('R1582 a journal is a ring', () => {
  test('of 1,000 decisions, the newest of which stay', { timeout: 60_000 }, async () => {
    const { hooks, directory } = await start();
    for (let count = 0; count < 1_300; count += 1) {
      if (count === 700) await expect.poll(() => filesIn(directory).length).toBe(14);
      await hooks.beforeTool(call(`ls ${count}`));
    }
    await hooks.close();
    const kept = await decisionsIn(directory);
    expect(kept.length).toBeGreaterThan(900);
    expect(kept.length).toBeLessThanOrEqual(1_000);
    expect(kept.at(-1)).toMatchObject({ payload: { tool_input: { command: 'ls 1299' } } });
  });

  test('of 20 MiB, however large the payloads are', { timeout: 60_000 }, async () => {
    const { hooks, directory } = await start();
    const texts = Object.fromEntries(Array.from({ length: 40 }, (_value, index) => [`t${index}`, 'x'.repeat(16_000)]));
    for (let count = 0; count < 400; count += 1)
      await hooks.beforeTool({ tool: 'Bash', input: { command: `ls ${count}`, ...texts } });
    await hooks.close();
    const bytes = filesIn(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    expect(bytes).toBeLessThanOrEqual(20 * 2 ** 20);
    expect(bytes).toBeGreaterThan(10 * 2 ** 20);
  });
});

test('R1997 after a clock that was ahead is set back, the journal keeps new decisions, as the newest', {
  timeout: 60_000,
}, async () => {
  const { hooks, home, cwd } = await start();
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 24 * 3_600_000 });
  for (let count = 0; count < 1_000; count += 1) await hooks.beforeTool(call(`ls ${count}`));
  await expect.poll(() => filesIn(join(home, '.hookwright/journal')).length).toBe(20);
  vi.useRealTimers();
  await hooks.beforeTool(call('rm x'));
  await hooks.close();
  const commands: unknown[] = [];
  for await (const { message } of readJournal({ home, project: cwd }))
    if (message.type === 'hook-execution-request') commands.push(message.payload);
  expect(commands.length).toBeGreaterThan(900);
  expect(commands.at(-1)).toMatchObject({ tool_input: { command: 'rm x' } });
});

test('R1583 a huge payload is cut, and holds nothing up', async () => {
  const { hooks, directory } = await start();
  const list = Array.from({ length: 200_000 }, (_value, index) => ({ index }));
  await hooks.beforeTool(call('warm up'));
  const from = performance.now();
  const input = { command: 'rm x', text: 'x'.repeat(30_000_000), list };
  expect(await hooks.beforeTool({ tool: 'Bash', input })).toMatchObject({ verdict: 'deny' });
  expect(performance.now() - from).toBeLessThan(2_000);
  await hooks.close();
  const text = filesIn(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('');
  expect(text.length).toBeLessThan(600_000);
  expect(text).toContain('"shortened":[');
  expect(await decisionsIn(directory)).toHaveLength(2);
});

test('R1584 a secret that the cut of a long text would tear is taken out whole', async () => {
  const { hooks, directory } = await start();
  await hooks.beforeTool(call(`${'x '.repeat(8_185)} ghp_${'a1B2'.repeat(9)} ${'y'.repeat(60_000)}`));
  await hooks.close();
  const text = filesIn(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('');
  expect(text).toContain('more characters');
  expect(text).not.toContain('ghp_');
});

describe('R1585 a journal that cannot be written', () => {
  test('fails no answer, and the log says why, once', async () => {
    const warned: string[] = [];
    const { hooks, directory } = await start(withRule(), {
      deps: { logger: { warn: (text) => warned.push(String(text)) } },
    });
    writeFileSync(directory, 'a file where the journal should be');
    for (let count = 0; count < 3; count += 1) {
      expect(await hooks.beforeTool(call('rm x'))).toMatchObject({ verdict: 'deny', faults: [] });
      await new Promise((done) => setTimeout(done, 300));
    }
    await hooks.close();
    expect(warned.filter((text) => text.includes('journal'))).toHaveLength(1);
    expect(warned.join()).toMatch(/the journal cannot be written: .*is not a directory/);
  });

  const unshare = (script: string) =>
    new Promise<number | null>((done) => {
      const child = spawn('unshare', ['-rm', 'bash', '-c', script], { stdio: 'inherit' });
      child.on('error', () => done(null));
      child.on('close', done);
    });

  test('on a full disk loses nothing but itself, and leaves no torn file', async (context) => {
    const { cwd, home, directory, hooks } = await start();
    await hooks.close();
    mkdirSync(directory, { mode: 0o700 });
    const probe = await unshare(`mount -t tmpfs -o size=64k,mode=700 tmpfs ${directory}`);
    if (probe !== 0) return context.skip('no file system can be mounted here');
    const script = join(cwd, 'host.mjs');
    writeFileSync(
      script,
      `import { createHooks } from ${JSON.stringify(resolve('dist/index.js'))};
       import { readdirSync, readFileSync } from 'node:fs';
       const warned = [];
       const deps = { logger: { warn: (text) => warned.push(text) } };
       const hooks = await createHooks({ load: true, cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(home)}, deps });
       for (let count = 0; count < 20; count += 1) {
         const { verdict } = await hooks.beforeTool({ tool: 'Bash', input: { command: 'rm ' + 'x'.repeat(10000) } });
         if (verdict !== 'deny') process.exit(3);
         await new Promise((done) => setTimeout(done, 250));
       }
       await hooks.close();
       if (!warned.some((text) => text.includes('ENOSPC'))) process.exit(4);
       for (const name of readdirSync(${JSON.stringify(directory)}))
         if (!readFileSync(${JSON.stringify(`${directory}/`)} + name, 'utf8').endsWith('}\\n')) process.exit(5);`,
    );
    const mounted = `mount -t tmpfs -o size=64k,mode=700 tmpfs ${directory} && ${process.execPath} ${script}`;
    expect(await unshare(mounted)).toBe(0);
  });
});

test('R1586 many processes write one journal at once, and each decision is there, whole', {
  timeout: 60_000,
}, async () => {
  const { cwd, home, directory, hooks } = await start();
  await hooks.close();
  const script = join(cwd, 'host.mjs');
  writeFileSync(
    script,
    `import { createHooks } from ${JSON.stringify(resolve('dist/index.js'))};
     const hooks = await createHooks({ load: true, cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(home)} });
     for (let count = 0; count < 60; count += 1) {
       await hooks.beforeTool({ tool: 'Bash', input: { command: 'rm ' + process.argv[2] + '-' + count } });
       if (count % 10 === 0) await new Promise((done) => setTimeout(done, 210));
     }`,
  );
  const run = (index: number) =>
    new Promise((done) => spawn(process.execPath, [script, String(index)], { stdio: 'inherit' }).on('close', done));
  // They end without a word: what is left is written when a process exits.
  expect(await Promise.all(Array.from({ length: 6 }, (_value, index) => run(index)))).toEqual([0, 0, 0, 0, 0, 0]);
  const commands = (await decisionsIn(directory)).map((message) => JSON.stringify(message));
  expect(new Set(commands.map((text) => /rm \d+-\d+/.exec(text)?.[0])).size).toBe(360);
});

test('R1587 a journal in a directory that others may write is neither written nor read', async () => {
  const warned: string[] = [];
  const { hooks, directory } = await start(withRule(), {
    deps: { logger: { warn: (text) => warned.push(String(text)) } },
  });
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  const { chmodSync } = await import('node:fs');
  chmodSync(directory, 0o777);
  expect(await hooks.beforeTool(call('rm x'))).toMatchObject({ verdict: 'deny' });
  await hooks.close();
  expect(filesIn(directory)).toEqual([]);
  expect(warned.join()).toContain('can be written by others');
});
