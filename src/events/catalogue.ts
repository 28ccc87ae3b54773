import { describeValue, isRecord, suggestion } from '../kit/index.ts';
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

/** Positional arguments of an event's fire method. */
export type ArgsOf<E extends HookEventName> = ArgsIn<Records[E]>;
/** What callers send. */
export type PayloadOf<E extends HookEventName> = Parameters<Records[E]['toFields']>[0];
/** What hooks read. */
export type HookInput<E extends HookEventName = HookEventName> = BaseHookInput & FieldsIn<Records[E]>;
/**
 * What a hook of this event may answer. Only what the event acts on can be written; that a hook in another language
 * may send more is the reader's concern, not the type's.
 */
export type HookAnswer<E extends HookEventName> = Pick<HookOutput, CommonField> & {
  hookSpecificOutput?: Pick<HookSpecificOutput, SupportedIn<Records[E]>> & { hookEventName?: E } & ExtraData<E>;
};
type CommonField = 'continue' | 'stopReason' | 'suppressOutput' | 'systemMessage' | 'decision' | 'reason';
type ExtraData<E extends HookEventName> = E extends 'AfterTool' ? Record<string, unknown> : unknown;
/** The class callers ask. */
export type OutputOf<E extends HookEventName> = OutputIn<Records[E]>;

/** The mapped type lets generic code read a record and keep its types. */
export const catalogue: {
  readonly [E in HookEventName]: EventRecord<ArgsOf<E>, PayloadOf<E>, FieldsIn<Records[E]>, OutputOf<E>>;
} = records;

/** A set: every event is looked up here several times, and `Object.hasOwn` takes five times as long. */
const known: Set<unknown> = new Set(Object.keys(records));

export const isHookEventName = (name: unknown): name is HookEventName => known.has(name);

/** The events of hookwright itself. */
export const hookEventNames: readonly HookEventName[] = Object.keys(records).filter(isHookEventName);

const fired: HookEventName[] = [...hookEventNames];

/** Events that can fire here: those of the host follow ours when they are added. */
export const firedEventNames: readonly HookEventName[] = fired;

/** Adds an event to the catalogue, for all engines of this process. */
export const addRecord = (name: string, record: object): void => {
  Object.assign(records, { [name]: record });
  known.add(name);
  if (isHookEventName(name)) fired.push(name);
};

/** Our event for the moment that other agents call so. */
export const calledElsewhere = (name: string): HookEventName | undefined =>
  hookEventNames.find((own) => catalogue[own].alsoCalled?.some((other) => other.toLowerCase() === name.toLowerCase()));

type NamesAsThemselves = { readonly [E in HookEventName]: E };
const named = (names: readonly HookEventName[]): Record<string, HookEventName> =>
  Object.fromEntries(names.map((name) => [name, name]));
const areNamed = (value: Record<string, HookEventName>): value is NamesAsThemselves =>
  hookEventNames.every((name) => value[name] === name);

const namesObject = named(hookEventNames);
if (!areNamed(namesObject)) throw new Error('unreachable: names are made from the catalogue');

/** The events by name: `HookEventName.BeforeTool === 'BeforeTool'`. */
export const HookEventName: NamesAsThemselves = namesObject;

export type AggregatedResult<E extends HookEventName> = AggregatedHookResult<OutputOf<E>>;

/** What all hooks of an event together may take, in milliseconds. */
export type EventBudgets = { readonly [E in HookEventName]?: number | undefined };

export const isBudget = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && Number.isFinite(value);

/** What is wrong with budgets given in code, if anything. */
export const whyNotBudgets = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return `needs budgetMs as milliseconds by event; got ${describeValue(value)}`;
  for (const [eventName, budgetMs] of Object.entries(value)) {
    if (!isHookEventName(eventName)) {
      return `has budgetMs.${eventName}, which is not an event${suggestion(eventName, hookEventNames)}`;
    }
    if (budgetMs !== undefined && !isBudget(budgetMs)) {
      return `needs budgetMs.${eventName} as milliseconds over 0; got ${describeValue(budgetMs)}`;
    }
  }
  return undefined;
};

const fits = (named: string, eventName: string): boolean => {
  const names = isHookEventName(eventName) ? [eventName, ...(catalogue[eventName].alsoCalled ?? [])] : [eventName];
  return names.some((name) => name.toLowerCase() === named.toLowerCase());
};

const noticeOf = (named: string, eventName: string): Notice =>
  notice('other-event', `hookEventName says "${named}", but the answer is to ${eventName}; it counts all the same`, {
    fix: `write "${eventName}", or leave it out`,
    detail: { named, eventName },
  });

/** Notes that an answer names another event than the one it was asked about. What it says counts as it stands. */
export const withEventNotice = (result: HookExecutionResult): HookExecutionResult => {
  const named = result.output?.hookSpecificOutput?.hookEventName;
  if (typeof named !== 'string' || fits(named, result.eventName)) return result;
  return { ...result, warnings: [...(result.warnings ?? []), noticeOf(named, result.eventName)] };
};
