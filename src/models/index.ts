/** Translators between a model SDK's types and the stable form that hooks see. */

export { defaultHookTranslator, HookTranslatorGenAIv1 } from './genai-v1/genai-v1.ts';
export { copyOf, sameJson } from './json-tools.ts';
export { translatorFor } from './shapes.ts';
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
