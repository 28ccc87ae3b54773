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

/** The merged answer of all hooks of an event. */
export interface HookVerdict {
  readonly verdict: Verdict;
  /** Present for every verdict except `none` and an `allow` without a reason. */
  readonly reason?: string | undefined;
  /** Why the agent must stop. Also present if another hook denies, when `verdict` is `deny`. */
  readonly stopReason?: string | undefined;
  /** Context for the model, with escaped markup. A returned prompt or output already contains it. */
  readonly context?: string | undefined;
  /**
   * System messages for the model, which a UI may show. Those missing in a returned value go into the next model
   * request.
   */
  readonly messages: readonly string[];
  /** Hooks that failed. They count in the verdict only if their `onFault` says so. */
  readonly faults: readonly HookFault[];
}

export interface HookCallOptions extends FireOptions {
  /** Additional payload fields, which hooks read as part of their input. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

type GenericMethod = 'afterTool' | 'beforeModel' | 'afterModel' | 'beforeToolSelection';
type PlainMethods = {
  readonly [M in Exclude<FacadeMethod, GenericMethod>]: (
    call: CallOf<M> & HookCallOptions,
  ) => Promise<HookVerdict & ChangesOf<M>>;
};

export interface ModelCallOf<Request extends object, Response extends object> {
  readonly request: Request;
  /**
   * For a request of another SDK than the one of `deps.translator`: a translator of `hookwright/translators`, or your
   * own.
   */
  readonly translator?: Translator<object, Response, object> | undefined;
}

/** One method per event. Each rejects for wrong arguments, after `close()`, and if `signal` aborts. */
export interface FacadeMethods extends PlainMethods {
  afterTool<Output>(
    call: FinishedToolCall<Output> & HookCallOptions,
  ): Promise<HookVerdict & Omit<ChangesOf<'afterTool'>, 'output'> & { output: HookedOutput<Output> }>;
  /**
   * @typeParam Response - the type of a response in the translator's SDK. Name it unless the SDK is `@google/genai`.
   */
  beforeModel<Request extends object, Response extends object = ModelResponse>(
    call: ModelCallOf<Request, Response> & HookCallOptions,
  ): Promise<
    HookVerdict & {
      request: Request;
      /** A hook's answer to the request. Use it instead of calling the model. */
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
      /** The request with only the tools that hooks chose. */
      request: Request;
      toolConfig?: ToolConfigOf<Request>;
      tools?: ToolsOf<Request>;
    }
  >;
}

export interface CloseOptions {
  /**
   * Milliseconds to wait for background hooks. Default: 5,000. Hooks that still run then are ended with a warning and
   * an `error` event of the bus.
   */
  readonly graceMs?: number | undefined;
}

export interface FiredVerdict extends HookVerdict {
  /** The merged output with the changes of hooks; absent if no hook answered. */
  readonly output?: DefaultHookOutput | undefined;
}

export type HostEventFunction<Payload extends object> = (
  input: BaseHookInput & Payload,
  context: HookActionContext,
) => Replies<HookAnswer<HookEventName>>;

interface HostEventMethods {
  on<Payload extends object>(
    event: HostEvent<string, Payload>,
    run: HostEventFunction<Payload>,
    options?: OnOptions,
  ): () => void;
}

export interface OnOptions extends HookOptions {
  /** Default: the name of the function. */
  readonly name?: string | undefined;
}

/** Methods typed by the host's tools. As methods, not function properties, they stay assignable to those of `Hooks`. */
interface TypedToolMethods<Tools extends ToolTable<Tools>> {
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

interface UntypedToolMethods {
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

type ToolMethods<Tools extends ToolTable<Tools>> = [keyof Tools] extends [never]
  ? UntypedToolMethods
  : TypedToolMethods<Tools>;

export type CallTool<Tools extends ToolTable<Tools> = NoTools> = ToolMethods<Tools>['callTool'];

/**
 * An engine with its hooks. Its methods can be used without `this`.
 *
 * @typeParam Tools - arguments and results of the host's tools by name.
 */
export interface Hooks<Tools extends ToolTable<Tools> = NoTools> extends FacadeMethods {
  /** Problems of settings and hooks. */
  readonly problems: readonly ConfigProblem[];
  readonly bus: Bus;
  readonly system: HookSystem;
  /**
   * Runs a tool with its hooks: hooks may change the arguments, ask for confirmation, deny the call and replace the
   * result. If a hook asks and there is no `deps.confirm`, the tool does not run. Rejects if `run` rejects or `signal`
   * aborts.
   */
  readonly callTool: CallTool<Tools>;
  /**
   * Runs a call that `deps.confirm` parked, after today's hooks have judged it again. An approval answers hooks that
   * ask, but overrides no denial. A refusal is returned as `blocked` with the name of the person. Rejects with
   * `token_refused` if the token was changed or used, has expired or belongs to another project, and with
   * `invalid_config` if a required guard is missing.
   */
  readonly resume: (token: string, decision: ParkedDecision, options?: ResumeOptions) => Promise<CalledTool>;
  /** Adds a function hook. Call the returned function to remove it. */
  readonly on: HostEventMethods['on'] & ToolMethods<Tools>['on'];
  /** Fires an event by name or by definition. Rejects for an unknown event and for a wrong payload. */
  readonly fire: <Payload extends object = Readonly<Record<string, unknown>>>(
    event: HookEventName | (string & {}) | HostEvent<string, Payload>,
    payload: Payload,
    options?: FireOptions,
  ) => Promise<FiredVerdict>;
  /** All messages on the bus from now on. The iterator ends with `return()` or `close()`. */
  readonly tap: () => AsyncIterableIterator<HookMessage, undefined>;
  /** Tells for each configured hook whether it would run, and if not, why. Rejects for an unknown event. */
  readonly explain: (eventName?: HookEventName | (string & {}), context?: PlanContext) => Promise<HookRow[]>;
  /** Ends running hooks, refuses later calls, and waits until all processes of hooks are gone. */
  readonly close: (options?: CloseOptions) => Promise<void>;
}
