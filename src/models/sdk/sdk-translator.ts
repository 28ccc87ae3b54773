/** Makes a translator from the facts that each SDK states in its own file, such as `anthropic.ts`. */
import { isRecord } from '../../kit/index.ts';
import type { HookToolConfig, LLMRequest, LLMResponse } from '../../protocol/index.ts';
import { copyOf, hasKeys } from '../json-tools.ts';
import { isNotAnotherSdk } from '../shapes.ts';
import type { Translator } from '../translator.ts';
import { type RequestFacts, type RequestTranslation, requestTranslation, withChanges } from './request-translation.ts';
import { type ResponseFacts, type ResponseTranslation, responseTranslation } from './response-translation.ts';
import {
  changedTools,
  isStableToolConfig,
  readStableToolConfig,
  readToolChoice,
  type ToolChoiceFacts,
} from './tool-choice.ts';

type Members = Readonly<Record<string, unknown>>;

export interface SdkFacts<Request extends object, Response extends object, Tools extends object, Chunk extends object> {
  readonly name: string;
  /**
   * Built-in translators for the same shape. If given, even if empty, all others' requests are refused, whatever
   * `isOwn` says.
   */
  readonly looksLike?: readonly string[];
  readonly request: RequestFacts<Request>;
  readonly response: ResponseFacts<Response>;
  /** The tool choice of a request without tools. */
  readonly noTools: Tools;
  /** Joins the chunks of a stream. */
  readonly join: (chunks: Iterable<Chunk>) => Response;
}

/** Its tool configuration is the part of a request about tools. */
export class SdkTranslator<Request extends object, Response extends object, Tools extends object, Chunk extends object>
  implements Translator<Request, Response, Tools>
{
  /** The name of the translator in errors. */
  readonly name: string;
  readonly #request: RequestTranslation<Request>;
  readonly #response: ResponseTranslation<Response>;
  readonly #tools: ToolChoiceFacts;
  readonly #noTools: Tools;
  readonly #join: (chunks: Iterable<Chunk>) => Response;

  constructor({ name, looksLike, request, response, noTools, join }: SdkFacts<Request, Response, Tools, Chunk>) {
    const known = (kind: 'request' | 'response', isOwn: (value: Members) => boolean) => (value: Members) =>
      isOwn(value) && (looksLike === undefined || isNotAnotherSdk(kind, name, value, looksLike));
    this.name = name;
    this.#request = requestTranslation(name, { ...request, isOwn: known('request', request.isOwn) });
    this.#response = responseTranslation(name, { ...response, isOwn: known('response', response.isOwn) });
    this.#tools = request.tools;
    this.#noTools = noTools;
    this.#join = join;
  }

  /** The complete response of a stream, for AfterModel hooks. */
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
    return isStableToolConfig(toolConfig) ? readStableToolConfig(toolConfig) : readToolChoice(toolConfig, this.#tools);
  }

  fromHookToolConfig(hookToolConfig: HookToolConfig): Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T): T;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base: T | undefined): T | Tools;
  fromHookToolConfig<T extends Tools | HookToolConfig>(hookToolConfig: HookToolConfig, base?: T): T | Tools {
    const before = base ?? this.#noTools;
    const members: Readonly<Record<string, unknown>> = { ...before };
    if (isStableToolConfig(members)) return Object.assign(copyOf(before), readStableToolConfig(hookToolConfig));
    const changes = changedTools(members, this.#tools, hookToolConfig);
    return hasKeys(changes) ? withChanges(before, changes) : before;
  }
}
