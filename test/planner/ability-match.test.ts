import { describe, expect, test } from 'vitest';
import { abilityCatalogue } from '../../src/events/index.ts';
import { compileGlobs } from '../../src/planner/globs.ts';
import { compileAbilityMatch, summarizeMatch } from '../../src/planner/index.ts';
import type { AbilityMatch } from '../../src/protocol/index.ts';
import { ownNow } from '../support/own-clock.ts';

const caller = { source: 'ai_session' } as const;

const calls = (match: AbilityMatch, ability_id: string) =>
  compileAbilityMatch(match, abilityCatalogue.PreAbilityCall.match).isActive({ ability_id, caller });

describe('ability scopes', () => {
  test.each([
    ['edit_file', 'edit_file', true],
    ['edit_file', 'edit_files', false],
    ['edit_*', 'edit_file', true],
    ['edit_*', 'write_file', false],
    ['db.*', 'db.table.drop', true],
    ['fs/*', 'fs/deep/write', true],
    ['{edit,write}_file', 'write_file', true],
    ['write_?', 'write_x', true],
    ['*_file', '.hidden_file', true],
    ['[', '[', true],
  ])('R370 the glob %s and the ability %s: %s', (glob, ability, expected) => {
    expect(calls({ abilityScope: [glob] }, ability)).toBe(expected);
  });

  test('R370 any glob of a list will do', () => {
    expect(calls({ abilityScope: ['a', 'b*'] }, 'bc')).toBe(true);
    expect(calls({ abilityScope: ['a', 'b*'] }, 'c')).toBe(false);
  });

  test('R371 one asterisk matches all abilities, whatever their names', () => {
    for (const ability of ['edit', '.x', 'a/b/c', '!', '*', 'with blanks'])
      expect(calls({ abilityScope: ['*'] }, ability)).toBe(true);
  });

  test.each(['ability_id', 'operation_key'] as const)(
    'C44 a task is matched by the value of its reference, be it an %s',
    (kind) => {
      const { isActive } = compileAbilityMatch({ abilityScope: ['deploy:*'] }, abilityCatalogue.PreAbilityCreate.match);
      expect(isActive({ ability_ref: { kind, value: 'deploy:web' }, caller })).toBe(true);
      expect(isActive({ ability_ref: { kind, value: 'build:web' }, caller })).toBe(false);
    },
  );
});

describe('durations', () => {
  const slow = (minDurationMs: number, duration_ms?: number) =>
    compileAbilityMatch({ minDurationMs }, abilityCatalogue.PostAbilityCall.match).isActive({
      ability_id: 'x',
      status: 'success',
      ...(duration_ms === undefined ? {} : { duration_ms }),
    });

  test('R372 C42 calls at least that slow match; an unknown duration matches only 0', () => {
    expect([slow(100, 99), slow(100, 100), slow(100, 101)]).toEqual([false, true, true]);
    expect([slow(1), slow(0)]).toEqual([false, true]);
  });
});

describe('changed paths', () => {
  const stops = (globs: readonly string[], changed_files?: string[]) =>
    compileAbilityMatch({ onlyIfChangedPaths: globs }, abilityCatalogue.SessionStop.match).isActive({
      session_id: 's',
      ...(changed_files === undefined ? {} : { changed_files }),
    });

  test.each([
    [['services/**'], ['docs/a.md', 'services/web/a.ts'], true],
    [['services/**', 'apps/**'], ['apps/x'], true],
    [['services/**'], ['service/a.ts'], false],
    [['*.md'], ['README.md'], true],
    [['*.md'], ['docs/README.md'], false],
    [['**/*.md'], ['README.md'], true],
    [['**/.env*'], ['app/.env.local'], true],
    [['src/a.ts'], ['./src/a.ts'], true],
    [['./src/**'], ['src/a.ts'], true],
    [['**'], ['anything/at/all'], true],
    [['**'], [], false],
  ])('R373 %j and the files %j: %s', (globs, files, expected) => {
    expect(stops(globs, files)).toBe(expected);
  });

  test('R373 a session that says nothing about its files changed none', () => {
    expect(stops(['**'])).toBe(false);
  });
});

test('R374 every key that is given has to hold', () => {
  const { isActive } = compileAbilityMatch(
    { abilityScope: ['edit'], minDurationMs: 10 },
    abilityCatalogue.PostAbilityCall.match,
  );
  const call = (ability_id: string, duration_ms: number) => isActive({ ability_id, duration_ms, status: 'failure' });
  expect([call('edit', 10), call('edit', 9), call('other', 10)]).toEqual([true, false, false]);
});

test.each([
  [{}, 'all abilities', 'all abilities'],
  [{ abilityScope: ['*'] }, 'all abilities', 'ability=*'],
  [{ abilityScope: ['edit_file'] }, 'all abilities', 'ability=edit_file'],
  [{ onlyIfChangedPaths: ['services/**', 'apps/**'] }, 'all sessions', 'paths=services/**,apps/**'],
  [{}, 'all sessions', 'all sessions'],
  [{ abilityScope: ['a', 'b'], minDurationMs: 100 }, 'all abilities', 'ability=a,b duration>=100ms'],
])('R452 the match block %j reads "%s"', (match, everything, summary) => {
  expect(summarizeMatch(match, everything)).toBe(summary);
});

test('F41 a subject that is too long is not compared, and says nothing about the others or about the glob', () => {
  for (const [glob, kind] of [
    ['edit_*', 'ids'],
    ['{a,edit}_*', 'ids'],
    ['**/edit_*', 'paths'],
  ] as const) {
    const globs = compileGlobs([glob], kind);
    const long = 'x'.repeat(5_000);
    expect([globs([long]), globs([long, 'edit_a']), globs(['edit_a']), globs(['other'])]).toEqual([
      'timeout',
      true,
      true,
      false,
    ]);
  }
});

describe('globs that are made to be slow', () => {
  test.each([
    ['*a*a*a*a*a*a*a*a*a*a*b', 'a'.repeat(4_000)],
    ['+(+(+(a)))b', 'a'.repeat(60)],
    [`${'{a,aa}'.repeat(8)}${'*a'.repeat(20)}b`, 'a'.repeat(3_000)],
    ['x'.repeat(501).concat('*'), 'x'],
    ['{a,}'.repeat(60), 'b'],
  ])('F41 %s ends within its time limit, and is not tried again', (glob, subject) => {
    const globs = compileGlobs([glob], 'ids');
    const startedAt = ownNow();
    const first = globs([subject]);
    expect(ownNow() - startedAt).toBeLessThan(500);
    const again = ownNow();
    for (let index = 0; index < 20; index += 1) globs([subject]);
    expect(ownNow() - again).toBeLessThan(500);
    expect([false, 'timeout']).toContain(first);
  });
});
