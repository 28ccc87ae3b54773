// The catalogue of events: lookups by name, the types of each event, and checks.
import { describeValue, formatSuggestion, isRecord } from '../kit/index.ts';
import {
  type AggregatedHookResult,
  type BaseHookInput,
  type HookExecutionResult,
  type HookOutput,
  type HookSpecificOutput,
  type Notice,
  notice,
  type SpecificField,
} from '../protocol/index.ts';
import type { EventRecord } from './event-record.ts';
import type { DefaultHookOutput } from './outputs.ts';
import { records } from './records.ts';

type Records = typeof records;

export type HookEventName = keyof Records;

type ArgsIn<Record> = Record extends { readonly fromArgs: (...args: infer Args) => unknown } ? Args : never;
type FieldsIn<Record> = Record extends { readonly toFields: (...args: never) => infer Fields extends object }
  ? Fields
  : never;
type OutputIn<Record> = Record extends { readonly output: new () => infer Output extends DefaultHookOutput }
  ? Output
  : never;

type SupportedIn<Record> = Record extends { readonly supports: readonly (infer Supported extends SpecificField)[] }
  ? Supported
  : never;

export type ArgsOf<E extends HookEventName> = ArgsIn<Records[E]>;
/** The fields that a caller of the event passes. */
export type PayloadOf<E extends HookEventName> = Parameters<Records[E]['toFields']>[0];
/** The input that a hook of the event reads. */
export type HookInput<E extends HookEventName = HookEventName> = BaseHookInput & FieldsIn<Records[E]>;
/** The answer of a hook, with only those fields that this event acts on. */
export type HookAnswer<E extends HookEventName> = Pick<HookOutput, CommonField> & {
  hookSpecificOutput?: Pick<HookSpecificOutput, SupportedIn<Records[E]>> & { hookEventName?: E } & ExtraData<E>;
};
type CommonField = 'continue' | 'stopReason' | 'suppressOutput' | 'systemMessage' | 'decision' | 'reason';
type ExtraData<E extends HookEventName> = E extends 'AfterTool' ? Record<string, unknown> : unknown;
/** The class of the merged answer. */
export type OutputOf<E extends HookEventName> = OutputIn<Records[E]>;

/** The mapped type keeps the types of each record in generic code. */
export const catalogue: {
  readonly [E in HookEventName]: EventRecord<ArgsOf<E>, PayloadOf<E>, FieldsIn<Records[E]>, OutputOf<E>>;
} = records;

/** Each event is looked up several times, and `Object.hasOwn` takes five times as long as a set. */
const knownNames: Set<unknown> = new Set(Object.keys(records));

export const isHookEventName = (name: unknown): name is HookEventName => knownNames.has(name);

/** Events that a host added are missing. */
export const hookEventNames: readonly HookEventName[] = Object.keys(records).filter(isHookEventName);

const firedNames: HookEventName[] = [...hookEventNames];

/** All events that can fire: hookwright's, then those that hosts added. */
export const firedEventNames: readonly HookEventName[] = firedNames;

/** The event exists for all engines of this process. */
export const addRecord = (name: string, record: object): void => {
  Object.assign(records, { [name]: record });
  knownNames.add(name);
  if (isHookEventName(name)) firedNames.push(name);
};

export const findEventByOtherName = (name: string): HookEventName | undefined =>
  hookEventNames.find((own) => catalogue[own].alsoCalled?.some((other) => other.toLowerCase() === name.toLowerCase()));

type NamesAsThemselves = { readonly [E in HookEventName]: E };
const toNameTable = (names: readonly HookEventName[]): Record<string, HookEventName> =>
  Object.fromEntries(names.map((name) => [name, name]));
const areNamed = (value: Record<string, HookEventName>): value is NamesAsThemselves =>
  hookEventNames.every((name) => value[name] === name);

const namesObject = toNameTable(hookEventNames);
if (!areNamed(namesObject)) throw new Error('unreachable: names are made from the catalogue');

/** The events by name: `HookEventName.BeforeTool === 'BeforeTool'`. */
export const HookEventName: NamesAsThemselves = namesObject;

export type AggregatedResult<E extends HookEventName> = AggregatedHookResult<OutputOf<E>>;

/** Event name → milliseconds that all its hooks may take together. */
export type EventBudgets = { readonly [E in HookEventName]?: number | undefined };

export const isBudget = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);

export const explainBadBudgets = (value: unknown): string | undefined => {
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

const fits = (toNameTable: string, eventName: string): boolean => {
  const names = isHookEventName(eventName) ? [eventName, ...(catalogue[eventName].alsoCalled ?? [])] : [eventName];
  return names.some((name) => name.toLowerCase() === toNameTable.toLowerCase());
};

const createEventNotice = (toNameTable: string, eventName: string): Notice =>
  notice(
    'other-event',
    `hookEventName says "${toNameTable}", but the answer is to ${eventName}; it counts all the same`,
    {
      fix: `write "${eventName}", or leave it out`,
      detail: { named: toNameTable, eventName },
    },
  );

/** Warns about an answer that names another event than the one that was fired. The answer counts nevertheless. */
export const withEventNotice = (result: HookExecutionResult): HookExecutionResult => {
  const toNameTable = result.output?.hookSpecificOutput?.hookEventName;
  if (typeof toNameTable !== 'string' || fits(toNameTable, result.eventName)) return result;
  return { ...result, warnings: [...(result.warnings ?? []), createEventNotice(toNameTable, result.eventName)] };
};
