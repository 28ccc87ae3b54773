/** Reads and writes generation settings by a table. */
import { isRecord } from '../../kit/index.ts';
import type { LLMRequest } from '../../protocol/index.ts';
import { isFiniteNumber, isStringList, sameJson } from '../json-tools.ts';

type Settings = NonNullable<LLMRequest['config']>;
type Members = Readonly<Record<string, unknown>>;

/** The SDK's keys of the setting that hooks know as `name`. */
export interface SettingFact {
  readonly name: string;
  /** Several if the SDK renamed it: the first that is set counts, otherwise the first is written. */
  readonly keys: readonly [string, ...string[]];
  /** The SDK may have a single text in place of a list. */
  readonly isList?: boolean;
  /** Requests need it, so a hook cannot remove it. */
  readonly required?: boolean;
}

export const numberSetting = (name: string, ...keys: [string, ...string[]]): SettingFact => ({ name, keys });

export const listSetting = (name: string, ...keys: [string, ...string[]]): SettingFact => ({
  name,
  keys,
  isList: true,
});

const keyIn = (request: Members, { keys }: SettingFact): string => keys.find((key) => request[key] != null) ?? keys[0];

const readValue = (value: unknown, { isList }: SettingFact): unknown => {
  if (isList !== true) return isFiniteNumber(value) ? value : undefined;
  if (typeof value === 'string') return [value];
  return isStringList(value) ? [...value] : undefined;
};

export const readSettings = (request: Members, facts: readonly SettingFact[]): Settings => {
  const read: Settings = {};
  for (const fact of facts) {
    const value = readValue(request[keyIn(request, fact)], fact);
    if (value !== undefined) read[fact.name] = value;
  }
  return read;
};

/** Changes for a hook's settings; `undefined` removes one. */
export const changedSettings = (
  request: Members,
  facts: readonly SettingFact[],
  wanted: unknown,
): Record<string, unknown> => {
  const changes: Record<string, unknown> = {};
  if (!isRecord(wanted)) return changes;
  const shown = readSettings(request, facts);
  for (const fact of facts) {
    const { name, required } = fact;
    const value = readValue(wanted[name], fact);
    const isRemoved = wanted[name] == null && shown[name] !== undefined;
    if (isRemoved && required !== true) changes[keyIn(request, fact)] = undefined;
    else if (value !== undefined && !sameJson(value, shown[name])) changes[keyIn(request, fact)] = value;
  }
  return changes;
};
