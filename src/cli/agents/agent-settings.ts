import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { type LoadedSettings, loadSettings } from '../sources/load-settings.ts';
import type { Whose } from './whose-hooks.ts';

/** The agent's files, its rules, and its names of tools. */
export const optionsFor = ({ agent: { name, version }, mode }: Whose) => ({
  agents: { [name]: { version, mode } },
  tools: name,
});

/** The hooks of another agent alone, as that agent would run them. */
export const settingsOfAgent = (whose: Whose, context: Context): Promise<LoadedSettings> =>
  loadSettings(context, [], optionsFor(whose));

/** The hooks of another agent beside our own. */
export const settingsWithAgent = (whose: Whose | undefined, context: Context): Promise<LoadedSettings> =>
  whose === undefined ? loadSettings(context) : loadSettings(context, undefined, optionsFor(whose));

/** That its hooks wait for an approval in hookwright; the agent itself runs them without one. */
export const waitingHere = async (
  whose: Whose,
  { hooks }: { readonly hooks: readonly unknown[] },
  context: Context,
): Promise<CliProblem[]> => {
  if (hooks.length === 0) return [];
  const { problems } = await settingsOfAgent(whose, context);
  const how = `hookwright trust --agent ${whose.agent.name}`;
  return problems
    .filter(({ code }) => code === 'awaiting-approval')
    .map((problem) => ({ ...problem, message: `in hookwright, ${problem.message}`, hint: how }));
};
