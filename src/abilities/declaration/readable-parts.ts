// The readable parts of a declaration that cannot be used.
import type * as z from 'zod/mini';
import { isRecord, once } from '../../kit/index.ts';
import { type AbilityMatch, type AbilityOnFault, abilityHookSchema, onFaultWords } from '../../protocol/index.ts';
import { declaredMatch } from './declared-hook.ts';

export interface ReadableParts {
  readonly id?: string | undefined;
  readonly eventType?: string | undefined;
  readonly enabled?: boolean | undefined;
  readonly blocking?: boolean | undefined;
  readonly onFault?: AbilityOnFault | undefined;
  /** Absent if it cannot be read; an empty match fits everything. */
  readonly match?: AbilityMatch | undefined;
}

const parts = once(() => {
  const { id, event_type, enabled, blocking, on_fault, match } = abilityHookSchema().shape;
  return { id, eventType: event_type, enabled, blocking, onFault: on_fault, match };
});

const read = <T>(schema: z.ZodMiniType<T>, value: unknown): T | undefined => {
  const found = schema.safeParse(value);
  return found.success ? found.data : undefined;
};

const matchIn = (value: Record<string, unknown>): AbilityMatch | undefined => {
  if (!('match' in value)) return {};
  const match = read(parts().match, value.match);
  return match === undefined ? undefined : declaredMatch(match);
};

export const readablePartsOf = (value: unknown): ReadableParts => {
  if (!isRecord(value)) return {};
  const onFault = read(parts().onFault, value.on_fault ?? value.onFault);
  return {
    id: read(parts().id, value.id),
    eventType: read(parts().eventType, value.event_type),
    enabled: read(parts().enabled, value.enabled),
    blocking: read(parts().blocking, value.blocking),
    onFault: onFault === undefined ? undefined : onFaultWords[onFault],
    match: matchIn(value),
  };
};

const LINE = /^(id|event_type|enabled|blocking|on_fault|onFault)[ \t]*:[ \t]+["']?([\w.-]+)["']?[ \t]*(?:#.*)?$/gm;

const scalar = (text: string): boolean | string => (text === 'true' || text === 'false' ? text === 'true' : text);

/**
 * The unambiguous lines of a text that is not YAML: a key at the left margin with one word, and no other line with that
 * key. The match block stays unknown.
 */
export const readablePartsOfText = (text: string): ReadableParts => {
  const found = new Map<string, Set<string>>();
  for (const [, key = '', word = ''] of text.matchAll(LINE)) {
    found.set(key, (found.get(key) ?? new Set()).add(word));
  }
  const certain = [...found].flatMap(([key, [only = '', ...others]]) =>
    others.length === 0 ? [[key, scalar(only)] as const] : [],
  );
  return { ...readablePartsOf(Object.fromEntries(certain)), match: undefined };
};
