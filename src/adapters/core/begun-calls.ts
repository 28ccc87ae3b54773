// Tool calls whose hooks start when an SDK decides about the call, before it runs the tool.
import { type CalledTool, type CallToolOptions, confirmOf, type Hooks } from '../../facade/index.ts';
import { isRecord, onAbort } from '../../kit/index.ts';
import { isSameJson } from '../../models/index.ts';
import type { Confirm, ConfirmQuestion } from '../../protocol/index.ts';
import type { Args } from '../../triggers/index.ts';
import { NewestEntries } from './wrapping.ts';

export type RunTool = (input: Args, context: { readonly signal: AbortSignal }) => unknown;

export interface AdapterToolCall
  extends Pick<CallToolOptions, 'mcpContext' | 'inputSchema' | 'outputSchema' | 'runTool'> {
  readonly name: string;
  readonly input: Args;
  readonly id?: string | undefined;
  /** The user's answer; `undefined` if the SDK did not ask. Read when a hook asks. */
  readonly approved?: (() => boolean | undefined) | undefined;
}

export const toArgs = (input: unknown): Args => (isRecord(input) ? input : { input });

export const toInput = (args: Args, original: unknown): unknown => (isRecord(original) ? args : args.input);

/** `run`: hooks allow the call. `ask`: a hook wants confirmation. `over`: the tool will not run. */
export type ToolClearance = 'run' | 'ask' | 'over';

const createDeferred = <T>() => {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
};

const callNotMadeError = new Error('the tool call was not made');

/** Without it, the model would read that a person refused. */
const refuseUnasked = (context: Parameters<Confirm>[1]): false => {
  context?.onUnanswered?.('no-listener');
  return false;
};

/** A tool call whose hooks have begun. It waits until the SDK runs the tool, so that the hooks run once. */
export class BegunCall {
  readonly clearance: Promise<ToolClearance>;
  readonly name: string;
  readonly original: Args;
  readonly #running = createDeferred<RunTool>();
  readonly #answer = createDeferred<boolean | undefined>();
  readonly #leaving = new AbortController();
  readonly #result: Promise<CalledTool>;
  readonly #approved: boolean | undefined;
  #question: ConfirmQuestion | undefined;
  #input: Args;

  constructor(hooks: Hooks, { name, input, approved, ...options }: AdapterToolCall, signal?: AbortSignal) {
    const clearance = createDeferred<ToolClearance>();
    this.clearance = clearance.promise;
    this.#approved = approved?.();
    this.name = name;
    this.original = input;
    this.#input = input;
    let hasRun = false;
    const confirm: Confirm = (question, context) => {
      const host = confirmOf(hooks);
      if (host !== undefined && (hasRun || this.#approved === undefined)) return host(question, context);
      if (hasRun) return refuseUnasked(context);
      this.#question = question;
      clearance.resolve('ask');
      return this.#approved ?? this.#answer.promise.then((answer) => answer ?? refuseUnasked(context));
    };
    const run: RunTool = async (args, context) => {
      hasRun = true;
      this.#input = args;
      clearance.resolve('run');
      return (await this.#running.promise)(args, context);
    };
    const stop = this.#leaveWith(signal);
    this.#result = hooks.callTool(name, input, run, { ...options, confirm, signal: this.#leaving.signal });
    const over = (): void => {
      stop();
      clearance.resolve('over');
    };
    this.#result.then(over, over);
  }

  #leaveWith(signal: AbortSignal | undefined): () => void {
    if (signal === undefined) return () => undefined;
    const leave = (): void => this.#leaving.abort(signal.reason);
    if (signal.aborted) leave();
    return onAbort(signal, leave);
  }

  get input(): Args {
    return this.#input;
  }

  get question(): ConfirmQuestion | undefined {
    return this.#question;
  }

  /** Rejects if the tool rejects, and on abort. `approved` is the answer of a user whom the SDK asked in between. */
  async finish(run: RunTool, signal?: AbortSignal, approved = this.#approved): Promise<CalledTool> {
    const stop = this.#leaveWith(signal);
    this.#answer.resolve(approved);
    this.#running.resolve(run);
    try {
      return await this.#result;
    } finally {
      stop();
    }
  }

  drop(): void {
    this.#leaving.abort(callNotMadeError);
  }
}

/** For SDKs that decide about a call and run it in one step. */
export const callAtOnce = (
  hooks: Hooks,
  call: AdapterToolCall,
  run: RunTool,
  signal: AbortSignal | undefined,
): Promise<CalledTool> => {
  let hasRun = false;
  const runOnce: RunTool = (args, context) => {
    hasRun = true;
    return run(args, context);
  };
  const { name, input, id, approved, mcpContext, inputSchema, outputSchema, runTool } = call;
  const confirm: Confirm = (question, context) => {
    const answer = hasRun ? undefined : approved?.();
    return answer ?? confirmOf(hooks)?.(question, context) ?? refuseUnasked(context);
  };
  const options = { id, mcpContext, inputSchema, outputSchema, runTool, signal, confirm };
  return hooks.callTool(name, input, runOnce, options);
};

export class BegunCalls extends NewestEntries<BegunCall> {
  constructor() {
    super((call) => call.drop());
  }

  /** Returns `undefined` if the input changed or another conversation uses the id. The hooks then run again. */
  takeSame({ id, name, input }: AdapterToolCall): BegunCall | undefined {
    const begun = id === undefined ? undefined : this.take(id);
    if (begun === undefined || (begun.name === name && isSameJson(begun.original, input))) return begun;
    begun.drop();
    return undefined;
  }

  finish(hooks: Hooks, call: AdapterToolCall, run: RunTool, signal: AbortSignal | undefined): Promise<CalledTool> {
    const begun = this.takeSame(call);
    return begun === undefined ? callAtOnce(hooks, call, run, signal) : begun.finish(run, signal, call.approved?.());
  }
}
