// Events of abilities (actions that a repository declares): input of their hooks, values to match, possible signals.
import * as z from 'zod/mini';
import { explainNotJson, once } from '../../kit/index.ts';
import { AbilityCode, describeIssue, type SignalKind } from '../../protocol/index.ts';

const abilityRefKinds = ['ability_id', 'operation_key'] as const;

/** Who called an ability. Hooks run for every caller. */
export const CallerSource = {
  AiSession: 'ai_session',
  BackgroundJob: 'background_job',
  CiPipeline: 'ci_pipeline',
  ManualCli: 'manual_cli',
} as const;
export type CallerSource = (typeof CallerSource)[keyof typeof CallerSource];

export const abilityStatuses = ['success', 'failure', 'partial'] as const;

const createTextSchema = () => z.string().check(z.minLength(1));
const createTextListSchema = () => z.array(z.string());

const getCallerSchema = once(() =>
  z.looseObject({
    source: z.enum(CallerSource),
    session_id: z.optional(z.string()),
    job_id: z.optional(z.string()),
    triggered_by: z.optional(z.string()),
  }),
);

const createCalledAbilityFields = () => ({
  session_id: z.optional(z.string()),
  ability_id: createTextSchema(),
  operations: z.optional(createTextListSchema()),
  task_key: z.optional(z.string()),
});

/**
 * Schemas of the context that hooks get on stdin, together with `event_type`. Each `…_summary` is one line that a script
 * can search. Unknown keys are passed on.
 */
export const abilityContexts = {
  PromptSubmit: once(() =>
    z.looseObject({
      session_id: createTextSchema(),
      user_raw_input: z.string(),
      current_files: z.optional(createTextListSchema()),
    }),
  ),
  PreAbilityCreate: once(() =>
    z.looseObject({
      session_id: z.optional(z.string()),
      ability_ref: z.looseObject({ kind: z.enum(abilityRefKinds), value: createTextSchema() }),
      ability_id: z.optional(z.string()),
      operations: z.optional(createTextListSchema()),
      input_summary: z.optional(z.string()),
      input: z.optional(z.unknown()),
      environment: z.optional(z.unknown()),
      caller: getCallerSchema(),
    }),
  ),
  PreAbilityCall: once(() =>
    z.looseObject({
      ...createCalledAbilityFields(),
      args_summary: z.optional(z.string()),
      args: z.optional(z.unknown()),
      environment: z.optional(z.unknown()),
      caller: getCallerSchema(),
    }),
  ),
  PostAbilityCall: once(() =>
    z.looseObject({
      ...createCalledAbilityFields(),
      status: z.enum(abilityStatuses),
      duration_ms: z.optional(z.number().check(z.nonnegative())),
      input_summary: z.optional(z.string()),
      input: z.optional(z.unknown()),
      output_summary: z.optional(z.string()),
      error_message: z.optional(z.string()),
      caller: z.optional(getCallerSchema()),
    }),
  ),
  SessionStop: once(() =>
    z.looseObject({
      session_id: createTextSchema(),
      changed_files: z.optional(createTextListSchema()),
      abilities_used: z.optional(createTextListSchema()),
      tasks_summary: z.optional(
        z.array(z.looseObject({ task_key: z.string(), ability_id: z.string(), status: z.enum(abilityStatuses) })),
      ),
      started_at: z.optional(z.string()),
      ended_at: z.optional(z.string()),
    }),
  ),
};

type ContextSchemas = typeof abilityContexts;

export type AbilityEventType = keyof ContextSchemas;

export type AbilityContextOf<E extends AbilityEventType> = Readonly<z.infer<ReturnType<ContextSchemas[E]>>>;

export type PromptSubmitContext = AbilityContextOf<'PromptSubmit'>;
export type PreAbilityCreateContext = AbilityContextOf<'PreAbilityCreate'>;
export type PreAbilityCallContext = AbilityContextOf<'PreAbilityCall'>;
export type PostAbilityCallContext = AbilityContextOf<'PostAbilityCall'>;
export type SessionStopContext = AbilityContextOf<'SessionStop'>;
export type AbilityCaller = PreAbilityCallContext['caller'];
export type AbilityRef = PreAbilityCreateContext['ability_ref'];

/**
 * Reads the values that the keys of a `match` block are compared with. A key whose function is missing has no effect at
 * the event.
 */
export interface MatchSubjects<Context> {
  /** For `ability_scope`: all names of the ability, beginning with the requested one. */
  readonly ability?: (context: Context) => readonly string[];
  /** For `min_duration_ms`; `undefined` if the duration is unknown. */
  readonly durationMs?: (context: Context) => number | undefined;
  readonly changedPaths?: (context: Context) => readonly string[];
}

interface AbilityEventDefinition<Context> {
  readonly when: string;
  /** Describes in words what an empty `match` block matches. */
  readonly everything: string;
  /** True if the AI may see the signals, and the signals may decide about the turn or the call. */
  readonly isAiFacing: boolean;
  /** Kind of signal that hooks may send → its codes, or `any`. */
  readonly signals: Readonly<Partial<Record<SignalKind, readonly string[] | 'any'>>>;
  readonly match: MatchSubjects<Context>;
}

export interface AbilityEventRecord<Context = never> extends AbilityEventDefinition<Context> {
  readonly read: (value: unknown) => { ok: true; payload: Context } | { ok: false; message: string };
}

/** Reports no key as unknown, because a context may have any keys and hooks get them all. */
export const allKeysAllowed = { knownAt: () => [] };

const formatContextIssues = (issues: readonly z.core.$ZodIssue[], value: unknown): string =>
  issues
    .flatMap((issue) => describeIssue(issue, value, allKeysAllowed))
    .map(({ path, message }) => `${['context', ...path].join('.')}: ${message}`)
    .join('; ');

const defineAbilityEvent = <Schema extends z.ZodMiniType>(
  schema: () => Schema,
  definition: AbilityEventDefinition<Readonly<z.infer<Schema>>>,
): AbilityEventRecord<Readonly<z.infer<Schema>>> => {
  const isContext = (value: unknown): value is z.infer<Schema> => schema().safeParse(value).success;
  return {
    ...definition,
    read: (value) => {
      if (typeof value !== 'object' || value === null) return { ok: false, message: 'context: expected an object' };
      const notJson = explainNotJson(value);
      if (notJson !== undefined) return { ok: false, message: `context: ${notJson}` };
      if (isContext(value)) return { ok: true, payload: value };
      return { ok: false, message: formatContextIssues(schema().safeParse(value).error?.issues ?? [], value) };
    },
  };
};

interface AbilityNames {
  readonly ability_id?: string | undefined;
  readonly operations?: readonly string[] | undefined;
}

const listAbilityNames = (asked: string, { ability_id, operations }: AbilityNames): readonly string[] =>
  operations === undefined && (ability_id === undefined || ability_id === asked)
    ? [asked]
    : [...new Set([asked, ...(ability_id === undefined ? [] : [ability_id]), ...(operations ?? [])])];

const { Available, Unavailable, Allowed, Denied, RequiresHuman } = AbilityCode;

const abilityRecords = {
  PromptSubmit: defineAbilityEvent(abilityContexts.PromptSubmit, {
    when: 'when a user message is submitted, before planning',
    everything: 'all prompts',
    isAiFacing: true,
    signals: { routing_hint: 'any', normalized_intent: 'any' },
    match: {},
  }),
  PreAbilityCreate: defineAbilityEvent(abilityContexts.PreAbilityCreate, {
    when: 'before a task is created; nothing is executed yet',
    everything: 'all abilities',
    isAiFacing: true,
    signals: { ability_preflight: [Available, Unavailable, RequiresHuman] },
    match: { ability: ({ ability_ref, ...names }) => listAbilityNames(ability_ref.value, names) },
  }),
  PreAbilityCall: defineAbilityEvent(abilityContexts.PreAbilityCall, {
    when: 'right before an ability runs, for a task or directly',
    everything: 'all abilities',
    isAiFacing: true,
    signals: { ability_guard: [Allowed, Denied, RequiresHuman] },
    match: { ability: (context) => listAbilityNames(context.ability_id, context) },
  }),
  PostAbilityCall: defineAbilityEvent(abilityContexts.PostAbilityCall, {
    when: 'right after an ability has run',
    everything: 'all abilities',
    isAiFacing: false,
    signals: {},
    match: {
      ability: (context) => listAbilityNames(context.ability_id, context),
      durationMs: ({ duration_ms }) => duration_ms,
    },
  }),
  SessionStop: defineAbilityEvent(abilityContexts.SessionStop, {
    when: 'when a session or a phase of it ends',
    everything: 'all sessions',
    isAiFacing: false,
    signals: {},
    match: { changedPaths: ({ changed_files }) => changed_files ?? [] },
  }),
};

export const abilityCatalogue: { readonly [E in AbilityEventType]: AbilityEventRecord<AbilityContextOf<E>> } =
  abilityRecords;

export const abilityEventTypes: readonly string[] = Object.keys(abilityCatalogue);

export const isAbilityEventType = (name: unknown): name is AbilityEventType =>
  typeof name === 'string' && Object.hasOwn(abilityCatalogue, name);

export const mayHooksRefuse = (name: string): boolean =>
  isAbilityEventType(name) && Object.values(abilityCatalogue[name].signals).some(Array.isArray);
