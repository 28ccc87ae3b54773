import type { CalledTool, Hooks } from '../../facade/index.ts';
import { onAbort } from '../../kit/index.ts';
import type { ConfirmQuestion } from '../../protocol/index.ts';
import type { Args } from '../../triggers/index.ts';

/** What runs a tool with the arguments that hooks made of its own. */
export type RunTool = (input: Args, context: { readonly signal: AbortSignal }) => unknown;

export interface ToolCallOf {
  readonly name: string;
  readonly input: Args;
  readonly id?: string | undefined;
  /** What a person said who was asked by the SDK; nothing when nobody was. Looked up when a hook asks. */
  readonly approved?: (() => boolean | undefined) | undefined;
}

/** `ask`: a hook wants a person to be asked. `over`: it is decided, and the tool will not run. */
export type Said = 'run' | 'ask' | 'over';

const deferred = <T>() => {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};

const notMade = new Error('the tool call was not made');

/**
 * A tool call with its hooks around it, in an SDK that decides in one step and runs in another. It is held between the two,
 * so that no hook is asked twice about one call.
 */
export class BegunCall {
  readonly said: Promise<Said>;
  readonly #running = deferred<RunTool>();
  readonly #answer = deferred<boolean>();
  readonly #leaving = new AbortController();
  readonly #result: Promise<CalledTool>;
  readonly #approved: boolean | undefined;
  #question: ConfirmQuestion | undefined;

  constructor(hooks: Hooks, { name, input, id, approved }: ToolCallOf) {
    const said = deferred<Said>();
    this.said = said.promise;
    this.#approved = approved?.();
    let hasRun = false;
    const confirm = (question: ConfirmQuestion): boolean | Promise<boolean> => {
      // Nobody is asked by an SDK about a result.
      if (hasRun) return false;
      this.#question = question;
      said.resolve('ask');
      return this.#approved ?? this.#answer.promise;
    };
    const run: RunTool = async (args, context) => {
      hasRun = true;
      said.resolve('run');
      return (await this.#running.promise)(args, context);
    };
    this.#result = hooks.callTool(name, input, run, { id, confirm, signal: this.#leaving.signal });
    const over = (): void => said.resolve('over');
    this.#result.then(over, over);
  }

  /** What a person is to be asked, once a hook wants that. */
  get question(): ConfirmQuestion | undefined {
    return this.#question;
  }

  /**
   * Lets the tool run, if hooks let it. Rejects as the tool does, and when the signal aborts. `approved` is what a person said
   * who was asked since the call began.
   */
  async finish(run: RunTool, signal?: AbortSignal, approved = this.#approved): Promise<CalledTool> {
    if (signal?.aborted) {
      this.#leaving.abort(signal.reason);
      return this.#result;
    }
    const stop = signal === undefined ? undefined : onAbort(signal, () => this.#leaving.abort(signal.reason));
    this.#answer.resolve(approved === true);
    this.#running.resolve(run);
    try {
      return await this.#result;
    } finally {
      stop?.();
    }
  }

  /** Forgets the call; its hooks end. */
  drop(): void {
    this.#leaving.abort(notMade);
  }
}

/** The same in an SDK, or a call, that decides and runs in one step. */
export const callAtOnce = (
  hooks: Hooks,
  call: ToolCallOf,
  run: RunTool,
  signal: AbortSignal | undefined,
): Promise<CalledTool> => {
  let hasRun = false;
  const runOnce: RunTool = (args, context) => {
    hasRun = true;
    return run(args, context);
  };
  const { name, input, id } = call;
  return hooks.callTool(name, input, runOnce, { id, signal, confirm: () => !hasRun && call.approved?.() === true });
};

/** More calls than this never wait to be finished; an SDK does not say of each call that it will not be made. */
const MAX_BEGUN = 1_000;

/** Calls that are begun and not finished, by the ids of the SDK. */
export class BegunCalls {
  readonly #calls = new Map<string, BegunCall>();

  keep(id: string, call: BegunCall): void {
    this.take(id)?.drop();
    this.#calls.set(id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_BEGUN && oldest !== undefined) this.take(oldest)?.drop();
  }

  take(id: string): BegunCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }
}
