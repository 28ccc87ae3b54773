/** `doctor --agent`: examines the hooks of another agent by that agent's rules, and recorded inputs for drift. */
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AgentHookReport, type Drift, findDrift, type RecordedStdin } from '../../agents/cli-api.ts';
import { describeThrown, isRecord, parseJson } from '../../kit/index.ts';
import { HookRunner } from '../../runners/index.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import type { ExaminedHook } from '../doctor/check-types.ts';
import { checksOfAgents } from '../doctor/checks.ts';
import { examineHook, readEnvironments } from '../doctor/collect-check-input.ts';
import {
  diagnose,
  formatDiagnoses,
  formatSummary,
  type LocatedDiagnosis,
  mergeWithProblems,
} from '../doctor/diagnose.ts';
import { formatParagraph } from '../rendering/layout.ts';
import { formatCount, formatProblems } from '../rendering/problem-lines.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { failsCommand } from '../sources/ability-hooks.ts';
import { loadSettings } from '../sources/load-settings.ts';
import { readRecordedShapes, readShapeText } from '../sources/stdin-shapes.ts';
import { UsageError } from '../usage-error.ts';
import { getAgentHookConfig, listAgentFindings, toAgentHookRow, toAgentProblem } from './judged-hooks.ts';
import { listAllLinesWithOldLimits } from './line-needs.ts';
import { formatSelectedAgent, listUnapprovedProblems, type SelectedAgent, toAgentData } from './select-agent.ts';
import { formatStartedLines, listLineProblems, startInstalledLines } from './start-lines.ts';

const NOT_FOUND_EXIT_CODE = 127;

const describeHookFailure = ({ agent }: SelectedAgent, { event, config }: AgentHookReport): string | undefined => {
  if (config?.onFault === 'deny') return `${agent.title} then blocks.`;
  const ending = agent.outcomeRules(event).find(({ when }) => when.includes(`(${NOT_FOUND_EXIT_CODE})`));
  return ending === undefined ? undefined : `${agent.title} then ${ending.effect.replace(/:.*/s, '')}.`;
};

const suggestEnding = (title: string, lost: readonly string[]): string => {
  if (!lost.includes('exit code 2, a reason on stderr')) return 'end with exit code 2 and a reason on stderr';
  return lost.includes("a denial in the agent's format")
    ? 'nothing blocks here: the tool has run, so refuse the call before it runs'
    : `print a denial in the format of ${title}, and end with exit code 0`;
};

/** Finds outcomes of hooks, such as exit codes, that look like a block but do not block in this agent. */
const findLostBlocks = (selected: SelectedAgent, events: readonly string[]): LocatedDiagnosis[] =>
  events.flatMap((event): LocatedDiagnosis | [] => {
    const lost = selected.agent.outcomeRules(event).flatMap(({ when, isLost }) => (isLost ? [when] : []));
    if (lost.length === 0) return [];
    return {
      severity: 'note',
      check: 'lost-block',
      hookId: event,
      name: event,
      what: `these block nothing: ${lost.join('; ')}`,
      why: `${selected.agent.title} goes on and hardly shows it: a guard that ends like this does not block.`,
      fix: suggestEnding(selected.agent.title, lost),
    };
  });

export const runAgentDoctor = async (selected: SelectedAgent, context: Context): Promise<CommandOutcome> => {
  const { agent } = selected;
  const { hooks: judged, problems: all } = await agent.judge();
  const installed = (await startInstalledLines(context)).filter((one) => one.agent === agent.name);
  const { config } = await loadSettings(context);
  const runner = new HookRunner(config, config.getDeps());
  const hooks = await Promise.all(
    judged.map(async (hook): Promise<ExaminedHook> => {
      const given = { row: toAgentHookRow(hook, agent.name), config: getAgentHookConfig(hook), isAbility: false };
      const examined = await examineHook(given, config, runner, listAgentFindings(hook));
      return { ...examined, failsAs: describeHookFailure(selected, hook) };
    }),
  );
  const input = { hooks, tools: { names: [], isComplete: false }, ...readEnvironments(context, config) };
  const running = [...new Set(judged.flatMap(({ event, runs }) => (runs ? [event] : [])))];
  const found = [...diagnose(input, checksOfAgents), ...findLostBlocks(selected, running)];
  const { diagnoses, problems: ofFiles } = mergeWithProblems(found, all.map(toAgentProblem));
  const outgrown = await listAllLinesWithOldLimits(context, agent.name);
  const problems = [
    ...listLineProblems(installed),
    ...outgrown,
    ...ofFiles,
    ...(await listUnapprovedProblems(selected, hooks, context)),
  ];
  return {
    findings: problems.some(failsCommand) || diagnoses.some(({ severity }) => severity !== 'note'),
    data: {
      agent: toAgentData(selected),
      hooks: hooks.length,
      findings: diagnoses,
      remarks: agent.remarks,
      installed,
    },
    problems,
    text: () => [
      ...formatSelectedAgent(selected, context),
      ...formatDiagnoses(diagnoses, context),
      ...(problems.length === 0 ? [] : [...formatProblems(problems, context), '']),
      ...formatStartedLines(installed),
      formatSummary(hooks.length, diagnoses, problems),
    ],
  };
};

const listJsonFiles = (path: string): string[] => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`there is no file or folder ${path}`);
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map(({ name }) => join(path, name))
    .sort();
};

const splitDocuments = (file: string, text: string): { from: string; text: string }[] =>
  file.endsWith('.jsonl')
    ? text
        .split('\n')
        .map((line, index) => ({ from: `${file}:${index + 1}`, text: line }))
        .filter(({ text: line }) => line.trim() !== '')
    : [{ from: file, text }];

const readStdinFiles = (files: readonly string[], dialect: string | undefined, cwd: string) => {
  const recorded: RecordedStdin[] = [];
  const problems: CliProblem[] = [];
  for (const file of files.flatMap((path) => listJsonFiles(resolve(cwd, path)))) {
    try {
      for (const { from, text } of splitDocuments(file, readShapeText(cwd, file))) {
        const read = parseJson(text);
        if (read.ok && isRecord(read.value)) recorded.push({ from, document: read.value, agent: dialect });
        else problems.push({ severity: 'warning', file: from, message: 'is not a JSON object, and was skipped' });
      }
    } catch (error) {
      problems.push({ severity: 'warning', file, message: `cannot be read: ${describeThrown(error)}` });
    }
  }
  return { recorded, problems };
};

const formatDrift = ({ agent, event, key, kind, seen, of, from }: Drift, { width, cwd }: Context): Text => {
  const what =
    kind === 'unknown'
      ? `${agent} ${event}: "${key}" is unknown; it was present ${seen} of ${formatCount(of, 'time')}, as in ${shortenPath(from, cwd)}`
      : `${agent} ${event}: "${key}" was expected, but is missing in ${formatCount(of, 'recording')}`;
  return formatParagraph(what, width, 0, 2, kind === 'unknown' ? 'yellow' : 'dim');
};

export const findDriftIn = async (
  files: readonly string[],
  dialect: string | undefined,
  context: Context,
): Promise<CommandOutcome> => {
  const { recorded, problems } =
    files.length === 0 ? readRecordedShapes(context.cwd) : readStdinFiles(files, dialect, context.cwd);
  const { drifts, looked, strange } = findDrift(recorded, context.env);
  const strangers = strange.map(
    (from): CliProblem => ({
      severity: 'warning',
      file: from,
      message: 'the agent and the event of this input could not be determined',
      hint: 'name the agent: --agent',
    }),
  );
  const all = [...problems, ...strangers];
  const unknown = drifts.filter(({ kind }) => kind === 'unknown');
  const none =
    files.length === 0
      ? 'No stdin is recorded here. Record its structure with run --as-hook --record, or name a folder of JSON files.'
      : 'Nothing there could be compared.';
  const compared = createSpan(
    unknown.length === 0 ? 'green' : 'yellow',
    `${formatCount(recorded.length, 'input')} compared: `,
  );
  const result = unknown.length === 0 ? 'nothing unknown' : formatCount(unknown.length, 'unknown member');
  return {
    findings: unknown.length > 0 || all.length > 0,
    data: { compared: looked, drifts },
    problems: all,
    text: () => [
      ...(looked.length === 0 ? [none] : []),
      ...drifts.flatMap((drift) => formatDrift(drift, context)),
      ...formatProblems(all, context),
      ...(looked.length === 0 ? [] : [[compared, result]]),
    ],
  };
};
