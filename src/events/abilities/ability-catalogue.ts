import type * as z from 'zod/mini';
import { whyNotJson } from '../../kit/index.ts';
import { AbilityCode, describeIssue, type SignalKind } from '../../protocol/index.ts';
import { type AbilityContextOf, type AbilityEventType, abilityContexts } from './ability-contexts.ts';

/** What the keys of a match block are compared with. An event without a member has nothing to compare that key with. */
export interface MatchSubjects<Context> {
  /** `ability_scope`: all names of the ability, the one it was asked for by first. */
  readonly ability?: (context: Context) => readonly string[];
  /** `min_duration_ms`; a call whose duration nobody knows gives nothing. */
  readonly durationMs?: (context: Context) => number | undefined;
  /** `only_if_changed_paths`. */
  readonly changedPaths?: (context: Context) => readonly string[];
}

interface AbilityEventDefinition<Context> {
  /** When it fires, in a few words, for tables. */
  readonly when: string;
  /** What a hook that matches everything matches, in words. */
  readonly everything: string;
  /** Whether its signals may shape the turn or the call that fired it, and be shown to the AI. */
  readonly isAiFacing: boolean;
  /** Signals its hooks may emit; what codes each kind has, where these are a closed list. */
  readonly signals: Readonly<Partial<Record<SignalKind, readonly string[] | 'any'>>>;
  readonly match: MatchSubjects<Context>;
}

/** Everything that is particular to one event of the ability system. */
export interface AbilityEventRecord<Context = never> extends AbilityEventDefinition<Context> {
  /** Checks what arrived from outside; the message names the field. */
  readonly read: (value: unknown) => { ok: true; payload: Context } | { ok: false; message: string };
}

/** Contexts are open: what is not known here goes through to the hooks. */
const open = { knownAt: () => [] };

const issueText = (issues: readonly z.core.$ZodIssue[], value: unknown): string =>
  issues
    .flatMap((issue) => describeIssue(issue, value, open))
    .map(({ path, message }) => `${['context', ...path].join('.')}: ${message}`)
    .join('; ');

const define = <Schema extends z.ZodMiniType>(
  schema: () => Schema,
  definition: AbilityEventDefinition<Readonly<z.infer<Schema>>>,
): AbilityEventRecord<Readonly<z.infer<Schema>>> => {
  const isContext = (value: unknown): value is z.infer<Schema> => schema().safeParse(value).success;
  return {
    ...definition,
    read: (value) => {
      if (typeof value !== 'object' || value === null) return { ok: false, message: 'context: expected an object' };
      const notJson = whyNotJson(value);
      if (notJson !== undefined) return { ok: false, message: `context: ${notJson}` };
      if (isContext(value)) return { ok: true, payload: value };
      return { ok: false, message: issueText(schema().safeParse(value).error?.issues ?? [], value) };
    },
  };
};

interface Named {
  readonly ability_id?: string | undefined;
  readonly operations?: readonly string[] | undefined;
}

/** A scope matches an ability however it was asked for. */
const namesOf = (asked: string, { ability_id, operations }: Named): readonly string[] =>
  operations === undefined && (ability_id === undefined || ability_id === asked)
    ? [asked]
    : [...new Set([asked, ...(ability_id === undefined ? [] : [ability_id]), ...(operations ?? [])])];

const { Available, Unavailable, Allowed, Denied, RequiresHuman } = AbilityCode;

const records = {
  PromptSubmit: define(abilityContexts.PromptSubmit, {
    when: 'when a user message is submitted, before planning',
    everything: 'all prompts',
    isAiFacing: true,
    signals: { routing_hint: 'any', normalized_intent: 'any' },
    match: {},
  }),
  PreAbilityCreate: define(abilityContexts.PreAbilityCreate, {
    when: 'before a task is created; nothing is executed yet',
    everything: 'all abilities',
    isAiFacing: true,
    signals: { ability_preflight: [Available, Unavailable, RequiresHuman] },
    match: { ability: ({ ability_ref, ...names }) => namesOf(ability_ref.value, names) },
  }),
  PreAbilityCall: define(abilityContexts.PreAbilityCall, {
    when: 'right before an ability runs, for a task or directly',
    everything: 'all abilities',
    isAiFacing: true,
    signals: { ability_guard: [Allowed, Denied, RequiresHuman] },
    match: { ability: (context) => namesOf(context.ability_id, context) },
  }),
  PostAbilityCall: define(abilityContexts.PostAbilityCall, {
    when: 'right after an ability has run',
    everything: 'all abilities',
    isAiFacing: false,
    signals: {},
    match: { ability: (context) => namesOf(context.ability_id, context), durationMs: ({ duration_ms }) => duration_ms },
  }),
  SessionStop: define(abilityContexts.SessionStop, {
    when: 'when a session or a phase of it ends',
    everything: 'all sessions',
    isAiFacing: false,
    signals: {},
    match: { changedPaths: ({ changed_files }) => changed_files ?? [] },
  }),
};

// The mapped type is what lets generic code read a record and keep its types.
export const abilityCatalogue: { readonly [E in AbilityEventType]: AbilityEventRecord<AbilityContextOf<E>> } = records;

/** The five events by name. */
export const abilityEventTypes: readonly string[] = Object.keys(abilityCatalogue);

export const isAbilityEventType = (name: unknown): name is AbilityEventType =>
  typeof name === 'string' && Object.hasOwn(abilityCatalogue, name);

/** Whether hooks of an event may refuse what is about to happen. */
export const mayRefuse = (name: string): boolean =>
  isAbilityEventType(name) && Object.values(abilityCatalogue[name].signals).some(Array.isArray);
