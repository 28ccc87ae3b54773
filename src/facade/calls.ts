import { HookwrightError } from '../errors.ts';
import type { HookEventName, OutputOf, PayloadOf } from '../events/catalogue.ts';
import { describeValue, isRecord } from '../protocol/json.ts';
import type { GenerateContentResponse } from '../translator/sdk-types.ts';
import type { TranslatableRequest, TranslatableResponse } from '../translator/translator.ts';
import { toolsOf } from '../triggers/models.ts';
import { type ToolResult, toolResponseOf } from '../triggers/tool-result.ts';
import { applyAfterTool } from '../triggers/tools.ts';

type Args = Record<string, unknown>;

/** One method of the facade: how its call becomes an event, and what of the answer the caller can use directly. */
interface FacadeCall<E extends HookEventName, Call, Changes extends object> {
  readonly event: E;
  readonly toPayload: (call: Call) => PayloadOf<E>;
  /** What the event can change, with the changes made; without an output, as it came. */
  readonly changes: (call: Call, output: OutputOf<E> | undefined) => Changes;
}

const call = <E extends HookEventName, Call, Changes extends object>(
  record: FacadeCall<E, Call, Changes>,
): FacadeCall<E, Call, Changes> => record;

/** A mistake in the calling code is told to whoever made it, with the name of what is missing. */
const text = (method: string, key: string, what: string, value: unknown): string => {
  if (typeof value === 'string' && value !== '') return value;
  const message = `${method} needs ${key}, ${what}; got ${describeValue(value)}`;
  throw new HookwrightError('invalid_argument', message, { details: { method, key } });
};

const object = (method: string, key: string, what: string, value: object): void => {
  if (isRecord(value)) return;
  const message = `${method} needs ${key}, ${what}; got ${describeValue(value)}`;
  throw new HookwrightError('invalid_argument', message, { details: { method, key } });
};

interface ToolCall {
  readonly tool: string;
  readonly input: Args;
  readonly mcpContext?: Args | undefined;
  readonly originalName?: string | undefined;
}

const toolPayload = (method: string, { tool, input, mcpContext, originalName }: ToolCall) => {
  object(method, 'input', 'the arguments of the tool as an object', input);
  return {
    tool_name: text(method, 'tool', 'the name of the tool', tool),
    tool_input: input,
    ...(mcpContext === undefined ? {} : { mcp_context: mcpContext }),
    ...(originalName === undefined ? {} : { original_request_name: originalName }),
  };
};

/** Tools answer with a text or with a result object; hooks always see the latter. */
const asToolResult = (output: unknown): ToolResult | undefined => {
  if (typeof output === 'string') return { llmContent: output };
  return isRecord(output) && 'llmContent' in output ? output : undefined;
};

/** The tool's output as the model should get it, in the form in which it came. */
const changedOutput = (output: unknown, answer: OutputOf<'AfterTool'> | undefined): unknown => {
  const result = asToolResult(output);
  if (result === undefined || answer === undefined) return output;
  const applied = applyAfterTool(result, answer);
  return typeof output === 'string' ? applied.llmContent : applied;
};

const facadeCalls = {
  beforeTool: call({
    event: 'BeforeTool',
    toPayload: (one: ToolCall) => toolPayload('beforeTool', one),
    changes: ({ input }, output) => {
      const patch = output?.getModifiedToolInput();
      return { input: patch === undefined ? input : { ...input, ...patch } };
    },
  }),
  afterTool: call({
    event: 'AfterTool',
    toPayload: (one: ToolCall & { readonly output: unknown }) => {
      const result = asToolResult(one.output);
      const tool_response = result === undefined ? (one.output ?? null) : toolResponseOf(result);
      return { ...toolPayload('afterTool', one), tool_response };
    },
    changes: ({ output }, answer) => {
      const tailToolCall = answer?.getTailToolCallRequest();
      return {
        output: changedOutput(output, answer),
        suppressDisplay: answer?.suppressOutput === true,
        ...(tailToolCall === undefined ? {} : { tailToolCall }),
      };
    },
  }),
  beforeAgent: call({
    event: 'BeforeAgent',
    toPayload: ({ prompt }: { readonly prompt: string }) => ({ prompt }),
    changes: ({ prompt }, output) => {
      const context = output?.getAdditionalContext();
      return { prompt: context === undefined ? prompt : `${prompt}\n\n${context}` };
    },
  }),
  afterAgent: call({
    event: 'AfterAgent',
    toPayload: (one: { readonly prompt: string; readonly response: string; readonly stopHookActive?: boolean }) => ({
      prompt: one.prompt,
      prompt_response: one.response,
      stop_hook_active: one.stopHookActive ?? false,
    }),
    changes: (_one, output) => ({ clearContext: output?.shouldClearContext() === true }),
  }),
  beforeModel: call({
    event: 'BeforeModel',
    toPayload: ({ request }: { readonly request: TranslatableRequest }) => {
      object('beforeModel', 'request', 'the model request', request);
      return { llm_request: request };
    },
    changes: ({ request }, output): { request: TranslatableRequest; response?: GenerateContentResponse } => {
      const response = output?.getSyntheticResponse();
      return {
        request: output?.applyLLMRequestModifications(request) ?? request,
        ...(response === undefined ? {} : { response }),
      };
    },
  }),
  afterModel: call({
    event: 'AfterModel',
    toPayload: (one: { readonly request: TranslatableRequest; readonly response: TranslatableResponse }) => {
      object('afterModel', 'request', 'the model request', one.request);
      object('afterModel', 'response', 'the complete model response', one.response);
      return { llm_request: one.request, llm_response: one.response };
    },
    changes: ({ response }, output) => ({ response: output?.getModifiedResponse(response) ?? response }),
  }),
  beforeToolSelection: call({
    event: 'BeforeToolSelection',
    toPayload: ({ request }: { readonly request: TranslatableRequest }) => {
      object('beforeToolSelection', 'request', 'the model request', request);
      return { llm_request: request };
    },
    changes: ({ request }, output) => {
      const selection = toolsOf(request);
      return output?.applyToolConfigModifications(selection) ?? selection;
    },
  }),
  sessionStart: call({
    event: 'SessionStart',
    toPayload: ({ source }: PayloadOf<'SessionStart'>) => ({ source }),
    changes: () => ({}),
  }),
  sessionEnd: call({
    event: 'SessionEnd',
    toPayload: ({ reason }: PayloadOf<'SessionEnd'>) => ({ reason }),
    changes: () => ({}),
  }),
  preCompress: call({
    event: 'PreCompress',
    toPayload: ({ trigger }: PayloadOf<'PreCompress'>) => ({ trigger }),
    changes: () => ({}),
  }),
  notify: call({
    event: 'Notification',
    toPayload: (one: { readonly type: string; readonly message: string; readonly details?: Args }) => ({
      notification_type: one.type,
      message: one.message,
      details: one.details ?? {},
    }),
    changes: () => ({}),
  }),
};

type Calls = typeof facadeCalls;
export type FacadeMethod = keyof Calls;
type EventIn<Call> = Call extends { readonly event: infer E extends HookEventName } ? E : never;
export type EventOf<M extends FacadeMethod> = EventIn<Calls[M]>;
export type CallOf<M extends FacadeMethod> = Parameters<Calls[M]['toPayload']>[0];
export type ChangesOf<M extends FacadeMethod> = ReturnType<Calls[M]['changes']>;

export const calls: { readonly [M in FacadeMethod]: FacadeCall<EventOf<M>, CallOf<M>, ChangesOf<M>> } = facadeCalls;

const isMethod = (name: string): name is FacadeMethod => Object.hasOwn(facadeCalls, name);

export const facadeMethods: readonly FacadeMethod[] = Object.keys(facadeCalls).filter(isMethod);
