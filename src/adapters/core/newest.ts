/** More than this never wait for the next step of an SDK, which does not say of each call that it will not be made. */
const MAX_KEPT = 1_000;

/** What is remembered about the newest calls, by their ids; the oldest are forgotten. */
export class Newest<Value> {
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
    if (this.#values.size > MAX_KEPT && oldest !== undefined) this.#forget(oldest);
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
