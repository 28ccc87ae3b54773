import { SdkTranslator } from '../sdk/sdk-translator.ts';
import { joinChunks } from './join.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { ChatChunk, ChatRequest, ChatResponse, ChatTools } from './sdk-types.ts';

/** Translates Chat Completions of `openai`, and of the many servers that speak the same. */
export const openaiChatTranslator: SdkTranslator<ChatRequest, ChatResponse, ChatTools, ChatChunk> = new SdkTranslator({
  name: 'openai-chat',
  request,
  response,
  noTools: {},
  join: joinChunks,
});
