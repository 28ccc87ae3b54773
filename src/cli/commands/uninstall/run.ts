/** `hookwright uninstall`: removes the lines that `install` wrote. */
import { type Agent, listAgents } from '../../../agents/cli-api.ts';
import { changeAgentHookFile } from '../../agents/change-agent.ts';
import type { CommandMain } from '../../command.ts';
import type { Context } from '../../context.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { readConfiguration } from '../../sources/read-configuration.ts';
import type { uninstallSpec } from './spec.ts';

export const run: CommandMain<typeof uninstallSpec> = ({ from, scope, 'dry-run': dryRun }, context) =>
  changeAgentHookFile(
    {
      verb: 'uninstall',
      flag: '--from',
      agent: from,
      user: scope === 'user',
      dryRun,
      edit: (agent, text) => agent.removeOurLines(text),
      nothing: async (agent) =>
        (await explainLinesLeft(agent, context))[0] ?? `No line in the settings of ${agent.title} starts hookwright`,
      notes: async (agent) =>
        dryRun ? [] : [...(await explainLinesLeft(agent, context)), ...(await explainNoAgentLeft(context))],
    },
    context,
  );

const explainLinesLeft = async (agent: Agent, { cwd }: Context): Promise<readonly string[]> => {
  const files = new Set((await agent.installedLines()).map(({ file }) => shortenPath(file, cwd)));
  return files.size === 0
    ? []
    : [`${agent.title} still starts hookwright, by ${[...files].join(' and ')}: look at the other --scope, too`];
};

const explainNoAgentLeft = async (context: Context): Promise<readonly string[]> => {
  const { hooks } = await readConfiguration(context);
  const agents = await listAgents(context);
  const lines = await Promise.all(agents.map((agent) => agent.installedLines()));
  return hooks.length === 0 || lines.flat().length > 0
    ? []
    : ['No agent here starts hookwright any more: its hooks run only in an agent of your own (createHooks).'];
};
