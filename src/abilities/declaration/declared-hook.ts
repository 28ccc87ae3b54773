// Converts a valid declaration into a hook.
import { mayHooksRefuse } from '../../events/index.ts';
import { omitUndefined } from '../../kit/index.ts';
import {
  type AbilityDeclaration,
  type AbilityHook,
  type AbilityMatch,
  ConfigSource,
  onFaultByWord,
  toLaunchFields,
  withOrigin,
} from '../../protocol/index.ts';

const toGlobList = (globs: string | readonly string[] | undefined): readonly string[] | undefined =>
  typeof globs === 'string' ? [globs] : globs;

export const toAbilityMatch = (match: NonNullable<AbilityDeclaration['match']>): AbilityMatch =>
  omitUndefined({
    abilityScope: toGlobList(match.ability_scope),
    minDurationMs: match.min_duration_ms,
    onlyIfChangedPaths: toGlobList(match.only_if_changed_paths),
  });

export const isGuard = ({ event_type, on_fault }: Pick<AbilityDeclaration, 'event_type' | 'on_fault'>): boolean =>
  on_fault !== undefined && onFaultByWord[on_fault] === 'fail' && mayHooksRefuse(event_type);

export const toAbilityHook = (
  { id, event_type, enabled, blocking, summary, match = {}, handler, on_fault, effects = [] }: AbilityDeclaration,
  file: string,
  line: number,
): AbilityHook => {
  const config = { name: id, ...toLaunchFields(handler) };
  return omitUndefined({
    id,
    eventType: event_type,
    enabled,
    blocking: blocking || isGuard({ event_type, on_fault }),
    summary,
    match: toAbilityMatch(match),
    effects,
    onFault: on_fault && onFaultByWord[on_fault],
    config: withOrigin(config, { source: ConfigSource.Project, position: { file, line, column: 1 } }),
    file,
    line,
  });
};
