// Reads what is valid in a declaration that has mistakes elsewhere, so that its guard can still refuse calls.
import type * as z from 'zod/mini';
import { isRecord } from '../../kit/index.ts';
import { type AbilityMatch, type AbilityOnFault, abilityHookSchema, onFaultByWord } from '../../protocol/index.ts';
import { toAbilityMatch } from './declared-hook.ts';

export interface ReadableParts {
  readonly id?: string | undefined;
  readonly eventType?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly blocking?: boolean | undefined;
  readonly onFault?: AbilityOnFault | undefined;
  /** Absent if unreadable; an empty match would fit every call. */
  readonly match?: AbilityMatch | undefined;
}

const readPart = <T>(schema: z.ZodMiniType<T>, value: unknown): T | undefined => {
  const found = schema.safeParse(value);
  return found.success ? found.data : undefined;
};

export const readParts = (value: unknown): ReadableParts => {
  if (!isRecord(value)) return {};
  const { shape } = abilityHookSchema();
  const onFault = readPart(shape.on_fault, value.on_fault ?? value.onFault);
  const match = 'match' in value ? readPart(shape.match, value.match) : {};
  return {
    id: readPart(shape.id, value.id),
    eventType: readPart(shape.event_type, value.event_type),
    enabled: readPart(shape.enabled, value.enabled),
    blocking: readPart(shape.blocking, value.blocking),
    onFault: onFault && onFaultByWord[onFault],
    match: match && toAbilityMatch(match),
  };
};

const PLAIN_LINE_PATTERN =
  /^(id|event_type|enabled|blocking|on_fault|onFault)[ \t]*:[ \t]+["']?([\w.-]+)["']?[ \t]*(?:#.*)?$/gm;

const toScalar = (text: string): boolean | string => (text === 'true' || text === 'false' ? text === 'true' : text);

/** Reads lines with one word after a key at the left margin, if no other line has the key. Skips the match block. */
export const readPartsOfText = (text: string): ReadableParts => {
  const found = new Map<string, Set<string>>();
  for (const [, key = '', word = ''] of text.matchAll(PLAIN_LINE_PATTERN)) {
    found.set(key, (found.get(key) ?? new Set()).add(word));
  }
  const certain = [...found].flatMap(([key, [only = '', ...others]]) =>
    others.length === 0 ? [[key, toScalar(only)] as const] : [],
  );
  return { ...readParts(Object.fromEntries(certain)), match: undefined };
};
