import { HookwrightError, invalidArgument } from '../../errors.ts';
import { type HookEventName, hookEventNames, isHookEventName } from '../../events/index.ts';
import { describeValue, suggestion } from '../../kit/index.ts';

/** Ends the running work as soon as its caller aborts. */
export const refuseAborted = (signal: AbortSignal | undefined, what: string): void => {
  if (signal?.aborted) throw new HookwrightError('cancelled', `${what} was cancelled`, { cause: signal.reason });
};

export const expectNames = (option: string, names: readonly string[] | undefined): void => {
  if (names === undefined) return;
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return;
  throw invalidArgument(`${option} must be a list of names, got ${describeValue(names)}`);
};

export const expectKnown = (what: string, names: readonly string[] | undefined, known: readonly string[]): void => {
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw invalidArgument(`${what} is called "${unknown}"${suggestion(unknown, known)}`);
};

export const expectEvents = (names: readonly string[] | undefined): void =>
  expectKnown('no event', names, hookEventNames);

export const expectEvent = (name: string): HookEventName => {
  if (isHookEventName(name)) return name;
  const message = `${describeValue(name)} is not an event${suggestion(String(name), hookEventNames)}`;
  throw new HookwrightError('unsupported_event', message, { details: { eventName: name, known: hookEventNames } });
};

export const expectCount = (option: string, value: number | undefined): void => {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return;
  throw invalidArgument(`${option} must be a whole number over 0, got ${describeValue(value)}`);
};
