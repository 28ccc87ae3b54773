/** `payload.tool_input`, `rows[0].output`: where in a value something is. */
export const pathTo = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

/** `tests[0].expect.verdict`: the keys and indexes that lead to a value, as people write them. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => pathTo(text, typeof part === 'symbol' ? String(part) : part), '');

/** What stands at the end of a path; nothing where the path leads nowhere. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), value);

/** Whose a file is and who may write it: what Node's `Stats` has of that, so that declarations need no types of Node. */
export interface FileOwnership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}
