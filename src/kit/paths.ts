// Paths to members of a value, such as `tests[0].expect.verdict`.
export const appendToPath = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

export const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => appendToPath(text, typeof part === 'symbol' ? String(part) : part), '');

/** Reads only own members, because a path such as `constructor` may come from a file. */
export const readAtPath = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
    value,
  );

/** Repeats a part of Node's `Stats`, because the published type declarations must not need `@types/node`. */
export interface FileOwnership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}
