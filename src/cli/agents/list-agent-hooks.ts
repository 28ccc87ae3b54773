/** `list --agent`: lists the hooks of another agent. */
import type { HookRow } from '../../protocol/index.ts';
import { HookRunner } from '../../runners/index.ts';
import type { CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatItemTable } from '../rendering/layout.ts';
import { formatProblems, withCount } from '../rendering/problem-lines.ts';
import { formatHookColumns } from '../rendering/row-lines.ts';
import { createSpan } from '../rendering/text.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { getAgentHookConfig, toAgentHookRow, toAgentProblem } from './judged-hooks.ts';
import { formatSelectedAgent, listUnapprovedProblems, type SelectedAgent, toAgentData } from './select-agent.ts';

export const listAgentHooks = async (
  selected: SelectedAgent,
  { events, origin }: { readonly events: readonly string[]; readonly origin: boolean },
  context: Context,
): Promise<CommandOutcome> => {
  const { agent } = selected;
  const { hooks, problems: all } = await agent.judge();
  const problems = [...all.map(toAgentProblem), ...(await listUnapprovedProblems(selected, { hooks }, context))];
  const isWanted = (event: string): boolean => events.length === 0 || events.includes(event);
  const { config } = await loadSettings(context);
  const runner = new HookRunner(config, config.getDeps());
  const rows = await Promise.all(
    hooks
      .filter(({ event }) => isWanted(event))
      .map(async (hook): Promise<HookRow> => {
        const row = toAgentHookRow(hook, agent.name);
        const its = getAgentHookConfig(hook);
        const launch = its === undefined ? [] : await runner.inspect(its);
        return launch.length === 0 ? row : { ...row, warnings: [...launch, ...(row.warnings ?? [])] };
      }),
  );
  const { cwd, width } = context;
  const listed = rows.map((row) => ({ ...row, matcher: row.matcher ?? '*', dialect: undefined }));
  const none =
    events.length === 0
      ? `${agent.title} has no hooks here or in your home directory`
      : `${agent.title} has no hook here for ${events.join(', ')}`;
  return {
    data: { agent: toAgentData(selected), hooks: rows, abilityHooks: [] },
    problems,
    text: () => [
      ...formatSelectedAgent(selected, context),
      ...(rows.length === 0 ? [none] : formatItemTable(formatHookColumns(cwd, origin), listed, width)),
      ...(problems.length === 0 ? [] : ['', [createSpan('yellow', withCount(problems.length, 'problem'))]]),
      ...formatProblems(problems, context),
    ],
  };
};
