import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { TaskStore } from '../../src/abilities/internal.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { repositoryWith } from './support.ts';

const task: Parameters<TaskStore['create']>[0] = {
  ability_id: 'edit_file',
  ability_ref: { kind: 'ability_id', value: 'edit_file' },
  input: { path: 'README.md' },
  environment: undefined,
  session_id: 'session-1',
  caller: { source: 'ai_session', session_id: 'session-1' },
  created_at: '2026-01-01T00:00:00.000Z',
};

const tasksIn = (root: string): string => join(root, '.system/tasks');

const claimOf = async (store: TaskStore, key: string, options = {}) => {
  const claimed = await store.claim(key, options);
  if (!claimed.ok) throw new Error(claimed.refusal.message);
  return claimed.claim;
};

const codeOf = async (store: TaskStore, key: string): Promise<string> => {
  const claimed = await store.claim(key);
  return claimed.ok ? 'given' : claimed.refusal.code;
};

describe('a task', () => {
  test('is a file that its owner alone can read, written whole, with a key that is a safe name', async () => {
    const root = repositoryWith();
    const store = new TaskStore({ root });
    const { task_key, state } = await store.create(task);
    expect(task_key).toMatch(/^task-[a-z0-9]{16}$/);
    expect(state).toBe('created');
    expect(readdirSync(tasksIn(root))).toEqual([`${task_key}.json`]);
    expect(JSON.parse(readFileSync(join(tasksIn(root), `${task_key}.json`), 'utf8'))).toMatchObject({
      version: 1,
      task_key,
      state: 'created',
      attempts: 0,
      caller: { source: 'ai_session' },
      input: { path: 'README.md' },
    });
    expect(await store.find(task_key)).toMatchObject({ ok: true, task: { task_key, state: 'created' } });
  });

  test('goes from created through running to its end, and is never given out again', async () => {
    const store = new TaskStore({ root: repositoryWith() });
    const { task_key } = await store.create(task);
    const claim = await claimOf(store, task_key);
    expect(await codeOf(store, task_key)).toBe('task-running');
    await claim.update({ state: 'running' });
    expect(await store.find(task_key)).toMatchObject({ task: { state: 'running' } });
    await claim.update({ state: 'partial' });
    await claim.release();
    expect(await store.find(task_key)).toMatchObject({ task: { state: 'partial' } });
    expect(await codeOf(store, task_key)).toBe('task-over');
    expect(readdirSync(store.directory)).toEqual([`${task_key}.json`]);
  });

  test('that was held and given back can be had again, by others too', async () => {
    const root = repositoryWith();
    const [one, other] = [new TaskStore({ root }), new TaskStore({ root })];
    const { task_key } = await one.create(task);
    await (await claimOf(one, task_key)).release();
    const claim = await claimOf(other, task_key);
    expect(await codeOf(one, task_key)).toBe('task-running');
    await claim.release();
    expect(await codeOf(one, task_key)).toBe('given');
  });

  test('is had by one of many who try at once', async () => {
    const root = repositoryWith();
    const { task_key } = await new TaskStore({ root }).create(task);
    const tries = Array.from({ length: 20 }, () => codeOf(new TaskStore({ root }), task_key));
    expect((await Promise.all(tries)).filter((code) => code === 'given')).toHaveLength(1);
  });

  test.each(['../../etc/passwd', 'task-../x', 'TASK-ABCDEFG', 'task-abc/def', '', 'task-abcdef\0'])(
    'is not looked for under the name %j',
    async (key) => {
      const store = new TaskStore({ root: repositoryWith() });
      expect(await store.find(key)).toMatchObject({ refusal: { code: 'unknown-task' } });
      expect(await store.claim(key)).toMatchObject({ refusal: { code: 'unknown-task' } });
      expect(existsSync(store.directory)).toBe(false);
    },
  );

  test('whose key is taken, or is no safe name, is not written', async () => {
    const root = repositoryWith();
    const store = new TaskStore({ root, createKey: () => 'task-000001' });
    await store.create(task);
    await expect(store.create({ ...task, ability_id: 'other' })).rejects.toThrow('there is a task task-000001 already');
    expect(await store.find('task-000001')).toMatchObject({ task: { ability_id: 'edit_file' } });
    await expect(new TaskStore({ root, createKey: () => '../x' }).create(task)).rejects.toThrow('createKey: expected');
    expect(readdirSync(store.directory)).toEqual(['task-000001.json']);
  });
});

describe('what else may lie in the directory', () => {
  const withFile = async (name: string, text: string) => {
    const root = repositoryWith();
    const store = new TaskStore({ root });
    const { task_key } = await store.create(task);
    writeFileSync(join(store.directory, name), text);
    return { store, task_key };
  };

  test.each([
    ['is cut off', '{"version": 1, "task_k', 'is not JSON'],
    ['is empty', '', 'is not JSON'],
    ['is of another version', '{"version": 2}', 'is not a task of this version'],
    ['belongs to another task', '', 'says that it is'],
  ])('a task that %s is reported and harms no other', async (_what, text, message) => {
    const { store, task_key } = await withFile('task-broken.json', text);
    if (message.startsWith('says')) {
      const other = readFileSync(join(store.directory, `${task_key}.json`), 'utf8');
      writeFileSync(join(store.directory, 'task-broken.json'), other);
    }
    const { tasks, problems } = await store.list();
    expect(tasks.map((one) => one.task_key)).toEqual([task_key]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
    expect(await codeOf(store, 'task-broken')).toBe('unreadable-task');
    expect(await codeOf(store, task_key)).toBe('given');
  });

  test('what a dead process was writing is reported, and tidied away when asked', async () => {
    const name = 'task-0123456789.json.4194305-abcdef.tmp';
    const { store, task_key } = await withFile(name, '{"version": 1, ');
    expect((await store.list()).problems).toMatchObject([{ file: join(store.directory, name) }]);
    expect(await store.tidy()).toEqual([name]);
    expect((await store.list()).problems).toEqual([]);
    expect(readdirSync(store.directory)).toEqual([`${task_key}.json`]);
  });

  test('a claim that cannot be read is respected, and the way out is named', async () => {
    const { store, task_key } = await withFile('x', '');
    writeFileSync(join(store.directory, `${task_key}.claim-1`), '{"owner"');
    const claimed = await store.claim(task_key);
    expect(claimed).toMatchObject({ refusal: { code: 'task-running' } });
    expect(JSON.stringify(claimed)).toContain(`remove ${join(store.directory, `${task_key}.claim-1`)}`);
  });

  test('a claim of another machine is respected: whether it is gone cannot be told from here', async () => {
    const { store, task_key } = await withFile('x', '');
    const owner = { pid: 1, host: `not-${hostname()}` };
    writeFileSync(join(store.directory, `${task_key}.claim-1`), JSON.stringify({ owner, released: false }));
    expect(await codeOf(store, task_key)).toBe('task-running');
  });

  test.runIf(process.platform === 'linux')(
    'a claim of a process whose number another has now counts as given up',
    async () => {
      const { store, task_key } = await withFile('x', '');
      const owner = { pid: process.pid, host: hostname(), started: 'another boot/17' };
      writeFileSync(join(store.directory, `${task_key}.claim-1`), JSON.stringify({ owner, released: false }));
      expect(await codeOf(store, task_key)).toBe('given');
    },
  );
});

test('a directory that is none is reported when tasks are listed, and says so when one is created', async () => {
  const store = new TaskStore({ root: repositoryWith({ '.system/tasks': 'a file' }) });
  expect(await store.list()).toMatchObject({ tasks: [], problems: [{ file: store.directory }] });
  expect(await store.find('task-000001')).toMatchObject({ refusal: { code: 'unreadable-task' } });
  await expect(store.create(task)).rejects.toThrow('is not a directory; move it out of the way');
});

describe.skipIf(process.platform === 'win32')('links', () => {
  test.each(['.system', '.system/tasks'])('nothing is written through a link at %s', async (place) => {
    const root = repositoryWith({ 'elsewhere/tasks/x': '' });
    mkdirSync(join(root, '.system'));
    if (place === '.system') rmSync(join(root, '.system'), { recursive: true });
    symlinkSync(join(root, 'elsewhere', place === '.system' ? '' : 'tasks'), join(root, place));
    await expect(new TaskStore({ root }).create(task)).rejects.toThrow('is a symbolic link');
    expect(readdirSync(join(root, 'elsewhere/tasks'))).toEqual(['x']);
  });

  test('a task that is a link, a directory or a pipe is reported and not followed', async () => {
    const root = repositoryWith({ 'secret.json': '{"version": 1}' });
    const store = new TaskStore({ root });
    await store.create(task);
    symlinkSync(join(root, 'secret.json'), join(store.directory, 'task-aaaaaa.json'));
    mkdirSync(join(store.directory, 'task-bbbbbb.json'));
    const { tasks, problems } = await store.list();
    expect(tasks).toHaveLength(1);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('is a symbolic link, which is not followed'),
      expect.stringContaining('is a directory; a file is expected here'),
    ]);
  });
});

describe('several processes on one directory', () => {
  let host = '';

  beforeAll(async () => {
    host = await buildHost('tasks');
  }, 30_000);

  const createMany = async (root: string, count: number): Promise<string[]> => {
    const store = new TaskStore({ root });
    const keys: string[] = [];
    for (let index = 0; index < count; index += 1) {
      keys.push((await store.create({ ...task, ability_id: 'work' })).task_key);
    }
    return keys;
  };

  interface Note {
    readonly word: string;
    readonly key: string;
    readonly pid: string;
  }

  const notesIn = (root: string): Note[] =>
    (existsSync(join(root, 'log')) ? readFileSync(join(root, 'log'), 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const [word = '', key = '', pid = ''] = line.split(' ');
        return { word, key, pid };
      });

  test('each task is run once, whoever gets hold of it', async () => {
    const root = repositoryWith();
    const keys = await createMany(root, 20);
    const hosts = [1, 2, 3].map(() => startHost(host, ['work', root]));
    for (const { ended } of hosts) expect(await ended).toMatchObject({ exitCode: 0, stderr: '' });
    const notes = notesIn(root);
    const begun = notes.filter(({ word }) => word === 'begin').map(({ key }) => key);
    expect(begun.sort()).toEqual([...keys].sort());
    const { tasks, problems } = await new TaskStore({ root }).list();
    expect(problems).toEqual([]);
    expect(tasks.map(({ state, output }) => ({ state, output }))).toEqual(
      keys.map(() => ({ state: 'success', output: 'done' })),
    );
  }, 30_000);

  test('killed at any moment, no task is lost, none runs twice at once, and what was interrupted says so', async () => {
    const root = repositoryWith();
    const keys = await createMany(root, 100);
    // Each lives for a random while and dies without a word; the next one goes on.
    for (let round = 0; round < 8; round += 1) {
      const before = notesIn(root).length;
      const pair = [1, 2].map(() => startHost(host, ['work', root, 'no', '4']));
      await expect.poll(() => notesIn(root).length, { interval: 1, timeout: 5_000 }).toBeGreaterThan(before);
      await sleep(Math.random() * 25);
      for (const { child } of pair) child.kill('SIGKILL');
      for (const { ended } of pair) await ended;
      const { tasks, problems } = await new TaskStore({ root }).list();
      expect(tasks.map(({ task_key }) => task_key)).toEqual([...keys].sort());
      for (const { message } of problems) expect(message).toContain('incomplete write');
    }
    await startHost(host, ['work', root]).ended;
    const store = new TaskStore({ root });
    const { tasks } = await store.list();
    const notes = notesIn(root);
    for (const { task_key, state } of tasks) {
      const begun = notes.filter(({ word, key }) => word === 'begin' && key === task_key).length;
      const ended = notes.filter(({ word, key }) => word === 'end' && key === task_key).length;
      expect(['success', 'interrupted']).toContain(state);
      expect(begun).toBeLessThanOrEqual(1);
      if (state === 'success') expect({ begun, ended }).toEqual({ begun: 1, ended: 1 });
    }
    // An explicit choice runs the rest, again by several at once, each once.
    const interrupted = tasks.filter(({ state }) => state === 'interrupted').map(({ task_key }) => task_key);
    for (const key of interrupted) expect(await codeOf(store, key)).toBe('task-interrupted');
    expect(interrupted.length).toBeGreaterThan(0);
    const before = notesIn(root).length;
    const hosts = [1, 2].map(() => startHost(host, ['work', root, 'again']));
    for (const { ended } of hosts) expect(await ended).toMatchObject({ exitCode: 0, stderr: '' });
    expect((await store.list()).tasks.every(({ state }) => state === 'success')).toBe(true);
    const again = notesIn(root).slice(before);
    expect(
      again
        .filter(({ word }) => word === 'begin')
        .map(({ key }) => key)
        .sort(),
    ).toEqual(interrupted.sort());
  }, 60_000);

  test('killed while it creates tasks, it leaves whole tasks and at most a piece that is recognised', async () => {
    const root = repositoryWith();
    let told = 0;
    for (let round = 0; round < 5; round += 1) {
      const { child, says, ended } = startHost(host, ['create', root]);
      await says('task-');
      await sleep(Math.random() * 60);
      child.kill('SIGKILL');
      told += (await ended).stdout.split('\n').filter((line) => line.startsWith('task-')).length;
    }
    const store = new TaskStore({ root });
    const { tasks, problems } = await store.list();
    expect(tasks.length).toBeGreaterThanOrEqual(told);
    for (const { message } of problems) expect(message).toContain('incomplete write');
    await store.tidy();
    expect((await store.list()).problems).toEqual([]);
  }, 30_000);
});
