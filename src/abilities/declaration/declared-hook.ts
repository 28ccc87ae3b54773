// Converts a valid declaration into a hook.
import { mayHooksRefuse } from '../../events/index.ts';
import {
  type AbilityDeclaration,
  type AbilityHook,
  type AbilityMatch,
  ConfigSource,
  onFaultWords,
  toLaunchFields,
  withOrigin,
} from '../../protocol/index.ts';

const toList = (globs: string | readonly string[]): readonly string[] => (typeof globs === 'string' ? [globs] : globs);

export const toAbilityMatch = ({
  ability_scope,
  min_duration_ms,
  only_if_changed_paths,
}: NonNullable<AbilityDeclaration['match']>): AbilityMatch => ({
  ...(ability_scope === undefined ? {} : { abilityScope: toList(ability_scope) }),
  ...(min_duration_ms === undefined ? {} : { minDurationMs: min_duration_ms }),
  ...(only_if_changed_paths === undefined ? {} : { onlyIfChangedPaths: toList(only_if_changed_paths) }),
});

export const isGuard = ({ event_type, on_fault }: Pick<AbilityDeclaration, 'event_type' | 'on_fault'>): boolean =>
  on_fault !== undefined && onFaultWords[on_fault] === 'fail' && mayHooksRefuse(event_type);

export const toAbilityHook = (
  { id, event_type, enabled, blocking, summary, match = {}, handler, on_fault, effects = [] }: AbilityDeclaration,
  file: string,
  line: number,
): AbilityHook => {
  const config = { name: id, ...toLaunchFields(handler) };
  return {
    id,
    eventType: event_type,
    enabled,
    blocking: blocking || isGuard({ event_type, on_fault }),
    ...(summary === undefined ? {} : { summary }),
    match: toAbilityMatch(match),
    effects,
    ...(on_fault === undefined ? {} : { onFault: onFaultWords[on_fault] }),
    config: withOrigin(config, { source: ConfigSource.Project, position: { file, line, column: 1 } }),
    file,
    line,
  };
};
