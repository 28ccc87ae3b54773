/** Translates requests, responses and tool choices between `@google/genai` and the format of hooks. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMRequest, LLMResponse } from '../../protocol/index.ts';
import type { Translator } from '../translator.ts';
import { genaiRequestTranslation } from './request.ts';
import { applyHookResponse, createGenaiResponse, toHookResponse } from './response.ts';
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  TextRequest,
  TextResponse,
  ToolConfig,
} from './sdk-types.ts';
import { applyHookToolConfig, createGenaiToolConfig, readGenaiToolConfig } from './tool-config.ts';

type AnyRequest = GenerateContentParameters | LLMRequest;
type AnyResponse = GenerateContentResponse | LLMResponse;

/** Translator of `@google/genai` 1.x and 2.x, whose types are the same. */
export class HookTranslatorGenAIv1
  implements Translator<GenerateContentParameters, GenerateContentResponse, ToolConfig>
{
  toHookLLMRequest(request: AnyRequest): LLMRequest {
    return genaiRequestTranslation.read(request);
  }

  fromHookLLMRequest(hookRequest: LLMRequest): TextRequest;
  fromHookLLMRequest<R extends AnyRequest>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends AnyRequest>(hookRequest: LLMRequest, base: R | undefined): R | TextRequest;
  fromHookLLMRequest<R extends AnyRequest>(hookRequest: LLMRequest, base?: R): R | TextRequest {
    return base == null
      ? genaiRequestTranslation.create(hookRequest)
      : genaiRequestTranslation.write(hookRequest, base);
  }

  toHookLLMResponse(response: AnyResponse): LLMResponse {
    return toHookResponse(response);
  }

  fromHookLLMResponse(hookResponse: LLMResponse): TextResponse;
  fromHookLLMResponse<R extends AnyResponse>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends AnyResponse>(hookResponse: LLMResponse, base: R | undefined): R | TextResponse;
  fromHookLLMResponse<R extends AnyResponse>(hookResponse: LLMResponse, base?: R): R | TextResponse {
    return base == null ? createGenaiResponse(hookResponse) : applyHookResponse(hookResponse, base);
  }

  toHookToolConfig(toolConfig: ToolConfig | HookToolConfig): HookToolConfig;
  toHookToolConfig(toolConfig: ToolConfig | HookToolConfig | undefined): HookToolConfig | undefined;
  toHookToolConfig(toolConfig: ToolConfig | HookToolConfig | undefined): HookToolConfig | undefined {
    return toolConfig == null ? undefined : readGenaiToolConfig(toolConfig);
  }

  fromHookToolConfig(hookToolConfig: HookToolConfig): ToolConfig;
  fromHookToolConfig<T extends ToolConfig | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends ToolConfig | HookToolConfig>(
    hookToolConfig: HookToolConfig,
    base: T | undefined,
  ): T | ToolConfig;
  fromHookToolConfig<T extends ToolConfig | HookToolConfig>(hookToolConfig: HookToolConfig, base?: T): T | ToolConfig {
    return isRecord(base) ? applyHookToolConfig(base, hookToolConfig) : createGenaiToolConfig(hookToolConfig);
  }
}

export const defaultHookTranslator: HookTranslatorGenAIv1 = new HookTranslatorGenAIv1();
