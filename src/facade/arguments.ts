/** Checks the arguments of the methods of `createHooks`, and names an invalid argument in its error. */
import { createInvalidArgument, HookwrightError } from '../errors.ts';
import type { FireOptions } from '../handlers/index.ts';
import { describeValue, expectKnown, formatSuggestion, isPositiveNumber, isRecord } from '../kit/index.ts';

const createArgumentError = (method: string, key: string, what: string, value: unknown, hint = ''): HookwrightError => {
  const message = `${method} needs ${key}, ${what}; got ${describeValue(value)}${hint}`;
  return new HookwrightError('invalid_argument', message, { details: { method, key } });
};

const createExpectation =
  (fits: (value: unknown) => boolean) =>
  (method: string, key: string, what: string, value: unknown): void => {
    if (!fits(value)) throw createArgumentError(method, key, what, value);
  };

export const expectText = createExpectation((value) => typeof value === 'string');
export const expectName = createExpectation((value) => typeof value === 'string' && value !== '');
export const expectFunction = createExpectation((value) => typeof value === 'function');
export const expectObject = createExpectation(isRecord);

export const expectOneOf = (
  method: string,
  key: string,
  words: Readonly<Record<string, string>>,
  value: unknown,
): void => {
  const known = Object.values(words);
  if (typeof value === 'string' && known.includes(value.toLowerCase())) return;
  const near = typeof value === 'string' ? formatSuggestion(value, known) : '';
  throw createArgumentError(method, key, `one of ${known.join(', ')}`, value, near);
};

const isAbortSignal = (value: unknown): boolean =>
  isRecord(value) && typeof value.aborted === 'boolean' && typeof value.addEventListener === 'function';

export const expectCall = (method: string, call: FireOptions): void => {
  if (!isRecord(call)) {
    throw new HookwrightError('invalid_argument', `${method} takes an object; got ${describeValue(call)}`, {
      details: { method },
    });
  }
  expectOptions(method, call);
};

/** A value such as an AbortSignal has no own members and would pass as empty options. */
const describeWrongOptions = (options: object, known: readonly string[]): string | undefined => {
  if (isAbortSignal(options)) return 'an AbortSignal; pass {signal}';
  if (options instanceof AbortController) return 'an AbortController; pass {signal: controller.signal}';
  const prototype: unknown = Object.getPrototypeOf(options);
  const isOptions = prototype === Object.prototype || prototype === null || known.some((name) => name in options);
  return isOptions || Object.keys(options).length > 0 ? undefined : `a ${options.constructor.name}`;
};

export const expectKnownOptions = (method: string, options: FireOptions, known: readonly string[]): void => {
  expectObject(method, 'options', 'an object', options);
  const found = describeWrongOptions(options, known);
  if (found !== undefined)
    throw createInvalidArgument(`${method} needs options, an object such as {signal}; got ${found}`);
  expectKnown(method, options, known);
  expectOptions(method, options);
};

const expectOptions = (method: string, { timeoutMs, signal }: FireOptions): void => {
  if (timeoutMs !== undefined && !isPositiveNumber(timeoutMs)) {
    throw createArgumentError(method, 'timeoutMs', 'milliseconds over 0', timeoutMs);
  }
  if (signal !== undefined && !isAbortSignal(signal))
    throw createArgumentError(method, 'signal', 'an AbortSignal', signal);
};

/** Like `fetch`, a cancelled call rejects, because a returned value could be taken for permission. */
export const expectNotAborted = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted) throw signal.reason;
};
