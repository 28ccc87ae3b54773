// Helpers of all adapters: checks of arguments, proxies, and values kept for each engine or call.
import { HookwrightError } from '../../errors.ts';
import { type Hooks, reportTo } from '../../facade/index.ts';
import { describeValue, isRecord } from '../../kit/index.ts';
import { ConfigSource } from '../../protocol/index.ts';

export const expectHooks = (adapter: string, hooks: Hooks): void => {
  const given: unknown = hooks;
  const isPromise = isRecord(given) && typeof given.then === 'function';
  const isEngine = !isPromise && isRecord(given) && typeof given.callTool === 'function';
  if (isEngine && typeof given.beforeModel === 'function') return;
  const hint = isPromise ? '; await createHooks() first' : '';
  throw new HookwrightError(
    'invalid_argument',
    `${adapter} takes what createHooks gives as its first argument; got ${describeValue(given)}${hint}`,
  );
};

export const reportUnhooked = (hooks: Hooks, calls: string, name: string): void => {
  reportTo(hooks, {
    code: 'unhooked-tool',
    severity: 'warning',
    skipped: false,
    path: `tools.${name}`,
    source: ConfigSource.Runtime,
    message: `${calls} run at the provider, and no hook is asked about them`,
  });
};

export const createProxy = <T extends object>(target: T, own: ReadonlyMap<PropertyKey, unknown>): T =>
  new Proxy(target, {
    get: (_target, key): unknown => {
      const member = own.get(key);
      if (member !== undefined) return member;
      // Methods get the original object, because its private members do not exist on a proxy.
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** Returns a function that creates one value for each engine, on first use. */
export const createPerEngine = <Value>(create: (hooks: Hooks) => Value): ((hooks: Hooks) => Value) => {
  const values = new WeakMap<Hooks, Value>();
  return (hooks) => {
    const known = values.get(hooks);
    if (known !== undefined) return known;
    const value = create(hooks);
    values.set(hooks, value);
    return value;
  };
};

/** SDKs do not always report that a call is dropped, so only the newest entries are kept. */
const MAX_KEPT_ENTRIES = 1_000;

export class NewestEntries<Value> {
  readonly #values = new Map<string, Value>();
  readonly #onForgotten: (value: Value) => void;

  constructor(onForgotten: (value: Value) => void = () => undefined) {
    this.#onForgotten = onForgotten;
  }

  get(id: string): Value | undefined {
    return this.#values.get(id);
  }

  keep(id: string, value: Value): void {
    this.#forget(id);
    this.#values.set(id, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MAX_KEPT_ENTRIES && oldest !== undefined) this.#forget(oldest);
  }

  take(id: string): Value | undefined {
    const value = this.#values.get(id);
    this.#values.delete(id);
    return value;
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  #forget(id: string): void {
    const value = this.take(id);
    if (value !== undefined) this.#onForgotten(value);
  }
}
