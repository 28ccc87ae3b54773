import type { Bus } from '../../bus/index.ts';
import type { TriggerConfig } from '../../config.ts';
import type { HookEventName, PreCompressTrigger, SessionEndReason, SessionStartSource } from '../../events/index.ts';
import type { Hooks } from '../../facade/index.ts';
import type { AnyHookTranslator, ModelRequest, ModelResponse } from '../../models/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { Walk } from './walk.ts';

export type ToolInput = Record<string, unknown>;

/** One of these is needed: where the agent's hooks are. */
export type HostAccess =
  | { readonly config: TriggerConfig }
  | { readonly hooks: Hooks }
  /** For an agent that only asks over a bus. Without another answerer, the kit answers there. */
  | { readonly bus: Bus };

export interface ToolCallContext {
  /** What the tool does, in this call: the agent runs it where it would run the tool. */
  readonly run: (input: ToolInput) => Promise<ToolResult>;
  /** Aborts the call. */
  readonly signal: AbortSignal;
}

/** One of several calls that the agent makes at the same time. */
export interface ParallelCall extends ToolCallContext {
  readonly name: string;
  readonly input: ToolInput;
}

/** The models of a path, which the agent asks where it would ask its own. */
export interface ModelContext<Request, Response> {
  readonly model: (request: Request) => Promise<Response>;
  /** Answers in pieces. */
  readonly stream: (request: Request) => AsyncIterable<Response>;
}

/** A tool call that the model wanted: the agent does it, and then what it does after every tool call. */
export interface ToolTurnContext<Request, Response> extends ToolCallContext, ModelContext<Request, Response> {
  /** Given whatever the agent shows its user of what the tool gave. */
  readonly show: (shown: unknown) => void;
}

/**
 * What the agent can be made to do, each thing in a line or two. Leave out what it cannot: the report names the paths
 * that were not walked. Each resolves when the agent is done, and rejects where the agent lets an exception out.
 *
 * @typeParam Request - what the agent sends to its model; the translator of the engine makes it.
 * @typeParam Response - what the model answers.
 */
export interface HostAbilities<Request extends object = ModelRequest, Response extends object = ModelResponse> {
  /** Calls a tool; resolves to what the model is given of it. */
  callTool?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Calls tools at the same time; without it `callTool` is used, twice at once. */
  parallelTools?(calls: readonly ParallelCall[]): unknown;
  /**
   * Does what the agent does when its model wants a tool called: calls it, shows the user what it gave, and asks the model
   * again with that. Tells whether a hook that ends the work of the agent is heeded.
   */
  toolTurn?(name: string, input: ToolInput, context: ToolTurnContext<Request, Response>): unknown;
  /** Calls a tool that is no plain function: a shell, an editor, a tool of a provider that runs here. */
  callOwnTool?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Calls a tool that runs elsewhere, in a page for example: `run` is what is done there with the call. */
  callElsewhere?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Has another agent work on a part: `run` is its work. */
  startAgent?(agentType: string, context: Pick<ToolCallContext, 'run'>): unknown;
  /** Calls the model and has the answer at once; resolves to what the agent keeps of it. */
  callModel?(request: Request, context: ModelContext<Request, Response>): unknown;
  /** Calls the model and gets the answer in pieces; resolves to what the agent keeps of it. */
  streamModel?(request: Request, context: ModelContext<Request, Response>): unknown;
  startSession?(source: SessionStartSource): unknown;
  endSession?(reason: SessionEndReason): unknown;
  /** Works on a prompt until there is an answer. */
  sendPrompt?(prompt: string, context: ModelContext<Request, Response>): unknown;
  /** Makes the conversation shorter. */
  compress?(trigger: PreCompressTrigger): unknown;
  /** Tells the user something. */
  notify?(type: string, message: string): unknown;
}

type HostAbility = keyof HostAbilities;

/** The agent under test, as the coverage kit sees it. */
export type HostDriver<Request extends object = ModelRequest, Response extends object = ModelResponse> = HostAccess &
  HostAbilities<Request, Response>;

/** A tool the paths call. */
export interface SampleTool {
  readonly name: string;
  readonly input: ToolInput;
  /** What a hook changes in the input. */
  readonly change: ToolInput;
}

export interface CoverageOptions {
  /** Two tools, for an agent that does not take just any name and input. */
  readonly tools?: readonly [SampleTool, SampleTool] | undefined;
  /** For an agent whose model is not that of `@google/genai`; that of the config when left out. */
  readonly translator?: AnyHookTranslator | undefined;
  /** Paths to leave out, by name. They are listed as uncovered. */
  readonly skip?: readonly string[] | undefined;
  /** How long the agent may take for one thing; 5,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** How long to wait for an event that the agent fires later on its own; 500 by default. */
  readonly patienceMs?: number | undefined;
}

export interface PathContext {
  readonly walk: Walk;
  readonly driver: HostAbilities<object, object>;
  readonly tools: readonly [SampleTool, SampleTool];
  readonly translator: AnyHookTranslator;
}

/** One way through an agent, and what has to be seen on it. */
export interface CoveragePath {
  readonly name: string;
  /** Any of these will do. */
  readonly needs: readonly HostAbility[];
  /** True where the kit has to add a hook to see what the agent makes of its answer. */
  readonly needsHook: boolean;
  readonly expected: readonly HookEventName[];
  readonly go: (context: PathContext) => Promise<void>;
}
