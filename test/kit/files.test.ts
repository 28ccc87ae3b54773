import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createWholeFile,
  findInterpreter,
  findProgram,
  openRegularFile,
  openRegularFileNow,
  readProcessStat,
  replaceWholeFile,
  splitSearchPath,
  toPathWithin,
} from '../../src/kit/node.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = (): string => temporaryFolder('kit');

describe('a file written whole', () => {
  test('has the new text and the mode, and nothing lies beside it', async () => {
    const path = join(folder(), 'a.json');
    writeFileSync(path, 'old');
    await replaceWholeFile({ path, text: 'new', mode: 0o640, exactMode: true });
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(path, '..'))).toEqual(['a.json']);
  });

  test('is the old one when the last look refuses, and nothing lies beside it', async () => {
    const path = join(folder(), 'a.json');
    writeFileSync(path, 'old');
    const check = () => Promise.reject(new Error('changed in the meantime'));
    await expect(replaceWholeFile({ path, text: 'new', mode: 0o600, check })).rejects.toThrow(
      'changed in the meantime',
    );
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(join(path, '..'))).toEqual(['a.json']);
  });

  test('R2094 is written where file handles cannot be synced, as with Yarn Plug and Play', async () => {
    const path = join(folder(), 'a.json');
    const handle = await open(path, 'w');
    await handle.close();
    const sync = vi
      .spyOn(Object.getPrototypeOf(handle), 'sync')
      .mockRejectedValue(new Error('Method not implemented.'));
    onTestFinished(() => sync.mockRestore());
    await replaceWholeFile({ path, text: 'new', mode: 0o600 });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });

  test('is created by one of many who try', async () => {
    const path = join(folder(), 'claim');
    const tries = Array.from({ length: 8 }, (_, index) => createWholeFile({ path, text: `${index}`, mode: 0o600 }));
    const made = (await Promise.all(tries)).map((isMade, index) => (isMade ? `${index}` : '')).join('');
    expect(made).toBe(readFileSync(path, 'utf8'));
    expect(readdirSync(join(path, '..'))).toEqual(['claim']);
  });

  test('does not go through a link that waits under the name of the unfinished file', async () => {
    const directory = folder();
    const victim = join(directory, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(directory, 'guessed.tmp'));
    const write = replaceWholeFile({
      path: join(directory, 'a'),
      text: 'theirs',
      mode: 0o600,
      unfinished: 'guessed.tmp',
    });
    await expect(write).rejects.toMatchObject({ code: 'EEXIST' });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });
});

describe('R755 a file that is replaced', () => {
  test('is another file: who has the old one open reads it to its end', async () => {
    const path = join(folder(), 'a.json');
    writeFileSync(path, 'the old text');
    const reader = openSync(path, 'r');
    try {
      const beginning = Buffer.alloc(4);
      readSync(reader, beginning);
      await replaceWholeFile({ path, text: 'new', mode: 0o600 });
      expect(`${beginning}${readFileSync(reader, 'utf8')}`).toBe('the old text');
      expect(readFileSync(path, 'utf8')).toBe('new');
    } finally {
      closeSync(reader);
    }
  });

  test('is not the one that a link of its name leads to', async () => {
    const directory = folder();
    const victim = join(directory, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(directory, 'a.json'));
    await replaceWholeFile({ path: join(directory, 'a.json'), text: 'new', mode: 0o600 });
    expect(await createWholeFile({ path: join(directory, 'a.json'), text: 'newer', mode: 0o600 })).toBe(false);
    expect([victim, join(directory, 'a.json')].map((path) => readFileSync(path, 'utf8'))).toEqual(['mine', 'new']);
  });

  test('is neither made nor replaced through a link that leads nowhere', async () => {
    const directory = folder();
    const nowhere = join(directory, 'nowhere');
    symlinkSync(nowhere, join(directory, 'a.json'));
    expect(await createWholeFile({ path: join(directory, 'a.json'), text: 'new', mode: 0o600 })).toBe(false);
    expect(existsSync(nowhere)).toBe(false);
  });
});

describe('opening a regular file', () => {
  test('waits for no pipe and hands out no directory', async () => {
    const directory = folder();
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect((await openRegularFile(pipe)).file).toBeUndefined();
    expect(openRegularFileNow(pipe).file).toBeUndefined();
    expect((await openRegularFile(directory)).file).toBeUndefined();
  });

  test('follows a link only when it may', async () => {
    const directory = folder();
    writeFileSync(join(directory, 'file'), 'text');
    symlinkSync(join(directory, 'file'), join(directory, 'link'));
    const { file } = await openRegularFile(join(directory, 'link'));
    expect(await file?.readFile('utf8')).toBe('text');
    await file?.close();
    await expect(openRegularFile(join(directory, 'link'), { follow: false })).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

describe('a program on PATH', () => {
  test('is a file that may be executed, in the first directory that has one', () => {
    const [first, second, third] = [folder(), folder(), folder()];
    mkdirSync(join(first, 'tool'));
    writeFileSync(join(second, 'tool'), '');
    for (const directory of [third]) {
      writeFileSync(join(directory, 'tool'), '');
      chmodSync(join(directory, 'tool'), 0o755);
    }
    const path = ['', first, second, third].join(delimiter);
    expect(findProgram('tool', splitSearchPath(path))).toBe(join(third, 'tool'));
    expect(findProgram('no-such-tool', splitSearchPath(path))).toBeUndefined();
    expect(splitSearchPath(undefined)).toEqual([]);
  });
});

test.each([
  ['#!/bin/sh\n', '/bin/sh'],
  ['#! /usr/bin/env node\n', 'node'],
  ['#!/usr/bin/env -S LC_ALL=C deno run\n', 'deno'],
  ['\ufeff#!/bin/sh\r\n', '/bin/sh'],
  ['echo hello\n', undefined],
  [undefined, undefined],
])('the interpreter in %j is %s', (text, expected) => {
  expect(findInterpreter(text)).toBe(expected);
});

test.each([
  ['/a', '/a/b/c', 'b/c'],
  ['/a', '/a', undefined],
  ['/a', '/ab', undefined],
  ['/a', '/b', undefined],
  ['/a', '/a/..b', '..b'],
])('the way from %s to %s is %s', (directory, path, expected) => {
  expect(toPathWithin(directory, path)).toBe(expected);
});

test.runIf(process.platform === 'linux')('the stat of this process names its group (Linux alone says it)', () => {
  expect(readProcessStat(process.pid)).toMatchObject({ state: expect.stringMatching(/^[RS]$/) });
  expect(readProcessStat(2 ** 22 + 1)).toBeUndefined();
});
