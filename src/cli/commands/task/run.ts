/** `hookwright task run`: runs a task after its guards. */
import { getScopeNames, toArgsMembers } from '../../../abilities/internal.ts';
import type { CommandMain } from '../../command.ts';
import { callWithChecks } from '../../tooling/call-ability.ts';
import { listUnapprovedChecks } from '../../tooling/open-abilities.ts';
import type { taskRunSpec } from './spec.ts';

export const run: CommandMain<typeof taskRunSpec> = (options, context) => {
  const { key, interrupted, 'still-running': wish } = options;
  const stillRunning = wish === 'end' || wish === 'wait' ? wish : 'refuse';
  return callWithChecks(
    options,
    context,
    async (tools) => {
      const found = await tools.runner.tasks.find(key);
      if (!found.ok) return [];
      const { ability_id, input } = found.task;
      const ability = tools.runner.abilities.find({ kind: 'ability_id', value: ability_id });
      const names = ability.ok ? getScopeNames(ability.ability) : { ability_id };
      const about = { ...names, task_key: key, ...toArgsMembers(input), caller: tools.runner.caller };
      return listUnapprovedChecks(tools, 'PreAbilityCall', about);
    },
    ({ runner }) => runner.runTask(key, { interrupted, stillRunning, signal: context.signal }),
  );
};
