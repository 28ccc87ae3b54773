import { argsOf, namesOf } from '../../../abilities/internal.ts';
import type { Run } from '../../command.ts';
import { call, inputFrom, refFrom } from '../../tooling/call.ts';
import { unapprovedChecks } from '../../tooling/open.ts';
import type { abilityRunSpec } from './spec.ts';

export const run: Run<typeof abilityRunSpec> = async (given, context) => {
  const ref = refFrom(given.ability, given.operation);
  const input = await inputFrom(given.input, context);
  return call(
    given,
    context,
    (tools) => {
      const found = tools.runner.abilities.find(ref);
      if (!found.ok) return [];
      const about = { ...namesOf(found.ability), ...argsOf(input), caller: tools.runner.caller };
      return unapprovedChecks(tools, 'PreAbilityCall', about);
    },
    ({ runner }) => runner.runAbility(ref, input, { signal: context.signal }),
  );
};
