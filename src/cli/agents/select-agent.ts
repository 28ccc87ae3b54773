/** Decides whether a command is about the hooks of hookwright or those of another agent. */
import { type Agent, type AgentWithFiles, findAgent, findAgentsWithFiles } from '../../agents/cli-api.ts';
import { isHookEventName } from '../../events/index.ts';
import { formatSuggestion } from '../../kit/index.ts';
import { allEventNames } from '../arguments/events.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { formatParagraph } from '../rendering/layout.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { readAbilityHooks } from '../sources/ability-hooks.ts';
import { type LoadedSettings, loadSettings } from '../sources/load-settings.ts';
import { hasMisplacedEvents, readConfiguration } from '../sources/read-configuration.ts';
import { UsageError } from '../usage-error.ts';
import type { AgentFlagValues } from './agent-flags.ts';

export interface SelectedAgent {
  readonly agent: Agent;
  readonly mode: 'strict' | 'faithful';
  readonly isFound: boolean;
  readonly files: readonly string[];
  readonly others: readonly AgentWithFiles[];
}

const hasOwnHooks = async (context: Context): Promise<boolean> => {
  const { hooks, problems, config } = await readConfiguration(context);
  return hooks.length > 0 || hasMisplacedEvents(problems) || (await readAbilityHooks(config)).declared.length > 0;
};

export const selectAgent = async (
  { agent: name, 'agent-version': version, mode: wish }: AgentFlagValues,
  event: string | undefined,
  context: Context,
): Promise<SelectedAgent | undefined> => {
  const mode = wish === 'faithful' ? 'faithful' : 'strict';
  if (name !== undefined) {
    return { agent: await findAgent(name, context, version), mode, isFound: false, files: [], others: [] };
  }
  const present = await findAgentsWithFiles(context);
  const foreign = present.filter(
    ({ isReadByEngine, startsOnlyHookwright }) => !isReadByEngine && !startsOnlyHookwright,
  );
  const speaking = event === undefined ? foreign : foreign.filter(({ agent }) => agent.hasEvent(event));
  const isTheirs = event !== undefined && !allEventNames.includes(event);
  const [first = foreign[0]] = speaking;
  const mustBe = isTheirs && speaking.length > 0;
  if (first === undefined || (!mustBe && (await hasOwnHooks(context)))) return undefined;
  const agent = version === undefined ? first.agent : await findAgent(first.agent.name, context, version);
  return { agent, mode, isFound: true, files: first.files, others: foreign.filter((one) => one !== first) };
};

export const formatSelectedAgent = (
  { agent, mode, isFound, files, others }: SelectedAgent,
  { cwd, width }: Context,
): Text => {
  const read = files.map((file) => shortenPath(file, cwd)).join(', ');
  const found = `it has ${read} here, and hookwright has no hooks of its own`;
  const named = others.map(({ agent: other }) => `--agent ${other.name}`);
  const more = `hooks for others are here, too: ${named.join(', ')}`;
  return [
    [createSpan('bold', `as ${agent.title} ${agent.version} reads it${mode === 'faithful' ? ', faithfully' : ''}`)],
    ...(isFound ? formatParagraph(found, width, 2, 2, 'dim') : []),
    ...(named.length === 0 ? [] : formatParagraph(more, width, 2, 2, 'dim')),
    '',
  ];
};

export const toAgentData = ({ agent, mode, isFound }: SelectedAgent) => ({
  name: agent.name,
  title: agent.title,
  version: agent.version,
  mode,
  found: isFound,
});

export const loadOptionsForAgent = ({ agent: { name, version }, mode }: SelectedAgent) => ({
  agents: { [name]: { version, mode } },
  tools: name,
});

export const loadSettingsOfAgent = (selected: SelectedAgent, context: Context): Promise<LoadedSettings> =>
  loadSettings(context, [], loadOptionsForAgent(selected));

export const loadSettingsWithAgent = (
  selected: SelectedAgent | undefined,
  context: Context,
): Promise<LoadedSettings> =>
  selected === undefined ? loadSettings(context) : loadSettings(context, undefined, loadOptionsForAgent(selected));

export const listUnapprovedProblems = async (
  selected: SelectedAgent,
  hooks: readonly unknown[],
  context: Context,
): Promise<CliProblem[]> => {
  if (hooks.length === 0) return [];
  const { problems } = await loadSettingsOfAgent(selected, context);
  const how = `hookwright trust --agent ${selected.agent.name}`;
  return problems
    .filter(({ code }) => code === 'awaiting-approval')
    .map((problem) => ({ ...problem, message: `in hookwright, ${problem.message}`, hint: how }));
};

export const expectAgentEvent = ({ agent }: SelectedAgent, event: string | undefined): void => {
  if (event === undefined || agent.hasEvent(event) || agent.events.some((name) => agent.findMoment(name) === event))
    return;
  throw new UsageError(
    `${JSON.stringify(event)} is not an event of ${agent.title}${formatSuggestion(event, agent.events)}`,
    `events: ${agent.events.join(', ')}`,
  );
};

export const toHookEvent = (selected: SelectedAgent, event: string): string => {
  expectAgentEvent(selected, event);
  const moment = selected.agent.findMoment(event) ?? event;
  if (isHookEventName(moment)) return moment;
  throw new UsageError(
    `hookwright has no event like ${event} of ${selected.agent.title}, so its hooks cannot be run here`,
    `hookwright explain ${event} says what the agent would do`,
  );
};
