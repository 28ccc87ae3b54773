import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findDifferences,
  findMismatches,
  isUnintendedSkip,
  listResultWords,
} from '../../../src/cli/hook-tests/mismatches.ts';
import type { HookRow } from '../../../src/protocol/index.ts';
import { hookTestSchema } from './support.ts';

type TestOutcome = Parameters<typeof findMismatches>[1];

const row = (more: Partial<HookRow> = {}): HookRow => ({
  hookId: 'project/BeforeTool/no-rm',
  name: 'no-rm',
  eventName: 'BeforeTool',
  source: { kind: 'project' },
  planned: 'run',
  outcome: 'silent',
  ...more,
});

const found = (more: Partial<TestOutcome> = {}): TestOutcome => ({
  verdict: 'none',
  output: {},
  rows: [row()],
  ...more,
});

const denial = row({
  outcome: 'answered',
  output: { decision: 'deny', reason: 'no' },
  fields: { decision: { fate: 'applied' }, reason: { fate: 'applied' } },
});

const messages = (...args: Parameters<typeof findMismatches>): string[] =>
  findMismatches(...args).map(({ message }) => message);

test('what is as expected has no mismatch', () => {
  const expect_ = { verdict: 'deny', reason: 'no', hooks: { 'no-rm': 'deny' } } as const;
  expect(messages(expect_, found({ verdict: 'deny', reason: 'oh no', rows: [denial] }))).toEqual([]);
});

test('each thing that is different is named with what was expected and what was found', () => {
  const result = found({
    verdict: 'deny',
    reason: 'not here',
    input: { command: 'ls', mode: { a: 1 } },
    rows: [denial],
  });
  const expected = {
    verdict: 'allow',
    reason: '/^here/',
    context: 'x',
    input: { command: 'rm', mode: { a: 1 } },
    hooks: { 'no-rm': 'silent' },
  } as const;
  expect(messages(expected, result)).toEqual([
    'verdict: expected "allow", found "deny"',
    'reason: expected "/^here/", found "not here"',
    'context: expected "x", found nothing',
    'input.command: expected "rm", found "ls"',
    'hooks.no-rm: expected "silent", found "deny"',
  ]);
});

test('a test that expects nothing does not pass by saying nothing', () => {
  const [mismatch] = findMismatches({}, found({ verdict: 'deny', reason: 'no', rows: [denial] }));
  expect(mismatch).toMatchObject({ path: [], becomes: { value: { verdict: 'deny', reason: 'no' } } });
});

test('a hook that broke fails the test although the verdict is as expected, and is never written down', () => {
  const broken = row({ outcome: 'faulted', code: 'exit-code' });
  const mismatches = findMismatches({ verdict: 'none' }, found({ rows: [broken] }));
  expect(mismatches).toEqual([{ path: ['hooks', 'no-rm'], message: 'no-rm failed: exit-code' }]);
  expect(messages({ verdict: 'none', hooks: { 'no-rm': 'exit-code' } }, found({ rows: [broken] }))).toEqual([]);
  expect(messages({ hooks: { 'no-rm': 'faulted' } }, found({ rows: [broken] }))).toEqual([]);
});

const denies = row({
  outcome: 'faulted',
  code: 'exit-code',
  output: { decision: 'deny' },
  fields: { decision: { fate: 'applied' } },
});
const kept = row({ planned: 'skip', outcome: undefined, reason: 'untrusted', reasons: ['untrusted'] });

test.each([
  ['deny', denies, 'exit-code'],
  ['ran', denies, 'exit-code'],
  ['skipped', kept, 'untrusted'],
])('a test that expects %j of a hook fails if the hook broke or was kept from running R2071', (word, one, why) => {
  const mismatches = findMismatches({ hooks: { 'no-rm': word } }, found({ verdict: 'deny', rows: [one] }));
  expect(mismatches).toEqual([
    { path: ['hooks', 'no-rm'], message: `hooks.no-rm: expected "${word}", found "${why}"` },
  ]);
});

test('of two runs under one name, the expected one does not hide the one that broke R2071', () => {
  const rows = [denial, row({ outcome: 'faulted', code: 'timeout' })];
  expect(messages({ hooks: { 'no-rm': 'deny' } }, found({ verdict: 'deny', rows }))).toEqual(['no-rm failed: timeout']);
});

test.each([{ hooks: {} }, { output: {} }, { input: {}, output: {} }])(
  'a test that expects %j expects nothing R2071',
  (empty) => {
    const [mismatch] = findMismatches(empty, found({ input: {} }));
    expect(mismatch?.message).toContain('nothing is expected yet');
  },
);

test.each(['untrusted', 'changed-since-trusted', 'invalid-config', 'hooks-disabled'] as const)(
  'a hook that is %s and would have run fails the test',
  (reason) => {
    const kept = row({ planned: 'skip', outcome: undefined, reason, reasons: [reason] });
    expect(messages({ verdict: 'none' }, found({ rows: [kept] }))).toEqual([`no-rm was kept from running: ${reason}`]);
    const elsewhere = { ...kept, reasons: [reason, 'matcher-mismatch'] as const };
    expect(messages({ verdict: 'none' }, found({ rows: [elsewhere] }))).toEqual([]);
  },
);

test('a hook nobody knows is named with the one that was probably meant', () => {
  expect(messages({ hooks: { 'no-rn': 'deny' } }, found())).toEqual([
    'hooks.no-rn: no hook of this event has this name; did you mean "no-rm"?',
  ]);
});

test('plain text of a hook is not an opinion', () => {
  const text = row({ outcome: 'answered', output: { decision: 'allow', systemMessage: 'hi' }, fields: {} });
  expect(messages({ hooks: { 'no-rm': 'none' } }, found({ rows: [text] }))).toEqual([]);
  expect(messages({ hooks: { 'no-rm': 'allow' } }, found({ rows: [text] }))).toHaveLength(1);
});

test('a request without an answer fails, whatever is expected', () => {
  expect(messages({ verdict: 'none' }, found({ error: 'deadline_exceeded: too late', rows: [] }))).toEqual([
    'deadline_exceeded: too late',
  ]);
});

const aRow = fc.record({
  planned: fc.constantFrom('run' as const, 'skip' as const),
  outcome: fc.constantFrom('answered' as const, 'silent' as const, 'faulted' as const),
  code: fc.constantFrom('timeout' as const, 'exit-code' as const),
  reason: fc.constantFrom('untrusted' as const, 'matcher-mismatch' as const, 'disabled' as const),
  decision: fc.constantFrom('deny' as const, 'ask' as const, 'allow' as const),
});

const rowFrom = ({
  planned,
  outcome,
  code,
  reason,
  decision,
}: typeof aRow extends fc.Arbitrary<infer T> ? T : never): HookRow => {
  if (planned === 'skip') return row({ planned, outcome: undefined, reason, reasons: [reason] });
  if (outcome === 'faulted') return row({ outcome, code });
  if (outcome === 'silent') return row();
  return row({ outcome, output: { decision }, fields: { decision: { fate: 'applied' } } });
};

describe('promises', () => {
  test('every word that is true of a hook is one a test may expect, and expecting it passes', async () => {
    const words = (await hookTestSchema()).properties.expect.properties.hooks.additionalProperties.enum;
    fc.assert(
      fc.property(aRow, (made) => {
        const one = rowFrom(made);
        for (const word of listResultWords(one)) {
          expect(words).toContain(word);
          expect(messages({ hooks: { 'no-rm': word } }, found({ rows: [one] }))).toEqual([]);
        }
      }),
    );
  });

  test('a verdict of none never passes over a hook that broke or was kept back', () => {
    fc.assert(
      fc.property(fc.array(aRow, { minLength: 1 }), (made) => {
        const rows = made.map(rowFrom);
        const troubled = rows.some((each) => each.outcome === 'faulted' || isUnintendedSkip(each));
        expect(findMismatches({ verdict: 'none' }, found({ rows })).length > 0).toBe(troubled);
      }),
    );
  });

  test('a value is never different from itself, and a part of it is never missed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(findDifferences(plain, plain)).toEqual([]);
        expect(findDifferences({ a: plain }, { a: plain, b: 1 })).toEqual([]);
        expect(findDifferences({ a: plain, b: 1 }, { a: plain })).toHaveLength(1);
      }),
    );
  });
});
