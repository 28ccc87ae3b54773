import { isAtLeast } from '../agent-version.ts';
import type { Dialect } from '../dialect.ts';

/** Every version up to one at which something is known to have changed, oldest first. */
export const knownVersions = (dialect: Dialect, upTo: string): string[] => {
  const named = [
    ...dialect.versions.map(({ version }) => version),
    ...Object.values(dialect.events(dialect.latest)).flatMap(({ since }) => since ?? []),
  ];
  return [...new Set(named)]
    .filter((version) => isAtLeast(upTo, version))
    .sort((one, other) => (one === other ? 0 : isAtLeast(one, other) ? 1 : -1));
};

/** Since which version something is as it is now; nothing where it was never otherwise. */
export const sinceWhen = (
  versions: readonly string[],
  then: (version: string) => string | undefined,
  now: string,
): string | undefined => {
  const lastOther = versions.findLastIndex((version) => then(version) !== now);
  return lastOther === -1 ? undefined : versions[lastOther + 1];
};
