import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';

/** How the ability of a task is named before the task exists. */
const abilityRefKinds = ['ability_id', 'operation_key'] as const;

/** Who asks for an ability. Hooks apply the same way to all of them. */
export const CallerSource = {
  AiSession: 'ai_session',
  BackgroundJob: 'background_job',
  CiPipeline: 'ci_pipeline',
  ManualCli: 'manual_cli',
} as const;
export type CallerSource = (typeof CallerSource)[keyof typeof CallerSource];

export const abilityStatuses = ['success', 'failure', 'partial'] as const;

const text = () => z.string().check(z.minLength(1));
const texts = () => z.array(z.string());

const caller = once(() =>
  z.looseObject({
    source: z.enum(CallerSource),
    session_id: z.optional(z.string()),
    job_id: z.optional(z.string()),
    triggered_by: z.optional(z.string()),
  }),
);

/** Which ability is called, or was. */
const calledAbility = () => ({
  session_id: z.optional(z.string()),
  ability_id: text(),
  operations: z.optional(texts()),
  task_key: z.optional(z.string()),
});

/**
 * The context of each event: what its hooks read on standard input, beside `event_type`. Summaries are lines
 * that a script can search; what they sum up stands beside them. Keys that are not named here go through to the hooks.
 */
export const abilityContexts = {
  PromptSubmit: once(() =>
    z.looseObject({ session_id: text(), user_raw_input: z.string(), current_files: z.optional(texts()) }),
  ),
  PreAbilityCreate: once(() =>
    z.looseObject({
      session_id: z.optional(z.string()),
      ability_ref: z.looseObject({ kind: z.enum(abilityRefKinds), value: text() }),
      ability_id: z.optional(z.string()),
      operations: z.optional(texts()),
      input_summary: z.optional(z.string()),
      input: z.optional(z.unknown()),
      environment: z.optional(z.unknown()),
      caller: caller(),
    }),
  ),
  PreAbilityCall: once(() =>
    z.looseObject({
      ...calledAbility(),
      args_summary: z.optional(z.string()),
      args: z.optional(z.unknown()),
      environment: z.optional(z.unknown()),
      caller: caller(),
    }),
  ),
  PostAbilityCall: once(() =>
    z.looseObject({
      ...calledAbility(),
      status: z.enum(abilityStatuses),
      duration_ms: z.optional(z.number().check(z.nonnegative())),
      input_summary: z.optional(z.string()),
      input: z.optional(z.unknown()),
      output_summary: z.optional(z.string()),
      error_message: z.optional(z.string()),
      caller: z.optional(caller()),
    }),
  ),
  SessionStop: once(() =>
    z.looseObject({
      session_id: text(),
      changed_files: z.optional(texts()),
      abilities_used: z.optional(texts()),
      tasks_summary: z.optional(
        z.array(z.looseObject({ task_key: z.string(), ability_id: z.string(), status: z.enum(abilityStatuses) })),
      ),
      started_at: z.optional(z.string()),
      ended_at: z.optional(z.string()),
    }),
  ),
};

type Contexts = typeof abilityContexts;

/** The moments at which ability hooks run. */
export type AbilityEventType = keyof Contexts;

/** What the hooks of an event read, without `event_type`, which the engine adds. */
export type AbilityContextOf<E extends AbilityEventType> = Readonly<z.infer<ReturnType<Contexts[E]>>>;

export type PromptSubmitContext = AbilityContextOf<'PromptSubmit'>;
export type PreAbilityCreateContext = AbilityContextOf<'PreAbilityCreate'>;
export type PreAbilityCallContext = AbilityContextOf<'PreAbilityCall'>;
export type PostAbilityCallContext = AbilityContextOf<'PostAbilityCall'>;
export type SessionStopContext = AbilityContextOf<'SessionStop'>;
export type AbilityCaller = PreAbilityCallContext['caller'];
export type AbilityRef = PreAbilityCreateContext['ability_ref'];
