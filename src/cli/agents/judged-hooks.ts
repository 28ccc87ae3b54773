/** Converts another agent's judged hooks into our rows, findings and problems. */
import type { AgentHookReport } from '../../agents/agents.ts';
import type { DialectProblem } from '../../agents/index.ts';
import { type HookConfig, type HookRow, type Notice, notice } from '../../protocol/index.ts';
import { readHooks } from '../../registry/index.ts';
import { listUnlessEmpty } from '../arguments/flags.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { ExplainFinding } from '../hook-findings.ts';

const listWarnings = ({ notes, onlyThere }: AgentHookReport): Notice[] => [
  ...notes.map((note) => notice('dialect', note)),
  ...(onlyThere === undefined ? [] : [notice('not-supported', onlyThere)]),
];

export const toAgentHookRow = (hook: AgentHookReport, agent: string): HookRow => {
  const { id, name, event, entry, runs, reasons } = hook;
  const [first] = reasons;
  return {
    hookId: id,
    name,
    eventName: event,
    source: { kind: entry.scope, file: entry.file, line: entry.line },
    matcher: entry.matcher,
    dialect: agent,
    planned: runs ? 'run' : 'skip',
    reason: first?.code,
    reasons: listUnlessEmpty(reasons.map(({ code }) => code)),
    hint: first?.message,
    warnings: listUnlessEmpty(listWarnings(hook)),
  };
};

export const getAgentHookConfig = ({ config, moment }: AgentHookReport): HookConfig | undefined => {
  if (config === undefined || moment === undefined) return undefined;
  const settings = { [moment]: [{ hooks: [config] }] };
  return readHooks(settings, { source: 'project', barriers: [] }).hooks[0]?.config;
};

export const listAgentFindings = (hook: AgentHookReport): ExplainFinding[] => [
  ...hook.reasons.map(({ code, message, isMistake, fix }) => ({ code, message, isBroken: isMistake, fix })),
  ...listWarnings(hook).map((warning) => ({ ...warning, isBroken: false })),
];

export const toAgentProblem = ({
  severity,
  file,
  line,
  column,
  message,
  fix,
  isSilentThere,
}: DialectProblem): CliProblem => ({
  severity,
  code: 'dialect',
  file,
  line,
  column,
  message: isSilentThere === true ? `${message} (its agent says nothing about it)` : message,
  hint: fix,
});
