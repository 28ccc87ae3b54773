const isThenable = (value: unknown): boolean =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') && 'then' in value;

export interface GuardOwner {
  /** Whether an error now would reach no listener. */
  isQuiet(): boolean;
  report(thrown: unknown, quiet: boolean): void;
}

/** Runs foreign code: what it throws, now or later by a promise it returned, is reported and goes no further. */
export class Guard {
  readonly #owner: GuardOwner;

  constructor(owner: GuardOwner) {
    this.#owner = owner;
  }

  run<Value>(callback: (value: Value) => unknown, value: Value): void {
    try {
      const returned = callback(value);
      if (returned !== undefined && isThenable(returned)) this.#watch(returned);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  failed(thrown: unknown): void {
    this.#owner.report(thrown, this.#owner.isQuiet());
  }

  #watch(returned: unknown): void {
    const quiet = this.#owner.isQuiet();
    Promise.resolve(returned).then(undefined, (thrown) => this.#owner.report(thrown, quiet));
  }
}
