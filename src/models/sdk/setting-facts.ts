import { isRecord } from '../../kit/index.ts';
import type { LLMRequest } from '../../protocol/index.ts';
import { isFiniteNumber, isStringList, sameJson } from '../json-tools.ts';

type Settings = NonNullable<LLMRequest['config']>;
type Members = Readonly<Record<string, unknown>>;

/** Where an SDK has a setting that hooks know by `name`. */
export interface SettingFact {
  readonly name: string;
  /** More than one where an SDK renamed it: the first that is there counts, the very first where none is. */
  readonly keys: readonly [string, ...string[]];
  /** A text where the SDK takes one in place of a list. */
  readonly isList?: boolean;
  /** What a request cannot be without; a hook that leaves it out changes nothing. */
  readonly required?: boolean;
}

export const number = (name: string, ...keys: [string, ...string[]]): SettingFact => ({ name, keys });

export const list = (name: string, ...keys: [string, ...string[]]): SettingFact => ({ name, keys, isList: true });

const keyIn = (request: Members, { keys }: SettingFact): string => keys.find((key) => request[key] != null) ?? keys[0];

const readValue = (value: unknown, { isList }: SettingFact): unknown => {
  if (isList !== true) return isFiniteNumber(value) ? value : undefined;
  if (typeof value === 'string') return [value];
  return isStringList(value) ? [...value] : undefined;
};

/** The settings hooks see: those of the table, and nothing else of a request that is full of other things. */
export const readSettings = (request: Members, facts: readonly SettingFact[]): Settings => {
  const read: Settings = {};
  for (const fact of facts) {
    const value = readValue(request[keyIn(request, fact)], fact);
    if (value !== undefined) read[fact.name] = value;
  }
  return read;
};

/** What to write where: `undefined` takes a setting away. Empty when a hook changed none. */
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
