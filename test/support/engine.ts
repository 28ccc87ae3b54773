import { onTestFinished } from 'vitest';
import {
  type HookConfig,
  type HookDefinition,
  type HookEventName,
  type HookExecutionRequest,
  type HookExecutionResponse,
  type HookExecutionTrace,
  type HookMessage,
  HookSystem,
  type HookSystemDeps,
  type HooksByEvent,
  type HookwrightError,
  type HostConfig,
  MessageBus,
  MessageBusType,
} from '../../src/index.ts';
import { hostWith } from './host.ts';
import { untyped } from './untyped.ts';

export const { HOOK_EXECUTION_REQUEST, HOOK_EXECUTION_RESPONSE, HOOK_EXECUTION_CANCEL } = MessageBusType;

/** A function hook. */
export const fn = (name: string, action: (input: Input, context: { signal: AbortSignal }) => unknown): HookConfig => ({
  type: 'runtime',
  name,
  action: untyped<NonNullable<HookConfig['action']>>(action),
});

export type Input = Readonly<Record<string, unknown>>;

/** A function hook that always answers the same. */
export const answers = (name: string, answer: unknown, more: HookConfig = {}): HookConfig => ({
  ...fn(name, () => answer),
  ...more,
});

/** A function hook that never answers, and says when it was told to stop. */
export const hangs = (name: string, onStop: () => void = () => {}): HookConfig =>
  fn(name, (_input, { signal }) => {
    signal.addEventListener('abort', onStop);
    return new Promise(() => {});
  });

export const groupOf = (...hooks: HookConfig[]): HookDefinition[] => [{ hooks }];
export const inSequence = (...hooks: HookConfig[]): HookDefinition[] => [{ hooks, sequential: true }];

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface EngineOptions {
  readonly hooks?: HooksByEvent;
  readonly host?: Partial<HostConfig>;
  readonly deps?: HookSystemDeps;
}

/** A hook system that is ready; disposed of when the test ends. */
export const engineOf = async ({ hooks, host, deps }: EngineOptions = {}): Promise<HookSystem> => {
  const system = new HookSystem(hostWith({ ...(hooks === undefined ? {} : { hooks }), ...host }), undefined, deps);
  onTestFinished(() => system.dispose());
  await system.initialize();
  return system;
};

export interface BusEngine {
  readonly system: HookSystem;
  readonly bus: MessageBus;
  /** Every response so far, in order. */
  readonly responses: HookExecutionResponse[];
  readonly traces: HookExecutionTrace[];
  readonly errors: HookwrightError[];
  /** Publishes a request, as it is when it has a type. */
  ask(request: object): void;
  /** The response of an id, when it is there. */
  answerTo(correlationId: string, withinMs?: number): Promise<HookExecutionResponse>;
}

/** A hook system on a bus to which nobody else listens, not yet initialized. */
export const systemOn = (bus: MessageBus, { hooks, host, deps }: EngineOptions = {}): HookSystem => {
  const system = new HookSystem(hostWith({ ...(hooks === undefined ? {} : { hooks }), ...host }), bus, deps);
  onTestFinished(() => system.dispose());
  return system;
};

/** The same, and somebody who hears everything. */
export const engineOnBus = (options: EngineOptions = {}, bus = new MessageBus()): BusEngine => {
  const system = systemOn(bus, options);
  const responses: HookExecutionResponse[] = [];
  const traces: HookExecutionTrace[] = [];
  const errors: HookwrightError[] = [];
  bus.subscribe(HOOK_EXECUTION_RESPONSE, (response) => responses.push(response));
  bus.subscribe(MessageBusType.HOOK_EXECUTION_TRACE, (trace) => traces.push(trace));
  bus.on('error', (error) => errors.push(error));
  const answerTo = async (correlationId: string, withinMs = 2_000): Promise<HookExecutionResponse> => {
    const startedAt = performance.now();
    for (;;) {
      const response = responses.find((each) => each.correlationId === correlationId);
      if (response !== undefined) return response;
      if (performance.now() - startedAt > withinMs) throw new Error(`no response to ${correlationId}`);
      await sleep(1);
    }
  };
  const ask = (request: object): void =>
    bus.publish(untyped<HookMessage>('type' in request ? request : { type: HOOK_EXECUTION_REQUEST, ...request }));
  return { system, bus, responses, traces, errors, ask, answerTo };
};

/** Everything of one type that goes over a bus from now on. */
export const heard = <Type extends HookMessage['type']>(
  bus: MessageBus,
  type: Type,
): Extract<HookMessage, { type: Type }>[] => {
  const messages: Extract<HookMessage, { type: Type }>[] = [];
  bus.subscribe(type, (message) => messages.push(untyped(message)));
  return messages;
};

export const llmRequest = { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
export const llmResponse = { candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] };
const tool = { tool_name: 'ls', tool_input: { all: true } };

/** A good payload of each event. */
export const payloads: { readonly [E in HookEventName]: Record<string, unknown> } = {
  BeforeTool: tool,
  AfterTool: { ...tool, tool_response: { llmContent: 'a b c' } },
  BeforeAgent: { prompt: 'hi' },
  AfterAgent: { prompt: 'hi', prompt_response: 'hello' },
  BeforeModel: { llm_request: llmRequest },
  AfterModel: { llm_request: llmRequest, llm_response: llmResponse },
  BeforeToolSelection: { llm_request: llmRequest },
  SessionStart: { source: 'startup' },
  SessionEnd: { reason: 'exit' },
  PreCompress: { trigger: 'auto' },
  Notification: { notification_type: 'ToolPermission', message: 'may I?', details: {} },
  PermissionRequest: tool,
  AfterToolFailure: { ...tool, error: 'no such file' },
  SubagentStart: { agent_type: 'reviewer' },
  SubagentStop: { agent_type: 'reviewer' },
};

export const requestFor = (correlationId: string, eventName: HookEventName = 'BeforeTool'): HookExecutionRequest => ({
  type: HOOK_EXECUTION_REQUEST,
  correlationId,
  eventName,
  payload: payloads[eventName],
});
