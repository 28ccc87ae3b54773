/**
 * One record per method of `createHooks`: how its call becomes an event, what is checked, and what hooks can change.
 */
import {
  createHookOutput,
  type HookEventName,
  NotificationType,
  type OutputOf,
  type PayloadOf,
  PreCompressTrigger,
  SessionEndReason,
  SessionStartSource,
} from '../events/index.ts';
import { describeThrown, once } from '../kit/index.ts';
import type { AnyHookTranslator, ModelResponse, TranslatableRequest, TranslatableResponse } from '../models/index.ts';
import type { PlanContext } from '../planner/index.ts';
import type { ConfirmQuestion, LLMRequest, LLMResponse } from '../protocol/index.ts';
import {
  type Args,
  blocksOrParks,
  type EventVerdict,
  effectiveInputOf,
  forgetWaitingMessages,
  type Host,
  hasWaitingMessages,
  keepMessageForNextRequest,
  noticePayload,
  outputForHooks,
  promptWithHookTexts,
  requestAfterHooks,
  requestWithTools,
  responseAfterHooks,
  retryRequestedBy,
  rewrittenInputNote,
  type StartedAgent,
  type StoppedAgent,
  startedPayload,
  stoppedPayload,
  syntheticResponseOf,
  toolPayload,
  toolQuestionFields,
  toolsAfterHooks,
  updatedAnswer,
} from '../triggers/index.ts';
import { expectName, expectObject, expectText, expectWord } from './arguments.ts';
import { checkToolCall, type FinishedToolCall, hostOutputForm, outputAfter, type ToolCall } from './tool-output.ts';

interface ModelCall {
  readonly request: TranslatableRequest;
  /** For a request of another SDK than the one of `deps.translator`. */
  readonly translator?: AnyHookTranslator | undefined;
}

interface AnsweredModelCall extends ModelCall {
  readonly response: TranslatableResponse;
}

const checkModelRequest = (method: string, { request }: ModelCall): void =>
  expectObject(method, 'request', 'the model request', request);

const checkModelAnswer = (call: AnsweredModelCall): void => {
  expectObject('afterModel', 'response', 'the complete model response', call.response);
  checkModelRequest('afterModel', call);
};

/** The request is translated only when a hook reads it. */
const modelRequest = ({ request, translator }: ModelCall) => {
  if (translator === undefined) return { llm_request: request };
  const shown = once(() => translator.toHookLLMRequest(request));
  return {
    get llm_request(): LLMRequest {
      return shown();
    },
  };
};

const modelAnswer = (call: AnsweredModelCall) => {
  const { response, translator } = call;
  const asked = modelRequest(call);
  if (translator === undefined) return { ...asked, llm_response: response };
  const shown = once(() => translator.toHookLLMResponse(response));
  return {
    get llm_request() {
      return asked.llm_request;
    },
    get llm_response(): LLMResponse {
      return shown();
    },
  };
};

interface Said<E extends HookEventName> {
  readonly host: Host;
  readonly output: OutputOf<E> | undefined;
}

const inItsForm = <E extends HookEventName>(
  event: E,
  { translator }: ModelCall,
  { host, output }: Said<E>,
): Said<E> => {
  if (translator === undefined) return { host, output };
  return {
    host: { ...host, translator },
    output: output === undefined ? undefined : createHookOutput(event, output, translator),
  };
};

interface CallAnswer<E extends HookEventName> {
  readonly host: Host;
  readonly output: OutputOf<E> | undefined;
  readonly messages: readonly string[];
  readonly decision: EventVerdict;
}

interface FacadeCall<E extends HookEventName, Call, Changes extends object> {
  readonly event: E;
  readonly check: (call: Call) => void;
  readonly toPayload: (call: Call) => PayloadOf<E>;
  readonly context?: (call: Call) => PlanContext;
  /** Whether the method has something to do even if no hook runs. */
  readonly hasWork?: (host: Host) => boolean;
  readonly about?: (call: Call, output: OutputOf<E>) => Omit<ConfirmQuestion, 'reason' | 'eventName'>;
  readonly changes: (call: Call, answer: CallAnswer<E>) => Changes;
}

/** Lets TypeScript infer a record's types. */
const call = <E extends HookEventName, Call, Changes extends object>(
  record: FacadeCall<E, Call, Changes>,
): FacadeCall<E, Call, Changes> => record;

/** The caller's result has no field for messages, so they go into the next model request. */
const keepMessage = ({ host, output }: CallAnswer<HookEventName>): void =>
  keepMessageForNextRequest(host, output?.systemMessage);

const toolContext = ({ tool }: ToolCall): PlanContext => ({ toolName: tool });

const changesNothing = (_call: unknown, answer: CallAnswer<HookEventName>): object => {
  keepMessage(answer);
  return {};
};

const permissionsIn = ({ output }: CallAnswer<'PermissionRequest'>) => {
  const updatedPermissions = output?.getUpdatedPermissions() ?? [];
  return {
    ...(updatedPermissions.length === 0 ? {} : { updatedPermissions }),
    ...(output?.shouldInterrupt() === true ? { interrupt: true as const } : {}),
  };
};

const environmentIn = ({ output }: CallAnswer<'SessionStart'>) => {
  const environment = output?.getEnvironment() ?? {};
  const environmentScript = output?.getEnvironmentScript();
  return {
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    ...(environmentScript === undefined ? {} : { environmentScript }),
  };
};

const facadeCalls = {
  beforeTool: call({
    event: 'BeforeTool',
    check: (one: ToolCall) => checkToolCall('beforeTool', one),
    context: toolContext,
    toPayload: (one) => toolPayload(one.tool, one.input, one),
    about: ({ tool, input }, output) => toolQuestionFields(tool, effectiveInputOf(input, output)),
    changes: ({ input: original }, answer) => {
      keepMessage(answer);
      const input = effectiveInputOf(original, answer.output);
      if (!blocksOrParks(answer.decision)) keepMessageForNextRequest(answer.host, rewrittenInputNote(original, input));
      return { input };
    },
  }),
  afterTool: call({
    event: 'AfterTool',
    check: (one: FinishedToolCall) => checkToolCall('afterTool', one),
    context: toolContext,
    toPayload: (one) => ({
      ...toolPayload(one.tool, one.input, one),
      tool_response: outputForHooks(hostOutputForm, one.output),
    }),
    about: ({ tool, input }) => toolQuestionFields(tool, input),
    changes: ({ output }, answer) => {
      const tailToolCall = blocksOrParks(answer.decision) ? undefined : answer.output?.getTailToolCallRequest();
      return {
        output: outputAfter(output, answer),
        suppressDisplay: answer.output?.suppressOutput === true,
        ...(tailToolCall === undefined ? {} : { tailToolCall }),
      };
    },
  }),
  permissionRequest: call({
    event: 'PermissionRequest',
    check: (
      one: ToolCall & {
        /** Why the permission is needed. */
        readonly reason?: string | undefined;
      },
    ) => {
      checkToolCall('permissionRequest', one);
      if (one.reason !== undefined) expectText('permissionRequest', 'reason', 'why it is asked', one.reason);
    },
    context: toolContext,
    toPayload: (one) => {
      const payload: PayloadOf<'PermissionRequest'> = toolPayload(one.tool, one.input, one);
      return one.reason === undefined ? payload : { ...payload, reason: one.reason };
    },
    about: ({ tool, input }, output) => toolQuestionFields(tool, effectiveInputOf(input, output)),
    changes: ({ input }, answer) => {
      keepMessage(answer);
      return { input: effectiveInputOf(input, answer.output), ...permissionsIn(answer) };
    },
  }),
  afterToolFailure: call({
    event: 'AfterToolFailure',
    check: (
      one: ToolCall & {
        /** The thrown value, or a text that says why the tool failed. */
        readonly error: unknown;
      },
    ) => checkToolCall('afterToolFailure', one),
    context: toolContext,
    toPayload: (one) => {
      const error = typeof one.error === 'string' ? one.error : describeThrown(one.error);
      return { ...toolPayload(one.tool, one.input, one), error };
    },
    changes: changesNothing,
  }),
  beforeAgent: call({
    event: 'BeforeAgent',
    check: ({ prompt }: { readonly prompt: string }) =>
      expectText('beforeAgent', 'prompt', 'what the user wrote', prompt),
    toPayload: ({ prompt }) => ({ prompt }),
    changes: ({ prompt }, answer) => {
      if (!blocksOrParks(answer.decision)) return { prompt: promptWithHookTexts(prompt, answer.output) };
      keepMessage(answer);
      return { prompt };
    },
  }),
  afterAgent: call({
    event: 'AfterAgent',
    check: (one: {
      readonly prompt: string;
      readonly response: string;
      /** True if the agent worked because `afterAgent` returned `retry`. */
      readonly stopHookActive?: boolean | undefined;
    }) => {
      expectText('afterAgent', 'prompt', 'what the agent worked on', one.prompt);
      expectText('afterAgent', 'response', 'what the agent answered', one.response);
    },
    toPayload: (one) => ({
      prompt: one.prompt,
      prompt_response: one.response,
      stop_hook_active: one.stopHookActive === true,
    }),
    changes: ({ stopHookActive }, answer) => {
      keepMessage(answer);
      const { retry } = retryRequestedBy(answer.host, answer.decision, stopHookActive === true);
      return { retry, clearContext: answer.output?.shouldClearContext() === true };
    },
  }),
  beforeModel: call({
    event: 'BeforeModel',
    check: (one: ModelCall) => checkModelRequest('beforeModel', one),
    hasWork: hasWaitingMessages,
    toPayload: modelRequest,
    changes: (one, answer): { request: TranslatableRequest; response?: ModelResponse } => {
      const { host, output } = inItsForm('BeforeModel', one, answer);
      const { decision } = answer;
      const { request } = one;
      const response = syntheticResponseOf(host, output);
      const isSent = !blocksOrParks(decision) && response === undefined;
      return {
        request: requestAfterHooks(host, request, output, isSent),
        ...(response === undefined ? {} : { response }),
      };
    },
  }),
  afterModel: call({
    event: 'AfterModel',
    check: (one: AnsweredModelCall) => checkModelAnswer(one),
    toPayload: modelAnswer,
    changes: (one, answer) => {
      keepMessage(answer);
      const { host, output } = inItsForm('AfterModel', one, answer);
      return { response: responseAfterHooks(host, one.response, output) };
    },
  }),
  beforeToolSelection: call({
    event: 'BeforeToolSelection',
    check: (one: ModelCall) => checkModelRequest('beforeToolSelection', one),
    toPayload: modelRequest,
    changes: (one, answer) => {
      keepMessage(answer);
      const { host, output } = inItsForm('BeforeToolSelection', one, answer);
      const { request } = one;
      return { ...toolsAfterHooks(host, request, output), request: requestWithTools(host, request, output) };
    },
  }),
  sessionStart: call({
    event: 'SessionStart',
    check: ({ source }: { readonly source: SessionStartSource }) =>
      expectWord('sessionStart', 'source', SessionStartSource, source),
    toPayload: ({ source }) => ({ source }),
    changes: (_call, answer) => {
      keepMessage(answer);
      return environmentIn(answer);
    },
  }),
  sessionEnd: call({
    event: 'SessionEnd',
    check: ({ reason }: { readonly reason: SessionEndReason }) =>
      expectWord('sessionEnd', 'reason', SessionEndReason, reason),
    hasWork: hasWaitingMessages,
    toPayload: ({ reason }) => ({ reason }),
    changes: (_call, { host }) => {
      forgetWaitingMessages(host);
      return {};
    },
  }),
  preCompress: call({
    event: 'PreCompress',
    check: ({ trigger }: { readonly trigger: PreCompressTrigger }) =>
      expectWord('preCompress', 'trigger', PreCompressTrigger, trigger),
    toPayload: ({ trigger }) => ({ trigger }),
    changes: changesNothing,
  }),
  subagentStart: call({
    event: 'SubagentStart',
    check: (one: StartedAgent) => {
      expectName('subagentStart', 'agentType', 'the kind of agent that starts', one.agentType);
      if (one.prompt !== undefined) expectText('subagentStart', 'prompt', 'what it is to do', one.prompt);
    },
    toPayload: startedPayload,
    changes: changesNothing,
  }),
  subagentStop: call({
    event: 'SubagentStop',
    check: (one: StoppedAgent) => {
      expectName('subagentStop', 'agentType', 'the kind of agent that has worked', one.agentType);
      if (one.response !== undefined) expectText('subagentStop', 'response', 'what it answered', one.response);
    },
    toPayload: stoppedPayload,
    changes: ({ agentType, stopHookActive }, answer) => {
      keepMessage(answer);
      const { retry } = retryRequestedBy(answer.host, answer.decision, stopHookActive === true, agentType);
      return { retry, clearContext: answer.output?.shouldClearContext() === true, ...updatedAnswer(answer.output) };
    },
  }),
  notify: call({
    event: 'Notification',
    check: (one: {
      readonly type: NotificationType | (string & {});
      readonly message: string;
      readonly details?: Args | undefined;
    }) => {
      expectName('notify', 'type', `the kind of notification, such as "${NotificationType.ToolPermission}"`, one.type);
      expectText('notify', 'message', 'the text for the user', one.message);
    },
    toPayload: (one) => noticePayload({ ...one, details: one.details ?? {} }),
    changes: changesNothing,
  }),
};

type Calls = typeof facadeCalls;
export type FacadeMethod = keyof Calls;
export type EventOf<M extends FacadeMethod> = Calls[M]['event'];
export type CallOf<M extends FacadeMethod> = Parameters<Calls[M]['check']>[0];
export type ChangesOf<M extends FacadeMethod> = ReturnType<Calls[M]['changes']>;

/** Lets generic code read a record without losing its types. */
export const callsByFacadeMethod: { readonly [M in FacadeMethod]: FacadeCall<EventOf<M>, CallOf<M>, ChangesOf<M>> } =
  facadeCalls;

const isMethod = (name: string): name is FacadeMethod => Object.hasOwn(facadeCalls, name);

export const facadeMethods: readonly FacadeMethod[] = Object.keys(facadeCalls).filter(isMethod);
