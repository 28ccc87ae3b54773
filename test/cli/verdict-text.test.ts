import { expect, test } from 'vitest';
import { formatVerdictPieces, toVerdictSpan } from '../../src/cli/rendering/verdict-text.ts';

test.each([
  ['not here', 'not here'],
  ['not here\nnot now', 'not here; not now'],
  ['Not here.\n\n  Not now!\nnever', 'Not here. Not now! never'],
  ['found:\n- a\n', 'found: - a'],
])('reasons of several hooks do not run together: %j', (reason, told) => {
  expect(formatVerdictPieces({ verdict: 'deny', reason })).toEqual([toVerdictSpan('deny'), `: ${told}`]);
});

test('a verdict without a reason stands alone', () => {
  expect(formatVerdictPieces({ verdict: 'none' })).toEqual([toVerdictSpan('none')]);
});
