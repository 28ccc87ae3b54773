// Runs the hooks around a call of a model, for the adapters of all SDKs.
import { HookwrightError } from '../../errors.ts';
import { comesToNothing, expectNotAborted, type Hooks } from '../../facade/index.ts';
import { withChanges } from '../../kit/index.ts';
import type { Translator } from '../../models/index.ts';
import { expectAllowed } from './stopped-calls.ts';

export interface AdapterModelCall<Request extends object, Response extends object> {
  /** Called only if hooks need the request. */
  readonly request: () => Request;
  readonly translator: Translator<object, Response, object>;
  readonly signal?: AbortSignal | undefined;
}

/** A request to send, or an answer of hooks in its place. */
export type PreparedModelCall<Request, Response> =
  | { readonly request: Request; readonly response?: undefined }
  | { readonly request: Request; readonly response: Response };

/**
 * Runs the hooks before a call of the model: which tools it may call, then the request itself. `undefined` if there are
 * no such hooks.
 *
 * @throws HookwrightError `blocked` if a hook denies the call and none answers it.
 */
export const beforeModelCall = async <Request extends object, Response extends object>(
  hooks: Hooks,
  { request: original, translator, signal }: AdapterModelCall<Request, Response>,
): Promise<PreparedModelCall<Request, Response> | undefined> => {
  if (comesToNothing(hooks, 'beforeToolSelection') && comesToNothing(hooks, 'beforeModel')) {
    // An abort in the same turn must count.
    await undefined;
    expectNotAborted(signal);
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
 * Runs the AfterModel hooks with the complete answer. Returns the answer as they changed it, or the same object.
 *
 * @throws HookwrightError `blocked` if a hook denies the answer.
 */
export const afterModelCall = async <Request extends object, Response extends object, R extends object>(
  hooks: Hooks,
  { request, translator, signal }: AdapterModelCall<Request, Response>,
  response: R,
): Promise<R> => {
  if (comesToNothing(hooks, 'afterModel')) {
    await undefined;
    expectNotAborted(signal);
    return response;
  }
  const after = await hooks.afterModel({ request: request(), response, translator, signal });
  expectAllowed('AfterModel', 'Answer of the model', after);
  return after.response;
};

/**
 * The model that a BeforeModel hook names instead of the SDK's.
 *
 * @throws HookwrightError `not_supported` if the host provides no such model.
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

/** The settings with one of these names, without undefined ones. */
export const knownSettings = (settings: Members, known: readonly string[]): Members =>
  Object.fromEntries(known.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]] as const])));

/** The settings with changes of hooks; `undefined` if there are none. */
export const changedSettings = (
  settings: Members,
  known: readonly string[],
  before: Members,
  after: Members,
): Record<string, unknown> | undefined => {
  const changes = known.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]] as const);
  return changes.length === 0 ? undefined : withChanges(settings, Object.fromEntries(changes));
};
