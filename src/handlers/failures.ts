import { type ErrorCode, HookwrightError } from '../errors.ts';
import { describeThrown, describeValue, suggestion } from '../kit/index.ts';
import type { Logger } from '../protocol/index.ts';
import type { EventOf, Family, FamilyTypes, Outcome, ResultOf } from './family.ts';

/** An error of ours as it is, anything else as one of ours. */
const asError = (code: ErrorCode, thrown: unknown): HookwrightError =>
  HookwrightError.is(thrown) ? thrown : new HookwrightError(code, describeThrown(thrown), { cause: thrown });

export const disposed = (): HookwrightError => new HookwrightError('disposed', 'The hook system has been disposed of');

/** Somebody asked for an event the family does not have. */
export const unsupported = <F extends FamilyTypes>(
  { noun, names, exchange }: Family<F>,
  asked: unknown,
): HookwrightError => {
  const name = typeof asked === 'string' ? asked : describeValue(asked);
  const details = { [exchange.eventField]: name, known: names };
  return new HookwrightError('unsupported_event', `"${name}" is not ${noun}${suggestion(name, names)}`, { details });
};

/** An event that could not be handled: told to the log, and to the caller as a failed result. The agent goes on. */
export const failed = <F extends FamilyTypes, E extends EventOf<F>>(
  family: Family<F>,
  logger: Logger | undefined,
  eventName: E,
  thrown: unknown,
): Outcome<ResultOf<F, E>> => {
  logger?.warn?.(`${String(eventName)} could not be fired as it should: ${describeThrown(thrown)}`);
  const error = asError('internal_error', thrown);
  return { result: family.broken(eventName, error), results: [], error };
};
