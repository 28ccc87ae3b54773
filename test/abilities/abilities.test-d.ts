import { expectTypeOf, test } from 'vitest';
import {
  type AbilityEventResult,
  type AbilityHookSet,
  type GuardOutcome,
  interpretGuard,
  runHooks,
} from '../../src/abilities/index.ts';

declare const hookSet: AbilityHookSet;

test('the context follows from the event', () => {
  expectTypeOf(runHooks(hookSet, 'SessionStop', { session_id: 's' })).resolves.toEqualTypeOf<AbilityEventResult>();
  void runHooks(hookSet, 'PreAbilityCall', { ability_id: 'edit', caller: { source: 'ci_pipeline' }, mine: 1 });
  // @ts-expect-error an ability is called by somebody
  void runHooks(hookSet, 'PreAbilityCall', { ability_id: 'edit' });
  // @ts-expect-error there is no such source
  void runHooks(hookSet, 'PreAbilityCall', { ability_id: 'edit', caller: { source: 'me' } });
  // @ts-expect-error there is no such event
  void runHooks(hookSet, 'PreAbilityCal', { ability_id: 'edit' });
});

test('an outcome is one of three', () => {
  const { outcome }: GuardOutcome = interpretGuard({
    event_type: 'PreAbilityCall',
    success: true,
    logs: [],
    usage_recorded: false,
    hook_signals: [],
    hooks: [],
  });
  expectTypeOf(outcome).toEqualTypeOf<'allowed' | 'denied' | 'requires_human'>();
});
