import { expect, test } from 'vitest';
import { createPlannedRow } from '../../src/planner/planned-row.ts';
import { skipReasons } from '../../src/protocol/index.ts';

const subject = { hookId: 'a', name: 'a', eventName: 'BeforeTool', source: { kind: 'user' } } as const;

test.each([
  ['timeout must be milliseconds, found nothing', 'timeout must be milliseconds, found nothing.'],
  ['It is the same as b.', 'It is the same as b.'],
  ['"Befor" is not an event; did you mean "Before"?', '"Befor" is not an event; did you mean "Before"?'],
])('what is particular to a hook is a sentence of its own: %s', (detail, sentence) => {
  const { hint } = createPlannedRow(subject, { reasons: ['invalid-config'], detail });
  expect(hint).toBe(`${sentence} ${skipReasons['invalid-config']}`);
});
