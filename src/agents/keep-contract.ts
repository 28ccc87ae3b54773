import { dirname } from 'node:path';
import { isOwnLine } from '../registry/index.ts';
import { momentOf } from './agent-moments.ts';
import type { Conversion, Loss } from './convert.ts';
import type { Dialect, EventRule, JsonObject } from './dialect.ts';
import type { Handler } from './reading/handler.ts';
import type { DialectEntry } from './reading/read-file.ts';

const withoutUndefined = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The event that an entry without `agentEvent` is for. */
const usualEvent = (dialect: Dialect, version: string, moment: string): string | undefined =>
  Object.entries(dialect.events(version)).find(([, rule]) => rule.moment === moment && rule.kinds === undefined)?.[0];

/** The directory of its settings file, where its agent starts hooks there: ours is another one. */
const cwdOf = (dialect: Dialect, { scope, file }: DialectEntry, { cwd }: Handler): string | undefined =>
  cwd ?? (dialect.process.cwd === 'settings' && scope !== 'project' ? dirname(file) : undefined);

interface Kept {
  readonly dialect: Dialect;
  readonly version: string | undefined;
}

/** A handler of an agent as an entry of ours that names the agent. */
const entryFor = (
  entry: DialectEntry,
  handler: Handler,
  rule: EventRule,
  moment: string,
  { dialect, version }: Kept,
) => {
  const { failClosed, isAsync, condition, loopLimit, contextTokens: _lost, timeoutMs, ...members } = handler;
  const isUsual = usualEvent(dialect, version ?? dialect.latest, moment) === entry.event;
  return withoutUndefined({
    ...members,
    cwd: cwdOf(dialect, entry, handler),
    timeout: timeoutMs,
    onFault: failClosed === true && rule.blocks ? 'deny' : undefined,
    if: condition,
    background: isAsync === true ? true : undefined,
    maxStops: loopLimit,
    agent: dialect.name,
    agentVersion: version,
    agentEvent: isUsual ? undefined : entry.event,
  });
};

/**
 * Writes hooks of an agent into settings of ours as hooks that stay those of that agent: their scripts read, find and are
 * understood as before.
 */
export const keepContract = (
  entries: readonly DialectEntry[],
  dialect: Dialect,
  version: string | undefined,
): Conversion => {
  const events: Record<string, JsonObject[]> = {};
  const losses: Loss[] = [];
  let count = 0;
  for (const entry of entries) {
    const { file, line, path, handler, rule, refusal, event, matcher, sequential } = entry;
    const lose = (kind: Loss['kind'], message: string): number => losses.push({ file, line, path, kind, message });
    if (handler === undefined || rule === undefined) {
      lose('left-out', refusal?.message ?? `"${event}" is not an event`);
      continue;
    }
    // The line that made the agent start hookwright is of no use inside hookwright.
    if (isOwnLine(handler.command)) continue;
    const own = momentOf(rule);
    if (own === undefined) {
      lose('left-out', `hookwright has no event like ${event}`);
      continue;
    }
    if (handler.contextTokens !== undefined)
      lose('changed', 'the limit on the length of its context is not kept: the model gets all of it');
    const group = withoutUndefined({ matcher, sequential: sequential ? true : undefined });
    for (const moment of [own, ...(rule.alsoAt === undefined ? [] : [rule.alsoAt])]) {
      const written = entryFor(entry, handler, rule, moment, { dialect, version });
      events[moment] = [...(events[moment] ?? []), { ...group, hooks: [written] }];
    }
    count += 1;
  }
  return { settings: { hooks: events }, count, losses };
};
