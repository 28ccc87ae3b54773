// The catalogue of events: lookups by name, the types of each event, and checks.
import { describeValue, formatSuggestion, isRecord } from '../kit/index.ts';
import {
  type AggregatedHookResult,
  type BaseHookInput,
  conflictRules,
  explainUnknownWord,
  type HookExecutionResult,
  type HookOutput,
  type HookSpecificOutput,
  hookModes,
  type Notice,
  notice,
  type SpecificField,
  withWarnings,
} from '../protocol/index.ts';
import type { EventRecord } from './event-record.ts';
import type { DefaultHookOutput } from './outputs.ts';
import { records } from './records.ts';

type EventRecords = typeof records;

export type HookEventName = keyof EventRecords;

type ArgsOfRecord<Record> = Record extends { readonly fromArgs: (...args: infer Args) => unknown } ? Args : never;
type FieldsOfRecord<Record> = Record extends { readonly toFields: (...args: never) => infer Fields extends object }
  ? Fields
  : never;
type OutputOfRecord<Record> = Record extends { readonly output: new () => infer Output extends DefaultHookOutput }
  ? Output
  : never;

type SupportedFieldsOfRecord<Record> = Record extends {
  readonly supports: readonly (infer Supported extends SpecificField)[];
}
  ? Supported
  : never;

export type ArgsOf<E extends HookEventName> = ArgsOfRecord<EventRecords[E]>;
/** The fields that a caller of the event passes. */
export type PayloadOf<E extends HookEventName> = Parameters<EventRecords[E]['toFields']>[0];
/** The input that a hook of the event reads. */
export type HookInput<E extends HookEventName = HookEventName> = BaseHookInput & FieldsOfRecord<EventRecords[E]>;
/** The answer of a hook, with only those fields that this event acts on. */
export type HookAnswer<E extends HookEventName> = Pick<HookOutput, CommonOutputField> & {
  hookSpecificOutput?: Pick<HookSpecificOutput, SupportedFieldsOfRecord<EventRecords[E]>> & {
    hookEventName?: E;
  } & ExtraDataOf<E>;
};
type CommonOutputField = 'continue' | 'stopReason' | 'suppressOutput' | 'systemMessage' | 'decision' | 'reason';
type ExtraDataOf<E extends HookEventName> = E extends 'AfterTool' ? Record<string, unknown> : unknown;
/** The class of the event's merged answer. */
export type OutputOf<E extends HookEventName> = OutputOfRecord<EventRecords[E]>;

/** The mapped type lets generic code see the types of each event's record. */
export const catalogue: {
  readonly [E in HookEventName]: EventRecord<ArgsOf<E>, PayloadOf<E>, FieldsOfRecord<EventRecords[E]>, OutputOf<E>>;
} = records;

/** Names are looked up several times per event, and `Object.hasOwn` takes five times as long as a set. */
const knownEventNames: Set<unknown> = new Set(Object.keys(records));

export const isHookEventName = (name: unknown): name is HookEventName => knownEventNames.has(name);

/** Names of hookwright's own events, without those that a host added. */
export const hookEventNames: readonly HookEventName[] = Object.keys(records).filter(isHookEventName);

const namesOfFiredEvents: HookEventName[] = [...hookEventNames];

/** Names of all events that can fire: hookwright's own, then those that hosts added. */
export const firedEventNames: readonly HookEventName[] = namesOfFiredEvents;

/** Adds an event for all engines of this process. */
export const addEventRecord = (name: string, record: object): void => {
  Object.assign(records, { [name]: record });
  knownEventNames.add(name);
  if (isHookEventName(name)) namesOfFiredEvents.push(name);
};

export const beginsSession = (eventName: string): boolean =>
  isHookEventName(eventName) && catalogue[eventName].beginsSession === true;

export const findEventByOtherName = (name: string): HookEventName | undefined =>
  hookEventNames.find((own) => catalogue[own].alsoCalled?.some((other) => other.toLowerCase() === name.toLowerCase()));

type EventNameTable = { readonly [E in HookEventName]: E };
const toNameTable = (names: readonly HookEventName[]): Record<string, HookEventName> =>
  Object.fromEntries(names.map((name) => [name, name]));
const isTableOfAllNames = (value: Record<string, HookEventName>): value is EventNameTable =>
  hookEventNames.every((name) => value[name] === name);

const eventNameTable = toNameTable(hookEventNames);
if (!isTableOfAllNames(eventNameTable)) throw new Error('unreachable: names are made from the catalogue');

/** The events by name: `HookEventName.BeforeTool === 'BeforeTool'`. */
export const HookEventName: EventNameTable = eventNameTable;

export type AggregatedResult<E extends HookEventName> = AggregatedHookResult<OutputOf<E>>;

/** Event name → milliseconds that all its hooks may take together. */
export type EventBudgets = { readonly [E in HookEventName]?: number | undefined };

export const isBudget = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);

const explainBadBudgets = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return `needs budgetMs as milliseconds by event; got ${describeValue(value)}`;
  for (const [eventName, budgetMs] of Object.entries(value)) {
    if (!isHookEventName(eventName)) {
      return `has budgetMs.${eventName}, which is not an event${formatSuggestion(eventName, hookEventNames)}`;
    }
    if (budgetMs !== undefined && !isBudget(budgetMs)) {
      return `needs budgetMs.${eventName} as milliseconds over 0; got ${describeValue(budgetMs)}`;
    }
  }
  return undefined;
};

/** Checks the settings that `Config`, `loadConfig` and `createHooks` share. */
export const explainBadSettings = ({ mode, onConflict, budgetMs }: SharedSettings): string | undefined =>
  explainUnknownWord('mode', hookModes, mode) ??
  explainUnknownWord('onConflict', conflictRules, onConflict) ??
  explainBadBudgets(budgetMs);

interface SharedSettings {
  readonly mode?: unknown;
  readonly onConflict?: unknown;
  readonly budgetMs?: unknown;
}

const isNameOfEvent = (stated: string, eventName: string): boolean => {
  const names = isHookEventName(eventName) ? [eventName, ...(catalogue[eventName].alsoCalled ?? [])] : [eventName];
  return names.some((name) => name.toLowerCase() === stated.toLowerCase());
};

const createEventNotice = (stated: string, eventName: string): Notice =>
  notice('other-event', `hookEventName says "${stated}", but the answer is to ${eventName}; it counts all the same`, {
    fix: `write "${eventName}", or leave it out`,
    detail: { named: stated, eventName },
  });

/** Warns about an answer that names another event than the one that was fired. The answer counts nevertheless. */
export const withEventNotice = (result: HookExecutionResult): HookExecutionResult => {
  const stated = result.output?.hookSpecificOutput?.hookEventName;
  if (typeof stated !== 'string' || isNameOfEvent(stated, result.eventName)) return result;
  return withWarnings(result, [createEventNotice(stated, result.eventName)]);
};
