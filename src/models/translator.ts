/** The interface of translators, and the SDK types that callers get by default. */
import type { HookToolConfig, LLMRequest, LLMResponse } from '../protocol/index.ts';
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  ToolConfig,
  ToolListUnion,
} from './genai-v1/sdk-types.ts';

/**
 * Translates between the types of an AI SDK and the stable form that hooks see. Every method is pure. Values that are
 * already in the stable form pass through.
 *
 * `Request`, `Response` and `Tools` are the SDK's types. With a `base` the result has the type of the base, so pass the
 * SDK's request type and not a narrower literal: a hook may turn `contents: string` into a list.
 */
export interface Translator<Request extends object, Response extends object, Tools extends object> {
  /**
   * Throws `validation_failure` if the value is not an object or belongs to another SDK; the error says what was found
   * and expected and which translator would fit. Unreadable members of a known request are skipped.
   */
  toHookLLMRequest(request: Request | LLMRequest): LLMRequest;

  /**
   * Applies a hook's request to the SDK's form. With a base (the request that the hook saw) only differences are
   * replaced, and an unchanged base is returned itself. Missing `messages`, `config` or `toolConfig` leave those of the
   * base; inside `config` and `toolConfig` a key that is missing or `null` is removed. Reserved keys of `config` and
   * values of the wrong type change nothing.
   */
  fromHookLLMRequest(hookRequest: LLMRequest): Request;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R | undefined): R | Request;

  /** Like `toHookLLMRequest`: refuses another SDK's object and skips unreadable members. */
  toHookLLMResponse(response: Response | LLMResponse): LLMResponse;

  /**
   * Like `fromHookLLMRequest`, but missing members stay, except candidates missing from a non-empty list. A changed
   * `text` counts if the first candidate is unchanged or without text. Keeps the prototype of the base: pass an empty
   * instance of the SDK's class to get an instance for a synthetic response.
   */
  fromHookLLMResponse(hookResponse: LLMResponse): Response;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R | undefined): R | Response;

  /** Joins the chunks of a stream into a complete response, for SDKs whose chunks are not responses; for AfterModel. */
  joinStream?(chunks: Iterable<object>): Response;

  /** `undefined` only for `undefined`; a configuration without readable members becomes `{}`. */
  toHookToolConfig(toolConfig: Tools | HookToolConfig): HookToolConfig;
  toHookToolConfig(toolConfig: Tools | HookToolConfig | undefined): HookToolConfig | undefined;

  /** With a base, members without a stable form are kept, and an unchanged base is returned itself. */
  fromHookToolConfig(hookToolConfig: HookToolConfig): Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T | undefined): T | Tools;
}

/** A translator of any SDK. */
export type AnyHookTranslator = Translator<object, object, object>;

/* Types of callers without another translator: those of `@google/genai`. The engine uses only these names. */
export type ModelRequest = GenerateContentParameters;
export type ModelResponse = GenerateContentResponse;
export type ModelToolConfig = ToolConfig;
export type ModelTools = ToolListUnion;

/** A translator for `deps.translator`; for another SDK name its three types. */
export type HookTranslator<
  Request extends object = ModelRequest,
  Response extends object = ModelResponse,
  Tools extends object = ModelToolConfig,
> = Translator<Request, Response, Tools>;

/** Type of `llm_request` for triggers and bus messages: the SDK's form or the stable one. */
export type TranslatableRequest = ModelRequest | LLMRequest;

/** Type of `llm_response` for triggers and bus messages. */
export type TranslatableResponse = ModelResponse | LLMResponse;
