/** Calls of a model with their hooks, for the adapters of all SDKs. */
import { HookwrightError } from '../../errors.ts';
import { comesToNothing, expectGoing, type Hooks } from '../../facade/index.ts';
import { withChanges } from '../../kit/index.ts';
import type { Translator } from '../../models/index.ts';
import { expectAllowed } from './stopped-calls.ts';

export interface AdapterModelCall<Request extends object, Response extends object> {
  /** Called when hooks need it. */
  readonly request: () => Request;
  readonly translator: Translator<object, Response, object>;
  readonly signal?: AbortSignal | undefined;
}

/** A request to send, or an answer of hooks that replaces the call. */
export type PreparedModelCall<Request, Response> =
  | { readonly request: Request; readonly response?: undefined }
  | { readonly request: Request; readonly response: Response };

/**
 * Asks the hooks about a call of the model: which tools it may call, then whether and how it is made. `undefined`
 * without such hooks: the request goes as it came.
 *
 * @throws HookwrightError `blocked` when a hook denies it and none gave an answer in its place.
 */
export const beforeModelCall = async <Request extends object, Response extends object>(
  hooks: Hooks,
  { request: original, translator, signal }: AdapterModelCall<Request, Response>,
): Promise<PreparedModelCall<Request, Response> | undefined> => {
  if (comesToNothing(hooks, 'beforeToolSelection') && comesToNothing(hooks, 'beforeModel')) {
    // An abort in the turn of the call counts.
    await undefined;
    expectGoing(signal);
    return undefined;
  }
  const chosen = await hooks.beforeToolSelection({ request: original(), translator, signal });
  expectAllowed('BeforeToolSelection', 'Model call', chosen);
  const before = await hooks.beforeModel<Request, Response>({ request: chosen.request, translator, signal });
  const { request, response } = before;
  if (response !== undefined) return { request, response };
  expectAllowed('BeforeModel', 'Model call', before);
  return { request };
};

/**
 * Shows the hooks the complete answer and gives back what is to be kept of it, the answer itself when no hook changed it.
 *
 * @throws HookwrightError `blocked` when a hook takes the answer away.
 */
export const afterModelCall = async <Request extends object, Response extends object, R extends object>(
  hooks: Hooks,
  { request, translator, signal }: AdapterModelCall<Request, Response>,
  response: R,
): Promise<R> => {
  if (comesToNothing(hooks, 'afterModel')) {
    await undefined;
    expectGoing(signal);
    return response;
  }
  const after = await hooks.afterModel({ request: request(), response, translator, signal });
  expectAllowed('AfterModel', 'Answer of the model', after);
  return after.response;
};

/**
 * The model that a BeforeModel hook names in place of the SDK's.
 *
 * @throws HookwrightError `not_supported` if the host gave none of that name.
 */
export const otherModel = <Model>(
  adapter: string,
  modelFor: ((modelId: string) => Model | undefined) | undefined,
  wanted: string,
): Model => {
  const model = modelFor?.(wanted);
  if (model !== undefined) return model;
  const why = modelFor === undefined ? `${adapter} was given no \`modelFor\`` : '`modelFor` has none of that name';
  throw new HookwrightError('not_supported', `A BeforeModel hook asks for the model "${wanted}", and ${why}`);
};

type Members = Readonly<Record<string, unknown>>;

/** The settings that hooks know; those that are not set are left out. */
export const knownSettings = (settings: Members, known: readonly string[]): Members =>
  Object.fromEntries(known.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]] as const])));

/** Settings with the changes of hooks; `undefined` if there are none. */
export const changedSettings = (
  settings: Members,
  known: readonly string[],
  before: Members,
  after: Members,
): Record<string, unknown> | undefined => {
  const changes = known.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]] as const);
  return changes.length === 0 ? undefined : withChanges(settings, Object.fromEntries(changes));
};
