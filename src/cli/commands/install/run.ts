/** `hookwright install`: adds lines that start hookwright to the settings of another agent, and tries them. */
import { type Agent, findAgentsStartingHookwrightTwice } from '../../../agents/cli-api.ts';
import { formatSuggestion } from '../../../kit/index.ts';
import { isGuardEntry, shortenHookName } from '../../../protocol/index.ts';
import { changeAgentHookFile, type VerifiedAgentChange } from '../../agents/change-agent.ts';
import { findLineNeeds, listDefaultEvents, listLinesWithOldLimits } from '../../agents/line-needs.ts';
import { selectStartProgram, startLine } from '../../agents/start-lines.ts';
import type { CommandMain } from '../../command.ts';
import type { CliProblem } from '../../command-outcome.ts';
import type { Context } from '../../context.ts';
import { listMissedProblems, withMissedCallNotices } from '../../doctor/known-tools.ts';
import { findLostCanaries } from '../../hook-tests/lost-canaries.ts';
import { shortenPath } from '../../rendering/short-path.ts';
import { findUnsupportedNotice } from '../../sources/check-starts.ts';
import { type ConfiguredEntry, readConfiguration } from '../../sources/read-configuration.ts';
import { UsageError } from '../../usage-error.ts';
import type { installSpec } from './spec.ts';

export const run: CommandMain<typeof installSpec> = async (options, context) => {
  const { into, event: events, scope, program: wish, 'dry-run': dryRun } = options;
  const user = scope === 'user';
  const programOf = (agent: Agent): string => wish ?? selectStartProgram(agent, user, context);
  const { hooks } = await readConfiguration(context);
  return changeAgentHookFile(
    {
      verb: 'install',
      flag: '--into',
      agent: into,
      user,
      dryRun,
      edit: (agent, text) =>
        agent.replaceOurLines(text, {
          program: programOf(agent),
          events: selectEvents(agent, events),
          needs: (event) => findLineNeeds(hooks, agent.findMoment(event)),
        }),
      nothing: (agent) => `${agent.title} asks hookwright already`,
      verify: async (agent) => {
        const verified = await verifyInstalledLine(agent, agent.pathFor(user ? 'user' : 'project'), context);
        return {
          ...verified,
          problems: [...verified.problems, ...(await findMissedBehind(agent, hooks, true, context))],
        };
      },
      notes: async (agent, after) => {
        const off = agent.findOffSwitch(after);
        const isSlow = programOf(agent) === 'npx hookwright';
        return [
          ...(isSlow ? ['npx costs some 240 ms per event: npm install --save-dev hookwright, then install again'] : []),
          ...(off === undefined ? [] : [`${agent.title} runs no hooks with its current settings: ${off}`]),
          ...agent.approval,
          ...(await listDoubleRunNotes(context)),
          ...(dryRun ? [] : await listLinesWithOldLimits(agent, hooks)).map(({ message }) => message),
          ...(await listImportNotes(agent, context)),
          ...[
            ...(await findMissedBehind(agent, hooks, false, context)),
            ...(dryRun ? await findMissedBehind(agent, hooks, true, context) : []),
          ].map(({ message, hint }) => `${message}; ${hint}`),
          ...(dryRun ? await findLostCanaries(context) : []).map(({ message }) => message),
        ];
      },
    },
    context,
  );
};

const findMissedBehind = async (
  agent: Agent,
  entries: readonly ConfiguredEntry[],
  ofGuards: boolean,
  context: Context,
): Promise<readonly CliProblem[]> => {
  const those = entries.filter(({ hook }) => isGuardEntry({ ...hook?.config }) === ofGuards);
  return listMissedProblems(await withMissedCallNotices(those, context, [agent]));
};

const selectEvents = (agent: Agent, wanted: readonly string[]): string[] => {
  if (wanted.length === 0) return listDefaultEvents(agent);
  return wanted.map((wish) => {
    const found = agent.hostable.find(([event, moment]) => event === wish || moment === wish)?.[0];
    if (found !== undefined) return found;
    if (agent.hasEvent(wish) && agent.findMoment(wish) !== undefined) return wish;
    const names = agent.hostable.map(([event]) => event);
    throw new UsageError(
      `${agent.title} has no event ${JSON.stringify(wish)} that can start hookwright${formatSuggestion(wish, names)}`,
      `events: ${names.join(', ')}`,
    );
  });
};

/** Some agents also read the files of other agents, and then start hookwright twice for one event. */
const listDoubleRunNotes = async (context: Context): Promise<string[]> => {
  const found = await findAgentsStartingHookwrightTwice(context);
  return found.map(({ title, files }) => {
    const names = files.map((path) => shortenPath(path, context.cwd)).join(' and ');
    return `${title} asks hookwright twice for one event, by ${names}, as it reads both: keep the line in one of them`;
  });
};

/** The agent may still run imported hooks itself, so that they run twice. */
const listImportNotes = async (agent: Agent, context: Context): Promise<string[]> => {
  const { hooks } = await readConfiguration(context);
  const imported = new Map(
    hooks.flatMap(({ row }) =>
      row.dialect === agent.name && findUnsupportedNotice(row) === undefined ? [[row.name, row]] : [],
    ),
  );
  const both = (await agent.judge()).hooks.filter(({ name, entry: { file } }) => {
    const row = imported.get(name);
    return row !== undefined && row.source.file !== file;
  });
  if (both.length === 0) return [];
  const names = [...new Set(both.map(({ name }) => shortenHookName(name)))].join(', ');
  const files = [...new Set(both.map(({ entry: { file } }) => shortenPath(file, context.cwd)))].join(' and ');
  return [
    `${agent.title} runs these itself, and again through hookwright, which has them from an import: ${names}`,
    `to run them once, remove them from ${files}, or from the settings of hookwright`,
  ];
};

const verifyInstalledLine = async (agent: Agent, path: string, context: Context): Promise<VerifiedAgentChange> => {
  const line = (await agent.installedLines()).find(({ file }) => file === path);
  if (line === undefined) return { problems: [await explainMissingLine(agent, path)], data: {} };
  const started = await startLine(line.command, agent, context);
  if (started.ok) {
    const { version, hooks, broken, canaries, tookMs } = started;
    const lost = canaries > 0 ? started.lost : await findLostCanaries(context);
    const on = hooks === 0 ? 'no hook is on yet' : `${hooks} ${hooks === 1 ? 'hook is' : 'hooks are'} on`;
    const seen = `${agent.title} can start it: hookwright ${version} answered in ${tookMs} ms; ${on}`;
    const refused = `; ${canaries === 1 ? 'the canary of a guard was' : `the canaries of ${canaries} guards were`} refused through it`;
    return {
      seen: canaries > 0 && lost.length === 0 ? `${seen}${refused}` : seen,
      problems: [...broken, ...lost],
      data: { started: { version, hooks, canaries, durationMs: tookMs } },
    };
  }
  const problem = {
    severity: 'error',
    file: path,
    line: line.line,
    message: `${agent.title} cannot start hookwright by this line, so no hook runs: ${started.why}`,
    hint: 'npm install --save-dev hookwright in the project, or name the command: --program "/path/to/hookwright"',
  } as const;
  return { problems: [problem], data: {} };
};

const explainMissingLine = async (agent: Agent, path: string): Promise<CliProblem> => {
  const { problems } = await agent.judge();
  const { message, line, fix } = problems.find(({ file }) => file === path) ?? {
    message: 'no line of hookwright is in it',
  };
  return {
    severity: 'error',
    file: path,
    line,
    message: `${agent.title} does not find the line of hookwright in this file, so no hook runs: ${message}`,
    hint: fix,
  };
};
