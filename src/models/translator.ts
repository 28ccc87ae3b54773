/** The interface of translators between a model's SDK and hooks, and the SDK types that callers get by default. */
import type { HookToolConfig, LLMRequest, LLMResponse } from '../protocol/index.ts';
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  ToolConfig,
  ToolListUnion,
} from './genai-v1/sdk-types.ts';

/**
 * Translates between the types of an AI SDK and the SDK-independent format that hooks see. Every method is pure. Values
 * that are already in the hooks' format pass through.
 *
 * `Request`, `Response` and `Tools` are the SDK's types. With a `base` the result has the type of the base. Give the
 * SDK's request type and not a narrower literal, because a hook may turn `contents: string` into a list.
 */
export interface Translator<Request extends object, Response extends object, Tools extends object> {
  /**
   * Throws `validation_failure` if the value is not an object or belongs to another SDK. The error names the translator
   * that would fit. Unreadable members of a known request are skipped.
   */
  toHookLLMRequest(request: Request | LLMRequest): LLMRequest;

  /**
   * Writes a hook's request in the SDK's form. `base` is the request that the hook saw: only differences are replaced,
   * and an unchanged base is returned itself. If `messages`, `config` or `toolConfig` is missing, the base's value
   * stays. Inside `config` and `toolConfig`, a key that is missing or `null` is removed. Reserved keys of `config` and
   * values of the wrong type change nothing.
   */
  fromHookLLMRequest(hookRequest: LLMRequest): Request;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R | undefined): R | Request;

  /** Refuses an object of another SDK and skips unreadable members, like `toHookLLMRequest`. */
  toHookLLMResponse(response: Response | LLMResponse): LLMResponse;

  /**
   * Like `fromHookLLMRequest`, but missing members stay, except candidates missing from a non-empty list. A changed
   * `text` counts if the first candidate is unchanged or has no text. The result keeps the prototype of the base: pass
   * an empty instance of the SDK's class to get an instance of that class.
   */
  fromHookLLMResponse(hookResponse: LLMResponse): Response;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R | undefined): R | Response;

  /**
   * Joins the chunks of a stream into a complete response for AfterModel hooks. Only for SDKs whose chunks are not
   * responses.
   */
  joinStream?(chunks: Iterable<object>): Response;

  /** Without a tool config the result is `undefined`; if nothing in it is readable, the result is `{}`. */
  toHookToolConfig(toolConfig: Tools | HookToolConfig): HookToolConfig;
  toHookToolConfig(toolConfig: Tools | HookToolConfig | undefined): HookToolConfig | undefined;

  /** With a base, members that hooks cannot see are kept, and an unchanged base is returned itself. */
  fromHookToolConfig(hookToolConfig: HookToolConfig): Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T | undefined): T | Tools;
}

export type AnyHookTranslator = Translator<object, object, object>;

/** The types of `@google/genai`, for callers without another translator. The engine uses only these four names. */
export type ModelRequest = GenerateContentParameters;
export type ModelResponse = GenerateContentResponse;
export type ModelToolConfig = ToolConfig;
export type ModelTools = ToolListUnion;

/** A translator for `deps.translator`. Name the three types of the SDK if it is not `@google/genai`. */
export type HookTranslator<
  Request extends object = ModelRequest,
  Response extends object = ModelResponse,
  Tools extends object = ModelToolConfig,
> = Translator<Request, Response, Tools>;

/** Type of `llm_request` in triggers and bus messages: the SDK's request or the hooks' format. */
export type TranslatableRequest = ModelRequest | LLMRequest;

/** Type of `llm_response` in triggers and bus messages: the SDK's response or the hooks' format. */
export type TranslatableResponse = ModelResponse | LLMResponse;
