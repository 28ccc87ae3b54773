// Dependencies that the tool runners of one repository share, and the calls of hooks and of the user.
import type { AbilityCaller, AbilityContextOf, AbilityEventType } from '../../events/index.ts';
import { describeThrown, isRecord, omitUndefined } from '../../kit/index.ts';
import {
  type AbilityEventResult,
  type Clock,
  type Confirm,
  type ConfirmQuestion,
  createEmptyAbilityResult,
  type Logger,
} from '../../protocol/index.ts';
import { type AbilityHookSet, runHooks } from '../hook-set.ts';
import type { AbilityExecutor } from './ability-executor.ts';
import type { AbilityRegistry } from './ability-registry.ts';
import type { PreflightOptions } from './preflight.ts';
import type { TaskStore } from './store/task-store.ts';

export interface ToolRunnerParts extends PreflightOptions {
  readonly hooks: AbilityHookSet | undefined;
  readonly abilities: AbilityRegistry;
  readonly tasks: TaskStore;
  readonly executor: AbilityExecutor;
  readonly confirm: Confirm | undefined;
  readonly logger: Logger | undefined;
  readonly clock: Clock;
  readonly pending: Set<Promise<unknown>>;
  /**
   * Logs hook scopes that match no ability. Called at the first call of an ability, because abilities can be added
   * until then.
   */
  readonly reportScopes: () => void;
}

export interface CallContext {
  readonly caller: AbilityCaller;
  readonly signal: AbortSignal | undefined;
  /** Ends the background hooks. */
  readonly until: AbortSignal | undefined;
}

export const fireHooks = <E extends AbilityEventType>(
  { hooks, reportScopes }: ToolRunnerParts,
  eventType: E,
  context: AbilityContextOf<E>,
  { signal, until }: Pick<CallContext, 'signal' | 'until'>,
): Promise<AbilityEventResult> => {
  if (hooks === undefined) return Promise.resolve(createEmptyAbilityResult(eventType));
  reportScopes();
  return runHooks(hooks, eventType, context, { signal, until });
};

/** Returns whether the user approved; `undefined` if `confirm` is missing or failed. */
export const askUser = async (
  { confirm, logger, hooks }: ToolRunnerParts,
  { eventName, reason, toolName, toolInput }: Omit<ConfirmQuestion, 'toolInput'> & { readonly toolInput: unknown },
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> => {
  if (confirm === undefined) return undefined;
  const question = omitUndefined({ eventName, reason, toolName });
  try {
    const answer: unknown = await confirm(isRecord(toolInput) ? { ...question, toolInput } : question, { signal });
    const isYes = answer === true;
    if (isRecord(answer) && 'park' in answer)
      logger?.warn?.(
        `The confirmation of ${toolName ?? eventName} was parked and counts as refused: calls of abilities cannot wait, only tool calls of createHooks and executeToolWithHooks can`,
      );
    hooks?.writeLog({ event_type: eventName, outcome: isYes ? 'confirmed' : 'refused', ability_id: toolName, reason });
    return isYes;
  } catch (error) {
    logger?.warn?.(
      `The confirmation of ${toolName ?? eventName} failed and counts as refused: ${describeThrown(error)}`,
    );
    return undefined;
  }
};
