/** Lists the tools of recordings and well-known agents, and warns about hooks that miss calls of tools. */
import { type Agent, listAgents, type SearchStart } from '../../agents/cli-api.ts';
import { dialects } from '../../agents/index.ts';
import { describeThrown, textOf } from '../../kit/index.ts';
import {
  findMissedCallsOrContradiction,
  findUnknownTools,
  formatToolNameFix,
  type KnownTools,
  type UnknownTool,
  wellKnownTools,
} from '../../planner/index.ts';
import {
  type HookConfig,
  type HookMessage,
  type HookRow,
  MessageBusType,
  type Notice,
  notice,
  shortenHookName,
} from '../../protocol/index.ts';
import { readSession } from '../../sessions/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import { listRecordedSessions } from '../sources/sessions.ts';

export const agentToolNames: readonly string[] = dialects.flatMap(({ tools }) =>
  tools.tools.flatMap(({ names }) => names),
);

const MAX_READ_SESSIONS = 10;

const findRecordedTool = (message: HookMessage): string | undefined =>
  message.type === MessageBusType.HOOK_EXECUTION_REQUEST
    ? textOf((message.payload ?? message.input)?.tool_name)
    : undefined;

export const findKnownTools = async (
  given: readonly string[],
  cwd: string,
): Promise<KnownTools & { readonly problems: readonly string[] }> => {
  if (given.length > 0) return { names: given, isComplete: true, problems: [] };
  const names = new Set<string>();
  const problems: string[] = [];
  for (const file of listRecordedSessions(cwd).slice(0, MAX_READ_SESSIONS)) {
    try {
      for await (const { message } of readSession(file)) {
        const tool = findRecordedTool(message);
        if (tool !== undefined) names.add(tool);
      }
    } catch (error) {
      problems.push(`${file} cannot be read, so its tools are not known: ${describeThrown(error)}`);
    }
  }
  return { names: [...new Set([...names, ...wellKnownTools])], isComplete: false, problems };
};

interface HookAboutTools {
  readonly row: Pick<HookRow, 'name' | 'eventName' | 'source' | 'matcher' | 'dialect' | 'warnings'>;
  readonly config?: HookConfig | undefined;
  readonly hook?: { readonly config?: HookConfig | undefined } | undefined;
}

const getConfig = ({ config, hook }: HookAboutTools): HookConfig | undefined => config ?? hook?.config;

export const findUnknownToolsOfHook = (hook: HookAboutTools, known: KnownTools): UnknownTool[] =>
  findUnknownTools({ ...hook.row, config: getConfig(hook) }, known, agentToolNames);

/** A hook misses calls if its matcher and its `if` exclude each other, or if an agent lacks the tool that they name. */
export const findMissedCallsOfHook = (hook: HookAboutTools, agents: readonly Agent[]): Notice[] =>
  findMissedCallsOrContradiction({ ...hook.row, config: getConfig(hook) }, agents).map(({ code, message, fix }) =>
    notice(code, message, { fix }),
  );

const findMissedCallNotices = (hook: HookAboutTools, known: KnownTools, agents: readonly Agent[]): Notice[] => {
  const slips = findUnknownToolsOfHook(hook, known).flatMap(({ what, near, isMisspelled }) =>
    near === undefined || !isMisspelled ? [] : [notice('unknown-name', what, { fix: formatToolNameFix(near) })],
  );
  return slips.length > 0 ? slips : findMissedCallsOfHook(hook, agents);
};

export const findInstalledAgents = async (start: SearchStart): Promise<Agent[]> => {
  const agents = await listAgents(start);
  const found = await Promise.all(
    agents.map(async (agent) => ((await agent.installedLines()).length === 0 ? [] : [agent])),
  );
  return found.flat();
};

export const withMissedCallNotices = async <T extends HookAboutTools>(
  hooks: readonly T[],
  start: SearchStart,
  given?: readonly Agent[],
): Promise<T[]> => {
  if (hooks.length === 0) return [];
  const agents = given ?? (await findInstalledAgents(start));
  const warned = (known: KnownTools): T[] =>
    hooks.map((hook) => {
      const found = findMissedCallNotices(hook, known, agents);
      return found.length === 0
        ? hook
        : { ...hook, row: { ...hook.row, warnings: [...found, ...(hook.row.warnings ?? [])] } };
    });
  const first = warned({ names: [], isComplete: false });
  // Recordings are slow to read, so they are read only if a tool name is in doubt.
  return first.every((hook, index) => hook === hooks[index]) ? first : warned(await findKnownTools([], start.cwd));
};

const missedCallCodes: ReadonlySet<string> = new Set(['unknown-name', 'condition-mismatch']);

export const listMissedProblems = (hooks: readonly HookAboutTools[]): CliProblem[] =>
  hooks.flatMap(({ row: { name, source, warnings = [] } }) =>
    warnings
      .filter(({ code }) => missedCallCodes.has(code))
      .map(({ code, message, fix }): CliProblem => {
        const { file, line } = source;
        return { severity: 'warning', code, message: `${shortenHookName(name)}: ${message}`, hint: fix, file, line };
      }),
  );
