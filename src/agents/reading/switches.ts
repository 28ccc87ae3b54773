// Switches in an agent's settings files that disable hooks of these or other files.
import { escapeRegex, isRecord } from '../../kit/index.ts';
import type { JsonObject, Scope } from '../rule-types.ts';
import type { DialectEntry } from './entry.ts';

export interface SwitchSource {
  readonly path: string;
  readonly scope: Scope;
  readonly form: string;
  readonly root: JsonObject;
}

/** Returns why the hooks of the file do not run, by the switches of all files of the agent. */
export type OffReasonReader = (file: SwitchSource) => string | undefined;

export const findSwitchValue = <T>(
  files: readonly SwitchSource[],
  read: (root: JsonObject) => T | undefined,
): { readonly value: T; readonly path: string } | undefined => {
  for (const { root, path } of files) {
    const value = read(root);
    if (value !== undefined) return { value, path };
  }
  return undefined;
};

const readBoolean = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/** Names the switch and its file if the first of `files` that has the switch sets it to `value`. */
export const findSwitchSetTo = (
  value: boolean,
  name: string,
  files: readonly SwitchSource[],
  read: (root: JsonObject) => unknown,
): string | undefined => {
  const found = findSwitchValue(files, (root) => readBoolean(read(root)));
  return found?.value === value ? `${name} in ${found.path}` : undefined;
};

export const findDisableAllHooks = (files: readonly SwitchSource[]): string | undefined =>
  findSwitchSetTo(true, 'disableAllHooks', files, ({ disableAllHooks }) => disableAllHooks);

const readTexts = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;

export const combineLists = (
  files: readonly SwitchSource[],
  read: (root: SwitchSource['root']) => unknown,
): { readonly items: readonly string[]; readonly path: string } | undefined => {
  const found = files.flatMap(({ root, path }) => {
    const items = readTexts(read(root));
    return items === undefined ? [] : [{ items, path }];
  });
  const [first] = found;
  return first === undefined ? undefined : { items: found.flatMap(({ items }) => items), path: first.path };
};

const isListed = (url: string, items: readonly string[]): boolean =>
  items.some((item) => new RegExp(`^${item.split('*').map(escapeRegex).join('.*')}$`, 'i').test(url));

export const disableUnlistedUrls =
  (key: string, list: ReturnType<typeof combineLists>) =>
  (entry: DialectEntry): DialectEntry => {
    const { handler } = entry;
    if (list === undefined || handler?.url === undefined || isListed(handler.url, list.items)) return entry;
    return { ...entry, off: `${key} in ${list.path}, which does not have ${handler.url}` };
  };

export const disableListedHooks = (files: readonly SwitchSource[]) => {
  const lists = files.map(({ root: { hooks, hooksConfig }, path }) => {
    const of = (value: unknown): string[] => (isRecord(value) ? (readTexts(value.disabled) ?? []) : []);
    return { path, names: [...of(hooksConfig), ...of(hooks)] };
  });
  return (entry: DialectEntry): DialectEntry => {
    const { name, command } = entry.handler ?? {};
    const found = lists.find(({ names }) => names.includes(name ?? command ?? ''));
    return found === undefined ? entry : { ...entry, off: `hooksConfig.disabled in ${found.path}` };
  };
};
