import type { AbilityContextOf, AbilityEventType } from '../../events/index.ts';
import { AbilityCode, type HookResult, ROUTE_SUGGESTION } from '../../protocol/index.ts';
import { argsOf, inputOf } from '../tools/summarize.ts';

/** A hook's answer before the engine has said where its signals come from. */
type Answer = Omit<HookResult, 'hook_signals'> & {
  readonly hook_signals?: readonly Readonly<Record<string, unknown>>[];
};

export interface Sample<Context> {
  /** What hooks of this event usually are. */
  readonly blocking: boolean;
  readonly match?: Readonly<Record<string, unknown>>;
  readonly effects: readonly string[];
  /** A context that a test can begin with. */
  readonly context: Context;
  /** An answer that does no harm, to begin with. */
  readonly answer: Answer;
}

const reason = 'nothing is against it';
const caller = { source: 'ai_session', session_id: 'session-1' } as const;

/** What samples are about where nobody says what they are to be about. */
export const SAMPLE_ABILITY = 'edit_file';

/**
 * A first hook for each event: it says the least that a hook of its kind can say, for its author to go on from. What it
 * says is about this ability.
 */
export const samplesAbout = (ability: string): { readonly [E in AbilityEventType]: Sample<AbilityContextOf<E>> } => {
  // What other abilities are given, nobody knows.
  const given = ability === SAMPLE_ABILITY ? { path: 'README.md' } : {};
  return {
    PromptSubmit: {
      blocking: true,
      effects: ['suggests abilities and documents'],
      context: { session_id: 'session-1', user_raw_input: 'Fix the typo in the README', current_files: ['README.md'] },
      answer: {
        hook_signals: [
          {
            kind: 'routing_hint',
            code: ROUTE_SUGGESTION,
            severity: 'info',
            payload: {
              suggested_abilities: [{ id: SAMPLE_ABILITY, reason: 'the request is about a file', confidence: 0.5 }],
              suggested_documents: [],
            },
          },
        ],
      },
    },
    PreAbilityCreate: {
      blocking: true,
      match: { ability_scope: '*' },
      effects: ['says whether an ability is available'],
      context: {
        ability_ref: { kind: 'ability_id', value: ability },
        ...inputOf(given),
        environment: 'workstation',
        caller,
      },
      answer: {
        hook_signals: [
          {
            kind: 'ability_preflight',
            code: AbilityCode.Available,
            severity: 'info',
            payload: { ability_ref: { kind: 'ability_id', value: ability }, reason },
          },
        ],
      },
    },
    PreAbilityCall: {
      blocking: true,
      match: { ability_scope: '*' },
      effects: ['allows or denies calls'],
      context: { ability_id: ability, task_key: 'task-000001', ...argsOf(given), caller },
      answer: {
        hook_signals: [{ kind: 'ability_guard', code: AbilityCode.Allowed, payload: { ability_id: ability, reason } }],
      },
    },
    PostAbilityCall: {
      blocking: false,
      match: { ability_scope: '*', min_duration_ms: 0 },
      effects: ['logs calls'],
      context: { ability_id: ability, task_key: 'task-000001', status: 'success', duration_ms: 12 },
      answer: { logs: ['a call was seen'], usage_recorded: false },
    },
    SessionStop: {
      blocking: false,
      match: { only_if_changed_paths: '**' },
      effects: ['checks what a session has changed'],
      context: {
        session_id: 'session-1',
        changed_files: ['README.md'],
        abilities_used: [ability],
        tasks_summary: [{ task_key: 'task-000001', ability_id: ability, status: 'success' }],
      },
      answer: { logs: ['a session has ended'] },
    },
  };
};
