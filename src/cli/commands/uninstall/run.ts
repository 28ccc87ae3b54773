import { changeAgent } from '../../agents/change-agent.ts';
import type { Run } from '../../command.ts';
import type { uninstallSpec } from './spec.ts';

export const run: Run<typeof uninstallSpec> = ({ from, scope, 'dry-run': dryRun }, context) =>
  changeAgent(
    {
      verb: 'uninstall',
      flag: '--from',
      agent: from,
      user: scope === 'user',
      dryRun,
      edit: (agent, text) => agent.withoutUs(text),
      nothing: (agent) => `No line in the settings of ${agent.title} starts hookwright`,
      notes: () => [],
    },
    context,
  );
