/** `hookwright task create`: runs the guards of an ability, and creates a task. */
import { getScopeNames, toInputMembers } from '../../../abilities/internal.ts';
import type { CommandMain } from '../../command.ts';
import { callWithChecks, readCalledAbility } from '../../tooling/call-ability.ts';
import { listUnapprovedChecks } from '../../tooling/open-abilities.ts';
import type { taskCreateSpec } from './spec.ts';

export const run: CommandMain<typeof taskCreateSpec> = async (options, context) => {
  const { ref, input } = await readCalledAbility(options, context);
  return callWithChecks(
    options,
    context,
    (tools) => {
      const found = tools.runner.abilities.find(ref);
      const names = found.ok ? getScopeNames(found.ability) : {};
      const about = { ability_ref: ref, ...names, ...toInputMembers(input), caller: tools.runner.caller };
      return listUnapprovedChecks(tools, 'PreAbilityCreate', about);
    },
    ({ runner }) => runner.createTask(ref, input, { signal: context.signal }),
  );
};
