import type { MatchSubjects } from '../events/index.ts';
import type { AbilityMatch } from '../protocol/index.ts';
import { compileGlobs, type Globs } from './globs.ts';
import type { Match } from './matcher.ts';

/** Whether a hook is active in a context. What an event cannot tell plays no part. */
export type Activation<Context> = (context: Context) => Match;

const always = (): boolean => true;

/** Every key has to hold; a glob that ran out of time decides only where nothing else says no. */
const all = <Context>(parts: readonly Activation<Context>[]): Activation<Context> => {
  const [only] = parts;
  if (only === undefined) return always;
  if (parts.length === 1) return only;
  return (context) => {
    let match: Match = true;
    for (const part of parts) {
      const one = part(context);
      if (one === false) return false;
      if (one === 'timeout') match = one;
    }
    return match;
  };
};

/** A match block, read once for one event. */
export interface CompiledMatch<Context> {
  /** The part that depends on the ability alone. */
  readonly inScope: Globs;
  readonly isActive: Activation<Context>;
}

export const compileMatch = <Context>(
  { abilityScope, minDurationMs, onlyIfChangedPaths }: AbilityMatch,
  { ability, durationMs, changedPaths }: MatchSubjects<Context>,
): CompiledMatch<Context> => {
  const inScope = abilityScope === undefined ? always : compileGlobs(abilityScope, 'ids');
  const parts: Activation<Context>[] = [];
  if (minDurationMs !== undefined && minDurationMs > 0 && durationMs !== undefined) {
    // A call nobody timed cannot be said to be slow.
    parts.push((context) => (durationMs(context) ?? 0) >= minDurationMs);
  }
  if (abilityScope !== undefined && ability !== undefined) parts.push((context) => inScope(ability(context)));
  if (onlyIfChangedPaths !== undefined && changedPaths !== undefined) {
    const globs = compileGlobs(onlyIfChangedPaths, 'paths');
    parts.push((context) => globs(changedPaths(context)));
  }
  return { inScope, isActive: all(parts) };
};

const names = {
  abilityScope: 'ability_scope',
  minDurationMs: 'min_duration_ms',
  onlyIfChangedPaths: 'only_if_changed_paths',
} as const;

const subjects = { abilityScope: 'ability', minDurationMs: 'durationMs', onlyIfChangedPaths: 'changedPaths' } as const;

const matchKeys = ['abilityScope', 'minDurationMs', 'onlyIfChangedPaths'] as const;

/** Keys of a match block that its event has nothing to compare with. */
export const ignoredKeys = (match: AbilityMatch, known: MatchSubjects<never>): string[] =>
  matchKeys.filter((key) => match[key] !== undefined && known[subjects[key]] === undefined).map((key) => names[key]);

/** A match block in one line, as the listing shows it; what matches everything is said in words. */
export const matchSummary = (
  { abilityScope, minDurationMs, onlyIfChangedPaths }: AbilityMatch,
  everything: string,
): string => {
  const parts = [
    ...(abilityScope === undefined ? [] : [`ability=${abilityScope.includes('*') ? '*' : abilityScope.join(',')}`]),
    ...(minDurationMs === undefined || minDurationMs === 0 ? [] : [`duration>=${minDurationMs}ms`]),
    ...(onlyIfChangedPaths === undefined ? [] : [`paths=${onlyIfChangedPaths.join(',')}`]),
  ];
  return parts.length === 0 ? everything : parts.join(' ');
};

const isText = (value: unknown): boolean => typeof value === 'string';

/** What of a context is compared: the names of its ability, where the event has one. */
interface Compared {
  readonly names: readonly string[] | undefined;
}

const noNames: Compared = { names: undefined };

/** Contexts are checked before hooks run, but after it is known that some do: nothing where one cannot be compared. */
export const comparedIn = <Context>(
  { ability, changedPaths }: MatchSubjects<Context>,
  context: Context,
): Compared | undefined => {
  try {
    if (changedPaths?.(context).every(isText) === false) return undefined;
    if (ability === undefined) return noNames;
    const names = ability(context);
    return names.every(isText) ? { names } : undefined;
  } catch {
    return undefined;
  }
};
