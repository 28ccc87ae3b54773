/** Between the request types of a model's SDK and the stable form that hooks see. Pure. */
export { defaultHookTranslator, HookTranslatorGenAIv1 } from './genai-v1.ts';
export { copyOf, sameJson } from './json-tools.ts';
export type { GenerateContentParameters, GenerateContentResponse, ToolConfig, ToolListUnion } from './sdk-types.ts';
export type { AnyHookTranslator, HookTranslator, TranslatableRequest, TranslatableResponse } from './translator.ts';
