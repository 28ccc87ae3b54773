import {
  type AbilityRef,
  interpretPreflight,
  type PreAbilityCreateContext,
  type PreflightOutcome,
} from '../../events/index.ts';
import type { AbilityEventResult } from '../../protocol/index.ts';
import { namesOf } from './ability.ts';
import { takeInput } from './input/take-input.ts';
import { type Calling, confirmed, fire, type RunnerParts, sessionOf } from './parts.ts';
import { preflightProblem } from './preflight.ts';
import { type CreateTaskResult, hooksOf, preflightResult } from './results.ts';
import { disposedRefusal } from './run-ability.ts';
import { inputOf } from './summarize.ts';

const EVENT = 'PreAbilityCreate';

const unavailable = (reason: string): PreflightOutcome => ({ outcome: 'unavailable', reason });

/** What the tool runner can tell by itself; hooks know the rest. */
const ownProblem = async (parts: RunnerParts, ref: AbilityRef, input: unknown): Promise<string | undefined> => {
  const found = parts.abilities.find(ref);
  return found.ok ? preflightProblem(found.ability, input, parts) : found.reason;
};

/** A refusal of a hook comes first: it knows more, and may suggest what to do instead. */
const decide = async (
  parts: RunnerParts,
  ref: AbilityRef,
  input: unknown,
  event: AbilityEventResult,
  signal: AbortSignal | undefined,
): Promise<{ outcome: PreflightOutcome; answer?: boolean | undefined }> => {
  const said = interpretPreflight(event);
  if (said.outcome === 'unavailable') return { outcome: said };
  const problem = await ownProblem(parts, ref, input);
  if (problem !== undefined) return { outcome: unavailable(problem) };
  if (said.outcome === 'available') return { outcome: said };
  const reason = said.reason ?? 'No reason provided';
  const question = { eventName: EVENT, reason, toolName: ref.value, toolInput: input };
  const answer = await confirmed(parts, question, signal);
  return { answer, outcome: answer === true ? { outcome: 'available', reason } : said };
};

/** The ability that is meant, where there is one. */
const resolved = ({ abilities }: RunnerParts, ref: AbilityRef): Partial<ReturnType<typeof namesOf>> => {
  const found = abilities.find(ref);
  return found.ok ? namesOf(found.ability) : {};
};

/** Checks whether an ability is to be had, and writes down what is to be done. Nothing is executed. */
export const createTask = async (
  parts: RunnerParts,
  ref: AbilityRef,
  given: unknown,
  calling: Calling,
): Promise<CreateTaskResult> => {
  const { caller, signal } = calling;
  const taken = takeInput(given);
  if (!taken.ok) {
    return {
      created: false,
      preflight: preflightResult(ref, unavailable(taken.problem)),
      hook_signals: [],
      hooks: [],
    };
  }
  const { input } = taken;
  const context: PreAbilityCreateContext = {
    ...sessionOf(caller),
    ability_ref: ref,
    ...resolved(parts, ref),
    ...inputOf(input),
    environment: parts.environment,
    caller,
  };
  const event = await fire(parts, EVENT, context, calling);
  const refusal = disposedRefusal(event);
  const { outcome: decided, answer } =
    refusal === undefined
      ? await decide(parts, ref, input, event, signal)
      : { outcome: unavailable(refusal.message), answer: undefined };
  const preflight = preflightResult(ref, decided);
  const withHooks = hooksOf(event, decided, answer);
  const found = parts.abilities.find(ref);
  if (decided.outcome !== 'available' || !found.ok) return { created: false, preflight, ...withHooks };
  const { task_key, ability_id } = await parts.tasks.create({
    ability_id: found.ability.id,
    ability_ref: ref,
    input,
    environment: parts.environment,
    ...sessionOf(caller),
    caller,
    created_at: new Date(parts.clock.now()).toISOString(),
  });
  return { created: true, task_key, ability_id, preflight, ...withHooks };
};
