import { SdkTranslator } from '../sdk/sdk-translator.ts';
import { joinParts } from './join.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { CallTools, GenerateResult, SdkCallOptions, StreamPart } from './sdk-types.ts';

type AiSdkTranslator = SdkTranslator<SdkCallOptions, GenerateResult, CallTools, StreamPart>;

/** Translates what the Vercel AI SDK gives a language model and gets from it. */
export const aiSdkTranslator: AiSdkTranslator = new SdkTranslator({
  name: 'ai-sdk',
  request,
  response,
  noTools: {},
  join: joinParts,
});

/** The same for one model: its requests do not say of themselves which model they are for, and hooks want to know. */
export const aiSdkTranslatorOf = (model: string): AiSdkTranslator =>
  new SdkTranslator({
    name: 'ai-sdk',
    request: { ...request, model },
    response,
    noTools: {},
    join: joinParts,
  });
