/** The class of all translators but Gemini's. Its argument describes one SDK, as in `anthropic.ts`. */
import { isRecord, type Members } from '../../kit/index.ts';
import type { HookToolConfig, LLMRequest, LLMResponse } from '../../protocol/index.ts';
import { copyWithPrototype, hasKeys } from '../json-values.ts';
import { copyWithChanges, type RequestTranslation, readHookToolConfig } from '../request-form.ts';
import { fitsNoOtherSdk } from '../sdk-shapes.ts';
import type { Translator } from '../translator.ts';
import { createRequestTranslation, type RequestFacts } from './request-translation.ts';
import { createResponseTranslation, type ResponseFacts, type ResponseTranslation } from './response-translation.ts';
import { findToolChoiceChanges, isHookToolConfig, readToolChoice, type ToolChoiceFacts } from './tool-choice.ts';

export interface SdkFacts<Request extends object, Response extends object, Tools extends object, Chunk extends object> {
  readonly name: string;
  /**
   * Names of built-in translators that recognise the same shape. If this list is given, even if empty, requests that
   * fit any other built-in translator are refused.
   */
  readonly looksLike?: readonly string[];
  readonly request: RequestFacts<Request>;
  readonly response: ResponseFacts<Response>;
  readonly noTools: Tools;
  readonly join: (chunks: Iterable<Chunk>) => Response;
}

/** Translator of an SDK that is described by `SdkFacts`. `Tools` is the part of a request about tools. */
export class SdkTranslator<Request extends object, Response extends object, Tools extends object, Chunk extends object>
  implements Translator<Request, Response, Tools>
{
  readonly name: string;
  readonly #request: RequestTranslation<Request>;
  readonly #response: ResponseTranslation<Response>;
  readonly #tools: ToolChoiceFacts;
  readonly #noTools: Tools;
  readonly #join: (chunks: Iterable<Chunk>) => Response;

  constructor({ name, looksLike, request, response, noTools, join }: SdkFacts<Request, Response, Tools, Chunk>) {
    const known = (kind: 'request' | 'response', isOwn: (value: Members) => boolean) => (value: Members) =>
      isOwn(value) && (looksLike === undefined || fitsNoOtherSdk(kind, name, value, looksLike));
    this.name = name;
    this.#request = createRequestTranslation(name, { ...request, isOwn: known('request', request.isOwn) });
    this.#response = createResponseTranslation(name, { ...response, isOwn: known('response', response.isOwn) });
    this.#tools = request.tools;
    this.#noTools = noTools;
    this.#join = join;
  }

  joinStream(chunks: Iterable<Chunk>): Response {
    return this.#join(chunks);
  }

  toHookLLMRequest(request: Request | LLMRequest): LLMRequest {
    return this.#request.read(request);
  }

  fromHookLLMRequest(hookRequest: LLMRequest): Request;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R): R;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base: R | undefined): R | Request;
  fromHookLLMRequest<R extends Request | LLMRequest>(hookRequest: LLMRequest, base?: R): R | Request {
    return base == null ? this.#request.create(hookRequest) : this.#request.write(hookRequest, base);
  }

  toHookLLMResponse(response: Response | LLMResponse): LLMResponse {
    return this.#response.read(response);
  }

  fromHookLLMResponse(hookResponse: LLMResponse): Response;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R): R;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base: R | undefined): R | Response;
  fromHookLLMResponse<R extends Response | LLMResponse>(hookResponse: LLMResponse, base?: R): R | Response {
    return base == null ? this.#response.create(hookResponse) : this.#response.write(hookResponse, base);
  }

  toHookToolConfig(toolConfig: Tools | HookToolConfig): HookToolConfig;
  toHookToolConfig(toolConfig: Tools | HookToolConfig | undefined): HookToolConfig | undefined;
  toHookToolConfig(toolConfig: Tools | HookToolConfig | undefined): HookToolConfig | undefined {
    if (!isRecord(toolConfig)) return undefined;
    return isHookToolConfig(toolConfig) ? readHookToolConfig(toolConfig) : readToolChoice(toolConfig, this.#tools);
  }

  fromHookToolConfig(hookToolConfig: HookToolConfig): Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T | undefined): T | Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base?: T): T | Tools {
    const before = base ?? this.#noTools;
    const members: Members = { ...before };
    if (isHookToolConfig(members)) return Object.assign(copyWithPrototype(before), readHookToolConfig(hookToolConfig));
    const changes = findToolChoiceChanges(members, this.#tools, hookToolConfig);
    return hasKeys(changes) ? copyWithChanges(before, changes) : before;
  }
}
