import type { AbilityCaller, AbilityContextOf, AbilityEventType } from '../../events/index.ts';
import { describeThrown, isRecord } from '../../kit/index.ts';
import {
  type AbilityEventResult,
  type Clock,
  type Confirm,
  type ConfirmQuestion,
  emptyAbilityResult,
  type Logger,
} from '../../protocol/index.ts';
import { type AbilityHookSet, runHooks } from '../hook-set.ts';
import type { AbilityRegistry } from './ability-registry.ts';
import type { AbilityExecutor } from './executor.ts';
import type { PreflightPlace } from './preflight.ts';
import type { TaskStore } from './store/task-store.ts';

/** What tool runners of one repository share, whoever calls. */
export interface RunnerParts extends PreflightPlace {
  readonly hooks: AbilityHookSet | undefined;
  readonly abilities: AbilityRegistry;
  readonly tasks: TaskStore;
  readonly executor: AbilityExecutor;
  readonly confirm: Confirm | undefined;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
  /** Events that were fired and are not waited for. */
  readonly pending: Set<Promise<unknown>>;
}

/** Who calls, and for how long. */
export interface Calling {
  readonly caller: AbilityCaller;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal | undefined;
  /** Aborts when hooks that nobody waits for are to end as well. */
  readonly until: AbortSignal | undefined;
}

export const fire = <E extends AbilityEventType>(
  { hooks }: RunnerParts,
  eventType: E,
  context: AbilityContextOf<E>,
  { signal, until }: Pick<Calling, 'signal' | 'until'>,
): Promise<AbilityEventResult> =>
  hooks === undefined
    ? Promise.resolve(emptyAbilityResult(eventType))
    : runHooks(hooks, eventType, context, { signal, until });

/** Keys with a value: contexts are JSON for scripts, and an absent key says more than an empty one. */
export const sessionOf = ({ session_id }: AbilityCaller): { session_id?: string } =>
  session_id === undefined ? {} : { session_id };

/** Puts to a person what hooks leave to one. Only a plain `true` is a yes; with nobody to ask it is a no. */
export const isConfirmed = async (
  { confirm, logger }: RunnerParts,
  { eventName, reason, toolName, toolInput }: Omit<ConfirmQuestion, 'toolInput'> & { readonly toolInput: unknown },
  signal: AbortSignal | undefined,
): Promise<boolean> => {
  if (confirm === undefined) return false;
  const question = { eventName, reason, ...(toolName === undefined ? {} : { toolName }) };
  try {
    const answer: unknown = await confirm(isRecord(toolInput) ? { ...question, toolInput } : question, { signal });
    return answer === true;
  } catch (error) {
    logger?.warn?.(
      `The confirmation of ${toolName ?? eventName} failed and counts as refused: ${describeThrown(error)}`,
    );
    return false;
  }
};
