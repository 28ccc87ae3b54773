// Converts a valid declaration into a hook.
import { mayRefuse } from '../../events/index.ts';
import {
  type AbilityDeclaration,
  type AbilityHook,
  type AbilityMatch,
  ConfigSource,
  launchOf,
  onFaultWords,
  withOrigin,
} from '../../protocol/index.ts';

const listOf = (globs: string | readonly string[]): readonly string[] => (typeof globs === 'string' ? [globs] : globs);

export const declaredMatch = ({
  ability_scope,
  min_duration_ms,
  only_if_changed_paths,
}: NonNullable<AbilityDeclaration['match']>): AbilityMatch => ({
  ...(ability_scope === undefined ? {} : { abilityScope: listOf(ability_scope) }),
  ...(min_duration_ms === undefined ? {} : { minDurationMs: min_duration_ms }),
  ...(only_if_changed_paths === undefined ? {} : { onlyIfChangedPaths: listOf(only_if_changed_paths) }),
});

/** A guard is always blocking, whatever its declaration says. */
export const isGuard = ({ event_type, on_fault }: Pick<AbilityDeclaration, 'event_type' | 'on_fault'>): boolean =>
  on_fault !== undefined && onFaultWords[on_fault] === 'fail' && mayRefuse(event_type);

export const declaredHook = (
  { id, event_type, enabled, blocking, summary, match = {}, handler, on_fault, effects = [] }: AbilityDeclaration,
  file: string,
  line: number,
): AbilityHook => {
  const config = { name: id, ...launchOf(handler) };
  return {
    id,
    eventType: event_type,
    enabled,
    blocking: blocking || isGuard({ event_type, on_fault }),
    ...(summary === undefined ? {} : { summary }),
    match: declaredMatch(match),
    effects,
    ...(on_fault === undefined ? {} : { onFault: onFaultWords[on_fault] }),
    config: withOrigin(config, { source: ConfigSource.Project, position: { file, line, column: 1 } }),
    file,
    line,
  };
};
