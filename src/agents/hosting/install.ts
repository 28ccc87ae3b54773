// The settings that make an agent run hookwright as its hook.
import { MAX_TIMER_MS } from '../../kit/index.ts';
import { isHookwrightLine } from '../../registry/index.ts';
import { hasHandlerGroups } from '../edit-agent-file.ts';
import type { EventRule, JsonObject } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';
import { isGateEvent } from './host-rule.ts';

export interface InstallOptions {
  readonly program: string;
  readonly events: readonly string[];
  readonly needs: (event: string) => LineRequirements;
}

export interface LineRequirements {
  readonly timeoutMs: number;
  /** One of the hooks denies if it fails, so the command line should deny if hookwright fails. */
  readonly isGuarded?: boolean;
  /** How often in a row hooks may make the agent continue; `null`: no limit; absent: the agent's default. */
  readonly maxStops?: number | null | undefined;
}

/** Pairs each hookwright event with the first agent event for it. Events for one kind of tool are left out. */
export const pairAgentEventsWithHookEvents = (
  rules: Readonly<Record<string, EventRule>>,
): readonly (readonly [agentEvent: string, hookwrightEvent: string])[] => {
  const seen = new Set<string>();
  return Object.entries(rules).flatMap(([event, { moment, kinds }]) => {
    if (moment === undefined || kinds !== undefined || seen.has(moment)) return [];
    seen.add(moment);
    return [[event, moment] as const];
  });
};

export const createHookwrightHandler = (
  dialect: AgentRules,
  program: string,
  event: string,
  needs: LineRequirements,
): JsonObject => {
  const { writes, name, events, latest } = dialect;
  const { key, ms, most = Math.floor(MAX_TIMER_MS / ms) } = writes.timeout;
  const { loops } = writes;
  const refuses = needs.isGuarded === true && isGateEvent(events(latest)[event]?.moment);
  return {
    ...(writes.type === true ? { type: 'command' } : {}),
    [writes.line]: `${program} run ${event} --as-hook --agent ${name}`,
    [key]: Math.min(most, Math.ceil(needs.timeoutMs / ms)),
    ...(refuses ? writes.failClosed : {}),
    ...(loops?.events.includes(event) === true && needs.maxStops !== undefined ? { [loops.key]: needs.maxStops } : {}),
  };
};

export const createInstallSettings = (dialect: AgentRules, { program, events, needs }: InstallOptions): JsonObject => {
  const { writes } = dialect;
  const entries = events.map((event): readonly [string, JsonObject[]] => {
    const handler = createHookwrightHandler(dialect, program, event, needs(event));
    return [event, [hasHandlerGroups(dialect, event) ? { hooks: [handler] } : handler]];
  });
  const below = writes.name === undefined ? 'hooks' : 'hookwright';
  return { ...writes.root, [below]: Object.fromEntries(entries) };
};

const listOurLines = (handler: Readonly<JsonObject>): string[] =>
  Object.values(handler).filter((value): value is string => typeof value === 'string' && isHookwrightLine(value));

export const handlerStartsHookwright = (handler: Readonly<JsonObject>): boolean => listOurLines(handler).length > 0;

/** Several agents may read one file, so the line names its agent. Lines of older versions name none. */
export const handlerNamesAgent = (handler: Readonly<JsonObject>, name: string | undefined): boolean =>
  listOurLines(handler).some((line) => / --(?:agent|dialect)[ =]([\w-]+)/.exec(line)?.[1] === name);
