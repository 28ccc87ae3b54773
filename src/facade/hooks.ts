/** The public types of the object that `createHooks` returns. */
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
import type { HookFault } from './hearing.ts';
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

/** What the hooks made of one moment of the agent's life. */
export interface HookVerdict {
  readonly verdict: Verdict;
  /** Why, for every verdict but `none` and a silent `allow`. */
  readonly reason?: string | undefined;
  /** Why the agent is to stop altogether; there also when the verdict is `deny`, because a block speaks before a stop. */
  readonly stopReason?: string | undefined;
  /** What the model should know, markup escaped. A prompt or an output that comes back has it already. */
  readonly context?: string | undefined;
  /**
   * System messages, for the model; a UI may show them. A prompt, an output or a request that comes back has its own
   * already, and the next request that `beforeModel` gives back has all others.
   */
  readonly messages: readonly string[];
  /** What went wrong. A fault is never a verdict unless its hook asked for that. */
  readonly faults: readonly HookFault[];
}

/** What every call may bring along. */
export interface HookCallOptions extends FireOptions {
  /** More of the moment than the method asks for, by the names of its payload: hooks, those of other agents too, read it on stdin. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
}

type Generic = 'afterTool' | 'beforeModel' | 'afterModel' | 'beforeToolSelection';
type Simple = {
  readonly [M in Exclude<FacadeMethod, Generic>]: (
    call: CallOf<M> & HookCallOptions,
  ) => Promise<HookVerdict & ChangesOf<M>>;
};

/** @typeParam Response - what the translator makes. */
export interface ModelCallOf<Request extends object, Response extends object> {
  readonly request: Request;
  /** Of the SDK of this request, where it is not the engine's: one of `hookwright/translators`, or your own. */
  readonly translator?: Translator<object, Response, object> | undefined;
}

/** One method per event. Each rejects when it is called wrongly or after `close()`, and with its reason when its `signal` aborts. */
export interface FacadeMethods extends Simple {
  afterTool<Output>(
    call: FinishedToolCall<Output> & HookCallOptions,
  ): Promise<HookVerdict & Omit<ChangesOf<'afterTool'>, 'output'> & { output: HookedOutput<Output> }>;
  /** @typeParam Response - what the translator makes: name it when it is not the one of `@google/genai`. */
  beforeModel<Request extends object, Response extends object = ModelResponse>(
    call: ModelCallOf<Request, Response> & HookCallOptions,
  ): Promise<
    HookVerdict & {
      request: Request;
      /** An answer a hook gave in the model's place; use it instead of calling the model. */
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
      /** The request with the choice of the hooks in it, in the words of its SDK. */
      request: Request;
      toolConfig?: ToolConfigOf<Request>;
      tools?: ToolsOf<Request>;
    }
  >;
}

export interface CloseOptions {
  /**
   * How long hooks in the background may still run; 5,000 ms by default. Those that run longer are ended, with a warning and an
   * `error` event of the bus for each.
   */
  readonly graceMs?: number | undefined;
}

/** What hooks made of an event that was fired by its name. */
export interface FiredVerdict extends HookVerdict {
  /** The merged answer, for whatever else the event can change; absent if no hook answered. */
  readonly output?: DefaultHookOutput | undefined;
}

/** A hook's function for an event of the host. */
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
  /** By which people find the hook; the name of the function when left out. */
  readonly name?: string | undefined;
}

/** Methods whose types follow from the tools of the host. They are methods, so that such an engine is one as any other. */
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

/** The methods of an engine that know of tools. */
type ToolMethods<Tools extends ToolTable<Tools>> = [keyof Tools] extends [never] ? AnyTools : NamedTools<Tools>;

export type CallTool<Tools extends ToolTable<Tools> = NoTools> = ToolMethods<Tools>['callTool'];

/**
 * A ready engine. Its methods may be taken off it: they need no `this`.
 *
 * @typeParam Tools - the tools of the host, whose arguments and results then follow from their names.
 */
export interface Hooks<Tools extends ToolTable<Tools> = NoTools> extends FacadeMethods {
  /** What is wrong with the configuration. */
  readonly problems: readonly ConfigProblem[];
  readonly bus: Bus;
  readonly system: HookSystem;
  /**
   * One tool call with all its hooks: asks them, puts their questions to `deps.confirm`, runs the tool with the
   * arguments they changed, shows them the result, and gives what the model, the user and the agent get. If a hook
   * asks for confirmation and there is no `deps.confirm`, the tool does not run. What `run` throws comes back
   * unchanged; when `signal` aborts, the call rejects with its reason.
   */
  readonly callTool: CallTool<Tools>;
  /**
   * Runs a call that `deps.confirm` parked, once, after today's hooks have judged it again. An approval answers the hooks that
   * asked and lifts no denial; a refusal comes back as `blocked`, with who refused. Rejects with `token_refused` if the token
   * was changed, used, is too old or belongs elsewhere, and with `invalid_config` if a required guard is missing.
   */
  readonly resume: (token: string, decision: ParkedDecision, options?: ResumeOptions) => Promise<CalledTool>;
  /** Adds a function hook; the returned function removes it. */
  readonly on: OwnEvents['on'] & ToolMethods<Tools>['on'];
  /**
   * Fires any event, those of the host included: by its name, or by its record, which also gives its payload a type. Rejects
   * if there is no such event or the payload does not fit.
   */
  readonly fire: <Payload extends object = Readonly<Record<string, unknown>>>(
    event: HookEventName | (string & {}) | HostEvent<string, Payload>,
    payload: Payload,
    options?: FireOptions,
  ) => Promise<FiredVerdict>;
  /** The traffic of the bus from now on. It ends when the loop is left, with `return()`, and with `close()`. */
  readonly tap: () => AsyncIterableIterator<HookMessage, undefined>;
  /** Says of every configured hook whether it would run, and why not. Rejects when there is no such event. */
  readonly explain: (eventName?: HookEventName | (string & {}), context?: PlanContext) => Promise<HookRow[]>;
  /** Ends what runs, refuses everything later, and waits for the processes of hooks to be gone. */
  readonly close: (options?: CloseOptions) => Promise<void>;
}
