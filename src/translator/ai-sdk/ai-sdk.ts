import { SdkTranslator } from '../sdk/sdk-translator.ts';
import { joinParts } from './join.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { CallOptions, CallTools, GenerateResult, StreamPart } from './sdk-types.ts';

/** Translates what the Vercel AI SDK gives a language model and gets from it. */
export const aiSdkTranslator: SdkTranslator<CallOptions, GenerateResult, CallTools, StreamPart> = new SdkTranslator({
  name: 'ai-sdk',
  request,
  response,
  noTools: {},
  join: joinParts,
});
