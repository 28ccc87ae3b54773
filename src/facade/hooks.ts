/** The types of the object that `createHooks` returns. */
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

export interface HookVerdict {
  readonly verdict: Verdict;
  /** Absent for `none`, and for an `allow` without a reason. */
  readonly reason?: string | undefined;
  /** Why the agent must stop; present with the verdict `deny` too. */
  readonly stopReason?: string | undefined;
  /** Context for the model, with escaped markup; already in a returned prompt or output. */
  readonly context?: string | undefined;
  /** System messages for the model. Those missing in a returned value go into the next model request. */
  readonly messages: readonly string[];
  /** Hooks that failed; the verdict already respects the `onFault` of each. */
  readonly faults: readonly HookFault[];
}

export interface HookCallOptions extends FireOptions {
  /** Further fields of the input that hooks read. */
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
  /** For a request of another SDK than that of `deps.translator`. */
  readonly translator?: Translator<object, Response, object> | undefined;
}

/** A method for each event. Rejects for invalid arguments, after `close()`, and if `signal` aborts. */
interface EventMethods extends PlainMethods {
  afterTool<Output>(
    call: FinishedToolCall<Output> & HookCallOptions,
  ): Promise<HookVerdict & Omit<ChangesOf<'afterTool'>, 'output'> & { output: HookedOutput<Output> }>;
  /** @typeParam Response - the response of the translator's SDK, if not `@google/genai`. */
  beforeModel<Request extends object, Response extends object = ModelResponse>(
    call: ModelCallOf<Request, Response> & HookCallOptions,
  ): Promise<
    HookVerdict & {
      request: Request;
      /** A hook's answer to the request; use it instead of calling the model. */
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
  /** Milliseconds to wait for background hooks, which are ended then. Default: 5,000. */
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
  readonly name?: string | undefined;
}

/** Declared as methods: function properties would not be assignable to those of `Hooks`. */
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

/** An engine with its hooks. @typeParam Tools - arguments and results of the host's tools by name. */
export interface Hooks<Tools extends ToolTable<Tools> = NoTools> extends EventMethods {
  readonly problems: readonly ConfigProblem[];
  readonly bus: Bus;
  readonly system: HookSystem;
  /**
   * Runs a tool with its hooks. If a hook asks and there is no `deps.confirm`, the tool does not run. Rejects if `run`
   * rejects or `signal` aborts.
   */
  readonly callTool: CallTool<Tools>;
  /**
   * Runs a parked call after today's hooks judged it again; an approval overrides no denial. Rejects with
   * `token_refused` for an invalid token, and with `invalid_config` if a required guard is missing.
   */
  readonly resume: (token: string, decision: ParkedDecision, options?: ResumeOptions) => Promise<CalledTool>;
  /** Adds a function hook; the returned function removes it. */
  readonly on: HostEventMethods['on'] & ToolMethods<Tools>['on'];
  /** Fires an event by name or definition. Rejects for an unknown event or an invalid payload. */
  readonly fire: <Payload extends object = Readonly<Record<string, unknown>>>(
    event: HookEventName | (string & {}) | HostEvent<string, Payload>,
    payload: Payload,
    options?: FireOptions,
  ) => Promise<FiredVerdict>;
  /** All messages on the bus from now on, until `return()` or `close()`. */
  readonly tap: () => AsyncIterableIterator<HookMessage, undefined>;
  /** Explains for each configured hook whether it would run. */
  readonly explain: (eventName?: HookEventName | (string & {}), context?: PlanContext) => Promise<HookRow[]>;
  /** Ends running hooks and waits until their processes are gone. */
  readonly close: (options?: CloseOptions) => Promise<void>;
}
