import type { HookToolConfig, LLMRequest, LLMResponse } from '../protocol/index.ts';
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  ToolConfig,
  ToolListUnion,
} from './genai-v1/sdk-types.ts';

/**
 * Stands between the types of one AI SDK and the stable ones that hooks see. Every method is pure: nothing it is given
 * is changed, and the same input gives the same output. What is already in the stable form passes through.
 *
 * `Request`, `Response` and `Tools` are the SDK's types. With a `base` the type of the base comes back, so give it the
 * SDK's request type and not a narrower literal: a hook may turn `contents: string` into a list.
 */
export interface Translator<Request extends object, Response extends object, Tools extends object> {
  /**
   * Throws `validation_failure` when the request is not an object, or one of another SDK: the error says what was found,
   * what was expected, and which translator would know it. Within a request it knows, what cannot be read is skipped.
   */
  toHookLLMRequest(request: Request | LLMRequest): LLMRequest;

  /**
   * Puts what a hook said into the SDK's form. With a base (the request the hook was shown) only what differs is
   * replaced; a hook that changed nothing gives back the base itself. `messages`, `config` or `toolConfig` that are
   * absent leave the base's alone; within `config` and `toolConfig` that are present, a missing key is a removed one, and
   * so is one that is `null`. A key of `config` that is reserved, or of the wrong type, changes nothing.
   */
  fromHookLLMRequest(hookRequest: LLMRequest): Request;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R | undefined): R | Request;

  /** As `toHookLLMRequest`: an object of another SDK is refused, and what cannot be read in one of this is skipped. */
  toHookLLMResponse(response: Response | LLMResponse): LLMResponse;

  /**
   * As `fromHookLLMRequest`, except that nothing is removed by being absent but candidates from a list that has others.
   * A changed `text` counts where the first candidate is unchanged or silent. The base's prototype stays, so an instance
   * of the SDK's class stays one: give an empty instance to get one from a synthetic response.
   */
  fromHookLLMResponse(hookResponse: LLMResponse): Response;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R | undefined): R | Response;

  /**
   * The response that the pieces of a stream come to, as it would have come at once; for an SDK whose pieces are not
   * responses themselves. AfterModel is shown the whole of an answer.
   */
  joinStream?(chunks: Iterable<object>): Response;

  /** `undefined` only for `undefined`; a configuration that says nothing a hook can read becomes `{}`. */
  toHookToolConfig(toolConfig: Tools | HookToolConfig): HookToolConfig;
  toHookToolConfig(toolConfig: Tools | HookToolConfig | undefined): HookToolConfig | undefined;

  /** With a base, what the stable form cannot express is kept, and an unchanged base is returned itself. */
  fromHookToolConfig(hookToolConfig: HookToolConfig): Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T | undefined): T | Tools;
}

/** A translator of whatever SDK: what the engine needs to know of the one it is given. */
export type AnyHookTranslator = Translator<object, object, object>;

/*
 * Whose types callers read and write while no other translator is given: those of `@google/genai`. The rest of the
 * engine knows them by these names only.
 */
export type ModelRequest = GenerateContentParameters;
export type ModelResponse = GenerateContentResponse;
export type ModelToolConfig = ToolConfig;
export type ModelTools = ToolListUnion;

/** What an engine takes as its translator; one of another SDK names the three types that it translates. */
export type HookTranslator<
  Request extends object = ModelRequest,
  Response extends object = ModelResponse,
  Tools extends object = ModelToolConfig,
> = Translator<Request, Response, Tools>;

/** What a trigger or a bus message may carry as `llm_request`: the SDK's form or the stable one. */
export type TranslatableRequest = ModelRequest | LLMRequest;

/** What a trigger or a bus message may carry as `llm_response`. */
export type TranslatableResponse = ModelResponse | LLMResponse;
