/** Types of the coverage kit: what a host implements (`HostDriver`) and what a path needs. */
import type { Bus } from '../../bus/index.ts';
import type { TriggerConfig } from '../../config.ts';
import type { HookEventName, PreCompressTrigger, SessionEndReason, SessionStartSource } from '../../events/index.ts';
import type { Hooks } from '../../facade/index.ts';
import type { AnyHookTranslator, ModelRequest, ModelResponse } from '../../models/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { Walk } from './walk.ts';

export type ToolInput = Record<string, unknown>;

/** How the kit reaches the agent's hooks: give one of these. */
export type HostAccess =
  | { readonly config: TriggerConfig }
  | { readonly hooks: Hooks }
  /** For an agent that only sends requests over a bus. If no engine serves the bus, the kit serves it. */
  | { readonly bus: Bus };

export interface ToolCallContext {
  /** The tool for this call: the agent runs it in place of a real tool. */
  readonly run: (input: ToolInput) => Promise<ToolResult>;
  /** Aborted to cancel the call. */
  readonly signal: AbortSignal;
}

/** One of several calls that the agent makes at the same time. */
export interface ParallelCall extends ToolCallContext {
  readonly name: string;
  readonly input: ToolInput;
}

/** Models for the path, which the agent calls in place of its own. */
export interface ModelContext<Request, Response> {
  readonly model: (request: Request) => Promise<Response>;
  /** Returns the answer in chunks. */
  readonly stream: (request: Request) => AsyncIterable<Response>;
}

/** A tool call requested by the model; the agent runs it and then continues as after every tool call. */
export interface ToolTurnContext<Request, Response> extends ToolCallContext, ModelContext<Request, Response> {
  /** Call it with everything that the agent shows its user of the result. */
  readonly show: (shown: unknown) => void;
}

/**
 * Actions of the agent, each in a line or two. Leave out actions that the agent does not have: the report lists the
 * paths that could not be tested. Each resolves when the agent is done, and rejects if the agent throws.
 *
 * @typeParam Request - the agent's request to its model, built by the engine's translator.
 * @typeParam Response - the model's response.
 */
export interface HostAbilities<Request extends object = ModelRequest, Response extends object = ModelResponse> {
  /** Calls a tool; resolves to the content that the model gets. */
  callTool?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Calls tools in parallel. Default: two concurrent `callTool`. */
  parallelTools?(calls: readonly ParallelCall[]): unknown;
  /** Runs a tool call of the model: calls the tool, shows the user the result, and calls the model again with it. */
  toolTurn?(name: string, input: ToolInput, context: ToolTurnContext<Request, Response>): unknown;
  /** Calls a tool that is not a plain function: a shell, an editor, a provider's tool that runs locally. */
  callOwnTool?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Calls a tool that runs elsewhere, for example in a page; `run` is its work there. */
  callElsewhere?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Starts a sub-agent; `run` is its work. */
  startAgent?(agentType: string, context: Pick<ToolCallContext, 'run'>): unknown;
  /** Calls the model without streaming; resolves to the response that the agent keeps. */
  callModel?(request: Request, context: ModelContext<Request, Response>): unknown;
  /** Calls the model with streaming; resolves to the response that the agent keeps. */
  streamModel?(request: Request, context: ModelContext<Request, Response>): unknown;
  startSession?(source: SessionStartSource): unknown;
  endSession?(reason: SessionEndReason): unknown;
  /** Works on a prompt until the agent has an answer. */
  sendPrompt?(prompt: string, context: ModelContext<Request, Response>): unknown;
  /** Compresses the conversation. */
  compress?(trigger: PreCompressTrigger): unknown;
  /** Shows the user a notification. */
  notify?(type: string, message: string): unknown;
}

type HostAbility = keyof HostAbilities;

/** The agent under test: access to its hooks and its actions. */
export type HostDriver<Request extends object = ModelRequest, Response extends object = ModelResponse> = HostAccess &
  HostAbilities<Request, Response>;

/** A tool that the paths call. */
export interface SampleTool {
  readonly name: string;
  readonly input: ToolInput;
  /** Changes that a hook makes to the input. */
  readonly change: ToolInput;
}

export interface CoverageOptions {
  /** Two tools, for an agent that does not accept any name and input. */
  readonly tools?: readonly [SampleTool, SampleTool] | undefined;
  /** For an agent whose model is not that of `@google/genai`. Default: that of the config. */
  readonly translator?: AnyHookTranslator | undefined;
  /** Paths to leave out, by name. They are listed as uncovered. */
  readonly skip?: readonly string[] | undefined;
  /** Time limit of one action in milliseconds. Default: 5,000. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds to wait for an event that the agent fires after its action. Default: 500. */
  readonly patienceMs?: number | undefined;
}

export interface PathContext {
  readonly walk: Walk;
  readonly driver: HostAbilities<object, object>;
  readonly tools: readonly [SampleTool, SampleTool];
  readonly translator: AnyHookTranslator;
}

export interface CoveragePath {
  readonly name: string;
  /** One of these abilities is enough. */
  readonly needs: readonly HostAbility[];
  /** The path adds a hook to see how the agent handles its answer. */
  readonly needsHook: boolean;
  readonly expected: readonly HookEventName[];
  readonly go: (context: PathContext) => Promise<void>;
}
