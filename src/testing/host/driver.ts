/** Types of `hostCoverage`: what a host implements for it (`HostDriver`), and what each tested path needs. */
import type { Bus } from '../../bus/index.ts';
import type { TriggerConfig } from '../../config.ts';
import type { HookEventName, PreCompressTrigger, SessionEndReason, SessionStartSource } from '../../events/index.ts';
import type { Hooks } from '../../facade/index.ts';
import type { AnyHookTranslator, ModelRequest, ModelResponse } from '../../models/index.ts';
import type { ToolResult } from '../../triggers/index.ts';
import type { Walk } from './walk.ts';

export type ToolInput = Record<string, unknown>;

/** How `hostCoverage` reaches the agent's hooks. Give one of `config`, `hooks` and `bus`. */
export type HostAccess =
  | { readonly config: TriggerConfig }
  | { readonly hooks: Hooks }
  /** For an agent that only sends requests over a bus. If no engine serves the bus, `hostCoverage` serves it. */
  | { readonly bus: Bus };

export interface ToolCallContext {
  /** The work of the tool. The agent calls it instead of a real tool. */
  readonly run: (input: ToolInput) => Promise<ToolResult>;
  readonly signal: AbortSignal;
}

export interface ParallelCall extends ToolCallContext {
  readonly name: string;
  readonly input: ToolInput;
}

/** A model for the test, which the agent calls instead of its own. */
export interface ModelContext<Request, Response> {
  readonly model: (request: Request) => Promise<Response>;
  readonly stream: (request: Request) => AsyncIterable<Response>;
}

/** Context of a tool call that the model requested. After the call the agent continues its turn. */
export interface ToolTurnContext<Request, Response> extends ToolCallContext, ModelContext<Request, Response> {
  /** The agent calls `show` with everything of the tool's result that its user sees. */
  readonly show: (shown: unknown) => void;
}

/**
 * Actions of the agent, each in a line or two. Omit actions that the agent does not have; the report lists paths that
 * could not be tested without them. Each action resolves when the agent is done, and rejects if the agent throws.
 *
 * @typeParam Request - the agent's request to its model, built by the engine's translator.
 * @typeParam Response - the model's response.
 */
export interface HostAbilities<Request extends object = ModelRequest, Response extends object = ModelResponse> {
  /** Calls a tool. Resolves to the content that the model gets. */
  callTool?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Calls tools in parallel. Default: two concurrent calls of `callTool`. */
  parallelTools?(calls: readonly ParallelCall[]): unknown;
  /** Runs a tool call of the model: calls the tool, shows the user the result, and calls the model again with it. */
  toolTurn?(name: string, input: ToolInput, context: ToolTurnContext<Request, Response>): unknown;
  /** Calls a tool that is not a plain function, such as a shell, an editor, or a provider's tool that runs locally. */
  callOwnTool?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Calls a tool that runs in another process or a web page, where `run` does the work. */
  callElsewhere?(name: string, input: ToolInput, context: ToolCallContext): unknown;
  /** Starts a sub-agent, whose work is `run`. */
  startAgent?(agentType: string, context: Pick<ToolCallContext, 'run'>): unknown;
  /** Calls the model without streaming. Resolves to the response that the agent keeps. */
  callModel?(request: Request, context: ModelContext<Request, Response>): unknown;
  /** Calls the model with streaming. Resolves to the response that the agent keeps. */
  streamModel?(request: Request, context: ModelContext<Request, Response>): unknown;
  startSession?(source: SessionStartSource): unknown;
  endSession?(reason: SessionEndReason): unknown;
  sendPrompt?(prompt: string, context: ModelContext<Request, Response>): unknown;
  compress?(trigger: PreCompressTrigger): unknown;
  notify?(type: string, message: string): unknown;
}

export type HostDriver<Request extends object = ModelRequest, Response extends object = ModelResponse> = HostAccess &
  HostAbilities<Request, Response>;

export interface SampleTool {
  readonly name: string;
  readonly input: ToolInput;
  /** Changes that a hook of the test makes to `input`. */
  readonly change: ToolInput;
}

export interface CoverageOptions {
  /** Two tools to call, for an agent that accepts only certain tool names and inputs. */
  readonly tools?: readonly [SampleTool, SampleTool] | undefined;
  /** For an agent whose model API is not that of `@google/genai`. Default: the translator of the config. */
  readonly translator?: AnyHookTranslator | undefined;
  /** Names of paths to leave out. The report lists them as uncovered. */
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
  readonly needs: readonly (keyof HostAbilities)[];
  /** True if the path runs only when `hostCoverage` can add hooks to the agent. */
  readonly needsHook: boolean;
  readonly expected: readonly HookEventName[];
  readonly run: (context: PathContext) => Promise<void>;
}
