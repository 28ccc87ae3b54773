// Runs the hooks around a call of a model, for the adapters of all SDKs.
import { HookwrightError } from '../../errors.ts';
import { expectNotAborted, type Hooks, isNoop } from '../../facade/index.ts';
import { type Members, withChanges } from '../../kit/index.ts';
import type { Translator } from '../../models/index.ts';
import { expectAllowed } from './stopped-calls.ts';

export interface AdapterModelCall<Request extends object, Response extends object> {
  readonly request: () => Request;
  readonly translator: Translator<object, Response, object>;
  readonly signal?: AbortSignal | undefined;
}

export type PreparedModelCall<Request, Response> =
  | { readonly request: Request; readonly response?: undefined }
  | { readonly request: Request; readonly response: Response };

/** Returns `undefined` without hooks. Throws `blocked` if a hook denies the call and no hook provides an answer. */
export const prepareModelCall = async <Request extends object, Response extends object>(
  hooks: Hooks,
  { request: original, translator, signal }: AdapterModelCall<Request, Response>,
): Promise<PreparedModelCall<Request, Response> | undefined> => {
  if (isNoop(hooks, 'beforeToolSelection') && isNoop(hooks, 'beforeModel')) {
    // Lets an abort in the same event loop turn take effect.
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

/** Returns the answer as the hooks changed it, or the same object. Throws `blocked` if a hook denies the answer. */
export const finishModelCall = async <Request extends object, Response extends object, R extends object>(
  hooks: Hooks,
  { request, translator, signal }: AdapterModelCall<Request, Response>,
  response: R,
): Promise<R> => {
  if (isNoop(hooks, 'afterModel')) {
    await undefined;
    expectNotAborted(signal);
    return response;
  }
  const after = await hooks.afterModel({ request: request(), response, translator, signal });
  expectAllowed('AfterModel', 'Answer of the model', after);
  return after.response;
};

/** `hold` holds a stream back until hooks have seen its end, `live` passes it on. */
export type StreamMode = 'auto' | 'hold' | 'live';

export const mustHoldBack = (
  hooks: Hooks,
  stream: StreamMode,
  ...event: Parameters<Hooks['system']['wouldRun']>
): boolean => (stream === 'auto' ? hooks.system.wouldRun(...event) : stream === 'hold');

export const createTooLateError = (holdBack: string): HookwrightError =>
  new HookwrightError(
    'not_supported',
    `An AfterModel hook changed an answer that was passed on while it came; hold it back with ${holdBack}`,
  );

export const findModelByName = <Model>(
  adapter: string,
  modelFor: ((modelId: string) => Model | undefined) | undefined,
  wanted: string,
): Model => {
  const model = modelFor?.(wanted);
  if (model !== undefined) return model;
  const why = modelFor === undefined ? `${adapter} was given no \`modelFor\`` : '`modelFor` has none of that name';
  throw new HookwrightError('not_supported', `A BeforeModel hook asks for the model "${wanted}", and ${why}`);
};

export const pickSettings = (settings: Members, known: readonly string[]): Members =>
  Object.fromEntries(known.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]] as const])));

export const applySettingChanges = (
  settings: Members,
  known: readonly string[],
  before: Members,
  after: Members,
): Record<string, unknown> | undefined => {
  const changes = known.filter((key) => before[key] !== after[key]).map((key) => [key, after[key]] as const);
  return changes.length === 0 ? undefined : withChanges(settings, Object.fromEntries(changes));
};
