/** Types of the object that `createHooks` returns. */
import type { Bus } from '../bus/index.ts';
import type { DefaultHookOutput, HookAnswer, HookEventName, HostEvent } from '../events/index.ts';
import type { FireOptions } from '../handlers/index.ts';
import type { HookSystem } from '../hook-system.ts';
import type { ModelResponse, Translator } from '../models/index.ts';
import type { PlanContext } from '../planner/index.ts';
import type {
  BaseHookInput,
  ConfigProblem,
  HookActionContext,
  HookMessage,
  HookRow,
  ParkedDecision,
  Verdict,
} from '../protocol/index.ts';
import type { Args, ToolConfigOf, ToolsOf } from '../triggers/index.ts';
import type { CalledTool, CallToolOptions, HookedOutput, ResumeOptions, ToolRunContext } from './call-tool.ts';
import type { CallOf, ChangesOf, FacadeMethod } from './calls.ts';
import type { ExactReply, HookFunction, HookOptions, NearlyReplies, Replies, ToolOption } from './define-hook.ts';
import type { HookFault } from './event-answers.ts';
import type { FinishedToolCall } from './tool-output.ts';
import type {
  AnswerFor,
  AnyInput,
  InputFor,
  InputIn,
  NamedInput,
  NoTools,
  OutputIn,
  ToolEvent,
  ToolTable,
} from './tool-types.ts';

/** The merged answer of an event's hooks. */
export interface HookVerdict {
  readonly verdict: Verdict;
  /** Present for every verdict except `none` and an `allow` without a reason. */
  readonly reason?: string | undefined;
  /** Why the agent must stop; also present with `deny`, which is reported before a stop. */
  readonly stopReason?: string | undefined;
  /** Context for the model, markup escaped. A returned prompt or output already contains it. */
  readonly context?: string | undefined;
  /**
   * System messages for the model; a UI may show them. Those not in a returned value go into the next model request.
   */
  readonly messages: readonly string[];
  /** Hooks that failed. A fault is never a verdict unless the hook's `onFault` says so. */
  readonly faults: readonly HookFault[];
}

/** Options of every call. */
export interface HookCallOptions extends FireOptions {
  /** Further payload fields, which hooks, also those of other agents, read on stdin. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

type Generic = 'afterTool' | 'beforeModel' | 'afterModel' | 'beforeToolSelection';
type Simple = {
  readonly [M in Exclude<FacadeMethod, Generic>]: (
    call: CallOf<M> & HookCallOptions,
  ) => Promise<HookVerdict & ChangesOf<M>>;
};

/** @typeParam Response - the response that the translator creates. */
export interface ModelCallOf<Request extends object, Response extends object> {
  readonly request: Request;
  /** For a request of another SDK than the engine's: one of `hookwright/translators`, or your own. */
  readonly translator?: Translator<object, Response, object> | undefined;
}

/** One method per event. Each rejects for wrong arguments, after `close()`, and if its `signal` aborts. */
export interface FacadeMethods extends Simple {
  afterTool<Output>(
    call: FinishedToolCall<Output> & HookCallOptions,
  ): Promise<HookVerdict & Omit<ChangesOf<'afterTool'>, 'output'> & { output: HookedOutput<Output> }>;
  /** @typeParam Response - the translator's response; name it unless the SDK is `@google/genai`. */
  beforeModel<Request extends object, Response extends object = ModelResponse>(
    call: ModelCallOf<Request, Response> & HookCallOptions,
  ): Promise<
    HookVerdict & {
      request: Request;
      /** A hook's answer in place of the model's; use it instead of calling the model. */
      response?: Response;
    }
  >;
  afterModel<Request extends object, Response extends object>(
    call: ModelCallOf<Request, object> & { readonly response: Response } & HookCallOptions,
  ): Promise<HookVerdict & { response: Response }>;
  beforeToolSelection<Request extends object>(
    call: ModelCallOf<Request, object> & HookCallOptions,
  ): Promise<
    HookVerdict & {
      /** The request with the hooks' choice of tools, in the form of its SDK. */
      request: Request;
      toolConfig?: ToolConfigOf<Request>;
      tools?: ToolsOf<Request>;
    }
  >;
}

export interface CloseOptions {
  /**
   * Milliseconds for background hooks. Default: 5,000. Later ones are ended with a warning and an `error` event of the
   * bus.
   */
  readonly graceMs?: number | undefined;
}

/** The merged answer of an event fired by name. */
export interface FiredVerdict extends HookVerdict {
  /** The merged output, for changes of events without a method; absent if no hook answered. */
  readonly output?: DefaultHookOutput | undefined;
}

/** The function of a hook for an event of the host. */
export type HostEventFunction<Payload extends object> = (
  input: BaseHookInput & Payload,
  context: HookActionContext,
) => Replies<HookAnswer<HookEventName>>;

interface OwnEvents {
  on<Payload extends object>(
    event: HostEvent<string, Payload>,
    run: HostEventFunction<Payload>,
    options?: OnOptions,
  ): () => void;
}

export interface OnOptions extends HookOptions {
  /** The name of the hook. Default: the name of the function. */
  readonly name?: string | undefined;
}

/** Methods typed by the host's tools. Method syntax keeps this engine assignable to `Hooks`. */
interface NamedTools<Tools extends ToolTable<Tools>> {
  callTool<Name extends keyof Tools & string, Output extends OutputIn<Tools, Name>>(
    name: Name,
    input: InputIn<Tools, Name>,
    run: (effectiveInput: InputIn<Tools, Name>, context: ToolRunContext) => Output | Promise<Output>,
    options?: CallToolOptions,
  ): Promise<CalledTool<Output>>;
  on<
    E extends ToolEvent,
    Name extends keyof Tools & string,
    Reply extends NearlyReplies<AnswerFor<E, InputIn<Tools, Name>>>,
  >(
    event: E,
    run: HookFunction<E, Reply, InputFor<E, InputIn<Tools, Name>>> &
      ExactReply<AnswerFor<E, InputIn<Tools, Name>>, Reply>,
    options: OnOptions & { readonly tool: Name },
  ): () => void;
  on<E extends HookEventName, Reply extends NearlyReplies<AnswerFor<E, AnyInput<Tools>>>>(
    event: E,
    run: HookFunction<E, Reply, NamedInput<E, Tools>> & ExactReply<AnswerFor<E, AnyInput<Tools>>, Reply>,
    options?: OnOptions & { readonly tool?: undefined },
  ): () => void;
}

interface AnyTools {
  callTool<Output>(
    name: string,
    input: Args,
    run: (effectiveInput: Args, context: ToolRunContext) => Output | Promise<Output>,
    options?: CallToolOptions,
  ): Promise<CalledTool<Output>>;
  on<E extends HookEventName, Reply extends NearlyReplies<AnswerFor<E, Input>>, Input extends object = Args>(
    event: E,
    run: HookFunction<E, Reply, InputFor<E, Input>> & ExactReply<AnswerFor<E, Input>, Reply>,
    options?: OnOptions & { readonly tool?: ToolOption<E, Input> },
  ): () => void;
}

/** Typed by the host's tools if it named any. */
type ToolMethods<Tools extends ToolTable<Tools>> = [keyof Tools] extends [never] ? AnyTools : NamedTools<Tools>;

export type CallTool<Tools extends ToolTable<Tools> = NoTools> = ToolMethods<Tools>['callTool'];

/**
 * An engine. Its methods need no `this`.
 *
 * @typeParam Tools - the host's tools, from which arguments and results of calls are typed.
 */
export interface Hooks<Tools extends ToolTable<Tools> = NoTools> extends FacadeMethods {
  /** Problems of the configuration. */
  readonly problems: readonly ConfigProblem[];
  readonly bus: Bus;
  readonly system: HookSystem;
  /**
   * Runs a tool call with all its hooks: confirms their `ask` with `deps.confirm`, runs the tool with the arguments
   * that they changed, gives them the result, and returns the results for model, user and agent. If a hook asks for
   * confirmation and there is no `deps.confirm`, the tool does not run. Rejects with the exception of `run`, and with
   * the reason of `signal` if it aborts.
   */
  readonly callTool: CallTool<Tools>;
  /**
   * Runs a call that `deps.confirm` parked, once, after the current hooks have judged it again. An approval answers
   * hooks that ask and overrides no denial; a refusal is returned as `blocked` with the name of the person. Rejects
   * with `token_refused` if the token was changed, used, has expired or belongs to another engine, and with
   * `invalid_config` if a required guard is missing.
   */
  readonly resume: (token: string, decision: ParkedDecision, options?: ResumeOptions) => Promise<CalledTool>;
  /** Adds a function hook; the returned function removes it. */
  readonly on: OwnEvents['on'] & ToolMethods<Tools>['on'];
  /**
   * Fires any event by name or by record, which types its payload. Rejects for an unknown event or an unfitting
   * payload.
   */
  readonly fire: <Payload extends object = Readonly<Record<string, unknown>>>(
    event: HookEventName | (string & {}) | HostEvent<string, Payload>,
    payload: Payload,
    options?: FireOptions,
  ) => Promise<FiredVerdict>;
  /** The traffic of the bus from now on. Ends with the loop, `return()`, or `close()`. */
  readonly tap: () => AsyncIterableIterator<HookMessage, undefined>;
  /** Whether each configured hook would run, and if not, why. Rejects for an unknown event. */
  readonly explain: (eventName?: HookEventName | (string & {}), context?: PlanContext) => Promise<HookRow[]>;
  /** Ends running hooks, refuses later calls, and waits until the hooks' processes are gone. */
  readonly close: (options?: CloseOptions) => Promise<void>;
}
