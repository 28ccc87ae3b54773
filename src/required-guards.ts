import { HookwrightError, invalidArgument } from './errors.ts';
import type { HookSystem } from './hook-system.ts';
import { describeValue } from './kit/index.ts';
import { type HookRow, type HostConfig, skipReasons } from './protocol/index.ts';

/**
 * Refuses an engine without the guards that its host, the user or the system require.
 *
 * @throws HookwrightError `invalid_config` with the notice `required-guard-missing`.
 */
export const expectRequired = async (system: HookSystem, names: readonly string[]): Promise<void> => {
  const missing = await missingGuards(system, names);
  if (missing.length === 0) return;
  const details = { notice: 'required-guard-missing', required: names };
  throw new HookwrightError('invalid_config', missing.join('; '), { details });
};

/** Why required guards would not guard, one line for each. Canaries are run if a required guard has one. */
export const missingGuards = async (system: HookSystem, names: readonly string[]): Promise<readonly string[]> => {
  if (names.length === 0) return [];
  const rows = await system.explain();
  const own = new Map(names.map((name) => [name, rows.filter((row) => row.name === name)]));
  const ids = new Set([...own.values()].flat().map(({ hookId }) => hookId));
  const hasCanary = system
    .getRegistry()
    .getConfiguredHooks()
    .some((hook) => ids.has(hook.hookId) && hook.config?.canary !== undefined);
  const failures = hasCanary ? await system.checkCanaries() : [];
  const dead = new Map(failures.map(({ hookId, message }) => [hookId, message]));
  return [...own].flatMap(([name, found]) => {
    if (found.some((row) => row.planned === 'run' && !dead.has(row.hookId))) return [];
    const [first] = found;
    const why = first === undefined ? 'no hook has this name' : (dead.get(first.hookId) ?? reasonOf(first));
    return [`Required guard ${JSON.stringify(name)} is missing: ${why}`];
  });
};

const reasonOf = ({ reason, hint }: HookRow): string =>
  hint ?? (reason === undefined ? 'it would not run' : skipReasons[reason]);

/** The names in code and in the settings of the user and the system. */
export const requiredBy = (config: HostConfig, given: readonly string[] = []): readonly string[] => {
  const isNames = Array.isArray(given) && given.every((name) => typeof name === 'string' && name !== '');
  if (!isNames)
    throw invalidArgument(`createHooks needs require as a list of names of hooks; got ${describeValue(given)}`);
  return [...new Set([...(config.getRequired?.() ?? []), ...given])];
};
