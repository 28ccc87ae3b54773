import type { LLMRequest, LLMResponse } from '../protocol/index.ts';
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  ToolConfig,
  ToolListUnion,
} from './genai-v1/sdk-types.ts';
import type { Translator } from './translator.ts';

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
