/** Reads and writes generation settings, such as the temperature, by a table of keys. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { LLMRequest } from '../../protocol/index.ts';
import { isFiniteNumber, isSameJson, isStringList } from '../json-values.ts';

type Settings = NonNullable<LLMRequest['config']>;
/**
 * A generation setting that hooks know as `name`. An SDK that renamed a setting has several `keys`: the first is
 * written.
 */
export interface SettingFact {
  readonly name: string;
  readonly keys: readonly [string, ...string[]];
  readonly isList?: boolean;
  /** The API refuses requests without the setting, so a hook cannot remove it. */
  readonly required?: boolean;
}

export const createNumberSetting = (name: string, ...keys: [string, ...string[]]): SettingFact => ({ name, keys });

export const createListSetting = (name: string, ...keys: [string, ...string[]]): SettingFact => ({
  name,
  keys,
  isList: true,
});

const findSettingKey = (request: Members, { keys }: SettingFact): string =>
  keys.find((key) => request[key] != null) ?? keys[0];

const readSettingValue = (value: unknown, { isList }: SettingFact): unknown => {
  if (isList !== true) return isFiniteNumber(value) ? value : undefined;
  if (typeof value === 'string') return [value];
  return isStringList(value) ? [...value] : undefined;
};

export const readSettings = (request: Members, facts: readonly SettingFact[]): Settings => {
  const read: Settings = {};
  for (const fact of facts) {
    const value = readSettingValue(request[findSettingKey(request, fact)], fact);
    if (value !== undefined) read[fact.name] = value;
  }
  return read;
};

export const findSettingChanges = (
  request: Members,
  facts: readonly SettingFact[],
  wanted: unknown,
): Record<string, unknown> => {
  const changes: Record<string, unknown> = {};
  if (!isRecord(wanted)) return changes;
  const shown = readSettings(request, facts);
  for (const fact of facts) {
    const { name, required } = fact;
    const value = readSettingValue(wanted[name], fact);
    const isRemoved = wanted[name] == null && shown[name] !== undefined;
    if (isRemoved && required !== true) changes[findSettingKey(request, fact)] = undefined;
    else if (value !== undefined && !isSameJson(value, shown[name])) changes[findSettingKey(request, fact)] = value;
  }
  return changes;
};
