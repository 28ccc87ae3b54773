/** Translators between the types of a model's SDK and the SDK-independent format that hooks see. */

export { defaultHookTranslator, HookTranslatorGenAIv1 } from './genai-v1/genai-v1.ts';
export { copyWithPrototype, isSameJson } from './json-values.ts';
export { findTranslatorName } from './sdk-shapes.ts';
export type {
  AnyHookTranslator,
  HookTranslator,
  ModelRequest,
  ModelResponse,
  ModelToolConfig,
  ModelTools,
  TranslatableRequest,
  TranslatableResponse,
  Translator,
} from './translator.ts';
