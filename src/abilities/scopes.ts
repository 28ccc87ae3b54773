import { abilityCatalogue, isAbilityEventType } from '../events/index.ts';
import { suggestion } from '../kit/index.ts';
import { whyNeverMatches } from '../planner/index.ts';
import { type AbilityHook, type ConfigProblem, ConfigSource } from '../protocol/index.ts';
import { type Ability, namesOf } from './tools/ability.ts';

/** A glob may wait for abilities that are yet to come; a name that no ability has is a slip. */
const isName = (glob: string): boolean => /^[\w.:/-]+$/.test(glob);

/**
 * Names in scopes that no ability has: their hooks are never asked. Reported where abilities are known, and only of switched
 * on hooks; a glob that can match no ability at all is a problem of its file already.
 */
export const unknownScopes = (hooks: readonly AbilityHook[], abilities: readonly Ability[]): ConfigProblem[] => {
  const known = abilities.map(namesOf).flatMap(({ ability_id, operations = [] }) => [ability_id, ...operations]);
  if (known.length === 0) return [];
  return hooks.flatMap(({ id, eventType, enabled, match: { abilityScope = [] }, file, line }) => {
    const isCompared = isAbilityEventType(eventType) && abilityCatalogue[eventType].match.ability !== undefined;
    if (!enabled || !isCompared) return [];
    const globs = abilityScope.filter((glob) => isName(glob) && whyNeverMatches(glob, 'ids') === undefined);
    return globs
      .filter((name) => !known.includes(name))
      .map((glob): ConfigProblem => {
        const near = suggestion(glob, known);
        const message = `no ability here is matched by ${JSON.stringify(glob)} of match.ability_scope of "${id}"${near}`;
        const place = { path: 'match.ability_scope', source: ConfigSource.Project, file, line, column: 1 };
        return { code: 'no-effect', severity: 'warning', skipped: false, message, ...place };
      });
  });
};
