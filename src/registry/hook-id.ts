// Creates ids of hooks, which stay the same while a hook's source, event and name (or content) do.
import { attempt } from '../kit/index.ts';
import type { ConfigSource, HookConfig } from '../protocol/index.ts';
import type { ConfiguredHook } from './configured-hook.ts';

/** FNV-1a, 32 bits: enough for the entries of one event. */
const hashText = (text: string): string => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
};

const sortKeys = (_key: string, value: unknown): unknown => {
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
};

const toSortedJson = (entry: unknown): string =>
  attempt(() => JSON.stringify(entry, sortKeys) ?? typeof entry) ?? 'unreadable';

export const toComparableText = ({ config, matcher, sequential }: ConfiguredHook): string =>
  toSortedJson({ config, matcher, sequential });

export const createPlainId = (
  { source, extension, eventName }: { source: ConfigSource; extension?: string | undefined; eventName: string },
  entry: unknown,
  hook?: HookConfig,
): string => {
  const origin = extension === undefined ? source : `${source}:${extension}`;
  return `${origin}/${eventName}/${hook?.name ?? hashText(toSortedJson(entry))}`;
};

export class HookIds {
  readonly #given = new Set<string>();
  readonly #asked = new Map<string, number>();

  idFor(...hook: Parameters<typeof createPlainId>): string {
    return this.unique(createPlainId(...hook));
  }

  unique(plain: string): string {
    let count = this.#asked.get(plain) ?? 0;
    let id: string;
    do {
      count += 1;
      id = count === 1 ? plain : `${plain}~${count}`;
    } while (this.#given.has(id));
    this.#asked.set(plain, count);
    this.#given.add(id);
    return id;
  }

  reserve(hookId: string): void {
    this.#given.add(hookId);
  }
}
