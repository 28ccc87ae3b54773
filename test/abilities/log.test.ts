import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AbilityLog, listAbilityHooks, runHooks } from '../../src/abilities/index.ts';
import { approveAll } from './fixture-support.ts';
import { answers, caller, declaration, hooksRepository, load, loadTrusted } from './hooks-support.ts';
import { repositoryWith, writeIn } from './support.ts';

const call = { ability_id: 'edit_file', caller };

const linesIn = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const logOf = (root: string): Record<string, unknown>[] => linesIn(join(root, '.system/logs/hooks.jsonl'));

describe('what is logged about hooks', () => {
  test('R453 R454 each run has a line; denials and required humans are in it', async () => {
    const said = (code: string, payload: object) =>
      answers({ hook_signals: [{ kind: 'ability_guard', code, payload }], logs: ['looked'] });
    const hookSet = await loadTrusted({
      'a.yaml': declaration({ id: 'denies', command: `sleep 0.1; ${said('ABILITY_DENIED', { reason: 'no' })}` }),
      'b.yaml': declaration({ id: 'asks', command: said('ABILITY_DENIED', { reason: 'large', require_human: true }) }),
      'c.yaml': declaration({ id: 'fails', command: 'exit 3' }),
      'd.yaml': declaration({ id: 'beside', blocking: false, command: said('ABILITY_DENIED', { reason: 'unheard' }) }),
    });
    await runHooks(hookSet, 'PreAbilityCall', call);
    await hookSet.idle();
    const lines = logOf(hookSet.root);
    const about = (id: string) => lines.filter(({ hook_id }) => hook_id === id);
    expect(lines).toHaveLength(4);
    expect(about('denies')).toMatchObject([
      {
        event_type: 'PreAbilityCall',
        status: 'success',
        outcome: 'answered',
        duration_ms: expect.any(Number),
        denied: ['no'],
        logs: ['looked'],
      },
    ]);
    expect(about('denies')[0]?.duration_ms).toBeGreaterThan(95);
    expect(about('asks')).toMatchObject([{ requires_human: ['large'] }]);
    expect(about('fails')).toMatchObject([
      { status: 'failure', outcome: 'faulted', code: 'exit-code', on_fault: 'skip' },
    ]);
    expect(about('beside')).toMatchObject([{ blocking: false, ignored_signals: 1 }]);
    expect(about('beside')[0]).not.toHaveProperty('denied');
  });

  test('nothing is written where nothing runs, and nothing at all where the host says so', async () => {
    const idle = await loadTrusted({ 'a.yaml': declaration({ id: 'a', enabled: false }) });
    await runHooks(idle, 'PreAbilityCall', call);
    const off = await loadTrusted({ 'a.yaml': declaration({ id: 'a' }) }, { log: false });
    await runHooks(off, 'PreAbilityCall', call);
    await Promise.all([idle.idle(), off.idle()]);
    expect([idle, off].map(({ root }) => existsSync(join(root, '.system/logs')))).toEqual([false, false]);
  });
});

describe('the log file', () => {
  test('lines are whole, one write for each, whoever else writes to it', async () => {
    const root = repositoryWith();
    const logs = [new AbilityLog({ root }), new AbilityLog({ root })];
    for (let index = 0; index < 200; index += 1) for (const log of logs) log.write({ index, text: 'x'.repeat(200) });
    await Promise.all(logs.map((log) => log.idle()));
    expect(logOf(root)).toHaveLength(400);
  });

  test('it is for its owner, and bounded to two files', async () => {
    const root = repositoryWith();
    const log = new AbilityLog({ root, maxBytes: 2_000 });
    for (let index = 0; index < 100; index += 1) log.write({ index });
    await log.idle();
    const folder = join(root, '.system/logs');
    expect(readdirSync(folder).sort()).toEqual(['hooks.jsonl', 'hooks.old.jsonl']);
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(2_000);
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
    expect(logOf(root).at(-1)).toMatchObject({ index: 99 });
  });

  test('long texts are cut, and line breaks in them stay within the line', async () => {
    const root = repositoryWith();
    const log = new AbilityLog({ root });
    log.write({ reason: `a\nb${'x'.repeat(100_000)}` });
    await log.idle();
    expect(logOf(root)).toHaveLength(1);
    expect(readFileSync(join(root, '.system/logs/hooks.jsonl'), 'utf8').length).toBeLessThan(2_000);
  });

  const traps: readonly [string, (root: string, target: string) => void][] = [
    ['a symbolic link', (root, target) => symlinkSync(target, join(root, '.system/logs/hooks.jsonl'))],
    ['a hard link', (root, target) => linkSync(target, join(root, '.system/logs/hooks.jsonl'))],
    ['a pipe', (root) => execFileSync('mkfifo', [join(root, '.system/logs/hooks.jsonl')])],
    ['a directory', (root) => mkdirSync(join(root, '.system/logs/hooks.jsonl'))],
  ];

  test.each(traps)('%s in its place is told once and never written to', async (_what, set) => {
    const root = repositoryWith({ '.system/logs/keep': '' });
    const target = join(root, 'precious');
    writeFileSync(target, 'as it was');
    set(root, target);
    const told: string[] = [];
    const log = new AbilityLog({ root, onTrouble: (message) => told.push(message) });
    log.write({ one: 1 });
    await log.idle();
    log.write({ two: 2 });
    await log.idle();
    expect(readFileSync(target, 'utf8')).toBe('as it was');
    expect(told).toHaveLength(1);
  });

  test('a linked folder on the way is never written through', async () => {
    const elsewhere = repositoryWith();
    const root = repositoryWith({ '.system/keep': '' });
    symlinkSync(elsewhere, join(root, '.system/logs'));
    const told: string[] = [];
    const log = new AbilityLog({ root, onTrouble: (message) => told.push(message) });
    log.write({ one: 1 });
    await log.idle();
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(told.join()).toContain('symbolic link');
  });
});

test('R450 R451 R452 the listing shows all hooks with their columns, by event and then by file', async () => {
  const hookSet = await loadTrusted({
    'a.yaml': declaration({
      id: 'aggregate',
      event: 'SessionStop',
      blocking: false,
      more: 'match: {only_if_changed_paths: ["services/**", "apps/**"]}',
    }),
    'b.yaml': declaration({ id: 'guard-edit', more: 'match: {ability_scope: edit_file}' }),
    'c.yaml': declaration({
      id: 'track',
      event: 'PostAbilityCall',
      blocking: false,
      enabled: false,
      more: 'match: {ability_scope: "*"}',
    }),
    'd.yaml': declaration({ id: 'stop', event: 'SessionStop' }),
    'e.yaml': declaration({ id: 'route', event: 'PromptSubmit' }),
  });
  const { rows, text } = listAbilityHooks(hookSet);
  expect(rows).toHaveLength(5);
  expect(text).toBe(
    [
      'id          event_type       enabled  blocking  match_summary',
      'route       PromptSubmit     true     true      all prompts',
      'guard-edit  PreAbilityCall   true     true      ability=edit_file',
      'track       PostAbilityCall  false    false     ability=*',
      'aggregate   SessionStop      true     false     paths=services/**,apps/**',
      'stop        SessionStop      true     true      all sessions',
    ].join('\n'),
  );
});

test('the listing marks what nobody approved, what changed since and what cannot be read', async () => {
  const text = declaration({ id: 'guard', more: 'match: {ability_scope: edit_file}' });
  const root = hooksRepository({ 'a.yaml': text, 'b.yaml': text.replace('id: guard', 'id: second') });
  const home = repositoryWith();
  await approveAll(root, home);
  writeIn(root, '.system/hooks/a.yaml', text.replace('command: "true"', 'command: "false"'));
  writeIn(root, '.system/hooks/b.yaml', 'id: [');
  writeIn(
    root,
    '.system/hooks/c.yaml',
    text.replace('id: guard', 'id: third').replace('command: "true"', 'command: echo'),
  );
  const listed = listAbilityHooks(await load(root, { home }));
  expect(listed.text.split('\n').map((line) => line.split(/ +/))).toEqual([
    ['id', 'event_type', 'enabled', 'blocking', 'match_summary', 'status'],
    ['guard', 'PreAbilityCall', 'true', 'true', 'ability=edit_file', 'lapsed'],
    ['third', 'PreAbilityCall', 'true', 'true', 'ability=edit_file', 'unapproved'],
    ['second', 'unknown', 'unknown', 'unknown', 'unknown', 'unreadable'],
  ]);
});
