/** Collects the data for the checks of `doctor`, without running hooks. */
import { resolve } from 'node:path';
import { omitUndefined } from '../../kit/index.ts';
import { readBeginningText } from '../../kit/node.ts';
import { type HookConfig, isGuardEntry } from '../../protocol/index.ts';
import { HookRunner } from '../../runners/index.ts';
import {
  CleanEnvironment,
  expandPlainly,
  isForeign,
  isShell,
  listCommands,
  listStartedFiles,
  parseCommands,
  type Script,
  type SimpleCommand,
  selectKnownVariables,
  type Variables,
} from '../../runners/process-api.ts';
import type { LoadedConfig } from '../../settings/index.ts';
import { explainMatcher } from '../arguments/read-matcher.ts';
import type { CliProblem } from '../command-outcome.ts';
import { type HookEntry, readEntries } from '../commands/explain/entries.ts';
import type { Context } from '../context.ts';
import { type HookFinding, listHookFindings } from '../hook-findings.ts';
import type { CheckInput, ExaminedHook } from './check-types.ts';
import { findInstalledAgents, findKnownTools } from './known-tools.ts';

export const getOwnVariables = (config: LoadedConfig): Variables =>
  selectKnownVariables({
    projectDir: config.getProjectDir(),
    cwd: config.getWorkingDir(),
    sessionId: config.getSessionId(),
  });

export const readEnvironments = (
  { env }: Pick<Context, 'env'>,
  config: LoadedConfig,
): Pick<CheckInput, 'environment' | 'foreignEnvironment'> => {
  const inherited = omitUndefined(env);
  const own = getOwnVariables(config);
  const foreign = new CleanEnvironment().of(inherited, undefined, {
    allowed: config.getAllowedEnv(),
    isListed: config.getProjectEnv() === 'listed',
  });
  return { environment: { ...inherited, ...own }, foreignEnvironment: { ...foreign.environment, ...own } };
};

export const listHookCommands = ({ command, args }: HookConfig, variables: Variables): readonly SimpleCommand[] => {
  if (command === undefined) return [];
  if (args === undefined) return parseCommands(command, variables);
  return listCommands(
    [command, ...args].map((word) => expandPlainly(word, variables)),
    variables,
  );
};

export const examineHook = async (
  given: HookEntry,
  config: LoadedConfig,
  runner: HookRunner,
  known?: readonly HookFinding[],
): Promise<ExaminedHook> => {
  const { row, config: entry } = given;
  const launch = entry === undefined ? [] : await runner.inspect(entry);
  const findings =
    known === undefined
      ? listHookFindings(row, explainMatcher(row.eventName, row.matcher, {}, isGuardEntry({ ...entry })), launch)
      : [...known, ...launch.map((found) => ({ ...found, isBroken: true }))];
  if (entry === undefined) return { ...given, findings, commands: [], scripts: [], isForeign: false };
  const commands = listHookCommands(entry, getOwnVariables(config));
  const scripts = listScripts(entry, commands, config);
  return { ...given, findings, commands, scripts, isForeign: isForeign(entry) };
};

export const collectCheckInput = async (
  context: Context,
  tools: readonly string[],
): Promise<{ input: CheckInput; problems: readonly CliProblem[]; config: LoadedConfig }> => {
  const { entries, config, problems } = await readEntries(context, {});
  const runner = new HookRunner(config, config.getDeps());
  const known = await findKnownTools(tools, context.cwd);
  const input = {
    hooks: await Promise.all(entries.map((entry) => examineHook(entry, config, runner))),
    tools: known,
    agents: await findInstalledAgents(context),
    ...readEnvironments(context, config),
  };
  const unread = known.problems.map((message) => ({ severity: 'warning' as const, message }));
  return { input, problems: [...problems, ...unread], config };
};

/** Resolves `~/` only where a shell would expand it. */
const listScripts = (hook: HookConfig, commands: readonly SimpleCommand[], config: LoadedConfig): Script[] => {
  const at = (named: string): string => resolve(config.getWorkingDir(), hook.cwd ?? '', named);
  const started = commands.map(({ words: [program = ''] }) => at(program));
  const inHome = (named: string): string | undefined =>
    hook.args === undefined && named.startsWith('~/') ? resolve(config.getHome(), named.slice(2)) : undefined;
  return [...new Set(commands.flatMap(listStartedFiles))].map((named) => ({
    named: inHome(named) ?? named,
    isStarted: started.includes(at(named)),
    isGivenToShell: commands.some(({ words: [program = '', ...args] }) => isShell(program) && args.includes(named)),
    text: readBeginningText(inHome(named) ?? at(named)),
  }));
};
