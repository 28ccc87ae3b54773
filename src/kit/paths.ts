// Paths into values, as text and as keys.
/** Extends a path by a key or an index: `payload.tool_input`, `rows[0].output`. */
export const pathTo = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

/** Formats keys and indexes as a path: `tests[0].expect.verdict`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => pathTo(text, typeof part === 'symbol' ? String(part) : part), '');

/** The value at a path; `undefined` if the path does not exist. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), value);

/** Owner and mode of a file: a part of Node's `Stats`, so that declarations need no types of Node. */
export interface FileOwnership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}
