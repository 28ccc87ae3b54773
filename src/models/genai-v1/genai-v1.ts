/** The translator of `@google/genai`. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMRequest, LLMResponse } from '../../protocol/index.ts';
import type { Translator } from '../translator.ts';
import { requestTranslator } from './request.ts';
import { createResponse, toStableResponse, withStableResponse } from './response.ts';
import type {
  GenerateContentParameters,
  GenerateContentResponse,
  TextRequest,
  TextResponse,
  ToolConfig,
} from './sdk-types.ts';
import { createToolConfig, readToolConfig, withToolConfig } from './tool-config.ts';

type Request = GenerateContentParameters | LLMRequest;
type Response = GenerateContentResponse | LLMResponse;

/** Translates the types of `@google/genai`, which are the same in 1.x and 2.x. */
export class HookTranslatorGenAIv1
  implements Translator<GenerateContentParameters, GenerateContentResponse, ToolConfig>
{
  toHookLLMRequest(request: Request): LLMRequest {
    return requestTranslator.read(request);
  }

  fromHookLLMRequest(hookRequest: LLMRequest): TextRequest;
  fromHookLLMRequest<R extends Request>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends Request>(hookRequest: LLMRequest, base: R | undefined): R | TextRequest;
  fromHookLLMRequest<R extends Request>(hookRequest: LLMRequest, base?: R): R | TextRequest {
    return base == null ? requestTranslator.create(hookRequest) : requestTranslator.write(hookRequest, base);
  }

  toHookLLMResponse(response: Response): LLMResponse {
    return toStableResponse(response);
  }

  fromHookLLMResponse(hookResponse: LLMResponse): TextResponse;
  fromHookLLMResponse<R extends Response>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends Response>(hookResponse: LLMResponse, base: R | undefined): R | TextResponse;
  fromHookLLMResponse<R extends Response>(hookResponse: LLMResponse, base?: R): R | TextResponse {
    return base == null ? createResponse(hookResponse) : withStableResponse(hookResponse, base);
  }

  toHookToolConfig(toolConfig: ToolConfig | HookToolConfig): HookToolConfig;
  toHookToolConfig(toolConfig: ToolConfig | HookToolConfig | undefined): HookToolConfig | undefined;
  toHookToolConfig(toolConfig: ToolConfig | HookToolConfig | undefined): HookToolConfig | undefined {
    return toolConfig == null ? undefined : readToolConfig(toolConfig);
  }

  fromHookToolConfig(hookToolConfig: HookToolConfig): ToolConfig;
  fromHookToolConfig<T extends ToolConfig | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends ToolConfig | HookToolConfig>(
    hookToolConfig: HookToolConfig,
    base: T | undefined,
  ): T | ToolConfig;
  fromHookToolConfig<T extends ToolConfig | HookToolConfig>(hookToolConfig: HookToolConfig, base?: T): T | ToolConfig {
    return isRecord(base) ? withToolConfig(base, hookToolConfig) : createToolConfig(hookToolConfig);
  }
}

/** The default translator. It holds no state. */
export const defaultHookTranslator: HookTranslatorGenAIv1 = new HookTranslatorGenAIv1();
