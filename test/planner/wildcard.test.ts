import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesWildcards } from '../../src/planner/wildcards.ts';
import { ownNow } from '../support/own-clock.ts';

const asExpression = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');

test('a wildcard covers what the same regular expression covers', () => {
  const letters = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 });
  fc.assert(
    fc.property(letters('ab.*?'), letters('ab.\n'), (pattern, subject) => {
      expect(matchesWildcards(pattern, subject, '?')).toBe(asExpression(pattern).test(subject));
    }),
    { numRuns: 2_000 },
  );
});

test('F41 the worst of patterns takes no time', () => {
  const startedAt = ownNow();
  expect(matchesWildcards(`${'*a'.repeat(250)}*b`, 'a'.repeat(4_096))).toBe(false);
  expect(ownNow() - startedAt).toBeLessThan(200);
});
