/** Refuses to start without the guards that the host, the user or the system require. */
import { createInvalidArgument, HookwrightError } from './errors.ts';
import type { HookSystem } from './hook-system.ts';
import { describeValue } from './kit/index.ts';
import type { HostConfig, RowSource } from './protocol/index.ts';
import { formatMissingGuard } from './registry/index.ts';

/** @throws HookwrightError `invalid_config` with the notice `required-guard-missing`. */
export const expectRequiredGuards = async (system: HookSystem, names: readonly string[]): Promise<void> => {
  const missing = await describeMissingGuards(system, names);
  if (missing.length === 0) return;
  const details = { notice: 'required-guard-missing', required: names };
  throw new HookwrightError('invalid_config', missing.join('; '), { details });
};

/** Describes each required guard that would not work. Tests them with canaries, which are calls that they must deny. */
export const describeMissingGuards = async (
  system: HookSystem,
  names: readonly string[],
  check = () => system.checkCanaries(),
): Promise<readonly string[]> => {
  if (names.length === 0) return [];
  await system.initialize();
  const registry = system.getRegistry();
  const missing = registry.getMissing(names);
  const required = registry.getConfiguredHooks().filter(({ name }) => names.includes(name));
  const failures = required.some(({ config }) => config?.canary !== undefined) ? await check() : [];
  const dead = new Map(failures.map(({ hookId, message }) => [hookId, message]));
  const lifeless = names.flatMap((name) => {
    const able = required.filter((hook) => hook.name === name && hook.skipReasons.length === 0);
    const [first] = able;
    const why = first === undefined ? undefined : dead.get(first.hookId);
    return why === undefined || !able.every(({ hookId }) => dead.has(hookId)) ? [] : [{ name, why }];
  });
  return [
    ...missing.map(
      (gap) => `${formatMissingGuard(gap)}${gap.source === undefined ? '' : formatRequiredIn(gap.source)}`,
    ),
    ...lifeless.map(formatMissingGuard),
  ];
};

const formatRequiredIn = ({ file, line }: RowSource): string => ` (required in ${file}:${line})`;

export const listRequiredGuards = (config: HostConfig, given: readonly string[] = []): readonly string[] => {
  const isNames = Array.isArray(given) && given.every((name) => typeof name === 'string' && name !== '');
  if (!isNames)
    throw createInvalidArgument(`createHooks needs require as a list of names of hooks; got ${describeValue(given)}`);
  return [...new Set([...(config.getRequired?.() ?? []), ...given])];
};
