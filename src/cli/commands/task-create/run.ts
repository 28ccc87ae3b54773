import { inputOf, namesOf } from '../../../abilities/internal.ts';
import type { Run } from '../../command.ts';
import { call, inputFrom, refFrom } from '../../tooling/call.ts';
import { unapprovedChecks } from '../../tooling/open.ts';
import type { taskCreateSpec } from './spec.ts';

export const run: Run<typeof taskCreateSpec> = async (given, context) => {
  const ref = refFrom(given.ability, given.operation);
  const input = await inputFrom(given.input, context);
  return call(
    given,
    context,
    (tools) => {
      const found = tools.runner.abilities.find(ref);
      const names = found.ok ? namesOf(found.ability) : {};
      const about = { ability_ref: ref, ...names, ...inputOf(input), caller: tools.runner.caller };
      return unapprovedChecks(tools, 'PreAbilityCreate', about);
    },
    ({ runner }) => runner.createTask(ref, input, { signal: context.signal }),
  );
};
