/**
 * A record for each method of `createHooks`: how its call becomes an event, what is checked, and what hooks can change.
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
  addHookTextsToPrompt,
  addWaitingMessage,
  applyHooksToRequest,
  applyHooksToResponse,
  applyHooksToTools,
  applyInputChanges,
  createSyntheticResponse,
  describeRewrittenInput,
  findRequestedRetry,
  forgetWaitingMessages,
  type Host,
  hasWaitingMessages,
  isBlockedOrParked,
  readUpdatedAnswer,
  type StartedAgent,
  type StoppedAgent,
  setToolsOfRequest,
  toNotificationPayload,
  toOutputForHooks,
  toQuestionFields,
  toSubagentStartPayload,
  toSubagentStopPayload,
  toToolPayload,
} from '../triggers/index.ts';
import { expectName, expectObject, expectOneOf, expectText } from './arguments.ts';
import {
  applyToOutput,
  type CallAnswer,
  checkToolCall,
  type FinishedToolCall,
  hostOutputConverter,
  type ToolCall,
} from './tool-output.ts';

interface ModelCall {
  readonly request: TranslatableRequest;
  /** For a request of another SDK than that of `deps.translator`. */
  readonly translator?: AnyHookTranslator | undefined;
}

interface AnsweredModelCall extends ModelCall {
  readonly response: TranslatableResponse;
}

const checkModelRequest = (method: string, { request }: ModelCall): void =>
  expectObject(method, 'request', 'the model request', request);

const toModelRequest = ({ request, translator }: ModelCall) => {
  if (translator === undefined) return { llm_request: request };
  const shown = once(() => translator.toHookLLMRequest(request));
  return {
    get llm_request(): LLMRequest {
      return shown();
    },
  };
};

const toModelAnswer = (call: AnsweredModelCall) => {
  const { response, translator } = call;
  const asked = toModelRequest(call);
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

const translateOutput = <E extends HookEventName>(
  event: E,
  { translator }: ModelCall,
  { host, output }: CallAnswer<E>,
): Pick<CallAnswer<E>, 'host' | 'output'> => {
  if (translator === undefined) return { host, output };
  return {
    host: { ...host, translator },
    output: output === undefined ? undefined : createHookOutput(event, output, translator),
  };
};

interface FacadeCall<E extends HookEventName, Call, Changes extends object> {
  readonly event: E;
  readonly check: (call: Call) => void;
  readonly toPayload: (call: Call) => PayloadOf<E>;
  readonly context?: (call: Call) => PlanContext;
  readonly hasWork?: (host: Host) => boolean;
  readonly about?: (call: Call, output: OutputOf<E>) => Omit<ConfirmQuestion, 'reason' | 'eventName'>;
  readonly changes: (call: Call, answer: CallAnswer<E>) => Changes;
}

const defineCall = <E extends HookEventName, Call, Changes extends object>(
  record: FacadeCall<E, Call, Changes>,
): FacadeCall<E, Call, Changes> => record;

/** For methods whose result has no field for a message of hooks. */
const keepMessageForNextRequest = ({ host, output }: CallAnswer<HookEventName>): void =>
  addWaitingMessage(host, output?.systemMessage);

const createToolContext = ({ tool }: ToolCall): PlanContext => ({ toolName: tool });

const keepMessageWithoutChanges = (_call: unknown, answer: CallAnswer<HookEventName>): object => {
  keepMessageForNextRequest(answer);
  return {};
};

const readPermissions = ({ output }: CallAnswer<'PermissionRequest'>) => {
  const updatedPermissions = output?.getUpdatedPermissions() ?? [];
  return {
    ...(updatedPermissions.length === 0 ? {} : { updatedPermissions }),
    ...(output?.shouldInterrupt() === true ? { interrupt: true as const } : {}),
  };
};

const readEnvironment = ({ output }: CallAnswer<'SessionStart'>) => {
  const environment = output?.getEnvironment() ?? {};
  const environmentScript = output?.getEnvironmentScript();
  return {
    ...(Object.keys(environment).length === 0 ? {} : { environment }),
    ...(environmentScript === undefined ? {} : { environmentScript }),
  };
};

const facadeCalls = {
  beforeTool: defineCall({
    event: 'BeforeTool',
    check: (one: ToolCall) => checkToolCall('beforeTool', one),
    context: createToolContext,
    toPayload: (one) => toToolPayload(one.tool, one.input, one),
    about: ({ tool, input }, output) => toQuestionFields(tool, applyInputChanges(input, output)),
    changes: ({ input: original }, answer) => {
      keepMessageForNextRequest(answer);
      const input = applyInputChanges(original, answer.output);
      if (!isBlockedOrParked(answer.decision)) addWaitingMessage(answer.host, describeRewrittenInput(original, input));
      return { input };
    },
  }),
  afterTool: defineCall({
    event: 'AfterTool',
    check: (one: FinishedToolCall) => checkToolCall('afterTool', one),
    context: createToolContext,
    toPayload: (one) => ({
      ...toToolPayload(one.tool, one.input, one),
      tool_response: toOutputForHooks(hostOutputConverter, one.output),
    }),
    about: ({ tool, input }) => toQuestionFields(tool, input),
    changes: ({ output }, answer) => {
      const tailToolCall = isBlockedOrParked(answer.decision) ? undefined : answer.output?.getTailToolCallRequest();
      return {
        output: applyToOutput(output, answer),
        suppressDisplay: answer.output?.suppressOutput === true,
        ...(tailToolCall === undefined ? {} : { tailToolCall }),
      };
    },
  }),
  permissionRequest: defineCall({
    event: 'PermissionRequest',
    check: (
      one: ToolCall & {
        readonly reason?: string | undefined;
      },
    ) => {
      checkToolCall('permissionRequest', one);
      if (one.reason !== undefined) expectText('permissionRequest', 'reason', 'why it is asked', one.reason);
    },
    context: createToolContext,
    toPayload: (one) => {
      const payload: PayloadOf<'PermissionRequest'> = toToolPayload(one.tool, one.input, one);
      return one.reason === undefined ? payload : { ...payload, reason: one.reason };
    },
    about: ({ tool, input }, output) => toQuestionFields(tool, applyInputChanges(input, output)),
    changes: ({ input }, answer) => {
      keepMessageForNextRequest(answer);
      return { input: applyInputChanges(input, answer.output), ...readPermissions(answer) };
    },
  }),
  afterToolFailure: defineCall({
    event: 'AfterToolFailure',
    check: (
      one: ToolCall & {
        /** The thrown value, or a text. */
        readonly error: unknown;
      },
    ) => checkToolCall('afterToolFailure', one),
    context: createToolContext,
    toPayload: (one) => {
      const error = typeof one.error === 'string' ? one.error : describeThrown(one.error);
      return { ...toToolPayload(one.tool, one.input, one), error };
    },
    changes: keepMessageWithoutChanges,
  }),
  beforeAgent: defineCall({
    event: 'BeforeAgent',
    check: ({ prompt }: { readonly prompt: string }) =>
      expectText('beforeAgent', 'prompt', 'what the user wrote', prompt),
    toPayload: ({ prompt }) => ({ prompt }),
    changes: ({ prompt }, answer) => {
      if (!isBlockedOrParked(answer.decision)) return { prompt: addHookTextsToPrompt(prompt, answer.output) };
      keepMessageForNextRequest(answer);
      return { prompt };
    },
  }),
  afterAgent: defineCall({
    event: 'AfterAgent',
    check: (one: {
      readonly prompt: string;
      readonly response: string;
      /** Set if the agent works because `afterAgent` returned `retry`. */
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
      keepMessageForNextRequest(answer);
      const { retry } = findRequestedRetry(answer.host, answer.decision, stopHookActive === true);
      return { retry, clearContext: answer.output?.shouldClearContext() === true };
    },
  }),
  beforeModel: defineCall({
    event: 'BeforeModel',
    check: (one: ModelCall) => checkModelRequest('beforeModel', one),
    hasWork: hasWaitingMessages,
    toPayload: toModelRequest,
    changes: (one, answer): { request: TranslatableRequest; response?: ModelResponse } => {
      const { host, output } = translateOutput('BeforeModel', one, answer);
      const { decision } = answer;
      const { request } = one;
      const response = createSyntheticResponse(host, output);
      const isSent = !isBlockedOrParked(decision) && response === undefined;
      return {
        request: applyHooksToRequest(host, request, output, isSent),
        ...(response === undefined ? {} : { response }),
      };
    },
  }),
  afterModel: defineCall({
    event: 'AfterModel',
    check: (one: AnsweredModelCall) => {
      expectObject('afterModel', 'response', 'the complete model response', one.response);
      checkModelRequest('afterModel', one);
    },
    toPayload: toModelAnswer,
    changes: (one, answer) => {
      keepMessageForNextRequest(answer);
      const { host, output } = translateOutput('AfterModel', one, answer);
      return { response: applyHooksToResponse(host, one.response, output) };
    },
  }),
  beforeToolSelection: defineCall({
    event: 'BeforeToolSelection',
    check: (one: ModelCall) => checkModelRequest('beforeToolSelection', one),
    toPayload: toModelRequest,
    changes: (one, answer) => {
      keepMessageForNextRequest(answer);
      const { host, output } = translateOutput('BeforeToolSelection', one, answer);
      const { request } = one;
      return { ...applyHooksToTools(host, request, output), request: setToolsOfRequest(host, request, output) };
    },
  }),
  sessionStart: defineCall({
    event: 'SessionStart',
    check: ({ source }: { readonly source: SessionStartSource }) =>
      expectOneOf('sessionStart', 'source', SessionStartSource, source),
    toPayload: ({ source }) => ({ source }),
    changes: (_call, answer) => {
      keepMessageForNextRequest(answer);
      return readEnvironment(answer);
    },
  }),
  sessionEnd: defineCall({
    event: 'SessionEnd',
    check: ({ reason }: { readonly reason: SessionEndReason }) =>
      expectOneOf('sessionEnd', 'reason', SessionEndReason, reason),
    hasWork: hasWaitingMessages,
    toPayload: ({ reason }) => ({ reason }),
    changes: (_call, { host }) => {
      forgetWaitingMessages(host);
      return {};
    },
  }),
  preCompress: defineCall({
    event: 'PreCompress',
    check: ({ trigger }: { readonly trigger: PreCompressTrigger }) =>
      expectOneOf('preCompress', 'trigger', PreCompressTrigger, trigger),
    toPayload: ({ trigger }) => ({ trigger }),
    changes: keepMessageWithoutChanges,
  }),
  subagentStart: defineCall({
    event: 'SubagentStart',
    check: (one: StartedAgent) => {
      expectName('subagentStart', 'agentType', 'the kind of agent that starts', one.agentType);
      if (one.prompt !== undefined) expectText('subagentStart', 'prompt', 'what it is to do', one.prompt);
    },
    toPayload: toSubagentStartPayload,
    changes: keepMessageWithoutChanges,
  }),
  subagentStop: defineCall({
    event: 'SubagentStop',
    check: (one: StoppedAgent) => {
      expectName('subagentStop', 'agentType', 'the kind of agent that has worked', one.agentType);
      if (one.response !== undefined) expectText('subagentStop', 'response', 'what it answered', one.response);
    },
    toPayload: toSubagentStopPayload,
    changes: ({ agentType, stopHookActive }, answer) => {
      keepMessageForNextRequest(answer);
      const { retry } = findRequestedRetry(answer.host, answer.decision, stopHookActive === true, agentType);
      return { retry, clearContext: answer.output?.shouldClearContext() === true, ...readUpdatedAnswer(answer.output) };
    },
  }),
  notify: defineCall({
    event: 'Notification',
    check: (one: {
      readonly type: NotificationType | (string & {});
      readonly message: string;
      readonly details?: Args | undefined;
    }) => {
      expectName('notify', 'type', `the kind of notification, such as "${NotificationType.ToolPermission}"`, one.type);
      expectText('notify', 'message', 'the text for the user', one.message);
    },
    toPayload: (one) => toNotificationPayload({ ...one, details: one.details ?? {} }),
    changes: keepMessageWithoutChanges,
  }),
};

type FacadeCalls = typeof facadeCalls;
export type FacadeMethod = keyof FacadeCalls;
export type EventOf<M extends FacadeMethod> = FacadeCalls[M]['event'];
export type CallOf<M extends FacadeMethod> = Parameters<FacadeCalls[M]['check']>[0];
export type ChangesOf<M extends FacadeMethod> = ReturnType<FacadeCalls[M]['changes']>;

/** The mapped type lets generic code pass the call of a method to the functions of its record. */
export const callsByFacadeMethod: { readonly [M in FacadeMethod]: FacadeCall<EventOf<M>, CallOf<M>, ChangesOf<M>> } =
  facadeCalls;

const isFacadeMethod = (name: string): name is FacadeMethod => Object.hasOwn(facadeCalls, name);

export const facadeMethods: readonly FacadeMethod[] = Object.keys(facadeCalls).filter(isFacadeMethod);
