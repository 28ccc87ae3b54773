import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { interpretGuard, interpretPreflight } from '../../../src/events/index.ts';
import { type AbilityEventResult, createEmptyAbilityResult, type HookSignal } from '../../../src/protocol/index.ts';

const guard = (code: string, payload: Record<string, unknown> = {}, hook_id = 'g'): HookSignal => ({
  source_event: 'PreAbilityCall',
  hook_id,
  kind: 'ability_guard',
  code,
  payload,
});

const preflight = (code: string, payload: Record<string, unknown> = {}): HookSignal => ({
  ...guard(code, payload),
  source_event: 'PreAbilityCreate',
  kind: 'ability_preflight',
});

const result = (signals: readonly HookSignal[], more: Partial<AbilityEventResult> = {}): AbilityEventResult => ({
  ...createEmptyAbilityResult('PreAbilityCall'),
  hook_signals: signals,
  ...more,
});

describe('preflight', () => {
  test('R411 silence, warnings and ABILITY_AVAILABLE let a task be created', () => {
    expect(interpretPreflight(result([]))).toEqual({ outcome: 'available' });
    const warning = { ...preflight('ABILITY_AVAILABLE'), severity: 'warning' } as const;
    expect(interpretPreflight(result([warning]))).toEqual({ outcome: 'available' });
  });

  test('R412 R416 ABILITY_UNAVAILABLE refuses with its reason and its suggestion', () => {
    const signal = preflight('ABILITY_UNAVAILABLE', { reason: 'no registry', suggestion: 'use edit_file' });
    const outcome = { outcome: 'unavailable', reason: 'no registry', suggestion: 'use edit_file', signal };
    expect(interpretPreflight(result([preflight('ABILITY_AVAILABLE'), signal]))).toEqual(outcome);
  });

  test('R413 ABILITY_REQUIRES_HUMAN asks for one; without a reason there is a fixed one', () => {
    expect(interpretPreflight(result([preflight('ABILITY_REQUIRES_HUMAN')]))).toMatchObject({
      outcome: 'requires_human',
      reason: 'No reason provided',
    });
  });
});

describe('guards', () => {
  test('R414 R415 they allow, deny, or ask for a human', () => {
    expect(interpretGuard(result([guard('ABILITY_ALLOWED')]))).toEqual({ outcome: 'allowed' });
    expect(interpretGuard(result([guard('ABILITY_DENIED', { reason: 'no' })]))).toMatchObject({
      outcome: 'denied',
      reason: 'no',
    });
    expect(interpretGuard(result([guard('ABILITY_REQUIRES_HUMAN')]))).toMatchObject({ outcome: 'requires_human' });
  });

  test('C43 a denial that says that a human is required asks for one', () => {
    const signal = guard('ABILITY_DENIED', { reason: 'large', require_human: true });
    expect(interpretGuard(result([signal]))).toEqual({ outcome: 'requires_human', reason: 'large', signal });
  });

  test('a denial is stricter than a human, and among equals the first counts', () => {
    const signals = [
      guard('ABILITY_REQUIRES_HUMAN', { reason: 'ask' }),
      guard('ABILITY_DENIED', { reason: 'first' }),
      guard('ABILITY_DENIED', { reason: 'second' }),
    ];
    expect(interpretGuard(result(signals))).toMatchObject({ outcome: 'denied', reason: 'first' });
  });

  test('P5 R455 a hook that must not fail and did refuses; any other failure is no verdict', () => {
    const failed = { success: false, error: { code: 'timeout', message: 'too slow', hook_id: 'g' } };
    expect(interpretGuard(result([], failed))).toEqual({ outcome: 'denied', reason: 'too slow' });
    expect(interpretPreflight(result([], failed))).toEqual({ outcome: 'unavailable', reason: 'too slow' });
    const cancelled = { success: false, error: { code: 'cancelled', message: 'the user went away' } };
    expect(interpretGuard(result([], cancelled))).toEqual({ outcome: 'allowed' });
  });
});

test('P4 more signals never loosen what was decided, in whatever order they come', () => {
  const code = fc.constantFrom(
    'ABILITY_ALLOWED',
    'ABILITY_DENIED',
    'ABILITY_REQUIRES_HUMAN',
    'ABILITY_UNAVAILABLE',
    'other',
  );
  const signals = fc.array(fc.tuple(code, fc.boolean()).map(([one, require_human]) => guard(one, { require_human })));
  const strictness = { allowed: 0, requires_human: 1, denied: 2 };
  fc.assert(
    fc.property(signals, signals, signals, (before, some, after) => {
      const alone = strictness[interpretGuard(result(some)).outcome];
      expect(strictness[interpretGuard(result([...before, ...some, ...after])).outcome]).toBeGreaterThanOrEqual(alone);
    }),
  );
});
