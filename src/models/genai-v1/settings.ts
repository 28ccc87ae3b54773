import { isPrototypeKey, isRecord } from '../../kit/index.ts';
import type { LLMRequest } from '../../protocol/index.ts';
import { isFiniteNumber, isStringList, sameJson } from '../json-tools.ts';
import type { TextRequest } from './sdk-types.ts';

export type GenerationSettings = NonNullable<LLMRequest['config']>;

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

/**
 * The generation settings hooks see: every key of the SDK's `config` that says how to generate and is plain JSON without
 * structure of its own. Left out on purpose: what the request is made of (instruction, tools, safety, cache), how it is
 * sent, and nested options, which change shape from one SDK release to the next.
 */
const numberSettings = [
  'temperature',
  'maxOutputTokens',
  'topP',
  'topK',
  'candidateCount',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logprobs',
] as const;
const listSettings = ['stopSequences', 'responseModalities'] as const;
const flagSettings = ['responseLogprobs', 'audioTimestamp'] as const;
const wordSettings = ['responseMimeType', 'mediaResolution'] as const;

const settings: ReadonlyMap<string, (value: unknown) => boolean> = new Map<string, (value: unknown) => boolean>([
  ...numberSettings.map((key) => [key, isFiniteNumber] as const),
  ...listSettings.map((key) => [key, isStringList] as const),
  ...flagSettings.map((key) => [key, isBoolean] as const),
  ...wordSettings.map((key) => [key, isString] as const),
]);

/** Names of the settings that `config` of the stable request carries, in the order in which it carries them. */
export const stableSettings: readonly string[] = [...settings.keys()];

/**
 * Keys of `config` that no hook may set. A hook can name a setting that this library has never heard of, but these are
 * not settings: the stable request leaves them out, so that no hook's answer, which may have come over HTTP, weakens
 * safety, gives the model other tools or sends the caller's key to another host. A hook that names one is not followed.
 */
export const reservedSettings: ReadonlySet<string> = new Set([
  'systemInstruction',
  'safetySettings',
  'modelArmorConfig',
  'tools',
  'toolConfig',
  'automaticFunctionCalling',
  'cachedContent',
  'httpOptions',
  'abortSignal',
  'routingConfig',
  'modelSelectionConfig',
  'generationOutputConfig',
  'store',
  'automaticContinuation',
  'continuationToken',
]);

const isReadable = (key: string, value: unknown): boolean => settings.get(key)?.(value) ?? true;

/** The settings of an SDK's `config`; a value of the wrong type is skipped. */
export const readSettings = (config: unknown): GenerationSettings => {
  const read: GenerationSettings = {};
  if (!isRecord(config)) return read;
  for (const [key, isWellFormed] of settings) {
    const value = config[key];
    if (isWellFormed(value)) read[key] = Array.isArray(value) ? [...value] : value;
  }
  return read;
};

/** What of a hook's `config` can be followed: settings of the right type, and keys unknown to us. */
export const readStableSettings = (config: unknown): GenerationSettings => {
  const read: GenerationSettings = {};
  if (!isRecord(config)) return read;
  for (const [key, value] of Object.entries(config)) {
    if (isSettable(key) && value != null && isReadable(key, value)) read[key] = value;
  }
  return read;
};

/** The same for a request without a base, typed as the SDK types them as far as it names them. */
export const createSettings = (config: unknown): NonNullable<TextRequest['config']> => {
  const wanted = readStableSettings(config);
  const created: NonNullable<TextRequest['config']> = {};
  for (const key of numberSettings) if (isFiniteNumber(wanted[key])) created[key] = wanted[key];
  for (const key of listSettings) if (isStringList(wanted[key])) created[key] = wanted[key];
  for (const key of flagSettings) if (isBoolean(wanted[key])) created[key] = wanted[key];
  if (isString(wanted.responseMimeType)) created.responseMimeType = wanted.responseMimeType;
  return Object.assign(created, wanted);
};

const isSettable = (key: string): boolean => !reservedSettings.has(key) && !isPrototypeKey(key);

/**
 * The `config` with a hook's settings in it, or the same reference when nothing differs. A setting that hooks were shown
 * and that is gone, or `null`, is removed; a value of the wrong type changes nothing.
 */
export const withSettings = (config: unknown, shown: GenerationSettings, wanted: unknown): unknown => {
  if (!isRecord(wanted)) return config;
  const before: Record<string, unknown> = isRecord(config) ? config : {};
  const removed = new Set<string>();
  const changed: GenerationSettings = {};
  for (const key of Object.keys(shown)) if (wanted[key] === undefined) removed.add(key);
  for (const [key, value] of Object.entries(wanted)) {
    if (!isSettable(key) || value === undefined) continue;
    if (value === null) {
      if (before[key] != null) removed.add(key);
    } else if (isReadable(key, value) && !sameJson(value, shown[key] ?? before[key])) changed[key] = value;
  }
  if (removed.size === 0 && Object.keys(changed).length === 0) return config;
  const kept = Object.entries(before).filter(([key]) => !removed.has(key));
  return { ...Object.fromEntries(kept), ...changed };
};
