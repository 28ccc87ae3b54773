/** Functions with which an agent fires events of model requests, such as `fireBeforeModelHook`. */
import type { TriggerConfig } from '../config.ts';
import { type OutputOf, patchToolConfig } from '../events/index.ts';
import { isRecord, omitUndefined } from '../kit/index.ts';
import {
  type AnyHookTranslator,
  defaultHookTranslator,
  type ModelResponse,
  type ModelToolConfig,
  type ModelTools,
  type TranslatableRequest,
  type TranslatableResponse,
} from '../models/index.ts';
import { type AskOptions, confirmOrWarn, createHost, fireEvent, getDeps, type Host, tryOrWarn } from './fire-event.ts';
import { type EventVerdict, isBlockedOrParked, toBlockedFields } from './verdict.ts';
import { addWaitingMessage, forgetWaitingMessages, getWaitingMessages } from './waiting-messages.ts';

export interface BeforeModelHookResult<
  Request extends object = TranslatableRequest,
  Response extends object = ModelResponse,
> {
  /** If `true`, do not call the model. */
  blocked: boolean;
  /** A hook ended the agent's work, not only this model call. */
  stopped?: boolean;
  reason?: string;
  /** A hook's answer; use it instead of calling the model, even if `blocked` is `true`. */
  syntheticResponse?: Response;
  /** The request to send; the original object if no hook changed it. */
  modifiedRequest?: Request;
  /** A text for the model, which `modifiedRequest` includes, or else the next request. */
  systemMessage?: string;
}

interface BlockedFields {
  blocked?: boolean;
  stopped?: boolean;
  reason?: string;
}

export interface AfterModelHookResult<Response extends object = TranslatableResponse> extends BlockedFields {
  /** The response to keep. Streamed text cannot be taken back. */
  response: Response;
  /** A text for the model, which the next model request includes. */
  systemMessage?: string;
}

/** SDKs have the tool choice in `config.toolConfig`, or directly in the request. */
export type ToolConfigOf<Request> = MemberOf<Request, 'toolConfig', ModelToolConfig>;
export type ToolsOf<Request> = MemberOf<Request, 'tools', ModelTools>;
type MemberOf<Request, Key extends string, Otherwise> = Request extends { config?: infer Config }
  ? KnownOr<TypeAt<NonNullable<Config>, Key>, KnownOr<TypeAt<Request, Key>, Otherwise>>
  : KnownOr<TypeAt<Request, Key>, Otherwise>;
type TypeAt<Container, Key extends string> = Container extends { [K in Key]?: infer Member }
  ? NonNullable<Member>
  : unknown;
type KnownOr<Found, Otherwise> = unknown extends Found ? Otherwise : Found;

/** Empty if hooks change nothing. */
export interface BeforeToolSelectionHookResult<Request extends object = TranslatableRequest> extends BlockedFields {
  toolConfig?: ToolConfigOf<Request>;
  /** The original tools that hooks chose. */
  tools?: ToolsOf<Request>;
}

const getTranslator = ({ config, translator }: Host): AnyHookTranslator =>
  translator ?? getDeps(config).translator ?? defaultHookTranslator;

const readBlockedFields = (decision: EventVerdict): BlockedFields =>
  isBlockedOrParked(decision) ? toBlockedFields(decision) : {};

const withSystemMessages = <Request extends object>(
  translator: AnyHookTranslator,
  request: Request,
  messages: readonly string[],
): Request => {
  if (messages.length === 0) return request;
  const stable = translator.toHookLLMRequest(request);
  const added = messages.map((content) => ({ role: 'system', content }) as const);
  return translator.fromHookLLMRequest({ ...stable, messages: [...stable.messages, ...added] }, request);
};

export const createSyntheticResponse = (
  host: Host,
  output: OutputOf<'BeforeModel'> | undefined,
): ModelResponse | undefined =>
  tryOrWarn(host, 'The response of a BeforeModel hook', undefined, () => output?.getSyntheticResponse());

export const applyHooksToRequest = (
  host: Host,
  request: TranslatableRequest,
  output: OutputOf<'BeforeModel'> | undefined,
  isSent: boolean,
): TranslatableRequest => {
  const modify = () => output?.applyLLMRequestModifications(request) ?? request;
  const modified = tryOrWarn(host, 'What BeforeModel hooks changed', request, modify);
  addWaitingMessage(host, output?.systemMessage);
  if (!isSent) return modified;
  return tryOrWarn(host, 'The messages of hooks', modified, () => {
    const complete = withSystemMessages(getTranslator(host), modified, getWaitingMessages(host));
    forgetWaitingMessages(host);
    return complete;
  });
};

export function fireBeforeModelHook<Request extends object, Response extends object = ModelResponse>(
  config: TriggerConfig,
  llmRequest: Request,
  options?: AskOptions,
): Promise<BeforeModelHookResult<Request, Response>>;
export async function fireBeforeModelHook(
  config: TriggerConfig,
  llmRequest: TranslatableRequest,
  options?: AskOptions,
): Promise<BeforeModelHookResult> {
  const host = createHost(config);
  const fired = await fireEvent(host, 'BeforeModel', () => ({ llm_request: llmRequest }), options);
  if (fired === undefined) return { blocked: false };
  const { output } = fired;
  const decision = await confirmOrWarn(host, fired, () => ({ eventName: 'BeforeModel' }), options);
  const syntheticResponse = createSyntheticResponse(host, output);
  const fields = omitUndefined({ systemMessage: output?.systemMessage, syntheticResponse });
  if (isBlockedOrParked(decision)) {
    addWaitingMessage(host, output?.systemMessage);
    return { ...toBlockedFields(decision), ...fields };
  }
  if (output === undefined && getWaitingMessages(host).length === 0) return { blocked: false };
  const modifiedRequest = applyHooksToRequest(host, llmRequest, output, syntheticResponse === undefined);
  return { blocked: false, modifiedRequest, ...fields };
}

export const applyHooksToResponse = (
  host: Host,
  response: TranslatableResponse,
  output: OutputOf<'AfterModel'> | undefined,
): TranslatableResponse =>
  tryOrWarn(host, 'What AfterModel hooks changed', response, () => output?.getModifiedResponse(response) ?? response);

export function fireAfterModelHook<Request extends object, Response extends object>(
  config: TriggerConfig,
  llmRequest: Request,
  llmResponse: Response,
  options?: AskOptions,
): Promise<AfterModelHookResult<Response>>;
export async function fireAfterModelHook(
  config: TriggerConfig,
  llmRequest: TranslatableRequest,
  llmResponse: TranslatableResponse,
  options?: AskOptions,
): Promise<AfterModelHookResult> {
  const host = createHost(config);
  const payload = () => ({ llm_request: llmRequest, llm_response: llmResponse });
  const fired = await fireEvent(host, 'AfterModel', payload, options);
  if (fired?.output === undefined) return { response: llmResponse };
  const { output } = fired;
  const { systemMessage } = output;
  addWaitingMessage(host, systemMessage);
  return {
    response: applyHooksToResponse(host, llmResponse, output),
    ...readBlockedFields(await confirmOrWarn(host, fired, () => ({ eventName: 'AfterModel' }), options)),
    ...(systemMessage === undefined ? {} : { systemMessage }),
  };
}

const readToolSelection = (request: TranslatableRequest): { toolConfig?: ModelToolConfig; tools?: ModelTools } => {
  const config: unknown = Reflect.get(request, 'config');
  const at = (key: 'toolConfig' | 'tools'): unknown =>
    (isRecord(config) ? config[key] : undefined) ?? Reflect.get(request, key);
  const [toolConfig, tools] = [at('toolConfig'), at('tools')];
  return {
    ...(isRecord(toolConfig) ? { toolConfig } : {}),
    ...(Array.isArray(tools) ? { tools } : {}),
  };
};

/** If the request has no `toolConfig`, the translator finds the tool choice where its SDK keeps it. */
export const applyHooksToTools = (
  host: Host,
  request: TranslatableRequest,
  output: OutputOf<'BeforeToolSelection'> | undefined,
): { toolConfig?: ModelToolConfig; tools?: ModelTools } => {
  const selection = readToolSelection(request);
  if (output === undefined) return selection;
  return tryOrWarn(host, 'What BeforeToolSelection hooks chose', selection, () => {
    const translator = getTranslator(host);
    const shown = selection.toolConfig === undefined ? translator.toHookLLMRequest(request).toolConfig : undefined;
    const known = shown === undefined ? selection : { ...selection, toolConfig: translator.fromHookToolConfig(shown) };
    const { toolConfig, tools } = output.applyToolConfigModifications(known);
    return omitUndefined({ toolConfig, tools: selection.tools === undefined ? undefined : tools });
  });
};

export const setToolsOfRequest = (
  host: Host,
  request: TranslatableRequest,
  output: OutputOf<'BeforeToolSelection'> | undefined,
): TranslatableRequest => {
  const changes = output?.hookSpecificOutput?.toolConfig;
  if (!isRecord(changes)) return request;
  return tryOrWarn(host, 'What BeforeToolSelection hooks chose', request, () => {
    const translator = getTranslator(host);
    const shown = translator.toHookLLMRequest(request);
    const toolConfig = patchToolConfig(shown.toolConfig, changes);
    return translator.fromHookLLMRequest({ ...shown, toolConfig }, request);
  });
};

export function fireBeforeToolSelectionHook<Request extends object>(
  config: TriggerConfig,
  llmRequest: Request,
  options?: AskOptions,
): Promise<BeforeToolSelectionHookResult<Request>>;
export async function fireBeforeToolSelectionHook(
  config: TriggerConfig,
  llmRequest: TranslatableRequest,
  options?: AskOptions,
): Promise<{ toolConfig?: unknown; tools?: unknown } & BlockedFields> {
  const host = createHost(config);
  const fired = await fireEvent(host, 'BeforeToolSelection', () => ({ llm_request: llmRequest }), options);
  if (fired?.output === undefined) return {};
  const { output } = fired;
  addWaitingMessage(host, output.systemMessage);
  const decision = await confirmOrWarn(host, fired, () => ({ eventName: 'BeforeToolSelection' }), options);
  return { ...applyHooksToTools(host, llmRequest, output), ...readBlockedFields(decision) };
}
