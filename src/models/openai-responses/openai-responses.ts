import { SdkTranslator } from '../sdk/sdk-translator.ts';
import { joinEvents } from './join.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { ResponsesEvent, ResponsesRequest, ResponsesResponse, ResponsesTools } from './sdk-types.ts';

/** Translates the Responses API of `openai`. `instructions` are the application's and not shown to hooks. */
export const openaiResponsesTranslator: SdkTranslator<
  ResponsesRequest,
  ResponsesResponse,
  ResponsesTools,
  ResponsesEvent
> = new SdkTranslator({ name: 'openai-responses', request, response, noTools: {}, join: joinEvents });
