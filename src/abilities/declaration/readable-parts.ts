// The readable parts of a declaration that cannot be used.
import type * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';
import { type AbilityMatch, type AbilityOnFault, abilityHookSchema, onFaultWords } from '../../protocol/index.ts';
import { toAbilityMatch } from './declared-hook.ts';

export interface ReadableParts {
  readonly id?: string | undefined;
  readonly eventType?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly blocking?: boolean | undefined;
  readonly onFault?: AbilityOnFault | undefined;
  /** Absent if it cannot be read; an empty match fits everything. */
  readonly match?: AbilityMatch | undefined;
}

const partSchemas = once(() => {
  const { id, event_type, enabled, blocking, on_fault, match } = abilityHookSchema().shape;
  return { id, eventType: event_type, enabled, blocking, onFault: on_fault, match };
});

const readPart = <T>(schema: z.ZodMiniType<T>, value: unknown): T | undefined => {
  const found = schema.safeParse(value);
  return found.success ? found.data : undefined;
};

const readMatch = (value: Record<string, unknown>): AbilityMatch | undefined => {
  if (!('match' in value)) return {};
  const match = readPart(partSchemas().match, value.match);
  return match === undefined ? undefined : toAbilityMatch(match);
};

export const readParts = (value: unknown): ReadableParts => {
  if (!isRecord(value)) return {};
  const onFault = readPart(partSchemas().onFault, value.on_fault ?? value.onFault);
  return {
    id: readPart(partSchemas().id, value.id),
    eventType: readPart(partSchemas().eventType, value.event_type),
    enabled: readPart(partSchemas().enabled, value.enabled),
    blocking: readPart(partSchemas().blocking, value.blocking),
    onFault: onFault === undefined ? undefined : onFaultWords[onFault],
    match: readMatch(value),
  };
};

const PLAIN_LINE =
  /^(id|event_type|enabled|blocking|on_fault|onFault)[ \t]*:[ \t]+["']?([\w.-]+)["']?[ \t]*(?:#.*)?$/gm;

const toScalar = (text: string): boolean | string => (text === 'true' || text === 'false' ? text === 'true' : text);

/**
 * Reads lines with one word after a key at the left margin, if no other line has that key. The match block stays
 * unknown.
 */
export const readPartsOfText = (text: string): ReadableParts => {
  const found = new Map<string, Set<string>>();
  for (const [, key = '', word = ''] of text.matchAll(PLAIN_LINE)) {
    found.set(key, (found.get(key) ?? new Set()).add(word));
  }
  const certain = [...found].flatMap(([key, [only = '', ...others]]) =>
    others.length === 0 ? [[key, toScalar(only)] as const] : [],
  );
  return { ...readParts(Object.fromEntries(certain)), match: undefined };
};
