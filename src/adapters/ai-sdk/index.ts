/** Hooks around a model and the tools of the Vercel AI SDK. */
export { fromLanguageModel } from './ask-model.ts';
export { type HookedToolsOptions, hookedTools } from './hooked-tools.ts';
export { type HookedModelOptions, hookedModel, type LanguageModelLike } from './model.ts';
