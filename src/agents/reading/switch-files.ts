import type { JsonObject, Scope } from '../rules.ts';

/** A file that was read, as far as it switches hooks on or off. */
export interface SwitchSource {
  readonly path: string;
  readonly scope: Scope;
  readonly form: string;
  readonly root: JsonObject;
}

/** Why the hooks of a file do not run, judged by all files together. */
export type WhyOff = (file: SwitchSource) => string | undefined;

export interface SwitchValue<T> {
  readonly value: T;
  readonly path: string;
}

/** What the first file says that says anything. */
export const firstSaying = <T>(
  files: readonly SwitchSource[],
  read: (root: JsonObject) => T | undefined,
): SwitchValue<T> | undefined => {
  for (const { root, path } of files) {
    const value = read(root);
    if (value !== undefined) return { value, path };
  }
  return undefined;
};

export const flagOf = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

/** `disableAllHooks` of the strongest file that has it, for those that are given from strong to weak. */
export const disabledBy = (files: readonly SwitchSource[]): string | undefined => {
  const said = firstSaying(files, ({ disableAllHooks }) => flagOf(disableAllHooks));
  return said?.value === true ? `disableAllHooks in ${said.path}` : undefined;
};
