/** Calculates the limits of lines that start hookwright (timeout, fail-closed, stops), and checks installed lines. */
import { type Agent, type LineRequirements, listAgents } from '../../agents/cli-api.ts';
import { catalogue, DEFAULT_MAX_STOPS, isHookEventName } from '../../events/index.ts';
import { mayRecheck } from '../../handlers/index.ts';
import { computePlanDeadlineMs, type HookConfig, runsInBackground } from '../../protocol/index.ts';
import { type ConfiguredHook, startsHookwright } from '../../registry/index.ts';
import { defaultLimits } from '../../runners/index.ts';
import type { CliProblem } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { type ConfiguredEntry, readConfiguration } from '../sources/read-configuration.ts';

/** The time that hookwright itself needs to start and to end. */
const OVERHEAD_MS = 4_000;

/** Longer than the default timeout of hooks, so that hookwright reports a timeout before the agent stops waiting. */
const MIN_TIMEOUT_MS = 65_000;

/** Includes hooks that do not run now, because they may be approved or enabled later. */
const selectHooks = (entries: readonly ConfiguredEntry[], moment: string | undefined) =>
  entries.flatMap(({ row, hook }) => (row.eventName === moment && hook !== undefined ? hook : []));

const selectAwaitedHooks = (configured: readonly ConfiguredHook[]): readonly HookConfig[] =>
  configured.flatMap(({ config }) =>
    // The line itself is also read as a hook, from the settings of Gemini CLI for example.
    config === undefined || runsInBackground(config) || startsHookwright(config) ? [] : config,
  );

export const findLineNeeds = (entries: readonly ConfiguredEntry[], moment: string | undefined): LineRequirements => {
  const configured = selectHooks(entries, moment);
  const hooks = selectAwaitedHooks(configured);
  const timeouts = hooks.map(({ timeout }) => timeout);
  const limits = defaultLimits();
  const isSequential = configured.some(({ sequential }) => sequential);
  const mayHaveSecond = hooks.length > 1 && moment !== undefined && isHookEventName(moment);
  const hasSecond = mayHaveSecond && mayRecheck(moment, hooks);
  const second = hasSecond ? computePlanDeadlineMs(timeouts, false, limits) : 0;
  return {
    timeoutMs: Math.max(MIN_TIMEOUT_MS, computePlanDeadlineMs(timeouts, isSequential, limits) + second + OVERHEAD_MS),
    isGuarded: configured.some(({ config, lost }) => (config ?? lost)?.onFault === 'deny'),
    maxStops: findMaxStops(hooks),
  };
};

const findMaxStops = (hooks: readonly HookConfig[]): number | null | undefined => {
  const stops = hooks.map(({ maxStops }) => maxStops);
  if (stops.every((most) => most === undefined)) return undefined;
  return stops.some((most) => most === null) ? null : Math.max(...stops.map((most) => most ?? DEFAULT_MAX_STOPS));
};

const formatSeconds = (ms: number): string => `${Math.ceil(ms / 1_000)} s`;

export const listLinesWithOldLimits = async (
  agent: Agent,
  entries: readonly ConfiguredEntry[],
): Promise<readonly CliProblem[]> => {
  const lines = await agent.installedLines();
  return lines.flatMap(({ event, file, line, isOfProject, timeoutMs, failsClosed }): CliProblem[] => {
    const moment = agent.findMoment(event);
    const needs = findLineNeeds(entries, moment);
    const best = agent.limitsFor(event, needs);
    if (best === undefined) return [];
    const longest = Math.max(0, ...selectAwaitedHooks(selectHooks(entries, moment)).map(({ timeout = 0 }) => timeout));
    const isPart = listDefaultEvents(agent).some(
      (usual) => !lines.some((one) => one.file === file && one.event === usual),
    );
    const install = `hookwright install --into ${agent.name}${isOfProject ? '' : ' --scope user'}${isPart ? ` --event ${event}` : ''}`;
    const place = { severity: 'warning', file, line } as const;
    const waits = `${agent.title} waits ${formatSeconds(timeoutMs)} for the hooks of ${event}`;
    const isShort = timeoutMs < best.timeoutMs;
    const isCapped = !isShort && longest > timeoutMs;
    const short = `${waits} and then goes on without their answer; they may take ${formatSeconds(needs.timeoutMs)}`;
    const capped = `${waits} at most, and one of them has a timeout of ${formatSeconds(longest)}`;
    const open = `if hookwright cannot start, ${agent.title} goes on at ${event}, although a guard has "onFault": "deny"`;
    return [
      ...(isShort ? [{ ...place, message: short, hint: install }] : []),
      ...(isCapped ? [{ ...place, message: capped, hint: 'give it a shorter timeout' }] : []),
      ...(best.failsClosed && !failsClosed ? [{ ...place, message: open, hint: install }] : []),
    ];
  });
};

/** Model requests fire many times in a turn, so `install` includes them only if `--event` names them. */
export const listDefaultEvents = (agent: Agent): string[] =>
  agent.hostable.flatMap(([event, moment]) =>
    isHookEventName(moment) && 'llm_request' in catalogue[moment].sample ? [] : [event],
  );

export const listAllLinesWithOldLimits = async (context: Context, name?: string): Promise<readonly CliProblem[]> => {
  const { hooks } = await readConfiguration(context);
  const agents = await listAgents(context);
  const those = agents.filter((agent) => name === undefined || agent.name === name);
  return (await Promise.all(those.map((agent) => listLinesWithOldLimits(agent, hooks)))).flat();
};
