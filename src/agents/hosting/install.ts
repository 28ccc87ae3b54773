import { isOwnLine } from '../../registry/index.ts';
import type { EventRule, JsonObject } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';
import { isGrouped } from '../writing.ts';
import { isGate } from './host-rule.ts';

/** The lines to write for an agent. */
export interface InstallOptions {
  /** The program in the line. */
  readonly program: string;
  readonly events: readonly string[];
  readonly needs: (event: string) => LineNeeds;
}

/** What the hooks of an event need of the line that starts hookwright. */
export interface LineNeeds {
  /** How long the agent must wait for us. */
  readonly timeoutMs: number;
  /** A guard among them denies if it fails: so does the line, if the agent can and the event is a gate. */
  readonly isGuarded?: boolean;
  /** How often in a row they may send the agent on, `null` for no limit; absent: as the agent has it. */
  readonly maxStops?: number | null | undefined;
}

/** The agent's first event for each of ours; events for one kind of tool are part of another. */
export const hostableEvents = (
  rules: Readonly<Record<string, EventRule>>,
): readonly (readonly [event: string, moment: string])[] => {
  const seen = new Set<string>();
  return Object.entries(rules).flatMap(([event, { moment, kinds }]) => {
    if (moment === undefined || kinds !== undefined || seen.has(moment)) return [];
    seen.add(moment);
    return [[event, moment] as const];
  });
};

/** The longest timer of Node. */
const MAX_TIMER_MS = 2_147_483_647;

/** The handler that starts us at an event. */
export const ownHandler = (dialect: AgentRules, program: string, event: string, needs: LineNeeds): JsonObject => {
  const { writes, name, events, latest } = dialect;
  const { key, ms, most = Math.floor(MAX_TIMER_MS / ms) } = writes.timeout;
  const { loops } = writes;
  const refuses = needs.isGuarded === true && isGate(events(latest)[event]?.moment);
  return {
    ...(writes.type === true ? { type: 'command' } : {}),
    [writes.line]: `${program} run ${event} --as-hook --agent ${name}`,
    [key]: Math.min(most, Math.ceil(needs.timeoutMs / ms)),
    ...(refuses ? writes.failClosed : {}),
    ...(loops?.events.includes(event) === true && needs.maxStops !== undefined ? { [loops.key]: needs.maxStops } : {}),
  };
};

/** The settings that make an agent run us. */
export const installation = (dialect: AgentRules, { program, events, needs }: InstallOptions): JsonObject => {
  const { writes } = dialect;
  const entries = events.map((event): readonly [string, JsonObject[]] => {
    const handler = ownHandler(dialect, program, event, needs(event));
    return [event, [isGrouped(dialect, event) ? { hooks: [handler] } : handler]];
  });
  const below = writes.name === undefined ? 'hooks' : 'hookwright';
  return { ...writes.root, [below]: Object.fromEntries(entries) };
};

/** Whether a handler starts us, under whatever key its line stands. */
export const startsUs = (handler: Readonly<JsonObject>): boolean =>
  Object.values(handler).some((value) => typeof value === 'string' && isOwnLine(value));
