/** The door (the file to import) of `hookwright/translators`: the translators of all SDKs. */
import { HookwrightError } from '../errors.ts';
import { isRecord } from '../kit/index.ts';
import { defaultHookTranslator, HookTranslatorGenAIv1 } from './genai-v1/genai-v1.ts';
import { aiSdkTranslator, aiSdkTranslatorOf } from './sdk/ai-sdk.ts';
import { anthropicTranslator } from './sdk/anthropic.ts';
import { langchainTranslator } from './sdk/langchain.ts';
import { openaiChatTranslator } from './sdk/openai-chat.ts';
import { openaiResponsesTranslator } from './sdk/openai-responses.ts';
import { findTranslatorName } from './sdk-shapes.ts';
import type { AnyHookTranslator } from './translator.ts';

/** @deprecated The name is `SdkCallOptions`. */
export type {
  GenerateResult,
  SdkCallOptions as CallOptions,
  SdkCallOptions,
  StreamPart,
} from './sdk/ai-sdk.ts';
export { asMarkedUser, rolesBy } from './sdk/conversation-entries.ts';
export type { LangChainEntry, LangChainRequest, LangChainResponse, LangChainTools } from './sdk/langchain.ts';
export {
  type AgentsEvent,
  type AgentsRequest,
  type AgentsResponse,
  openaiAgentsTranslatorOf,
} from './sdk/openai-agents.ts';
export { type SdkFacts, SdkTranslator } from './sdk/sdk-translator.ts';
export { typedParts } from './text-parts.ts';
export type { HookTranslator, TranslatableRequest, TranslatableResponse } from './translator.ts';
export {
  type AnyHookTranslator,
  aiSdkTranslator,
  aiSdkTranslatorOf,
  anthropicTranslator,
  defaultHookTranslator,
  HookTranslatorGenAIv1,
  langchainTranslator,
  openaiChatTranslator,
  openaiResponsesTranslator,
};

export const translators = {
  'genai-v1': defaultHookTranslator,
  'openai-chat': openaiChatTranslator,
  'openai-responses': openaiResponsesTranslator,
  anthropic: anthropicTranslator,
  'ai-sdk': aiSdkTranslator,
} as const satisfies Readonly<Record<string, AnyHookTranslator>>;

export type TranslatorName = keyof typeof translators;

const isTranslatorName = (name: string | undefined): name is TranslatorName =>
  name !== undefined && Object.hasOwn(translators, name);

/**
 * Finds the translator for a request by the shape of the request.
 *
 * @throws HookwrightError `validation_failure` if the shape is unknown or fits two SDKs.
 */
export const translatorOf = (request: object): AnyHookTranslator => {
  const name = isRecord(request) ? findTranslatorName('request', request) : undefined;
  if (isTranslatorName(name)) return translators[name];
  const found = isRecord(request) ? Object.keys(request).join(', ') || 'no fields' : 'no object';
  const known = Object.keys(translators);
  throw new HookwrightError(
    'validation_failure',
    `no translator is recognised by the shape of this request: found ${found}; give one of ${known.join(', ')} by name`,
    { details: { found, known } },
  );
};
