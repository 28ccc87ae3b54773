import { describe, expect, test } from 'vitest';
import {
  forbidsAction,
  getPrecedence,
  isMorePermissive,
  mayProceedFreely,
  type Verdict,
  verdicts,
} from '../../src/protocol/index.ts';
import { untyped } from '../support/untyped.ts';

describe('R1092 verdicts have two orders', () => {
  test('of several the one that comes later in none, allow, ask, deny, stop counts', () => {
    expect([...verdicts].sort((a, b) => getPrecedence(a) - getPrecedence(b))).toEqual([
      'none',
      'allow',
      'ask',
      'deny',
      'stop',
    ]);
  });

  test('allow lets more through than no opinion, then ask; deny and stop let equally little through', () => {
    const morePermissive = verdicts.flatMap((one) =>
      verdicts.filter((other) => isMorePermissive(one, other)).map((other) => `${one} > ${other}`),
    );
    expect(morePermissive).toEqual([
      'none > ask',
      'none > deny',
      'none > stop',
      'allow > none',
      'allow > ask',
      'allow > deny',
      'allow > stop',
      'ask > deny',
      'ask > stop',
    ]);
  });

  test('what is not known to allow does not allow', () => {
    const unknown = untyped<Verdict>('defer');
    expect(
      [...verdicts, unknown].map((verdict) => [verdict, mayProceedFreely(verdict), forbidsAction(verdict)]),
    ).toEqual([
      ['none', true, false],
      ['allow', true, false],
      ['ask', false, false],
      ['deny', false, true],
      ['stop', false, true],
      ['defer', false, true],
    ]);
  });
});
