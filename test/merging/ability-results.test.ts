import { describe, expect, test } from 'vitest';
import type { HookExecutionResult } from '../../src/index.ts';
import { findAbilityFates, mergeAbilityResults } from '../../src/merging/index.ts';

const denied = {
  kind: 'ability_guard',
  code: 'ABILITY_DENIED',
  payload: { ability_id: 'deploy', reason: 'not today' },
};
const allowed = { kind: 'ability_guard', code: 'ABILITY_ALLOWED', payload: { ability_id: 'deploy', reason: 'fine' } };

const saying = (signal: object): HookExecutionResult => ({
  hookConfig: { command: 'guard' },
  eventName: 'PreAbilityCall',
  success: true,
  output: { hook_signals: [signal] },
  duration: 1,
});

const faulted: HookExecutionResult = {
  hookConfig: { command: 'guard' },
  eventName: 'PreAbilityCall',
  success: false,
  code: 'timeout',
  error: new Error('no answer'),
  duration: 1,
};

describe('what became of the signals of ability hooks', () => {
  test('a permission beside the refusal of the first hook is overridden by it', () => {
    const [first, second] = findAbilityFates([saying(denied), saying(allowed)], ['first', 'second']);
    expect(first).toEqual({ hook_signals: { fate: 'applied' } });
    expect(second).toEqual({ hook_signals: { fate: 'overridden', by: 'first' } });
  });
});

describe('a fault of an ability hook', () => {
  const merged = (onFault: 'fail' | 'skip') =>
    mergeAbilityResults('PreAbilityCall', [{ hookId: 'guard', blocking: true, onFault, result: faulted }]);

  test('is the error of the event where the hook must not fail', () => {
    expect(merged('fail')).toMatchObject({ success: false, error: { code: 'timeout', hook_id: 'guard' } });
  });

  test('is none where it is to be skipped', () => {
    expect(merged('skip')).toMatchObject({ success: true });
    expect(merged('skip')).not.toHaveProperty('error');
  });
});
