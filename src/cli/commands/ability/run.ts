/** `hookwright ability run`: runs an ability after its guards. */
import { getScopeNames, toArgsMembers } from '../../../abilities/internal.ts';
import type { CommandMain } from '../../command.ts';
import { callWithChecks, readCalledAbility } from '../../tooling/call-ability.ts';
import { listUnapprovedChecks } from '../../tooling/open-abilities.ts';
import type { abilityRunSpec } from './spec.ts';

export const run: CommandMain<typeof abilityRunSpec> = async (options, context) => {
  const { ref, input } = await readCalledAbility(options, context);
  return callWithChecks(
    options,
    context,
    (tools) => {
      const found = tools.runner.abilities.find(ref);
      if (!found.ok) return [];
      const about = { ...getScopeNames(found.ability), ...toArgsMembers(input), caller: tools.runner.caller };
      return listUnapprovedChecks(tools, 'PreAbilityCall', about);
    },
    ({ runner }) => runner.runAbility(ref, input, { signal: context.signal }),
  );
};
