import type { HookwrightError } from '../errors.ts';
import { abilityCatalogue } from '../events/ability-catalogue.ts';
import type { AbilityContextOf, AbilityEventType } from '../events/ability-contexts.ts';
import type { AbilityPlan } from '../planner/ability-planner.ts';
import { type AbilityEventResult, failedAbilityResult } from '../protocol/ability-result.ts';
import type { HookExecutionResult } from '../protocol/run.ts';
import type { HookConfig } from '../protocol/settings.ts';
import type { Ticket } from './ticket.ts';

/** The result of an event, and what kept it from being handled to its end. */
export interface AbilityOutcome {
  readonly result: AbilityEventResult;
  readonly error?: HookwrightError;
}

/** One event on its way through the pipeline. */
export interface AbilityFiring<E extends AbilityEventType> {
  readonly eventType: E;
  readonly context: AbilityContextOf<E>;
  readonly ticket: Ticket;
  readonly plan: AbilityPlan;
  readonly correlationId?: string | undefined;
  /** Aborts when hooks that nobody waits for are to end as well. */
  readonly until?: AbortSignal | undefined;
  /** The context was checked when it arrived. */
  readonly isChecked?: boolean;
}

/** The outcome of an event that could not be handled. */
export const brokenAbility = (eventType: string, error: HookwrightError): AbilityOutcome => ({
  result: failedAbilityResult(eventType, error),
  error,
});

/** What the match blocks are compared with. A context for which nothing runs was never checked. */
export const subjectOf = <E extends AbilityEventType>(
  eventType: E,
  context: AbilityContextOf<E>,
): string | undefined => {
  try {
    const subject: unknown = abilityCatalogue[eventType].match.ability?.(context);
    return typeof subject === 'string' ? subject : undefined;
  } catch {
    return undefined;
  }
};

/** What is known of a hook that was started and is not waited for. */
export const inBackground = (hookConfig: HookConfig, eventName: string): HookExecutionResult => ({
  hookConfig,
  eventName,
  success: true,
  background: true,
  duration: 0,
});
