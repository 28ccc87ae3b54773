import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileTokenStore, memoryTokenStore, type TokenStore } from '../../src/index.ts';
import { buildHost, startHost } from '../support/hosts.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isWindows = process.platform === 'win32';
const day = 86_400_000;
const id = (letter: string): string => letter.repeat(32);
const newHome = (): string => temporaryFolder('tokens');
const foldersIn = (home: string): string => join(home, '.hookwright', 'spent-tokens');

const stores: readonly [string, () => TokenStore][] = [
  ['in memory', memoryTokenStore],
  ['of files', () => fileTokenStore({ home: newHome() })],
];

describe.each(stores)('R1543 a store of spent tokens %s', (_what, make) => {
  const later = Date.now() + day;

  test('lets each token be spent once', async () => {
    const store = make();
    expect(await store.claim(id('a'), later)).toBe(true);
    expect(await store.claim(id('a'), later)).toBe(false);
    expect(await store.claim(id('b'), later)).toBe(true);
    expect(await store.claim(id('a'), later)).toBe(false);
  });

  test('lets one of many spend a token that want it at once', async () => {
    const store = make();
    const claims = await Promise.all(Array.from({ length: 50 }, () => store.claim(id('c'), later)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test('knows nothing of another store', async () => {
    expect(await make().claim(id('d'), later)).toBe(true);
    expect(await make().claim(id('d'), later)).toBe(true);
  });
});

describe('R1544 spent tokens on disk', () => {
  test('let one of several processes run a call that was parked by another', async () => {
    const home = newHome();
    const program = await buildHost('parks');
    onTestFinished(() => rmSync(program, { force: true }));
    const { stdout: token } = await startHost(program, [home]).ended;
    const ends = await Promise.all([1, 2, 3, 4].map(() => startHost(program, [home, token]).ended));
    expect(ends.map(({ stdout, stderr }) => stdout + stderr).sort()).toEqual([
      'ran push {"branch":"main"}',
      'used',
      'used',
      'used',
    ]);
  });

  test('are known to the next process, and are for their user alone', async () => {
    const home = newHome();
    const later = Date.now() + day;
    expect(await fileTokenStore({ home }).claim(id('a'), later)).toBe(true);
    expect(await fileTokenStore({ home }).claim(id('a'), later)).toBe(false);
    expect(readdirSync(foldersIn(home))).toEqual([`${later}.${id('a')}`]);
    if (isWindows) return;
    expect(lstatSync(foldersIn(home)).mode & 0o777).toBe(0o700);
    expect(lstatSync(join(foldersIn(home), `${later}.${id('a')}`)).mode & 0o777).toBe(0o600);
  });

  test('are forgotten when their time is over by a day, and count no more though the clock is set back', async () => {
    const home = newHome();
    const time = { now: 1_800_000_000_000 };
    const store = fileTokenStore({ home, clock: { now: () => time.now } });
    const [first, second, third] = [time.now + day, time.now + day + 1, time.now + 5 * day];
    expect(await store.claim(id('a'), first)).toBe(true);
    expect(await store.claim(id('b'), second)).toBe(true);
    expect(await store.claim(id('c'), third)).toBe(true);
    time.now += 2 * day + 2;
    expect(await store.claim(id('d'), time.now + day)).toBe(true);
    expect(readdirSync(foldersIn(home)).sort()).toEqual(
      [`${third}.${id('c')}`, `${time.now + day}.${id('d')}`, `forgotten.${second}`].sort(),
    );
    time.now -= 2 * day;
    for (const [name, expiresAt] of [
      ['a', first],
      ['b', second],
      ['c', third],
    ] as const) {
      expect(await store.claim(id(name), expiresAt), name).toBe(false);
    }
    expect(await store.claim(id('e'), second + 1)).toBe(true);
    time.now += 40 * day;
    expect(await store.claim(id('f'), time.now + day)).toBe(true);
    expect(readdirSync(foldersIn(home)).filter((name) => name.startsWith('forgotten'))).toEqual([`forgotten.${third}`]);
  });

  test('are not spent, with a word why, where the folder cannot be relied on', async () => {
    const later = Date.now() + day;
    const told = (home: string) => expect(fileTokenStore({ home }).claim(id('a'), later)).rejects;
    const file = newHome();
    writeFileSync(join(file, '.hookwright'), '');
    await told(file).toThrow(/^The token was not spent, so its call does not run: .*is not a directory/);
    if (isWindows) return;
    const linked = newHome();
    mkdirSync(join(linked, '.hookwright'), { mode: 0o700 });
    symlinkSync(newHome(), foldersIn(linked));
    await told(linked).toThrow(/symbolic link/);
    const open = newHome();
    mkdirSync(foldersIn(open), { recursive: true, mode: 0o700 });
    chmodSync(foldersIn(open), 0o777);
    await told(open).toThrow(/can be written by others/);
  });

  test('take no ids that would lead elsewhere', async () => {
    const store = fileTokenStore({ home: newHome() });
    await expect(store.claim('../../trust', 1)).rejects.toThrow(/takes ids of parkedCalls/);
    expect(() => fileTokenStore({ home: 'relative' })).toThrow(/absolute path; got relative/);
  });
});
