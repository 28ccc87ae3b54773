import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SkipReason, skipReasons, sortReasons } from '../../src/protocol/index.ts';

const order: SkipReason[] = [
  'hooks-disabled',
  'unknown-event',
  'event-not-fired',
  'invalid-config',
  'source-inactive',
  'disabled',
  'untrusted',
  'changed-since-trusted',
  'matcher-mismatch',
  'condition-mismatch',
  'duplicate',
  'aborted',
];

test('the reasons to skip a hook are a closed list in a fixed order, each with a line that says how to change it', () => {
  expect(Object.keys(skipReasons)).toEqual(order);
  for (const hint of Object.values(skipReasons)) expect(hint).toMatch(/^[A-Z].+\.$/);
});

test('reasons come in that order whatever the order in which they were found, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...order)), (found) => {
      const reasons = sortReasons(found);
      expect(reasons).toEqual(order.filter((reason) => found.includes(reason)));
    }),
  );
});
