import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createHooks, defineHook, watchConfig } from '../../src/index.ts';
import { createPlace, OWN, type Place, USER } from '../settings/support.ts';
import { keepLines } from '../support/host.ts';
import { approveAll as approve } from './approve-all.ts';

const OFF = 'home/.hookwright/off.json';
const deny = `echo '{"decision":"deny","reason":"no"}'`;
const guarded = { hooks: { BeforeTool: [{ hooks: [{ name: 'guard', command: deny }] }] } };

const pause = (place: Place, ms: number): void => {
  const until = new Date(Date.now() + ms).toISOString();
  chmodSync(place.write(OFF, { version: 1, until }), 0o600);
};

const prepared = (): Place => {
  const place = createPlace();
  mkdirSync(join(place.home, '.hookwright'), { mode: 0o700 });
  place.write(USER, guarded);
  return place;
};

const verdictIn = async (place: Place) => {
  const { config, problems } = await place.load();
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  const ask = async () => (await hooks.beforeTool({ tool: 'Bash', input: {} })).verdict;
  return { config, problems, hooks, ask };
};

test('R683 hooks that a person switched off for a while do not run, and rows and problems say until when', async () => {
  const place = prepared();
  pause(place, 60_000);
  const { problems, hooks, ask } = await verdictIn(place);
  expect(await ask()).toBe('none');
  const [row] = await hooks.explain('BeforeTool');
  expect(row).toMatchObject({ planned: 'skip', reason: 'hooks-disabled' });
  expect(row?.hint).toMatch(/^hooks are switched off until \d{4}-\d\d-\d\d \d\d:\d\d; hookwright enable --all /);
  expect(problems).toContainEqual(expect.objectContaining({ code: 'hooks-disabled', hint: 'hookwright enable --all' }));
});

test('R683 it ends by itself, in a running session too', async () => {
  const place = prepared();
  pause(place, 700);
  const { config, ask } = await verdictIn(place);
  expect(await ask()).toBe('none');
  await expect.poll(ask, { timeout: 5_000 }).toBe('deny');
  expect(config.getProblems()).toEqual([]);
});

test('R683 a guard that lapsed refuses nothing meanwhile', async () => {
  const place = prepared();
  place.write(USER, {});
  place.write(OWN, { hooks: { BeforeTool: [{ hooks: [{ name: 'own', command: './own.sh', onFault: 'deny' }] }] } });
  place.write('project/own.sh', '#!/bin/sh\n');
  await approve(place);
  place.write('project/own.sh', '#!/bin/sh\nexit 0\n');
  expect(await (await verdictIn(place)).ask()).toBe('deny');
  pause(place, 60_000);
  expect(await (await verdictIn(place)).ask()).toBe('none');
});

test('R683 hooks in the code of a program stay on', async () => {
  const place = prepared();
  pause(place, 60_000);
  const { config } = await place.load();
  const own = defineHook({ event: 'BeforeTool', name: 'own', run: () => ({ decision: 'deny', reason: 'in code' }) });
  const hooks = await createHooks({ config, hooks: [own] });
  onTestFinished(() => hooks.close());
  expect(await hooks.beforeTool({ tool: 'Bash', input: {} })).toMatchObject({ verdict: 'deny', reason: 'in code' });
});

test('R683 a session that watches its settings hears of it at once, and of its end', async () => {
  const place = prepared();
  const { config, ask } = await verdictIn(place);
  const watcher = await watchConfig(config, { debounceMs: 10 });
  onTestFinished(() => watcher.close());
  expect(await ask()).toBe('deny');
  pause(place, 60_000);
  await expect.poll(ask, { timeout: 5_000 }).toBe('none');
  pause(place, -1);
  await expect.poll(ask, { timeout: 5_000 }).toBe('deny');
});

test('R800 a running session that watches nothing hears of it with its next event, and of its end; rows and log say so', async () => {
  const place = prepared();
  const lines = keepLines();
  const { config } = await place.load({ deps: { logger: lines.logger } });
  const hooks = await createHooks({ config });
  onTestFinished(() => hooks.close());
  const ask = async () => (await hooks.beforeTool({ tool: 'Bash', input: {} })).verdict;
  expect(await ask()).toBe('deny');
  pause(place, 60_000);
  await expect.poll(ask, { timeout: 5_000 }).toBe('none');
  expect(await hooks.explain('BeforeTool')).toMatchObject([
    { reason: 'hooks-disabled', hint: expect.stringMatching(/^hooks are switched off /) },
  ]);
  expect(config.getProblems()).toContainEqual(expect.objectContaining({ code: 'hooks-disabled' }));
  expect(lines.warn).toEqual([expect.stringMatching(/^\[hookwright:registry\] hooks are switched off until /)]);
  pause(place, -1);
  await expect.poll(ask, { timeout: 5_000 }).toBe('deny');
  expect(lines.log).toContain(
    '[hookwright:registry] The time is over for which hooks were switched off: they run again',
  );
  expect(config.getProblems()).toEqual([]);
});

test('R1996 a clock that is set back by days does not keep the hooks of a running session off, and a problem says why', async () => {
  const place = prepared();
  pause(place, 60_000);
  const { config, ask } = await verdictIn(place);
  expect(await ask()).toBe('none');
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 5 * 24 * 3_600_000 });
  expect(await ask()).toBe('deny');
  expect(config.getProblems()).toMatchObject([{ message: expect.stringContaining('says more than 24 hours') }]);
});

const anyone = (place: Place): void => chmodSync(place.write(OFF, { version: 1, until: soon() }), 0o666);
const soon = (): string => new Date(Date.now() + 60_000).toISOString();

test.each<[string, string, (place: Place) => void]>([
  ['can be written by others', 'can be written by others (mode 666)', anyone],
  [
    'is a link',
    'is a symbolic link',
    (place) => symlinkSync(place.write('home/elsewhere.json', { until: soon() }), join(place.root, OFF)),
  ],
  ['is to last longer than a day', 'says more than 24 hours', (place) => pause(place, 25 * 3_600_000)],
  ['says nothing of the kind', 'does not say until when', (place) => place.write(OFF, '{"until": true}')],
  [
    'lies where its group may write',
    '.hookwright can be written by others (mode 770)',
    (place) => {
      pause(place, 60_000);
      chmodSync(join(place.home, '.hookwright'), 0o770);
    },
  ],
])('R683 one that %s switches nothing off, and is told as a problem', async (_what, words, write) => {
  const place = prepared();
  write(place);
  const { ask, problems } = await verdictIn(place);
  expect(await ask()).toBe('deny');
  expect(problems).toMatchObject([{ code: 'unreadable-file', skipped: false, hint: 'hookwright enable --all' }]);
  expect(problems[0]?.message).toContain(words);
});
