import type { TriggerConfig } from '../config.ts';
import type { OutputOf } from '../events/catalogue.ts';
import type { FireOptions } from '../handlers/hook-event-handler.ts';
import { describeThrown, isRecord } from '../protocol/json.ts';
import { defaultHookTranslator } from '../translator/genai-v1.ts';
import type { GenerateContentResponse, ToolConfig, ToolListUnion } from '../translator/sdk-types.ts';
import type { HookTranslator, TranslatableRequest, TranslatableResponse } from '../translator/translator.ts';
import { depsOf, fireEvent, warn } from './fire.ts';

/** What BeforeModel hooks decided about a request. */
export interface BeforeModelHookResult<Request extends TranslatableRequest = TranslatableRequest> {
  /** True: do not call the model. */
  blocked: boolean;
  /** True when a hook ended the agent's work, not only this call. */
  stopped?: boolean;
  reason?: string;
  /** An answer a hook gave in the model's place; use it instead of calling the model. */
  syntheticResponse?: GenerateContentResponse;
  /** The request to send; the very object that came in when no hook changed it. */
  modifiedRequest?: Request;
  systemMessage?: string;
}

/** What AfterModel hooks decided about a response. */
export interface AfterModelHookResult<Response extends TranslatableResponse = TranslatableResponse> {
  /** The response to keep. What was streamed to the user already cannot be taken back by it. */
  response: Response;
  blocked?: boolean;
  stopped?: boolean;
  reason?: string;
  systemMessage?: string;
}

/** What BeforeToolSelection hooks decided; empty when there is nothing to change. */
export interface BeforeToolSelectionHookResult {
  toolConfig?: ToolConfig | undefined;
  /** The tools as they came: hooks choose among names, they do not edit declarations. */
  tools?: ToolListUnion | undefined;
}

/** System messages of AfterModel hooks, kept for the next request of the same configuration. */
const waiting = new WeakMap<TriggerConfig, string[]>();

const translatorOf = (config: TriggerConfig): HookTranslator => depsOf(config).translator ?? defaultHookTranslator;

const safely = async <T>(config: TriggerConfig, what: string, fallback: T, run: () => Promise<T>): Promise<T> => {
  try {
    return await run();
  } catch (error) {
    warn(config, `${what} hooks could not be applied, the agent goes on without them: ${describeThrown(error)}`);
    return fallback;
  }
};

/** Adds texts for the model to a request, as messages of their own. */
const withSystemMessages = <Request extends TranslatableRequest>(
  translator: HookTranslator,
  request: Request,
  messages: readonly string[],
): Request => {
  if (messages.length === 0) return request;
  const stable = translator.toHookLLMRequest(request);
  const added = messages.map((content) => ({ role: 'system', content }) as const);
  return translator.fromHookLLMRequest({ ...stable, messages: [...stable.messages, ...added] }, request);
};

/** Asks the hooks about a model request. The safe answer, when anything fails, is to send it as it is. */
export const fireBeforeModelHook = <Request extends TranslatableRequest>(
  config: TriggerConfig,
  llmRequest: Request,
  options?: FireOptions,
): Promise<BeforeModelHookResult<Request>> =>
  safely(config, 'BeforeModel', { blocked: false }, async () => {
    const output = await fireEvent(config, 'BeforeModel', { llm_request: llmRequest }, options);
    const translator = translatorOf(config);
    const earlier = waiting.get(config) ?? [];
    if (output === undefined && earlier.length === 0) return { blocked: false };
    const verdict = output === undefined ? {} : verdictOf(output);
    const synthetic = output?.getSyntheticResponse();
    const told = {
      ...(output?.systemMessage === undefined ? {} : { systemMessage: output.systemMessage }),
      ...(synthetic === undefined ? {} : { syntheticResponse: synthetic }),
    };
    if (verdict.blocked === true) return { ...verdict, ...told, blocked: true };
    waiting.delete(config);
    const request = output === undefined ? llmRequest : output.applyLLMRequestModifications(llmRequest);
    const messages = output?.systemMessage === undefined ? earlier : [...earlier, output.systemMessage];
    return { blocked: false, modifiedRequest: withSystemMessages(translator, request, messages), ...told };
  });

/** Blocking and stopping both keep a model call from happening; a stop says that it is more than that. */
const verdictOf = (
  output: OutputOf<'BeforeModel'> | OutputOf<'AfterModel'>,
): { blocked?: boolean; stopped?: boolean; reason?: string } => {
  const stopped = output.shouldStopExecution();
  if (!output.isBlockingDecision() && !stopped) return {};
  return { blocked: true, reason: output.getEffectiveReason(), ...(stopped ? { stopped } : {}) };
};

/**
 * Shows the hooks what the model answered; call it once, with the complete response. A changed response replaces the
 * stored one.
 */
export const fireAfterModelHook = <Response extends TranslatableResponse>(
  config: TriggerConfig,
  llmRequest: TranslatableRequest,
  llmResponse: Response,
  options?: FireOptions,
): Promise<AfterModelHookResult<Response>> =>
  safely(config, 'AfterModel', { response: llmResponse }, async () => {
    const payload = { llm_request: llmRequest, llm_response: llmResponse };
    const output = await fireEvent(config, 'AfterModel', payload, options);
    if (output === undefined) return { response: llmResponse };
    const { systemMessage } = output;
    if (systemMessage !== undefined) waiting.set(config, [...(waiting.get(config) ?? []), systemMessage]);
    return {
      response: output.getModifiedResponse(llmResponse) ?? llmResponse,
      ...verdictOf(output),
      ...(systemMessage === undefined ? {} : { systemMessage }),
    };
  });

/** The tools of a request and how they may be called: under `config`, where the SDK keeps them, else beside it. */
export const toolsOf = (request: TranslatableRequest): { toolConfig?: ToolConfig; tools?: ToolListUnion } => {
  const config = 'config' in request && isRecord(request.config) ? request.config : {};
  const at = (key: 'toolConfig' | 'tools'): unknown =>
    config[key] ?? ('contents' in request ? request[key] : undefined);
  const [toolConfig, tools] = [at('toolConfig'), at('tools')];
  return {
    ...(isRecord(toolConfig) ? { toolConfig } : {}),
    ...(Array.isArray(tools) ? { tools } : {}),
  };
};

/** Lets the hooks narrow down which tools the model may call. */
export const fireBeforeToolSelectionHook = (
  config: TriggerConfig,
  llmRequest: TranslatableRequest,
  options?: FireOptions,
): Promise<BeforeToolSelectionHookResult> =>
  safely(config, 'BeforeToolSelection', {}, async () => {
    const output = await fireEvent(config, 'BeforeToolSelection', { llm_request: llmRequest }, options);
    return output === undefined ? {} : output.applyToolConfigModifications(toolsOf(llmRequest));
  });
