import { isOwnLine } from '../../registry/index.ts';
import type { Dialect, EventRule, JsonObject } from '../dialect.ts';
import { isGrouped } from '../writing.ts';

/** Which of an agent's events ask our hooks. */
export interface InstallOptions {
  /** How hookwright is started there. */
  readonly program: string;
  readonly events: readonly string[];
  /** How long the agent waits for us. */
  readonly timeoutMs: number;
}

/** The event for each moment, by the first name the agent has for it; events for one kind of tool are part of another. */
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

/** The settings of an agent that make it ask us. */
export const installation = (dialect: Dialect, { program, events, timeoutMs }: InstallOptions): JsonObject => {
  const { writes, name } = dialect;
  const entries = events.map((event): readonly [string, JsonObject[]] => {
    const handler: JsonObject = {
      ...(writes.type === true ? { type: 'command' } : {}),
      [writes.line]: `${program} run ${event} --as-hook --agent ${name}`,
      [writes.timeout.key]: Math.ceil(timeoutMs / writes.timeout.ms),
    };
    return [event, [isGrouped(dialect, event) ? { hooks: [handler] } : handler]];
  });
  const below = writes.name === undefined ? 'hooks' : 'hookwright';
  return { ...writes.root, [below]: Object.fromEntries(entries) };
};

/** Whether a handler starts us, under whatever key its line stands. */
export const startsUs = (handler: Readonly<JsonObject>): boolean =>
  Object.values(handler).some((value) => typeof value === 'string' && isOwnLine(value));
