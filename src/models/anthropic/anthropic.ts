import { SdkTranslator } from '../sdk/sdk-translator.ts';
import { joinEvents } from './join.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { MessagesEvent, MessagesRequest, MessagesResponse, MessagesTools } from './sdk-types.ts';

/** Translates the Messages API of `@anthropic-ai/sdk`. `system` is the application's and not shown to hooks. */
export const anthropicTranslator: SdkTranslator<MessagesRequest, MessagesResponse, MessagesTools, MessagesEvent> =
  new SdkTranslator({ name: 'anthropic', request, response, noTools: {}, join: joinEvents });
