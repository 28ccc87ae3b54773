/** Converts the judged hooks of another agent into hookwright's rows, findings and problems. */
import type { AgentHookReport } from '../../agents/cli-api.ts';
import type { DialectProblem } from '../../agents/index.ts';
import { type HookConfig, type HookRow, type Notice, notice } from '../../protocol/index.ts';
import { readHooks } from '../../registry/index.ts';
import { HookRunner } from '../../runners/index.ts';
import { undefinedIfEmpty } from '../arguments/flags.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import type { HookFinding } from '../hook-findings.ts';
import { loadSettings } from '../sources/load-settings.ts';

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
    reasons: undefinedIfEmpty(reasons.map(({ code }) => code)),
    hint: first?.message,
    warnings: undefinedIfEmpty(listWarnings(hook)),
  };
};

export const getAgentHookConfig = ({ config, moment }: AgentHookReport): HookConfig | undefined => {
  if (config === undefined || moment === undefined) return undefined;
  const settings = { [moment]: [{ hooks: [config] }] };
  return readHooks(settings, { source: 'project', skipReasons: [] }).hooks[0]?.config;
};

export const inspectAgentHooks = async (hooks: readonly AgentHookReport[], agent: string, context: Context) => {
  const { config } = await loadSettings(context);
  const runner = new HookRunner(config, config.getDeps());
  return Promise.all(
    hooks.map(async (hook) => {
      const own = getAgentHookConfig(hook);
      const launch = own === undefined ? [] : await runner.inspect(own);
      return { hook, row: toAgentHookRow(hook, agent), config: own, launch };
    }),
  );
};

export const listAgentFindings = (hook: AgentHookReport): HookFinding[] => [
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
