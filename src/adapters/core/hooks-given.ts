import { HookwrightError } from '../../errors.ts';
import type { Hooks } from '../../facade/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';

/** The likeliest mistakes: the promise of `createHooks`, and arguments the other way round. */
export const expectHooks = (adapter: string, hooks: Hooks): void => {
  const given: unknown = hooks;
  if (isRecord(given) && typeof given.callTool === 'function' && typeof given.beforeModel === 'function') return;
  const isPromise = isRecord(given) && typeof given.then === 'function';
  const hint = isPromise ? '; await createHooks() first' : '';
  throw new HookwrightError(
    'invalid_argument',
    `${adapter} takes what createHooks gives as its first argument; got ${describeValue(given)}${hint}`,
  );
};
