import type {
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import type { Message, MessageCreateParams, RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
} from 'openai/resources/chat/completions';
import type { Response, ResponseCreateParams, ResponseStreamEvent } from 'openai/resources/responses/responses';
import {
  aiSdkTranslator,
  anthropicTranslator,
  openaiChatTranslator,
  openaiResponsesTranslator,
} from '../../src/models/translators.ts';
import type { LLMRequest, LLMResponse } from '../../src/protocol/index.ts';

// Checked by the compiler and never run. A line that stops compiling means that an SDK release changed what we rely on.

declare const hookRequest: LLMRequest;
declare const hookResponse: LLMResponse;
declare const chatRequest: ChatCompletionCreateParams;
declare const chatResponse: ChatCompletion;
declare const chatChunks: ChatCompletionChunk[];
declare const responsesRequest: ResponseCreateParams;
declare const responsesResponse: Response;
declare const responsesEvents: ResponseStreamEvent[];
declare const messagesRequest: MessageCreateParams;
declare const messagesResponse: Message;
declare const messagesEvents: RawMessageStreamEvent[];
declare const callOptions: LanguageModelV3CallOptions;
declare const result: LanguageModelV3GenerateResult;
declare const parts: LanguageModelV3StreamPart[];

// What the SDK has goes in, and what a caller gave comes back with the caller's type.
openaiChatTranslator.toHookLLMRequest(chatRequest) satisfies LLMRequest;
openaiChatTranslator.fromHookLLMRequest(hookRequest, chatRequest) satisfies ChatCompletionCreateParams;
openaiChatTranslator.toHookLLMResponse(chatResponse) satisfies LLMResponse;
openaiChatTranslator.fromHookLLMResponse(hookResponse, chatResponse) satisfies ChatCompletion;
openaiChatTranslator.toHookLLMResponse(openaiChatTranslator.joinStream(chatChunks)) satisfies LLMResponse;

openaiResponsesTranslator.toHookLLMRequest(responsesRequest) satisfies LLMRequest;
openaiResponsesTranslator.fromHookLLMRequest(hookRequest, responsesRequest) satisfies ResponseCreateParams;
openaiResponsesTranslator.toHookLLMResponse(responsesResponse) satisfies LLMResponse;
openaiResponsesTranslator.fromHookLLMResponse(hookResponse, responsesResponse) satisfies Response;
openaiResponsesTranslator.joinStream(responsesEvents);

anthropicTranslator.toHookLLMRequest(messagesRequest) satisfies LLMRequest;
anthropicTranslator.fromHookLLMRequest(hookRequest, messagesRequest) satisfies MessageCreateParams;
anthropicTranslator.toHookLLMResponse(messagesResponse) satisfies LLMResponse;
anthropicTranslator.fromHookLLMResponse(hookResponse, messagesResponse) satisfies Message;
anthropicTranslator.joinStream(messagesEvents);

aiSdkTranslator.toHookLLMRequest(callOptions) satisfies LLMRequest;
aiSdkTranslator.fromHookLLMRequest(hookRequest, callOptions) satisfies LanguageModelV3CallOptions;
aiSdkTranslator.toHookLLMResponse(result) satisfies LLMResponse;
aiSdkTranslator.fromHookLLMResponse(hookResponse, result) satisfies LanguageModelV3GenerateResult;
aiSdkTranslator.joinStream(parts);

// @ts-expect-error: the request of another SDK
openaiChatTranslator.toHookLLMRequest(responsesRequest);
// @ts-expect-error: the request of another SDK
anthropicTranslator.toHookLLMRequest(callOptions);
// @ts-expect-error: a response is no stream of pieces
openaiChatTranslator.joinStream(chatResponse);
