import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChangedPaths } from '../../src/abilities/runtime/agent-session.ts';
import { repositoryWith, writeIn } from './support.ts';

test('paths are taken as they are, each once', () => {
  expect(readChangedPaths(['b.ts', 'a.ts', 'b.ts'])).toEqual(['b.ts', 'a.ts']);
});

test('lines within a change that look like headers are no headers', () => {
  const diff = [
    'diff --git a/src/a.ts b/src/a.ts',
    '--- a/src/a.ts',
    '+++ b/src/a.ts',
    '@@ -1,2 +1,2 @@',
    ' same',
    '--- a/not-a-file',
    '+++ b/not-a-file',
    'diff --git a/new.ts b/new.ts',
    '--- /dev/null',
    '+++ b/new.ts',
    '@@ -0,0 +1 @@',
    '+x',
    '\\ No newline at end of file',
  ].join('\n');
  expect(readChangedPaths({ diff })).toEqual(['src/a.ts', 'new.ts']);
});

test('a diff of another program is read by its two names', () => {
  expect(readChangedPaths({ diff: '--- old.ts\t2026-01-01\n+++ new.ts\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n' })).toEqual([
    'old.ts',
    'new.ts',
  ]);
});

test('whatever the text, it is read to its end', () => {
  const line = fc.constantFrom(
    'diff --git "a',
    '--- "',
    '+++ b/',
    '@@ -1,9 +1 @@',
    '@@ -',
    'rename to ',
    '-',
    '\\',
    'x',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
      expect(Array.isArray(readChangedPaths({ diff: lines.join('\n') }))).toBe(true);
    }),
  );
});

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit || process.platform === 'win32')('what git prints', () => {
  const names = ['plain.ts', 'with blank.ts', 'ä/ö.ts', 'tab\t.ts', 'quote".ts', 'b/a/b.ts', ' a b/ c'];

  test('names of any kind are found: changed, new, gone, moved, binary, empty, of another mode', () => {
    const root = repositoryWith(
      Object.fromEntries([...names, 'gone', 'old name', 'mode'].map((name) => [name, `${name}\n`])),
    );
    writeIn(root, 'binary', '\0\x01');
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'core.autocrlf=false', ...args], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'before');
    for (const name of names) writeIn(root, name, 'changed\n');
    rmSync(join(root, 'gone'));
    renameSync(join(root, 'old name'), join(root, 'new name'));
    chmodSync(join(root, 'mode'), 0o755);
    writeIn(root, 'binary', '\0\x02');
    writeIn(root, 'empty', '');
    git('add', '-A');
    const listed = git('diff', '--cached', '--name-only', '--no-renames', '-z')
      .split('\0')
      .filter((name) => name !== '');
    expect(readChangedPaths({ diff: git('diff', '--cached') }).sort()).toEqual(listed.sort());
    expect(readChangedPaths({ diff: git('diff', '--cached', '--no-renames') }).sort()).toEqual(listed.sort());
  });
});
