/** Translates the token counters of an SDK's responses. */
import { isRecord, type Members } from '../../kit/index.ts';
import { type LLMResponse, tokenCounterNames } from '../../protocol/index.ts';
import { isFiniteNumber } from '../json-values.ts';

type Usage = NonNullable<LLMResponse['usageMetadata']>;
type TokenCounter = (typeof tokenCounterNames)[number];

/** Token counter → the keys that it may have in the SDK's `usage`. A missing total is computed. */
export type UsageKeys = Readonly<Record<TokenCounter, readonly string[] | undefined>>;

const readCount = (usage: Members, key: string): number | undefined => {
  const value = usage[key];
  if (isFiniteNumber(value)) return value;
  return isRecord(value) && isFiniteNumber(value.total) ? value.total : undefined;
};

const findCount = (usage: Members, keys: readonly string[] = []): number | undefined =>
  keys.map((key) => readCount(usage, key)).find((count) => count !== undefined);

export const readUsage = ({ usage }: Members, facts: UsageKeys): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const read: Usage = {};
  for (const counter of tokenCounterNames) {
    const found = findCount(usage, facts[counter]);
    if (found !== undefined) read[counter] = found;
  }
  const { promptTokenCount, candidatesTokenCount } = read;
  if (read.totalTokenCount === undefined && promptTokenCount !== undefined && candidatesTokenCount !== undefined) {
    read.totalTokenCount = promptTokenCount + candidatesTokenCount;
  }
  return read;
};

/** A total that was computed is not written, because the SDK has no key for it. */
export const findUsageChanges = (source: Members, facts: UsageKeys, wanted: unknown): Members => {
  const shown = readUsage(source, facts) ?? {};
  if (!isRecord(wanted)) return {};
  const before: Members = isRecord(source.usage) ? source.usage : {};
  const changes: Record<string, unknown> = {};
  for (const counter of tokenCounterNames) {
    const value = wanted[counter];
    const [key] = facts[counter] ?? [];
    if (key === undefined || !isFiniteNumber(value) || value === shown[counter]) continue;
    const there = before[key];
    changes[key] = isRecord(there) ? { ...there, total: value } : value;
  }
  return Object.keys(changes).length === 0 ? {} : { usage: { ...before, ...changes } };
};
