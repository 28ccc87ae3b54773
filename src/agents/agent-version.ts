// Compares versions of agents, and selects the members and rules of a version.
import type { AgentRules } from './rules.ts';

const parseVersion = (version: string): number[] => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);

/** Negative if `one` is older. Parts are numbers: 2.1.9 is older than 2.1.85. */
const compareVersions = (one: string, other: string): number => {
  const [left, right] = [parseVersion(one), parseVersion(other)];
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

export const isAtLeast = (version: string, since: string): boolean => compareVersions(version, since) >= 0;

export const pickMembersOfVersion = (
  version: string,
  since: Readonly<Record<string, string>>,
  members: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([key]) => isAtLeast(version, since[key] ?? '0')));

/** Versions in which a rule changed, oldest first. */
export const listKnownVersions = (dialect: AgentRules, upTo: string): string[] => {
  const named = [
    ...dialect.versions.map(({ version }) => version),
    ...Object.values(dialect.events(dialect.latest)).flatMap(({ since }) => since ?? []),
  ];
  return [...new Set(named)].filter((version) => isAtLeast(upTo, version)).sort(compareVersions);
};

export const findFirstVersionWith = (
  versions: readonly string[],
  then: (version: string) => string | undefined,
  now: string,
): string | undefined => {
  const lastOther = versions.findLastIndex((version) => then(version) !== now);
  return lastOther === -1 ? undefined : versions[lastOther + 1];
};
